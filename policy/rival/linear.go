package rival

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"sync"

	"mapo/difficulty"
	"mapo/game"
	"mapo/policy/decision"
)

// XYStatic asks by the static design λ over all pairs of hypotheses ([difficulty.Static]; Soare, Lazaric and Munos 2014), whatever
// is answered: the query with the least N_x/λ_x, ties at random. Queries whose share of the budget is below half an answer are
// left out. The error is that of the design, where it is not found.
func XYStatic(p *game.Problem) (game.Policy, error) {
	lambda, err := difficulty.Static(context.Background(), p)
	if err != nil {
		return nil, err
	}
	for x, v := range lambda {
		if v*float64(p.T) < leastAnswers {
			lambda[x] = 0
		}
	}
	s := &xyStatic{share: lambda}
	s.pool.New = func() any { pick := make([]bool, len(lambda)); return &pick }
	return s, nil
}

// leastAnswers is below what share of an answer a query is left out of a static design.
const leastAnswers = 0.5

type xyStatic struct {
	share []float64 // λ, 0 where a query is left out
	pool  sync.Pool // of *[]bool
}

// String returns the name in specs and results.
func (*xyStatic) String() string { return "xy-static" }

// Probs writes to dst, [B, |X|], the uniform distribution over the queries that are the farthest behind their share, and
// over all where none has one. Costs O(|X|) a state.
func (x *xyStatic) Probs(dst []float32, s game.States) {
	scratch := x.pool.Get().(*[]bool)
	defer x.pool.Put(scratch)
	pick := *scratch
	rows(dst, s, len(x.share), func(row, n, _ []float32, mask []bool) {
		least := math.Inf(1)
		for i, share := range x.share {
			if share > 0 && (mask == nil || !mask[i]) {
				least = min(least, float64(n[i])/share)
			}
		}
		for i, share := range x.share {
			pick[i] = share > 0 && float64(n[i])/share <= least*(1+1e-9)
		}
		game.UniformOver(row, pick, mask)
	})
}

// LinGapE asks greedily as LinGapE does (Xu, Honda and Sugiyama 2018), for a fixed number of answers. With A = κI + Σ N_x x xᵀ, i the
// best hypothesis by ridge regression and j the one that may be ahead of it by most,
//
//	j = argmax_{j ≠ i} score_j − score_i + c·σ·‖z_j − z_i‖_{A⁻¹},
//
// it asks the query that leaves the least ‖z_i − z_j‖_{(A + xxᵀ)⁻¹}. κ = 1/|X| in orthonormal coordinates of the column space of 𝒳:
// as much as one answer to each query gives, divided by their number. Queries that tie share the probability; of leaders that tie it is the first.
func LinGapE(p *game.Problem, c float64) game.Policy {
	l := newLinear(p, numbered("lin-gap-e", c))
	l.rivals = func(sc *linearScratch) {
		best := math.Inf(-1)
		for j, v := range sc.width {
			if j != sc.best {
				best = max(best, sc.gap[j]+c*l.sigma*v)
			}
		}
		for j, v := range sc.width {
			if sc.weight[j] = 0; j != sc.best && sc.gap[j]+c*l.sigma*v >= best-game.Tie*l.span.Unit {
				sc.weight[j] = 1
			}
		}
	}
	return l
}

// LinearTopTwo asks by top-two sampling for vectors: the leader i is the best hypothesis by ridge regression, and the challenger j
// is drawn by the probability that it is ahead of i. That is Φ(−gap/(σ√scale·‖z_i − z_j‖_{A⁻¹})), of the Gaussian posterior with
// its variance multiplied by scale. Of the pair it asks the query that leaves the least ‖z_i − z_j‖_{(A + xxᵀ)⁻¹}, A as in
// [LinGapE]. For arms that is between Russo's (2016) and the transportation costs of Jourdan and Degenne (2022), near which
// it is for a small scale.
func LinearTopTwo(p *game.Problem, scale float64) game.Policy {
	name := "linear-top-two"
	if scale != 1 {
		name = numbered(name, scale)
	}
	l := newLinear(p, name)
	sigma := l.sigma * math.Sqrt(scale)
	l.rivals = func(sc *linearScratch) {
		for j, v := range sc.width {
			if sc.weight[j] = 0; j != sc.best && v > 0 {
				sc.weight[j] = math.Erfc(-sc.gap[j]/(sigma*v)/math.Sqrt2) / 2
			}
		}
	}
	return l
}

// linear asks about a leader and a challenger. Read-only.
type linear struct {
	name   string
	d, n   int
	span   *game.Span
	ridge  float64
	sigma  float64 // the standard deviation of an answer, at most
	rivals func(sc *linearScratch)
	pool   sync.Pool // of *linearScratch
}

type linearScratch struct {
	ridge      *game.Ridge
	a          []float64 // [Rank, Rank]
	b, diff    []float64 // [Rank]; diff is W(z_i − z_j)
	x          []float64 // W·x of the queries, [Rank, |X|]
	divide     []float64 // 1/(1 + xᵀA⁻¹x), [|X|]
	best       int
	gap, width []float64 // score less that of the best, and ‖z_j − z_best‖_{A⁻¹}, [|Z|]
	weight     []float64 // of the challengers, [|Z|]
	ask        []float64 // [|X|]
	gain       []float64 // [|X|]
}

func newLinear(p *game.Problem, name string) *linear {
	span := p.Span()
	l := &linear{name: name, d: p.Queries(), n: p.Hypotheses(), span: span, ridge: 1 / float64(p.Queries()), sigma: math.Sqrt(p.Answer().Variance(0))}
	r, v := span.Rank, func(n int) []float64 { return make([]float64, n) }
	l.pool.New = func() any {
		return &linearScratch{
			ridge: p.NewRidge(), a: v(r * r), b: v(r), diff: v(r), x: v(r * l.d), divide: v(l.d),
			gap: v(l.n), width: v(l.n), weight: v(l.n), ask: v(l.d), gain: v(l.d),
		}
	}
	return l
}

