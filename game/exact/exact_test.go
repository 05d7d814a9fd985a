package exact_test

import (
	"math"

	"strings"
	"testing"

	"mapo/game"
	"mapo/game/exact"
	"mapo/internal/check"
	"mapo/rng"
)

// askOnce is p where no query may be repeated.
func askOnce(p *game.Problem) *game.Problem {
	p.AskOnce = true
	return p
}

func newGame(t testing.TB, p *game.Problem) *exact.Game {
	t.Helper()
	g, err := exact.New(p)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// tiny are games small enough to enumerate all rollouts.
func tiny() []*game.Problem {
	return []*game.Problem{
		check.Thresholds(3, 3),
		check.BestArm(3, 3),
		check.BestArm(2, 4),
		askOnce(check.Thresholds(3, 3)),
		askOnce(check.Random(4, 6, 3, rng.New(1).Rand())),
	}
}

// games are theirs, with all their answers and ending early.
func games(t testing.TB) (all []*exact.Game) {
	for _, p := range tiny() {
		g := newGame(t, p)
		all = append(all, g, g.Stopped(check.Lead{P: p, Sum: 2, After: 3}), g.Stopped(check.Lead{P: p, Sum: 9, After: 2}))
	}
	return all
}

// instances are inside, at the edge and with several best hypotheses.
func instances(d int) [][]float64 {
	r := rng.New(5).Rand()
	all := make([][]float64, 6)
	for m := range all {
		all[m] = make([]float64, d)
		for i := range all[m] {
			switch {
			case m == 5: // all 0: every hypothesis is best
			case m == 4 || m == 3 && i == 0:
				all[m][i] = float64(1 - 2*r.IntN(2))
			default:
				all[m][i] = 1 - 2*r.Float64()
			}
		}
	}
	return all
}

func TestCount(t *testing.T) {
	for _, c := range []struct {
		p    *game.Problem
		want float64
	}{
		{check.Thresholds(3, 5), 462},
		{check.Thresholds(5, 6), 8008},
		{check.Thresholds(8, 8), 735471},
		{check.Thresholds(1, 1), 3},
		{askOnce(check.Thresholds(3, 3)), 27}, // each query not asked, yes or no
		{askOnce(check.Thresholds(3, 1)), 7},
		{askOnce(check.Thresholds(5, 3)), 1 + 10 + 40 + 80},
	} {
		if got := exact.Count(c.p); got != c.want {
			t.Errorf("d = %d, T = %d: %v states, want %v", c.p.Queries(), c.p.T, got, c.want)
		}
		if c.want > 1e5 {
			continue
		}
		if got := newGame(t, c.p).States(); float64(got) != c.want {
			t.Errorf("d = %d, T = %d: %v states enumerated, want %v", c.p.Queries(), c.p.T, got, c.want)
		}
	}
}

// TestNewManyHypotheses: a game whose recommendations do not fit into memory is refused before they are made.
func TestNewManyHypotheses(t *testing.T) {
	p := check.Graded(18, 6000, 4, rng.New(1).Rand())
	p.AskOnce = true // C(18, 4)·2⁴ = 48,960 final states
	if _, err := exact.New(p); err == nil || !strings.Contains(err.Error(), "48960 final states × 6000 hypotheses") {
		t.Errorf("got %v", err)
	}
}

func TestNewRefuses(t *testing.T) {
	for why, p := range map[string]*game.Problem{
		"too many states": check.Thresholds(25, 20),
		"no game":         check.Thresholds(3, 0),
	} {
		if _, err := exact.New(p); err == nil {
			t.Errorf("%s: no error", why)
		}
	}
	if _, err := exact.New(check.Thresholds(1, 256)); err == nil || !strings.Contains(err.Error(), "the budget is 256") {
		t.Errorf("a large budget of few states: %v", err)
	}
}

// TestBatch: states are what games visit, in order, each once.
func TestBatch(t *testing.T) {
	for _, p := range tiny() {
		g := newGame(t, p)
		d := p.Queries()
		s := g.Batch(0, g.States())
		seen := map[string]bool{}
		for b := range g.States() {
			row := s.Row(b, d)
			asked := float32(0)
			key := make([]byte, 0, 2*d)
			for i, n := range row.N {
				asked += n
				key = append(key, byte(n), byte(row.S[i]+100))
				if p.AskOnce && row.Mask[i] != (n > 0) {
					t.Errorf("state %d: mask %v of a query asked %v times", b, row.Mask[i], n)
				}
			}
			seen[string(key)] = true
			step := p.T - int(row.Left[0])
			if int(asked) != step || b < g.Start(step) || b >= g.Start(step+1) {
				t.Errorf("state %d: %v answers, %v left", b, asked, row.Left[0])
			}
		}
		if len(seen) != g.States() {
			t.Errorf("%d different states of %d", len(seen), g.States())
		}
	}
}

// TestRollouts: the sums over all rollouts are those over states by the flow.
func TestRollouts(t *testing.T) {
	for _, p := range tiny() {
		g := newGame(t, p)
		policy := check.Wavy{P: p}
		flow := g.Flow(policy)
		scores := make([]float32, p.Hypotheses())
		for _, theta := range instances(p.Queries()) {
			in := p.Instance(theta)
			reach := make([]float64, g.States())
			want := make([]float64, 2)
			var total float64
			g.Each(policy, theta, func(r *exact.Rollout) {
				total += r.P()
				for _, s := range r.State {
					reach[s] += r.P()
				}
				p.Scores(scores, r.N, r.S)
				tie := check.Tie(len(scores), game.Recommend(nil, scores))
				for i, loss := range game.Losses() {
					want[i] += r.P() * loss.Of(in, tie)
				}
			})
			near(t, "total probability", total, 1)
			for i, loss := range game.Losses() {
				near(t, loss.String(), flow.Loss(loss, theta), want[i])
				v := g.Value(policy, loss, theta)
				near(t, "V of the start", v.V[0], want[i])
				for s, x := range reach {
					near(t, "reach", v.Reach[s], x)
				}
			}
		}
	}
}

// TestRollout checks one rollout's own sums.
func TestRollout(t *testing.T) {
	p := askOnce(check.Thresholds(3, 3))
	g := newGame(t, p)
	n := 0
	g.Each(check.Even{P: p}, []float64{.5, -.5, 1}, func(r *exact.Rollout) {
		n++
		theta := 1.0
		sum := make([]float32, 3)
		for t, i := range r.Asked {
			theta *= (1 + float64(r.Answer[t])*[]float64{.5, -.5, 1}[i]) / 2
			sum[i] += float32(r.Answer[t])
		}
		near(t, "policy", r.Policy, 1.0/6)
		near(t, "theta", r.Theta, theta)
		for i := range sum {
			if r.S[i] != sum[i] || r.N[i] != 1 {
				t.Errorf("counts %v and sums %v of %v %v", r.N, r.S, r.Asked, r.Answer)
			}
		}
	})
	if n != 6*8 {
		t.Errorf("%d rollouts, want 3! orders of 2³ answers", n)
	}
}

// TestGrad checks ∇_θ ℓ inside, and at the edge too: ℓ is a polynomial.
func TestGrad(t *testing.T) {
	r := rng.New(7).Rand()
	for _, g := range games(t) {
		p, flow := g.P, g.Flow(check.Wavy{P: g.P})
		draw := func(x []float64) {
			for i := range x {
				x[i] = 1 - 2*r.Float64()
			}
		}
		edge := func(x []float64) { draw(x); x[r.IntN(len(x))] = float64(1 - 2*r.IntN(2)) }
		for _, loss := range game.Losses() {
			for _, draw := range []func([]float64){draw, edge} {
				check.Grad(t, p.Queries(), draw,
					func(x []float64) float64 { return flow.Loss(loss, x) },
					func(dst, x []float64) { near(t, "loss", flow.Grad(dst, loss, x), flow.Loss(loss, x)) })
			}
		}
	}
}

// TestLogits checks Eq. 11's exact value: the derivative in a policy's logits.
func TestLogits(t *testing.T) {
	r := rng.New(9).Rand()
	for _, g := range games(t) {
		d := g.P.Queries()
		softmax := func(x []float64) []float64 {
			probs := make([]float64, len(x))
			for s := range g.Inner() {
				var sum float64
				for i := range d {
					if yes, _ := g.Next(s, i); yes >= 0 {
						probs[s*d+i] = math.Exp(x[s*d+i])
						sum += probs[s*d+i]
					}
				}
				for i := range d {
					probs[s*d+i] /= sum
				}
			}
			return probs
		}
		draw := func(x []float64) {
			for i := range x {
				x[i] = r.NormFloat64()
			}
		}
		for _, theta := range instances(d)[2:5] {
			check.Grad(t, g.Inner()*d, draw,
				func(x []float64) float64 { return g.FlowOf(softmax(x)).Loss(game.SimpleRegret, theta) },
				func(dst, x []float64) {
					g.ValueOf(softmax(x), game.SimpleRegret, theta).AddLogits(dst, 1)
				})
		}
	}
}

// TestPolicy: a policy looked up by state is the policy it was made of, in any
// order of states; a final state has no next query.
func TestPolicy(t *testing.T) {
	for _, p := range tiny() {
		g := newGame(t, p)
		flow := g.Flow(check.Wavy{P: p})
		again := g.Flow(flow.Policy())
		for at, x := range flow.Probs {
			if math.Abs(again.Probs[at]-x) > 1e-6 {
				t.Fatalf("probability %d is %v, want %v", at, again.Probs[at], x)
			}
		}
		func() {
			defer func() {
				if recover() == nil {
					t.Error("no panic at a final state")
				}
			}()
			flow.Policy().Probs(make([]float32, p.Queries()), g.Batch(g.Inner(), g.Inner()+1))
		}()
	}
}

// bad gives a masked query, or too little, probability.
type bad float32

func (b bad) Probs(dst []float32, _ game.States) {
	for i := range dst {
		dst[i] = float32(b)
	}
}

func TestBadPolicyPanics(t *testing.T) {
	for why, c := range map[string]struct {
		p *game.Problem
		b bad
	}{
		"a masked query":     {askOnce(check.Thresholds(2, 2)), 0.5},
		"sums to one half":   {check.Thresholds(2, 2), 0.25},
		"is not a number":    {check.Thresholds(2, 2), bad(math.NaN())},
		"below 0 everywhere": {check.Thresholds(2, 2), -0.5},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", why)
				}
			}()
			newGame(t, c.p).Flow(c.b)
		}()
	}
}

