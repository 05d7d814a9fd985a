package nn

import (
	"math"
	"math/bits"
	"slices"

	"mapo/game"
	"mapo/internal/num"
)

// What a Structured network reads of a query, and from fLeft on of a state for all its queries: num.Describe writes
// them in this order. All are of the order of 1; soft(v) is v/(1+|v|), and σ_i, between −1 and 1, says towards which answer
// a query leans: 8·Σ_z p_β(z)(2z_i−1) for readBetas[middle], cut. So nothing changes where a query is
// negated, with 1 − z_i for z_i and −θ_i for θ_i, which is the same game. Where instances are known σ_i is 1: what is known of
// them differs from yes to no, and a policy may go by it.
const (
	fCount     = iota // n_i/4
	fMean             // σ_i s_i/n_i, 0 where n_i = 0
	fInverse          // 1/(n_i+1)
	fSplit            // 1 − |Σ_z p_β(z)(2z_i−1)| for each of readBetas
	_                 //
	_                 //
	_                 //
	_                 //
	fSide             // σ_i Σ_z p_β(z)(2z_i−1) for readBetas[middle]
	fGain             // expected information of an answer for the same β, as a share of the most there can be
	fUncertain        // 1 where i ∈ SymDiff(Ẑ_t) (App. G), else 0
	fAgree            // s_i/n_i times the sign of the gap at i
	fGap              // σ_i times soft of max ⟨z, θ̂⟩ over z_i = 1 less the same over z_i = 0
	fClose            // 1/(1+|that gap|)
	fRawGap           // σ_i times soft of half the same gap of ⟨z, S⟩
	fNear             // Σ_j k_ij n_j/4, k the similarity of queries
	fNearSum          // σ_i Σ_j ±k_ij s_j/4, minus where i and j are like each other's negation
	fBalance          // σ_i(2·share of z_i = 1 − 1)
	fLeft             // answers left/T
	fTime             // answers so far/16
	fEntropy          // entropy of p_β/log|𝒵| for β = readBetas[1] and readBetas[3]
	_                 //
	fTop              // soft of the best ⟨z, θ̂⟩ less the second best
	fLevel            // log₂(r)/8, 0 where unknown
	structuredFeatures
)

// readBetas are the error rates of the posteriors.
var readBetas = [...]float64{.05, .15, .3, .4, .45}

const (
	middle     = 2       // of readBetas
	lower      = 1       // the two whose entropies are read
	upper      = 3       //
	readBytes  = 1 << 19 // of posteriors worked out at once
	similarity = .04     // share of hypotheses at which two queries count 1/e of one
)

// reader computes the features on one problem. It is read-only once made.
type reader struct {
	p            *game.Problem
	asks         game.Questions
	votes        bool // whether scores count items and are not whole numbers
	d, n         int
	sparse       bool       // few queries have answers in a game
	block        int        // states whose products are computed at once
	table        *num.Table // 𝒵
	zt           []float32  // 𝒵 transposed, [|X|, |Z|]
	worth        []float32  // the same, each query by what it is worth
	signs        []float32  // 2z_i − 1, [|Z|, |X|]
	near, signed []float32  // the similarity k_ij of queries, [|X|, |X|]
	balance      []float32  // [|X|]
	zero         []float32  // no biases
	minus        []float32  // −1, [|X|]
	odds         []float32  // log((1−β)/β) for readBetas
	powers       []float32  // (β/(1−β))^gap, [β, num.MostScores]
	gain         [3]float32 // the information's series in the square of the marginal, less its 1
	logZ         float64    // log|𝒵|
	known        *known     // nil: no instances are
	features     int        // of a query
}

// readerScratch is one caller's, for a block of states.
type readerScratch struct {
	mean, near, signed []float32 // [block, |X|]
	score, raw         ranking
	unlike             largest   // of score's rest
	weight, share      []float32 // p_β and its largest, [block, β, |Z|] and [block, β]
	marginal           []float32 // Σ_z p_β(z)(2z_i−1), [block, β, |X|]
	by                 num.Sorted
	ones               []float32 // of hypotheses with the same score, [scores, |X|] and more
	each               []float32 // 2·p_β of one of them, [β, scores]
	queries            num.Queries
	asked              num.Threes // queries with answers, where f.sparse
	known              *knownScratch
}

// largest is what num.Largest says of the rows of a block, [block].
type largest struct {
	best        []int
	top, second []float32
}

func newLargest(n int) largest {
	return largest{make([]int, n), make([]float32, n), make([]float32, n)}
}

func (l *largest) of(v []float32 /* [b, n] */, b, n int) {
	num.Largest(l.best[:b], l.top[:b], l.second[:b], v, b, n)
}

// ranking is what a scoring of the hypotheses says of the queries.
type ranking struct {
	score   []float32 // ⟨z, θ̂⟩ or ⟨z, S⟩, [block, |Z|]
	largest           // best: the hypothesis with the largest score
	rest    []float32 // the largest score of one unlike it at each query, [block, table's width]
}

