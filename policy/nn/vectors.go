package nn

import (
	"cmp"
	"math"
	"slices"

	"mapo/difficulty"
	"mapo/game"
	"mapo/internal/num"
)

// What a Structured network reads of a query that is a vector x, and from vLeft on of a state for all its queries. All are of the
// order of 1. Signs of answers come in squares or in scores of hypotheses, so nothing changes where x and its answers are negated;
// nor does anything depend on the coordinates of ℝ^d. For each κ of ridges, with A = κI + Σ N_x xxᵀ in orthonormal
// coordinates of the column space of 𝒳, η̂ the ridge regression, y_z the best hypothesis less z, gap_z = ⟨y_z, η̂⟩, and
// w_z ∝ exp(−gap_z²/(2σ²‖y_z‖²_{A⁻¹})):
const (
	vLever   = iota // l/(1+l), l = xᵀA⁻¹x
	vTell           // (xᵀA⁻¹y)²/((1+l)·yᵀA⁻¹y), the share by which an answer shrinks ‖y‖² of the nearest challenger, relative to the largest
	vTells          // the same share, averaged under w, relative to the largest
	vShare          // that largest average
	vPick           // Σ w_z over the challengers of which no query tells more
	vMean           // min(1, ⟨x, η̂⟩²)
	vOwn            // w_z of the hypothesis that is the query, relative to the largest; 1 for the best; 0 where there is none
	vSoftGap        // 1/(1 + gap/(σ‖y‖_{A⁻¹})) of that hypothesis
	perRidge
)

const (
	vCount    = iota + len(ridges)*perRidge // n/4
	vInverse                                // 1/(n+1)
	vResidual                               // soft of √n·|s/n − ⟨x, η̂⟩|/σ for the first ridge
	vDeficit                                // soft of t·λ_x − n, λ the static design
	vDesign                                 // |X|·λ_x/(1 + |X|·λ_x)
	vLeft                                   // answers left/T
	vTime                                   // answers so far/16
	vLevel                                  // log₂(r)/8, 0 where unknown
	vHeads                                  // of the ridges: the largest w_z
	_                                       //
	vNearest                                // of the ridges: soft of the least gap/(σ‖y‖_{A⁻¹})
	_                                       //
	vectorFeatures
)

// ridges are the κ, in units of Rank/|X|: of a quarter of an answer to each direction, and of about what means in [−1, 1] say.
var ridges = [2]float64{0.25, 4}

// vectorReader computes the features on one problem of vectors. It is read-only once made.
type vectorReader struct {
	p      *game.Problem
	span   *game.Span
	d, n   int
	sigma  float64
	design []float64 // λ, [|X|]
	own    []int32   // the hypothesis that each query is, −1: none, [|X|]
	ut     []float32 // queries, transposed, [Rank, |X|]
	zero   []float32 // no biases, [|X|]
	order  []int     // hypotheses by their distance from the mean of all: of those that tie for the best the first counts
}

// newVectorReader costs O(|X||Z|) and the static design. Where that is not found it counts as uniform.
func newVectorReader(p *game.Problem) *vectorReader {
	f := &vectorReader{p: p, span: p.Span(), d: p.Queries(), n: p.Hypotheses(), sigma: math.Sqrt(p.Answers.Variance(0))}
	var err error
	if f.design, err = difficulty.Static(p); err != nil {
		f.design = make([]float64, f.d)
		for x := range f.design {
			f.design[x] = 1 / float64(f.d)
		}
	}
	f.own = make([]int32, f.d)
	for x := range f.own {
		f.own[x] = -1
		for k := range f.n {
			if same(f.span.Row(x), f.span.Hypothesis(k)) {
				f.own[x] = int32(k)
			}
		}
	}
	f.ut, f.zero = make([]float32, f.span.Rank*f.d), make([]float32, f.d)
	for x := range f.d {
		for j, u := range f.span.Row(x) {
			f.ut[j*f.d+x] = float32(u)
		}
	}
	mean, far := make([]float64, f.span.Rank), make([]float64, f.n)
	for k := range f.n {
		for j, v := range f.span.Hypothesis(k) {
			mean[j] += v / float64(f.n)
		}
	}
	for k := range f.n {
		f.order = append(f.order, k)
		for j, v := range f.span.Hypothesis(k) {
			far[k] += (v - mean[j]) * (v - mean[j])
		}
	}
	slices.SortStableFunc(f.order, func(a, b int) int { return cmp.Compare(far[a], far[b]) })
	return f
}

// same reports whether two vectors are equal up to the rounding of hypotheses.
func same(a, b []float64) bool {
	var off, square float64
	for i, v := range a {
		off += (v - b[i]) * (v - b[i])
		square += v * v
	}
	return off <= 1e-10*square
}

func (f *vectorReader) count() int   { return vectorFeatures }
func (f *vectorReader) level() int   { return vLevel }
func (f *vectorReader) kind() string { return vectorKind }

