package sim_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"mapo/game"
	"mapo/game/sim"
	"mapo/internal/check"
	"mapo/record"
	"mapo/rng"
)

// z2 is the square of the normal distribution's two-sided 95 % quantile.
const z2 = 1.959963984540054 * 1.959963984540054

// coverage returns the exact probability that the interval of n games contains the mean. Each game
// loses base + lost with probability q, else base.
func coverage(n int, q, base, lost, top float64) float64 {
	all, _ := math.Lgamma(float64(n + 1))
	truth := base + q*lost
	var sum float64
	for k := range n + 1 {
		rare, rest := float64(k), float64(n-k)
		s := sim.Sum{N: n, X: float64(n)*base + rare*lost, XX: rest*base*base + rare*(base+lost)*(base+lost)}
		const rounding = 1e-12
		if e := s.Estimate(top); e.Lo <= truth+rounding && truth <= e.Hi+rounding {
			a, _ := math.Lgamma(rare + 1)
			b, _ := math.Lgamma(rest + 1)
			sum += math.Exp(all - a - b + rare*math.Log(q) + rest*math.Log1p(-q))
		}
	}
	return sum
}

// The interval covers its 95 % at every number of games, expected count and size of a loss. So it does for
// losses that are only rarely below the largest. Worked out exactly, without sampling: the least is 0.952.
func TestCoverage(t *testing.T) {
	const top = 7
	for _, n := range []int{1, 2, 5, 12, 30, 100, 700, 3000} {
		for _, size := range []float64{.003, .03, .1, .3, .6, 1} {
			lost := size * top
			for _, count := range []float64{.1, .2, .35, .5, .7, 1, 1.4, 2, 2.5, 3, 3.5, 4, 5, 6, 7, 8, 9, 10, .2 * float64(n), .5 * float64(n)} {
				q := count / float64(n)
				if q >= 1 {
					continue
				}
				if c := coverage(n, q, 0, lost, top); c < .95 {
					t.Errorf("%d games, of which %g are expected to lose %g of at most %d: coverage %.4f", n, count, lost, top, c)
				}
				if c := coverage(n, 1-q, top-lost, lost, top); c < .95 {
					t.Errorf("%d games, of which %g are expected to lose %g less than %d: coverage %.4f", n, count, lost, top, c)
				}
			}
		}
	}
}

// Rare losses among ordinary ones are covered, from whatever parts a sum was merged. An ordinary game loses 0
// or a little, a rare one adds up to the largest loss. A coverage of 95 % would show as less than 93 % of 2,000 once in 10⁴
// configurations; what is seen is 95.3 % at least.
func TestCoverageAmongOthers(t *testing.T) {
	const n, tries, parts = 400, 2000, 7
	r := rng.New(31).Rand()
	for _, little := range []float64{.003, .03, .1, .3} {
		for _, count := range []float64{.1, .5, 1, 2, 3, 6, 10} {
			for _, size := range []float64{.2, .5, 1 - little} {
				q := count / n
				truth, hits := little/2+q*size, 0
				for range tries {
					if e := merged(n, parts, func() float64 { return rare(r, little, q, size) }).Estimate(1); e.Lo <= truth && truth <= e.Hi {
						hits++
					}
				}
				if share := float64(hits) / tries; share < .93 {
					t.Errorf("ordinary losses of up to %g, %g rare ones of %g expected: coverage %.3f", little, count, size, share)
				}
			}
		}
	}
}

// rare returns 0 or little, plus size with probability q.
func rare(r *rand.Rand, little, q, size float64) float64 {
	x := little * float64(r.IntN(2))
	if r.Float64() < q {
		x += size
	}
	return x
}

// merged returns the sum of n losses, added to some parts in turn and merged.
func merged(n, parts int, draw func() float64) *sim.Sum {
	sums := make([]sim.Sum, parts)
	for i := range n {
		sums[i%parts].Add(draw())
	}
	whole := new(sim.Sum)
	for _, s := range sums {
		whole.Merge(s)
	}
	return whole
}

// The interval is no longer than the normal one by more than a tenth where losses are not rare, which is 20 % of the games.
func TestIntervalCost(t *testing.T) {
	r := rng.New(32).Rand()
	for _, c := range []struct {
		n    int
		mean float64 // of exponential losses, cut at 1
	}{{4000, .1}, {20_000, .05}, {80_000, .025}} {
		s := merged(c.n, 1, func() float64 { return min(1, c.mean*r.ExpFloat64()) })
		e := s.Estimate(1)
		normal := 2 * math.Sqrt(z2*(s.XX/float64(c.n)-e.Mean*e.Mean)/float64(c.n))
		if long := (e.Hi - e.Lo) / normal; long < 1 || long > 1.095 {
			t.Errorf("%d losses of %g on average: %.3f times the normal interval, want 1 to 1.095", c.n, c.mean, long)
		}
	}
}

// The bound that an estimate was made with is the instance's own, over a prior that of its support, drawn or not. It
// can be read from games without a loss, whose upper end is 3.84 of it over their number: all queries are asked and
// their answers are sure.
func TestLargestLoss(t *testing.T) {
	p := check.Thresholds(4, 4)
	p.AskOnce = true
	play := sim.Play{P: p, Policy: check.Even{P: p}}
	const games = 50
	of := func(what string, e record.Estimate, err error, want float64) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		if got := e.Hi * games / z2; e.Mean != 0 || e.Lo != 0 || math.Abs(got-want) > 1e-9 {
			t.Errorf("%s: %+v is for losses up to %.3f, want %g", what, e, got, want)
		}
	}
	middle, end := []float64{1, 1, -1, -1}, []float64{1, 1, 1, 1}
	for theta, want := range map[*[]float64]float64{&middle: 2, &end: 4} {
		e, err := play.Loss(t.Context(), game.SimpleRegret, *theta, games, rng.New(33))
		of("one instance", e, err, want)
		e, err = play.Loss(t.Context(), game.BestIdentification, *theta, games, rng.New(33))
		of("one instance, identification", e, err, 1)
	}
	many := make([][]float64, 5000)
	for i := range many {
		many[i] = middle
	}
	for _, c := range []struct {
		what  string
		prior game.Prior
		want  float64
	}{
		{"rows", game.Rows("rows", many), 2},
		{"rows with one that is hardly drawn", game.Rows("rows", append(many[1:], end)), 4},
		{"all hypotheses", game.Noiseless(p), 4},
		{"all hypotheses, not listed", renamed{game.Rows("rows", many)}, 4},
	} {
		es, err := play.Average(t.Context(), c.prior, games, rng.New(34), game.Losses()...)
		of(c.what+", identification", es[0], err, 1)
		of(c.what, es[1], err, c.want)
	}
}

// renamed is a prior that does not list its instances.
type renamed struct{ game.Prior }