func near(t testing.TB, what string, got, want float64) {
	t.Helper()
	if !(math.Abs(got-want) <= 1e-12*(1+math.Abs(want))) {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

// TestSetLogits: the gradient over weighted instances is the weighted sum of theirs, states counting as often as the policy
// reaches them.
func TestSetLogits(t *testing.T) {
	for _, g := range games(t) {
		p := g.P
		thetas := instances(p.Queries())[2:5]
		weights := []float64{.5, .2, .3}
		probs := g.Probs(check.Wavy{P: p})
		for _, loss := range game.Losses() {
			set, err := g.NewSet(loss, thetas)
			if err != nil {
				t.Fatal(err)
			}
			got, want := make([]float64, len(probs)), make([]float64, len(probs))
			set.AddLogits(got, g.FlowOf(probs), weights, 2, make([]float64, g.States()))
			for i, theta := range thetas {
				g.ValueOf(probs, loss, theta).AddLogits(want, 2*weights[i])
			}
			for at := range want {
				if math.Abs(got[at]-want[at]) > 1e-12 {
					t.Fatalf("%s, %v: entry %d is %v, want %v", p.Name, loss, at, got[at], want[at])
				}
			}
		}
	}
}

// always recommends one hypothesis of three.
type always int

func (a always) Decide(dst []float32, s game.States) {
	clear(dst)
	for at := int(a); at < len(dst); at += 3 {
		dst[at] = 1
	}
}

// TestDecided: a game's losses are those of the rule by which it recommends, and the game it was made from keeps its own.
func TestDecided(t *testing.T) {
	p := check.BestArm(3, 2)
	g, err := exact.New(p)
	if err != nil {
		t.Fatal(err)
	}
	theta := []float64{.2, .5, -1}
	before := g.Flow(check.Even{P: p}).Loss(game.SimpleRegret, theta)
	for k, want := range []float64{.3, 0, 1.5} {
		near(t, "regret of one hypothesis", g.Decided(always(k)).Flow(check.Even{P: p}).Loss(game.SimpleRegret, theta), want)
	}
	near(t, "regret of least squares", g.Flow(check.Even{P: p}).Loss(game.SimpleRegret, theta), before)
}