// rivals lean to what the challengers are told by, unasked to queries with few answers.
func (f *vectorReader) rivals() []lean  { return []lean{{vPick, 6}, {vTells + perRidge, 4}} }
func (f *vectorReader) unasked() []lean { return []lean{{vInverse, 3}, {vTells + perRidge, 3}} }

// vectorScratch is one caller's.
type vectorScratch struct {
	base, a, l, inverse []float64 // [Rank, Rank]
	b, eta, y, other    []float64 // [Rank]
	best, near          int       // hypotheses: the best, and the challenger with the least gap in widths
	lever               []float64 // [|X|]
	gap, width, weight  []float64 // of hypotheses, gap in widths, [|Z|]
	ahead               []float64 // w relative to the largest, [|Z|]
	pick                []float64 // [|X|]

	back              []float32 // A⁻¹v of the hypotheses, [|Z|, Rank]
	cross             []float32 // xᵀA⁻¹v, [|Z|, |X|]
	divide, told, one []float32 // [|X|]
}

func (f *vectorReader) scratch() any {
	r, v, w := f.span.Rank, func(n int) []float64 { return make([]float64, n) }, func(n int) []float32 { return make([]float32, n) }
	return &vectorScratch{
		base: v(r * r), a: v(r * r), l: v(r * r), inverse: v(r * r), b: v(r), eta: v(r), y: v(r), other: v(r), lever: v(f.d),
		gap: v(f.n), width: v(f.n), weight: v(f.n), ahead: v(f.n), pick: v(f.d),
		back: w(f.n * r), cross: w(f.d * f.n), divide: w(f.d), told: w(f.d), one: w(f.d),
	}
}

// read writes the features of s to dst, feature by feature, as [reader.read]. Costs O((|X| + |Z|)·Rank² + |X||Z|·Rank) a state.
func (f *vectorReader) read(dst []float32 /* [features, ld] */, ld int, s game.States, scratch any) {
	sc, d := scratch.(*vectorScratch), f.d
	for b := range s.Len(d) {
		at := dst[b*d:]
		row := func(feature int) []float32 { return at[feature*ld:][:d] }
		n, sum := s.N[b*d:(b+1)*d], s.S[b*d:(b+1)*d]
		var asked float64
		for _, times := range n {
			asked += float64(times)
		}
		f.span.Sums(sc.base, sc.b, n, sum)
		for i := range ridges {
			f.ridge(sc, i)
			f.describe(sc, i, row)
			if i == 0 {
				f.residuals(sc, n, sum, row(vResidual))
			}
		}
		count, inverse, deficit, design := row(vCount), row(vInverse), row(vDeficit), row(vDesign)
		for x, times := range n {
			count[x], inverse[x] = times/4, 1/(times+1)
			deficit[x] = soft(float32(asked*f.design[x]) - times)
			share := float32(f.design[x]) * float32(d)
			design[x] = share / (1 + share)
		}
		level := float32(0)
		if s.Level != nil {
			level = s.Level[b] / 8
		}
		fill(row(vLeft), f.p.LeftOf(s, b)/float32(f.p.T))
		fill(row(vTime), float32(asked)/16)
		fill(row(vLevel), level)
	}
}

func fill(row []float32, v float32) {
	for i := range row {
		row[i] = v
	}
}

// ridge works out η̂, leverages, and gaps and widths against the best hypothesis.
func (f *vectorReader) ridge(sc *vectorScratch, which int) {
	r := f.span.Rank
	copy(sc.a, sc.base)
	for i := range r {
		sc.a[i*r+i] += ridges[which] * float64(r) / float64(f.d)
	}
	game.Cholesky(sc.l, sc.a, r)
	game.CholeskyInverse(sc.inverse, sc.l, r)
	apply(sc.eta, sc.inverse, sc.b)
	best := f.order[0]
	for _, k := range f.order {
		if sc.gap[k] = dot(f.span.Hypothesis(k), sc.eta); sc.gap[k] > sc.gap[best] {
			best = k
		}
	}
	sc.best = best
	f.challenge(sc)
	for x := range sc.lever {
		apply(sc.y, sc.inverse, f.span.Row(x))
		sc.lever[x] = dot(sc.y, f.span.Row(x))
	}
	num.Forward(sc.cross, sc.back, f.ut, f.zero, f.n, r, f.d, num.Linear)
}

// leastSquare is the least ‖y‖²_{A⁻¹}, against rounding.
const leastSquare = 1e-18

