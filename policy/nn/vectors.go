package nn

import (
	"cmp"
	"context"
	"math"
	"slices"

	"mapo/difficulty"
	"mapo/game"
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
	own    []int32   // the hypothesis that each query is, −1: none, [|X|]; nil: no query is one
	ut     []float32 // queries, transposed, [Rank, |X|]
	zero   []float32 // no biases, [|X|]
	order  []int     // hypotheses by their distance from the mean of all: of those that tie for the best the first counts
	batch  int       // states whose queries are read together
}

// newVectorReader costs O(|X||Z|) and the static design. Where that is not found it counts as uniform.
func newVectorReader(p *game.Problem) *vectorReader {
	f := &vectorReader{p: p, span: p.Span(), d: p.Queries(), n: p.Hypotheses(), sigma: math.Sqrt(p.Answer().Variance(0))}
	var err error
	if f.design, err = difficulty.Static(context.Background(), p); err != nil {
		f.design = make([]float64, f.d)
		for x := range f.design {
			f.design[x] = 1 / float64(f.d)
		}
	}
	f.own = f.owns()
	r := f.span.Rank
	f.ut, f.zero = make([]float32, r*f.d), make([]float32, f.d)
	narrow(f.ut, f.span.Queries())
	f.batch = max(1, min(mostBatch, mostWhite/(len(ridges)*r*f.d)))
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

const (
	mostBatch = 32      // states that are read together
	mostWhite = 1 << 17 // numbers of their queries that are kept meanwhile
)

// owns returns the hypothesis that each query is.
func (f *vectorReader) owns() []int32 {
	own, any := make([]int32, f.d), false
	for x := range own {
		own[x] = -1
		for k := range f.n {
			if same(f.span.Vector(x), f.span.Hypothesis(k)) {
				own[x], any = int32(k), true
			}
		}
	}
	if !any {
		return nil
	}
	return own
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
