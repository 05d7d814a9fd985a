package exact_test

import (
	"testing"

	"mapo/game"
	"mapo/game/exact"
	"mapo/internal/check"
	"mapo/rng"
)

// shorter is p with another budget.
func shorter(p *game.Problem, budget int) *game.Problem {
	q := *p
	q.T = budget
	return &q
}

// TestStoppedAfter: a game that stops after k answers is the game of the budget k: the same losses and gradients for every
// policy, and the same bracket.
func TestStoppedAfter(t *testing.T) {
	for _, p := range []*game.Problem{check.Thresholds(3, 4), askOnce(check.Random(4, 6, 4, rng.New(1).Rand()))} {
		for k := range p.T {
			if k == 0 {
				continue
			}
			by := check.Lead{P: p, Sum: 9, After: k}
			long, short := newGame(t, p).Stopped(by), newGame(t, shorter(p, k))
			f, g := long.Flow(check.Even{P: p}), short.Flow(check.Even{P: p})
			for _, theta := range instances(p.Queries()) {
				for _, loss := range game.Losses() {
					got, want := make([]float64, p.Queries()), make([]float64, p.Queries())
					near(t, "loss", f.Grad(got, loss, theta), g.Grad(want, loss, theta))
					near(t, "loss", f.Loss(loss, theta), g.Loss(loss, theta))
					if e := check.Farthest(got, want); e > 1e-9 {
						t.Errorf("%s, %d answers: the gradient is off by %g", p.Name, k, e)
					}
				}
				near(t, "questions", f.Questions(theta), float64(k))
			}
			set := instances(p.Queries())[:5]
			for _, free := range []bool{false, true} {
				b := certify(t, p, set, exact.Options{Stopper: by, Width: 0.002, Free: free})
				c := certify(t, shorter(p, k), set, exact.Options{Width: 0.002, Free: free})
				if b.Lo > c.Hi || c.Lo > b.Hi {
					t.Errorf("%s, %d answers, free %v: brackets [%v, %v] and [%v, %v]", p.Name, k, free, b.Lo, b.Hi, c.Lo, c.Hi)
				}
				if game.StopperOf(b.Policy) == nil {
					t.Errorf("%s, %d answers, free %v: the bracket's policy does not stop", p.Name, k, free)
				}
			}
		}
	}
}

// TestStopped: losses, values and questions of a game of many lengths are the sums over its rollouts.
func TestStopped(t *testing.T) {
	for _, p := range []*game.Problem{check.Thresholds(3, 4), check.BestArm(2, 4), askOnce(check.Random(4, 6, 3, rng.New(1).Rand()))} {
		by := check.Lead{P: p, Sum: 2, After: 3}
		policy := check.Wavy{P: p}
		g := newGame(t, p).Stopped(by)
		f := g.Flow(policy)
		for _, theta := range instances(p.Queries()) {
			for _, loss := range game.Losses() {
				in := p.Instance(theta)
				var all, lost, asked float64
				lengths := map[int]bool{}
				g.Each(policy, theta, func(r *exact.Rollout) {
					last := r.State[len(r.State)-1]
					if len(r.Answer) != len(r.Asked) || len(r.State) != len(r.Asked)+1 || !g.Ends(last) {
						t.Fatalf("a rollout of %d queries, %d answers and %d states", len(r.Asked), len(r.Answer), len(r.State))
					}
					lengths[len(r.Asked)] = true
					all, lost, asked = all+r.P(), lost+r.P()*loss.Of(in, g.Decision(last)), asked+r.P()*float64(len(r.Asked))
				})
				near(t, "probability", all, 1)
				near(t, "loss", f.Loss(loss, theta), lost)
				near(t, "value", g.Value(policy, loss, theta).V[0], lost)
				near(t, "questions", f.Questions(theta), asked)
				if len(lengths) < 2 && !p.AskOnce {
					t.Errorf("%s: all games have the lengths %v", p.Name, lengths)
				}
			}
		}
	}
}