// newReader costs O(|X|²|Z|).
func newReader(p *game.Problem, widest int) *reader {
	d, n, bits := p.Queries(), p.Hypotheses(), Splits(p)
	widest = max(widest, len(p.Known)/d)
	f := &reader{known: newKnown(p), features: readings(p), p: p, d: d, n: n, sparse: 2*p.T <= d, block: min(max(readBytes/(4*len(readBetas)*n), 8), chunk), table: num.NewTable(bits, n, d),
		zt: make([]float32, d*n), signs: make([]float32, n*d), balance: make([]float32, d), zero: make([]float32, max(d, n, widest)), minus: slices.Repeat([]float32{-1}, d)}
	for k := range n {
		for i, z := range bits[k*d : (k+1)*d] {
			f.zt[i*n+k], f.signs[k*d+i] = z, 2*z-1
			f.balance[i] += (2*z - 1) / float32(n)
		}
	}
	f.relate()
	f.asks, f.votes, f.worth = p.Questions(), classOf(p).votes, slices.Clone(f.zt)
	for i, worth := range p.Worth() {
		for k := range n {
			f.worth[i*n+k] *= worth
		}
	}
	for _, beta := range readBetas {
		odds := math.Log((1-beta)/beta) / f.asks.Tells()
		f.odds = append(f.odds, float32(odds))
		for gap := range num.MostScores {
			power := math.Pow(beta/(1-beta), float64(gap))
			if f.asks.Tells() != 1 {
				power = math.Exp(-odds * float64(gap))
			}
			f.powers = append(f.powers, float32(power))
		}
	}
	f.gain, f.logZ = gains(), math.Log(float64(n))
	return f
}

// information returns what an answer with marginal m tells, in nats: H(½ + ½(1−2β)m) − H(β).
func information(m float64) float64 {
	beta := readBetas[middle]
	h := func(q float64) float64 { return -q*math.Log(q) - (1-q)*math.Log(1-q) }
	return h(.5+.5*(1-2*beta)*m) - h(beta)
}

// gains returns the coefficients of (1 − information/most there can be) in powers of m², from H(½ + y) =
// log 2 − Σ_k (2y)^2k/(2k(2k−1)); the third takes in those beyond, less than 1e-4.
func gains() (c [3]float32) {
	a := 1 - 2*readBetas[middle]
	most := information(0)
	c[0], c[1] = float32(-a*a/2/most), float32(-a*a*a*a/12/most)
	c[2] = -1 - c[0] - c[1]
	return c
}

// relate fills the similarity of queries: exp(−share of hypotheses that answer them differently/.04), or
// alike where that is the smaller share, the sign of signed telling which. Of few hypotheses, one is the
// share that counts 1/e. On thresholds it is a window.
func (f *reader) relate() {
	d, n := f.d, f.n
	words := (n + 63) / 64
	col := make([]uint64, d*words)
	for i := range d {
		for k, z := range f.zt[i*n : (i+1)*n] {
			if z != 0 {
				col[i*words+k/64] |= 1 << (k % 64)
			}
		}
	}
	f.near, f.signed = make([]float32, d*d), make([]float32, d*d)
	scale := max(similarity*float64(n), 1)
	for i := range d {
		for j := range i + 1 {
			differ := 0
			for w := range words {
				differ += bits.OnesCount64(col[i*words+w] ^ col[j*words+w])
			}
			v := float32(math.Exp(-float64(min(differ, n-differ)) / scale))
			f.near[i*d+j], f.near[j*d+i] = v, v
			switch {
			case 2*differ > n:
				v = -v
			case 2*differ == n:
				v = 0
			}
			f.signed[i*d+j], f.signed[j*d+i] = v, v
		}
	}
}

func (f *reader) count() int { return f.features }
func (f *reader) level() int { return fLevel }

// kind says whether nothing changes where a query is negated.
func (f *reader) kind() string {
	if f.known == nil {
		return even
	}
	return ""
}

func (f *reader) rivals() []lean  { return []lean{{fUncertain, 6}, {fSplit + lower, 4}} }
func (f *reader) unasked() []lean { return []lean{{fInverse, 3}, {fUncertain, 3}} }

func (f *reader) scratch() any {
	rank := func() ranking {
		return ranking{make([]float32, f.block*f.n), newLargest(f.block), make([]float32, f.block*f.table.Width())}
	}
	sc := &readerScratch{
		mean: make([]float32, f.block*f.d), near: make([]float32, f.block*f.d), signed: make([]float32, f.block*f.d),
		score: rank(), raw: rank(), unlike: newLargest(f.block),
		weight: make([]float32, f.block*len(readBetas)*f.n), share: make([]float32, f.block*len(readBetas)),
		marginal: make([]float32, f.block*len(readBetas)*f.d),
	}
	if f.sparse {
		sc.asked.Reset(f.block, f.d)
	}
	if f.known != nil {
		sc.known = f.known.scratch(f.block, f.d)
	}
	sc.queries.Balance, sc.queries.Tie, sc.queries.Gain, sc.queries.Least = f.balance, game.Tie, f.gain, f.leastLean()
	return sc
}

