package game_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"mapo/game"
	"mapo/internal/check"
	"mapo/rng"
)

// near fails unless got is want up to rounding.
func near(t testing.TB, what string, got, want float64) {
	t.Helper()
	if got != want && !(math.Abs(got-want) <= 1e-9*(1+math.Abs(want))) {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

// panics fails unless f does.
func panics(t testing.TB, why string, f func()) {
	t.Helper()
	defer func() {
		if recover() == nil {
			t.Errorf("%s: no panic", why)
		}
	}()
	f()
}

// inside is a random θ in (−1, 1)^d.
func inside(r *rand.Rand, d int) []float64 {
	theta := make([]float64, d)
	for i := range theta {
		theta[i] = 1 - 2*r.Float64()
	}
	return theta
}

// noiseless is c·(2z_k − 1).
func noiseless(p *game.Problem, k int, c float64) []float64 {
	theta := make([]float64, p.Queries())
	for i, z := range p.Row(k) {
		theta[i] = c * (2*float64(z) - 1)
	}
	return theta
}

func TestCheck(t *testing.T) {
	change := func(f func(p *game.Problem)) *game.Problem {
		p := check.Thresholds(3, 3)
		f(p)
		return p
	}
	for _, c := range []struct {
		p    *game.Problem
		want string // part of the message; empty: sound
	}{
		{change(func(*game.Problem) {}), ""},
		{change(func(p *game.Problem) { p.AskOnce = true }), ""},
		{change(func(p *game.Problem) { p.AskOnce, p.T = true, 4 }), "budget 4 is above the 3 queries"},
		{change(func(p *game.Problem) { p.T = 0 }), "budget is 0"},
		{change(func(p *game.Problem) { p.X = nil }), "no queries"},
		{change(func(p *game.Problem) { p.Names = p.Names[:1] }), "1 hypotheses"},
		{change(func(p *game.Problem) { p.Z = p.Z[1:] }), "11 entries"},
		{change(func(p *game.Problem) { p.Z[4] = .5 }), `"z1" has the entry 0.5 at query "x1"`},
		{change(func(p *game.Problem) { p.Z[0] = float32(math.NaN()) }), "the entry NaN"},
		{change(func(p *game.Problem) { p.Z[0] = 1 }), `"z0" and "z1" are the same`},
	} {
		err := c.p.Check()
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("Check says %v, want %q", err, c.want)
		}
	}
}

func TestLossNames(t *testing.T) {
	for _, loss := range game.Losses() {
		if got, err := game.ParseLoss(loss.String()); err != nil || got != loss {
			t.Errorf("%v read back is %v, %v", loss, got, err)
		}
	}
	if _, err := game.ParseLoss("regret"); err == nil || !strings.Contains(err.Error(), "simple-regret") {
		t.Errorf("an unknown loss: %v", err)
	}
}

func TestLoss(t *testing.T) {
	p := check.BestArm(3, 1)
	for _, c := range []struct {
		theta         []float64
		tie           []int
		wrong, regret float64
		why           string
	}{
		{[]float64{.5, .2, -1}, []int{0}, 0, 0, "right"},
		{[]float64{.5, .2, -1}, []int{1}, 1, .3, "wrong"},
		{[]float64{.5, .2, -1}, []int{0, 1}, .5, .15, "one of two, at random"},
		{[]float64{.5, .2, -1}, []int{0, 1, 2}, 2. / 3, .6, "one of three"},
		{[]float64{.5, .5, -1}, []int{1}, 0, 0, "any maximiser is right"},
		{[]float64{.5, .5 - 1e-12, -1}, []int{1}, 0, 1e-12, "equal up to rounding"},
		{[]float64{0, 0, 0}, []int{0, 1, 2}, 0, 0, "all alike"},
	} {
		in := p.Instance(c.theta)
		near(t, c.why, game.BestIdentification.Of(in, check.Tie(3, c.tie)), c.wrong)
		near(t, c.why, game.SimpleRegret.Of(in, check.Tie(3, c.tie)), c.regret)
	}
}

func TestInstance(t *testing.T) {
	p := check.BestArm(3, 1)
	for _, c := range []struct {
		theta []float64
		best  int
		many  bool
	}{
		{[]float64{.5, .2, -1}, 0, false},
		{[]float64{-.5, .2, .3}, 2, false},
		{[]float64{.3, .2, .3}, 0, true},
		{[]float64{0, 0, 0}, 0, true},
	} {
		in := p.Instance(c.theta)
		if in.Best != c.best || in.Many != c.many || in.Max != c.theta[c.best] || !slices.Equal(in.Value, c.theta) {
			t.Errorf("%v: %+v", c.theta, in)
		}
	}
	panics(t, "too few entries", func() { p.Instance([]float64{1}) })
}

// TestScale: the bound holds, and the hypothesis furthest from the best attains it.
func TestScale(t *testing.T) {
	for _, c := range []struct {
		p    *game.Problem
		want float64
	}{{check.Thresholds(5, 1), 5}, {check.BestArm(5, 1), 2}, {check.Thresholds(1, 1), 1}} {
		near(t, "scale of identification", game.BestIdentification.Scale(c.p), 1)
		near(t, "scale of regret", game.SimpleRegret.Scale(c.p), c.want)
		in := c.p.Instance(noiseless(c.p, 0, 1))
		near(t, "regret", game.SimpleRegret.Of(in, check.Tie(c.p.Hypotheses(), []int{c.p.Hypotheses() - 1})), c.want)
	}
}

// TestScaleOfMany: hypotheses of 0 and 1 are compared by their bits, with the result of comparing entries. 3,000 of 600 queries
// take a tenth of a second then, not some 9 s.
func TestScaleOfMany(t *testing.T) {
	r := rng.New(3).Rand()
	for _, d := range []int{5, 63, 64, 65, 130} {
		p := check.Random(d, 9, 1, r)
		want := 0.0
		for a := range p.Hypotheses() {
			for b := range a {
				want = max(want, p.Distance(a, b))
			}
		}
		near(t, "scale of regret", game.SimpleRegret.Scale(p), want)
		p.Z[7] = .5
		want = 0
		for a := range p.Hypotheses() {
			for b := range a {
				want = max(want, p.Distance(a, b))
			}
		}
		near(t, "scale of regret with a half", game.SimpleRegret.Scale(p), want)
	}
	// It counts the queries on which two hypotheses differ 64 at a time: a quarter of the time of as many distances is
	// plenty. What takes long on a busy machine is measured again.
	p := check.Random(600, 3000, 1, r)
	for try := 1; ; try++ {
		begin := time.Now()
		most := game.SimpleRegret.Scale(p)
		took := time.Since(begin)
		begin = time.Now()
		for b := range p.Hypotheses() - 1 {
			_ = p.Distance(b+1, b)
		}
		if one := float64(time.Since(begin)) / float64(p.Hypotheses()-1); float64(took) < one*3000*2999/2/4 && most >= 300 {
			break
		}
		if try == 20 || most < 300 {
			t.Fatalf("the scale %v took %v", most, took)
		}
	}
}

// TestMost: the largest loss of an instance is its worst hypothesis's, that of a prior is of its support.
func TestMost(t *testing.T) {
	p := check.Thresholds(4, 1)
	in := p.Instance([]float64{.5, -.25, .125, -1}) // hypotheses are worth 0, .5, .25, .375, −.625
	near(t, "largest regret", game.SimpleRegret.Most(in), 1.125)
	near(t, "largest loss of identification", game.BestIdentification.Most(in), 1)
	near(t, "no hypothesis is better", game.SimpleRegret.Most(p.Instance(make([]float64, 4))), 0)
	rows := game.Rows("", [][]float64{{.5, 0, 0, 0}, {.5, -.25, .125, -1}, {0, 0, .1, 0}})
	near(t, "largest regret of rows", game.SimpleRegret.MostOf(p, rows), 1.125)
	near(t, "largest loss of rows", game.BestIdentification.MostOf(p, rows), 1)
	near(t, "largest regret under flips", game.SimpleRegret.MostOf(p, game.Flip(p, .7)), 4)
	shares := shared() // of the first row, the third has the score ⟨(−¾, ½), (¾, −¾)⟩ − (⁹⁄₁₆ + ¼)/2, its own is ⁹⁄₁₆
	shares.Seek.(*game.Shares).Yes = []float64{.875, .125, .625, .375, .125, .75}
	shares.Grade()
	near(t, "largest regret of a table's rows", game.SimpleRegret.MostOf(shares, game.DrawShares(shares, 0)), 1.90625)
	near(t, "the same, half the answers flipped", game.SimpleRegret.MostOf(shares, game.DrawShares(shares, .25)), 1.03125)
}

// TestLossGrad: reading 10, by central differences with ẑ held.
func TestLossGrad(t *testing.T) {
	r := rng.New(1).Rand()
	p := check.Random(5, 10, 1, r)
	for _, best := range [][]int{{3}, {0, 4}, {1, 2, 3, 9}} {
		tie := check.Tie(10, best)
		for _, loss := range game.Losses() {
			check.Grad(t, 5, func(x []float64) { copy(x, inside(r, 5)) },
				func(x []float64) float64 { return 2.5 * loss.Of(p.Instance(x), tie) },
				func(dst, x []float64) { loss.AddGrad(dst, p, p.Instance(x), tie, 2.5) })
		}
	}
}

func TestRecommend(t *testing.T) {
	p := check.Thresholds(3, 5)
	for _, c := range []struct {
		n, s []float32
		want []int
		why  string
	}{
		{[]float32{0, 0, 0}, []float32{0, 0, 0}, []int{0, 1, 2, 3}, "nothing asked: θ̂ = 0 (reading 3)"},
		{[]float32{1, 0, 0}, []float32{1, 0, 0}, []int{1, 2, 3}, "the unasked count 0"},
		{[]float32{1, 1, 0}, []float32{1, -1, 0}, []int{1}, "a threshold found"},
		{[]float32{3, 1, 1}, []float32{1, 1, -1}, []int{2}, "⅓ + 1"},
		{[]float32{3, 3, 3}, []float32{-1, 1, 0}, []int{0, 2, 3}, "−⅓ + ⅓ is 0 in float32 too"},
		{[]float32{2, 0, 3}, []float32{0, 0, -3}, []int{0, 1, 2}, "a mean of 0"},
	} {
		scores := make([]float32, 4)
		p.Scores(scores, c.n, c.s)
		if got := game.Recommend(nil, scores); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v of %v, want %v", c.why, got, scores, c.want)
		}
	}
	if got := game.Recommend([]int{7}, []float32{0, 1, 1 - 2e-5, 1 - 5e-6}); !slices.Equal(got, []int{7, 1, 3}) {
		t.Errorf("ties within %v appended: %v", game.Tie, got)
	}
}

