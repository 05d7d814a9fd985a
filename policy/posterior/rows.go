package posterior

import (
	"math"
	"sync"

	"mapo/game"
)

// noise is what is assumed about wrong answers before a game: the share ε of answers that are the opposite of what
// the row says, as a distribution over a few values.
type noise struct {
	share  []float64 // values of ε, each in [0, ½)
	weight []float64 // their probabilities, sum 1
}

// inferred is the noise where the share of wrong answers is inferred from the answers of a game.
var inferred = noise{[]float64{0, 0.05, 0.1, 0.2, 0.3}, []float64{0.3, 0.25, 0.2, 0.15, 0.1}}

// Rows is Bayes' posterior over a problem's [game.Shares], jointly with the share ε of wrong answers:
//
//	P(j, ε | answers) ∝ weight_j · P(ε) · Π_i ½(1 + y_i·m_jiε), m_jiε = 2·clip((1−2ε)·yes_ji + ε) − 1
//
// with y_i = ±1 for yes and no, ±½ for "probably" and "probably not", and shares clipped to [LeastShare,
// 1 − LeastShare]. With a fixed ε of 0 and a table of known cells that are all 0 or 1, nothing is clipped: one wrong
// answer rules a row out. If that leaves no row, the noise is inferred instead and [Belief.Contradicted] says so.
// Rows may be used concurrently.
type Rows struct {
	p     *game.Problem
	noise noise
	// m at the noise's first value, clipped, and m at ε = 0, which its other values scale by 1 − 2ε and never clip.
	first, plain layouts
	lax          *Rows     // takes over where exact answers contradict every row; nil: there is always a row
	pool         sync.Pool // of *Belief
}

// layouts is one matrix twice.
type layouts struct {
	row    []float32 // [|Z|, |X|]
	column []float32 // [|X|, |Z|]
}

// NewRows returns the posterior over p's shares. It panics where p has none. Costs O(|Z||X|).
func NewRows(p *game.Problem) *Rows {
	switch {
	case p.Shares == nil:
		panic("posterior: NewRows on a problem without shares")
	case p.Shares.Wrong == nil:
		return newRows(p, inferred, 1-2*LeastShare)
	}
	known := noise{[]float64{*p.Shares.Wrong}, []float64{1}}
	if *p.Shares.Wrong > 0 || !exact(p.Shares) {
		return newRows(p, known, 1-2*LeastShare)
	}
	r := newRows(p, known, 1)
	r.lax = newRows(p, inferred, 1-2*LeastShare)
	return r
}

// newRows has no |m| above limit.
func newRows(p *game.Problem, noise noise, limit float64) *Rows {
	r := &Rows{p: p, noise: noise}
	r.first = lay(p, func(m float64) float64 { return min(max((1-2*noise.share[0])*m, -limit), limit) })
	if len(noise.share) > 1 {
		r.plain = lay(p, func(m float64) float64 { return m })
	}
	r.pool.New = func() any { return new(Belief) }
	return r
}

// lay lays f of every m = 2·yes − 1 out.
func lay(p *game.Problem, f func(m float64) float64) layouts {
	d, n := p.Queries(), p.Hypotheses()
	l := layouts{row: make([]float32, n*d), column: make([]float32, d*n)}
	for at, yes := range p.Shares.Yes {
		m := float32(f(2*yes - 1))
		l.row[at], l.column[at%d*n+at/d] = m, m
	}
	return l
}

// at returns the matrix for the noise's value number e, and by how much it is scaled.
func (r *Rows) at(e int) (layouts, float64) {
	if e == 0 {
		return r.first, 1
	}
	return r.plain, 1 - 2*r.noise.share[e]
}

// exact reports whether every known share is 0 or 1, those of "none of these" left out.
func exact(s *game.Shares) bool {
	table := s.Yes
	if s.Other {
		table = table[:len(table)-len(table)/len(s.Weight)]
	}
	for at, yes := range table {
		if yes != 0 && yes != 1 && (s.Unknown == nil || !s.Unknown[at]) {
			return false
		}
	}
	return true
}