// String returns the name in specs and results.
func (l *linear) String() string { return l.name }

// Probs draws a challenger and asks what tells it best from the leader. Costs O((|X| + |Z|)·Rank²) a state, and O(|X|·Rank) more for each
// challenger.
func (l *linear) Probs(dst []float32, s game.States) {
	sc := l.pool.Get().(*linearScratch)
	defer l.pool.Put(sc)
	rows(dst, s, l.d, func(row, n, sum []float32, mask []bool) {
		l.fit(sc, n, sum)
		l.rivals(sc)
		clear(sc.ask)
		var total float64
		for _, w := range sc.weight {
			total += w
		}
		for j, w := range sc.weight {
			if w > leastChallenge*total {
				l.against(sc, j, w, mask)
			}
		}
		proportional(row, sc.ask, mask)
	})
}

// leastChallenge is the least share of the challengers' weight that is looked at.
const leastChallenge = 1e-2

// fit works out the ridge regression, the leader, the others' gaps and widths, and what the queries say of each direction.
func (l *linear) fit(sc *linearScratch, n, sum []float32) {
	g := sc.ridge
	l.span.Sums(sc.a, sc.b, n, sum)
	g.Solve(sc.a, sc.b, l.ridge)
	sc.best = 0
	for k, score := range g.Score {
		if score > g.Score[sc.best] {
			sc.best = k
		}
	}
	g.Against(sc.best)
	for k, score := range g.Score {
		sc.gap[k] = score - g.Score[sc.best]
		sc.width[k] = math.Sqrt(g.Square[k])
	}
	g.Whiten(sc.x, l.span.Queries())
	clear(sc.divide)
	for at := 0; at < len(sc.x); at += l.d {
		divide := sc.divide[:l.d]
		for i, v := range sc.x[at : at+l.d] {
			divide[i] += v * v
		}
	}
	for i, lever := range sc.divide {
		sc.divide[i] = 1 / (1 + lever)
	}
}

// against adds w to the queries that tell hypothesis j best from the leader: ‖y‖²_{(A + xxᵀ)⁻¹} = ‖y‖²_{A⁻¹} − (xᵀA⁻¹y)²/(1 + xᵀA⁻¹x).
func (l *linear) against(sc *linearScratch, j int, w float64, mask []bool) {
	sc.ridge.Differ(sc.diff, sc.best, j)
	clear(sc.gain)
	for i, by := range sc.diff {
		gain := sc.gain[:l.d]
		for x, v := range sc.x[i*l.d : (i+1)*l.d] {
			gain[x] += by * v
		}
	}
	best, tied := 0.0, 0
	for x, v := range sc.gain {
		if sc.gain[x] = v * v * sc.divide[x]; mask != nil && mask[x] {
			sc.gain[x] = -1
		}
		best = max(best, sc.gain[x])
	}
	for _, v := range sc.gain {
		if v >= best*(1-sameGain) {
			tied++
		}
	}
	for x, v := range sc.gain {
		if v >= best*(1-sameGain) {
			sc.ask[x] += w / float64(tied)
		}
	}
}

// sameGain is up to what share below the best a gain counts as equal.
const sameGain = 1e-9

// vectorKinds are the kinds that read vectors.
var vectorKinds = []string{"uniform", "round-robin", "xy-static", "lin-gap-e", "linear-top-two"}

// ofVectors refuses a kind of policy for vectors on other problems.
func ofVectors(k kind) kind {
	return func(p *game.Problem, name, rest string, has bool) (recipe, error) {
		if err := familyOf(p).vectors; err != nil {
			return recipe{}, fmt.Errorf("policy %q %w", name, err)
		}
		return k(p, name, rest, has)
	}
}

func parseXYStatic(p *game.Problem, name, _ string, has bool) (recipe, error) {
	if has {
		return recipe{}, numberless(name, "xy-static")
	}
	return recipe{"xy-static", decision.LeastSquares, func() (game.Policy, error) {
		policy, err := XYStatic(p)
		if err != nil {
			return nil, fmt.Errorf("policy %q: %w; name another, such as lin-gap-e:1", name, err)
		}
		return policy, nil
	}}, nil
}

// mostWidth is far above what c of lin-gap-e:c is of use.
const mostWidth = 1000

func parseLinGapE(p *game.Problem, name, rest string, has bool) (recipe, error) {
	c := 1.0
	if has {
		v, err := strconv.ParseFloat(rest, 64)
		if err != nil || !(v >= 0 && v <= mostWidth) {
			return recipe{}, fmt.Errorf("policy %q: c must be a number from 0 to %d, such as lin-gap-e:1", name, mostWidth)
		}
		c = v
	}
	return recipe{numbered("lin-gap-e", c), decision.LeastSquares, func() (game.Policy, error) { return LinGapE(p, c), nil }}, nil
}

// mostScale is far above what scale of the posterior's variance is of use.
const mostScale = 1000

func parseLinearTopTwo(p *game.Problem, name, rest string, has bool) (recipe, error) {
	scale := 1.0
	if has {
		var err error
		if scale, err = number(name, rest, "the scale of the posterior's variance", mostScale, "linear-top-two:0.5"); err != nil {
			return recipe{}, err
		}
	}
	policy := LinearTopTwo(p, scale)
	return recipe{fmt.Sprint(policy), decision.LeastSquares, func() (game.Policy, error) { return policy, nil }}, nil
}