// TestRecommendPermuted: queries in another order recommend the same.
func TestRecommendPermuted(t *testing.T) {
	r := rng.New(2).Rand()
	for range 200 {
		p := check.Random(9, 30, 20, r)
		order := r.Perm(9)
		q := check.Permute(p, order)
		n, s := make([]float32, 9), make([]float32, 9)
		for range p.T {
			i := r.IntN(9)
			n[i]++
			s[i] += float32(1 - 2*r.IntN(2))
		}
		a, b := make([]float32, 30), make([]float32, 30)
		p.Scores(a, n, s)
		q.Scores(b, permuted(n, order), permuted(s, order))
		if x, y := game.Recommend(nil, a), game.Recommend(nil, b); !slices.Equal(x, y) {
			t.Fatalf("%v, and %v after permuting by %v", x, y, order)
		}
	}
}

func permuted[E any](v []E, order []int) []E {
	out := make([]E, len(v))
	for i, from := range order {
		out[i] = v[from]
	}
	return out
}

func TestStates(t *testing.T) {
	p := check.BestArm(3, 5)
	s := game.States{N: []float32{0, 1, 0, 2, 0, 1}, S: []float32{0, -1, 0, 2, 0, 1}}
	if s.Len(3) != 2 || p.LeftOf(s, 0) != 4 || p.LeftOf(s, 1) != 2 {
		t.Errorf("%d states with %v and %v left", s.Len(3), p.LeftOf(s, 0), p.LeftOf(s, 1))
	}
	s.Left, s.Level = []float32{3, 1}, []float32{5, 6}
	s.Mask = []bool{false, true, false, true, false, true}
	row := s.Row(1, 3)
	if row.Len(3) != 1 || row.N[0] != 2 || row.S[2] != 1 || !row.Mask[0] || p.LeftOf(row, 0) != 1 || row.Level[0] != 6 {
		t.Errorf("row 1 is %+v", row)
	}
	panics(t, "4 counts of 3 queries", func() { game.States{N: make([]float32, 4), S: make([]float32, 4)}.Len(3) })
	panics(t, "fewer sums than counts", func() { game.States{N: make([]float32, 3)}.Len(3) })
}