// Belief is the posterior in one state, and scratch for the next: its zero value is ready.
type Belief struct {
	Weight       []float64 // P(row | answers), ε summed out, [|Z|]
	Contradicted bool      // the answers rule every row out, so that the noise was inferred instead

	rows  *Rows     // whose noise the joint is over
	joint []float64 // P(row, ε | answers), [len(noise), |Z|]
	yes   []float64 // the mean answer to each query, [|X|]
}

// Believe works the posterior out in one state: after answers to each query, [|X|], that sum to sum, [|X|], with the
// rows of out, [|Z|] or nil, known to be wrong. If that leaves no row of an exact table, the answers contradict it; otherwise out is ignored. Where a query has one answer,
// its sum may be ±½. Costs O(|Z|·(queries asked)·(values of ε)).
func (r *Rows) Believe(b *Belief, answers, sum []float32, out []bool) {
	b.Contradicted = false
	if r.believe(b, answers, sum) && (b.leaveOut(out) || r.lax == nil) {
		return
	}
	r.lax.believe(b, answers, sum)
	b.leaveOut(out)
	b.Contradicted = true
}

// leaveOut takes the weight of rows away that are known to be wrong, and reports whether a row is left.
func (b *Belief) leaveOut(out []bool) bool {
	if out == nil {
		return true
	}
	left := 0.
	for j, w := range b.Weight {
		if !out[j] {
			left += w
		}
	}
	if left == 0 {
		return false
	}
	for at := range b.joint {
		if out[at%len(out)] {
			b.joint[at] = 0
		}
	}
	return b.normalise()
}

// believe reports whether the answers leave a row.
func (r *Rows) believe(b *Belief, n, s []float32) bool {
	rows := r.p.Hypotheses()
	b.rows = r
	b.Weight, b.joint = sized(b.Weight, rows), sized(b.joint, rows*len(r.noise.share))
	for e, prior := range r.noise.weight {
		for j, w := range r.p.Shares.Weight {
			b.joint[e*rows+j] = w * prior
		}
	}
	for i, times := range n {
		if times == 0 {
			continue
		}
		if times == 1 {
			r.multiply(b, i, s[i], 1, 0)
			continue
		}
		for yes, no := int(times+s[i])/2, int(times-s[i])/2; yes+no > 0; {
			y, n := min(yes, mostAtOnce), min(no, mostAtOnce)
			r.multiply(b, i, 1, y, n)
			yes, no = yes-y, no-n
		}
	}
	return b.normalise()
}

// mostAtOnce bounds the answers whose likelihoods are multiplied before the weights are scaled, so that none vanishes.
const mostAtOnce = 30

// multiply multiplies the weights by the likelihood of answers to query i, so many of one sign and of the other, each
// of the strength y, and scales the weights where all have become small.
func (r *Rows) multiply(b *Belief, i int, y float32, times, opposite int) {
	rows, top := len(b.Weight), 0.
	for e := range r.noise.share {
		matrix, keep := r.at(e)
		joint, half := b.joint[e*rows:(e+1)*rows], float64(y)*keep/2
		for j, m := range matrix.column[i*rows : (i+1)*rows] {
			likelihood := 0.5 + half*float64(m)
			if times != 1 || opposite != 0 {
				likelihood = power(likelihood, times) * power(1-likelihood, opposite)
			}
			joint[j] *= likelihood
			if joint[j] > top {
				top = joint[j]
			}
		}
	}
	if top > 0 && top < 1e-100 {
		for j := range b.joint {
			b.joint[j] /= top
		}
	}
}

// power returns x to the n.
func power(x float64, n int) float64 {
	product := 1.
	for range n {
		product *= x
	}
	return product
}

// normalise has the joint sum to 1, sums Weight up, and reports whether there was anything to normalise.
func (b *Belief) normalise() bool {
	var total float64
	for _, w := range b.joint {
		total += w
	}
	if total == 0 {
		return false
	}
	rows := len(b.Weight)
	clear(b.Weight)
	for at, w := range b.joint {
		b.joint[at] = w / total
		b.Weight[at%rows] += b.joint[at]
	}
	return true
}

const (
	negligible = 1e-12 // up to this weight a row is left out of gains: they move by at most |Z| times that
	light      = 1e-2  // up to this weight a row's entropies are interpolated, to within 2e-7 times the weight
)