// challenge fills what the other hypotheses are to the best: width, gap in widths, how near the best they are, as shares, and the
// nearest.
func (f *vectorReader) challenge(sc *vectorScratch) {
	v, top := f.span.Hypothesis(sc.best), sc.gap[sc.best]
	apply(sc.other, sc.inverse, v)
	f.keep(sc, sc.best, sc.other)
	own := dot(sc.other, v)
	sc.near = -1
	for k := range sc.gap {
		if k == sc.best {
			continue
		}
		z := f.span.Hypothesis(k)
		apply(sc.y, sc.inverse, z)
		f.keep(sc, k, sc.y)
		sc.width[k] = f.sigma * math.Sqrt(max(dot(sc.y, z)-2*dot(sc.other, z)+own, leastSquare))
		sc.gap[k] = (top - sc.gap[k]) / sc.width[k]
		if n := sc.near; n < 0 || sc.gap[k] < sc.gap[n] || sc.gap[k] == sc.gap[n] && sc.width[k] > sc.width[n] {
			sc.near = k
		}
	}
	near, total := sc.gap[sc.near]*sc.gap[sc.near], 0.0
	for k, gap := range sc.gap {
		sc.ahead[k] = 0
		if more := gap*gap - near; k != sc.best && more < mostBehind {
			sc.ahead[k] = math.Exp(-more / 2)
			total += sc.ahead[k]
		}
	}
	sc.gap[sc.best] = 0
	for k, ahead := range sc.ahead {
		sc.weight[k] = ahead / total
	}
}

// keep notes A⁻¹v of hypothesis k.
func (f *vectorReader) keep(sc *vectorScratch, k int, back []float64) {
	for i, v := range back {
		sc.back[k*len(back)+i] = float32(v)
	}
}

const (
	leastWeight = 0.02  // of the challengers' weight, below which one is not looked at
	mostBehind  = 16    // by how much a squared gap may exceed the nearest's for a weight that is not 0
	tiny        = 1e-30 // keeps quotients from 0/0
)

// describe writes what the ridge says of the queries.
func (f *vectorReader) describe(sc *vectorScratch, which int, row func(feature int) []float32) {
	at := which * perRidge
	lever, tells, mean, own, soft := row(at+vLever), row(at+vTells), row(at+vMean), row(at+vOwn), row(at+vSoftGap)
	f.tell(sc, row(at+vTell))
	top := slices.Max(sc.told)
	fill(row(at+vShare), top)
	copied(row(at+vPick), sc.pick)
	for x, l := range sc.lever {
		m := dot(f.span.Row(x), sc.eta)
		lever[x], tells[x], mean[x] = float32(l/(1+l)), sc.told[x]/(top+tiny), float32(min(1, m*m))
		own[x], soft[x] = 0, 0
		switch k := f.own[x]; {
		case k < 0:
		case int(k) == sc.best:
			own[x], soft[x] = 1, 1
		default:
			own[x], soft[x] = float32(sc.ahead[k]), float32(1/(1+sc.gap[k]))
		}
	}
	gap := sc.gap[sc.near]
	fill(row(vHeads+which), float32(sc.weight[sc.near]))
	fill(row(vNearest+which), float32(gap/(1+gap)))
}

// tell fills told and pick, and writes what is told of the nearest challenger to near, relative to the largest.
func (f *vectorReader) tell(sc *vectorScratch, near []float32) {
	clear(sc.told)
	clear(sc.pick)
	for x, l := range sc.lever {
		sc.divide[x] = float32(1 / (1 + l))
	}
	best := sc.cross[sc.best*f.d : (sc.best+1)*f.d]
	for k, weight := range sc.weight {
		if k == sc.best || weight < leastWeight && k != sc.near {
			continue
		}
		scale := float32(weight * f.sigma * f.sigma / (sc.width[k] * sc.width[k]))
		most, at := float32(-1), 0
		other, told := sc.cross[k*f.d:(k+1)*f.d], sc.told[:len(best)]
		for x, by := range sc.divide[:len(best)] {
			v := best[x] - other[x]
			v *= v * by
			sc.one[x] = v
			told[x] += float32(scale * v)
			if v > most {
				most, at = v, x
			}
		}
		sc.pick[at] += weight
		if k == sc.near {
			for x, v := range sc.one {
				near[x] = v / (most + tiny)
			}
		}
	}
}

func copied(dst []float32, v []float64) {
	for i, x := range v {
		dst[i] = float32(x)
	}
}

// residuals writes how far the mean answer to each query is from what the regression says.
func (f *vectorReader) residuals(sc *vectorScratch, n, sum, dst []float32) {
	for x, times := range n {
		if dst[x] = 0; times > 0 {
			off := math.Abs(float64(sum[x]/times)-dot(f.span.Row(x), sc.eta)) * math.Sqrt(float64(times)) / f.sigma
			dst[x] = float32(off / (1 + off))
		}
	}
}

func apply(dst, a, v []float64) {
	r := len(v)
	for i := range dst {
		dst[i] = dot(a[i*r:(i+1)*r], v)
	}
}

func dot(a, b []float64) (sum float64) {
	b = b[:len(a)]
	for i, v := range a {
		sum += v * b[i]
	}
	return sum
}