// read writes the features of s to dst, feature by feature: that of query i of state b is at b·|X| + i of the feature's
// ld. All states of a block are computed at once as far as products go.
func (f *reader) read(dst []float32 /* [features, ld] */, ld int, s game.States, scratch any) {
	sc, d := scratch.(*readerScratch), f.d
	states := s.Len(d)
	for lo := 0; lo < states; lo += f.block {
		hi := min(states, lo+f.block)
		part, b := s.Slice(lo, hi, d), hi-lo
		mean := sc.mean[:b*d]
		num.Means(mean, part.S, part.N)
		if f.sparse {
			f.list(&sc.asked, part, mean)
		}
		f.rank(&sc.score, mean, ofMean, f.worth, sc, b)
		f.rank(&sc.raw, part.S, ofSum, f.zt, sc, b)
		if f.table.Many() {
			for j := range b {
				f.sorted(mean[j*d:(j+1)*d], part.S[j*d:(j+1)*d], sc, j)
			}
		} else {
			f.oppose(&sc.score, 0, b)
			f.oppose(&sc.raw, 0, b)
			f.posteriors(sc, 0, b)
		}
		sc.unlike.of(sc.score.rest[:b*f.table.Width()], b, f.table.Width())
		f.times(sc.near[:b*d], part.N, ofCount, f.near, sc, b, d)
		f.times(sc.signed[:b*d], part.S, ofSum, f.signed, sc, b, d)
		if f.known != nil {
			f.learn(part, sc, b)
		}
		for j := range b {
			f.state(dst[(lo+j)*d:][:(f.features-1)*ld+d], ld, part, j, sc)
		}
	}
}

// Which of the numbers of a query that a list keeps.
const (
	ofCount = iota
	ofSum
	ofMean
)

// leastLean returns the least σ_i may be.
func (f *reader) leastLean() float32 {
	if f.known != nil {
		return 1
	}
	return -1
}

// list lists the queries of a block's states that have answers.
func (f *reader) list(x *num.Threes, s game.States, mean []float32) {
	x.Reset(len(mean)/f.d, f.d)
	for at := 0; at < len(mean); at += f.d {
		count, sum := s.N[at:at+f.d], s.S[at:at+f.d]
		for i, n := range count {
			if n != 0 || sum[i] != 0 {
				x.Add(i, n, sum[i], mean[at+i])
			}
		}
		x.End()
	}
}

// times writes the product of v, [b, |X|], with w to dst: by the queries that have answers where most have none.
func (f *reader) times(dst, v []float32, part int, w []float32 /* [|X|, out] */, sc *readerScratch, b, out int) {
	if f.sparse {
		num.ForwardPart(dst, &sc.asked, part, w, out)
		return
	}
	num.Forward(dst, v, w, f.zero[:out], b, f.d, out, num.Linear)
}

// state writes the features of state b of a block. A query is in SymDiff(Ẑ_t) where hypotheses of either kind score
// at least From.
func (f *reader) state(dst []float32, ld int, s game.States, b int, sc *readerScratch) {
	d, width := f.d, f.table.Width()
	q, at := &sc.queries, b*d
	q.Count, q.Mean, q.Near, q.Signed = s.N[at:at+d], sc.mean[at:at+d], sc.near[at:at+d], sc.signed[at:at+d]
	q.Marginal = sc.marginal[at*len(readBetas):][:d*len(readBetas)]
	q.Rest, q.RawRest = sc.score.rest[b*width:][:d], sc.raw.rest[b*width:][:d]
	q.Sign, q.RawSign = f.signs[sc.score.best[b]*d:][:d], f.signs[sc.raw.best[b]*d:][:d]
	q.Top, q.RawTop = sc.score.top[b], sc.raw.top[b]
	second := sc.unlike.top[b] // a second hypothesis differs from the best somewhere
	q.From = q.Top - game.Tie
	if second < q.From {
		q.From = second - game.Tie
	}

	all, asked := &q.State, float32(0)
	all[fEntropy-fLeft], all[fEntropy+1-fLeft], asked = f.entropies(sc, q.Count, s.S[at:at+d], b)
	left := float32(f.p.T) - asked
	switch {
	case s.Left != nil:
		left = s.Left[b]
	case f.asks.Tells() != 1:
		left = f.p.LeftOf(s, b)
	}
	if f.asks.Tells() != 1 { // an answer counts in several columns
		asked = float32(f.p.T) - left
	}
	all[0], all[fTime-fLeft], all[fTop-fLeft] = left/float32(f.p.T), asked/16, soft(q.Top-second)
	all[fLevel-fLeft] = 0
	if s.Level != nil {
		all[fLevel-fLeft] = s.Level[b] / 8
	}
	num.Describe(dst[:(structuredFeatures-1)*ld+d], q, d, ld)
	if f.known != nil {
		f.known.describe(dst[structuredFeatures*ld:], ld, d, sc.known, b, asked)
	}
}

func abs(v float32) float32 { return math.Float32frombits(math.Float32bits(v) &^ (1 << 31)) }

func soft(v float32) float32 { return v / (1 + abs(v)) }
