package posterior

import (
	"sync"

	"mapo/game"
	"mapo/internal/num"
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
	p      *game.Problem
	shares *game.Shares
	noise  noise
	limit  float32 // no |m| is above it
	// m at the noise's first value, unclipped. Where there are others the first is ε = 0, and they scale it by 1 − 2ε, which
	// leaves nothing to clip.
	column []float32   // [|X|, |Z|]
	row    *num.Panels // [|Z|, |X|]
	prior  []float64   // P(row, ε) before a game, [len(noise), |Z|]
	lax    *Rows       // takes over where exact answers contradict every row; nil: there is always a row
	pool   sync.Pool   // of *Belief
}

// NewRows returns the posterior over p's shares. It panics where p has none. Costs O(|Z||X|).
func NewRows(p *game.Problem) *Rows {
	r := Of(p)
	if r == nil {
		panic("posterior: NewRows on a problem without shares")
	}
	return r
}

// Of returns what [NewRows] does, and nil where p's hypotheses are not rows of shares.
func Of(p *game.Problem) *Rows {
	s, is := p.Goal().(*game.Shares)
	switch {
	case !is:
		return nil
	case s.Wrong == nil:
		return newRows(p, s, inferred, num.MostMean)
	}
	known := noise{[]float64{*s.Wrong}, []float64{1}}
	if *s.Wrong > 0 || !exact(s) {
		return newRows(p, s, known, num.MostMean)
	}
	r := newRows(p, s, known, 1)
	r.lax = newRows(p, s, inferred, num.MostMean)
	return r
}

// On returns the posterior over p's shares: r where it is of p.
func (r *Rows) On(p *game.Problem) *Rows {
	if r.p == p {
		return r
	}
	return NewRows(p)
}

// newRows returns the posterior over p's shares with no |m| above limit.
func newRows(p *game.Problem, s *game.Shares, noise noise, limit float32) *Rows {
	d, n := p.Queries(), p.Hypotheses()
	r := &Rows{p: p, shares: s, noise: noise, limit: limit, column: make([]float32, d*n), row: num.NewPanels(n, d)}
	for at, yes := range s.Yes {
		m := float32((1 - 2*noise.share[0]) * (2*yes - 1))
		r.column[at%d*n+at/d] = m
		r.row.Set(at/d, at%d, m)
	}
	for _, prior := range noise.weight {
		for _, w := range s.Weight {
			r.prior = append(r.prior, w*prior)
		}
	}
	r.pool.New = func() any { return new(Belief) }
	return r
}

// at returns where |m| is clipped for the noise's value number e, and by how much it is scaled then.
func (r *Rows) at(e int) (limit float32, keep float64) {
	if e == 0 {
		return r.limit, 1
	}
	return 1, 1 - 2*r.noise.share[e]
}

// clip keeps m to ±limit.
func clip(m, limit float32) float32 { return min(max(m, -limit), limit) }

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
	quick quickScratch
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
	b.Weight, b.joint = sized(b.Weight, rows), sized(b.joint, len(r.prior))
	copy(b.joint, r.prior)
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
		limit, keep := r.at(e)
		joint, m, half := b.joint[e*rows:(e+1)*rows], r.column[i*rows:(i+1)*rows], float64(y)*keep/2
		if times == 1 && opposite == 0 {
			top = max(top, num.Likely(joint, m, half, limit))
			continue
		}
		for j := range joint {
			likelihood := 0.5 + half*float64(clip(m[j], limit))
			joint[j] *= power(likelihood, times) * power(1-likelihood, opposite)
			top = max(top, joint[j])
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

// normalise makes the joint sum to 1, sums Weight up, and reports whether there was anything to normalise.
func (b *Belief) normalise() bool {
	var total float64
	for _, w := range b.joint {
		total += w
	}
	if total == 0 {
		return false
	}
	clear(b.Weight)
	for joint := b.joint; len(joint) > 0; joint = joint[len(b.Weight):] {
		for j := range b.Weight {
			joint[j] /= total
			b.Weight[j] += joint[j]
		}
	}
	return true
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