// Gain writes the information gain of each query about the row, in nats, to dst, [|X|]:
//
//	I(y_i; j) = H(y_i) − Σ_j P(j | answers)·H(y_i | j)
//
// Where "none of these" is a hypothesis, the gain is about the rows given that it is one of them; 0 where it is not.
// ε is averaged within the row (Lindley 1956). Costs O(|Z||X|). It agrees with the formula to 1e-6.
func (b *Belief) Gain(dst []float64) {
	r, d := b.rows, len(dst)
	b.yes = sized(b.yes, d)
	clear(b.yes)
	clear(dst)
	rows, among := len(b.Weight), 1.
	if r.p.Shares.Other {
		rows--
		if among -= b.Weight[rows]; among <= negligible {
			return
		}
	}
	for j, weight := range b.Weight[:rows] {
		if weight <= negligible {
			continue
		}
		clean, keep := b.kept(j)
		weight /= among
		first := r.first.row[j*d : (j+1)*d]
		plain := first
		if r.plain.row != nil {
			plain = r.plain.row[j*d : (j+1)*d]
		}
		for i, m := range first {
			mean := clean*m + keep*plain[i]
			b.yes[i] += weight * float64(mean)
			if weight > light {
				dst[i] += weight * Entropy((1+float64(mean))/2)
			} else {
				dst[i] += weight * float64(between(mean))
			}
		}
	}
	for i, doubt := range dst {
		dst[i] = max(0, Entropy((1+b.yes[i])/2)-doubt)
	}
}

// kept returns what row j's mean of m over ε is made of: so much of m at the noise's first value, and so much of plain m.
func (b *Belief) kept(j int) (clean, keep float32) {
	rows, sum := len(b.Weight), 0.
	for e := range b.rows.noise.share[1:] {
		_, scale := b.rows.at(e + 1)
		sum += scale * b.joint[(e+1)*rows+j]
	}
	return float32(b.joint[j] / b.Weight[j]), float32(sum / b.Weight[j])
}

// curve is the entropy of an answer of mean m at m = 0, 1/steps, … 1, and once more at its end.
var curve = func() (c [steps + 2]float32) {
	for k := range steps + 1 {
		c[k] = float32(Entropy((1 + float64(k)/steps) / 2))
	}
	return c
}()

const steps = 4096

// between interpolates the entropy of an answer of mean m, in [−1, 1].
func between(m float32) float32 {
	if m < 0 {
		m = -m
	}
	at := m * steps
	k := int(at)
	return curve[k] + (at-float32(k))*(curve[k+1]-curve[k])
}

// Entropy returns the entropy of an answer that is a yes with probability q, in nats.
func Entropy(q float64) float64 {
	if q <= 0 || q >= 1 {
		return 0
	}
	return -q*math.Log(q) - (1-q)*math.Log(1-q)
}

// Decide writes the recommendation to dst, [B,|Z|]: the row of the largest posterior, ties sharing the probability.
// It makes Rows a [game.Decider].
func (r *Rows) Decide(dst []float32, s game.States) {
	b := r.pool.Get().(*Belief)
	defer r.pool.Put(b)
	d, rows := r.p.Queries(), r.p.Hypotheses()
	for at := range s.Len(d) {
		one := s.Slice(at, at+1, d)
		r.Believe(b, one.N, one.S, one.Out)
		lead := Leaders(nil, b.Weight)
		row := dst[at*rows : (at+1)*rows]
		clear(row)
		for _, j := range lead {
			row[j] = 1 / float32(len(lead))
		}
	}
}

// Leaders appends to lead the rows whose weight is the largest, up to a part in 10⁹ for rounding.
func Leaders(lead []int, weight []float64 /* [|Z|] */) []int {
	top := 0.
	for _, w := range weight {
		top = max(top, w)
	}
	for j, w := range weight {
		if w >= top*(1-1e-9) {
			lead = append(lead, j)
		}
	}
	return lead
}

// sized returns s with n entries of any content, in its own memory where that suffices.
func sized(s []float64, n int) []float64 {
	if cap(s) < n {
		return make([]float64, n)
	}
	return s[:n]
}