func TestUniformOver(t *testing.T) {
	for _, c := range []struct {
		pick, mask []bool
		want       []float32
	}{
		{nil, nil, []float32{.25, .25, .25, .25}},
		{nil, []bool{true, false, false, true}, []float32{0, .5, .5, 0}},
		{[]bool{true, true, false, false}, nil, []float32{.5, .5, 0, 0}},
		{[]bool{true, true, false, false}, []bool{true, false, false, false}, []float32{0, 1, 0, 0}},
		{[]bool{true, true, false, false}, []bool{true, true, false, false}, []float32{0, 0, .5, .5}},
	} {
		got := []float32{9, 9, 9, 9}
		if game.UniformOver(got, c.pick, c.mask); !slices.Equal(got, c.want) {
			t.Errorf("picking %v, masked %v: %v, want %v", c.pick, c.mask, got, c.want)
		}
	}
	panics(t, "all masked", func() { game.UniformOver(make([]float32, 1), nil, []bool{true}) })
}

func TestPriors(t *testing.T) {
	p := check.Thresholds(4, 1)
	for _, h := range []float64{0, .3, .8, 1} {
		prior, r := game.Flip(p, h), rng.New(4).Rand()
		theta := make([]float64, 4)
		// θ_1 > 0 with probability h where z_1 = 1, four times of five, and 1 − h else.
		check.Mean(t, .8*(2*h-1)-.2*(2*h-1), -1, 1, .03, func(dst []float64) {
			for i := range dst {
				prior.Draw(theta, r)
				dst[i] = theta[0]
			}
		})
		// Signs are flipped each on its own: E θ_1θ_2 = (2h−1)²·E(2z_1−1)(2z_2−1).
		check.Mean(t, (2*h-1)*(2*h-1)*(1-2*.2), -1, 1, .03, func(dst []float64) {
			for i := range dst {
				prior.Draw(theta, r)
				dst[i] = theta[0] * theta[1]
			}
		})
	}
	if a, b := game.Flip(p, .8).Name(), game.Noiseless(p).Name(); a != "flip:0.8" || b != "noiseless" {
		t.Errorf("names %q and %q", a, b)
	}
	r, theta := rng.New(5).Rand(), make([]float64, 4)
	for range 50 {
		game.Noiseless(p).Draw(theta, r)
		if in := p.Instance(theta); !slices.Equal(theta, noiseless(p, in.Best, 1)) {
			t.Errorf("noiseless draws %v", theta)
		}
	}
	rows := game.Rows("table", [][]float64{{.1, 0, 0, 0}, {.5, 0, 0, 0}})
	check.Mean(t, .3, .1, .5, .01, func(dst []float64) {
		for i := range dst {
			rows.Draw(theta, r)
			dst[i] = theta[0]
		}
	})
	panics(t, "h above 1", func() { game.Flip(p, 1.1) })
	panics(t, "h not a number", func() { game.Flip(p, math.NaN()) })
	panics(t, "no rows", func() { game.Rows("table", nil) })
}
