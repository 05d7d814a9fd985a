package sim_test

import (
	"math"
	"slices"
	"testing"

	"mapo/game"
	"mapo/game/exact"
	"mapo/game/sim"
	"mapo/internal/check"
	"mapo/rng"
)

// early ends games of p after 1 to T − 1 answers.
func early(p *game.Problem) game.Stopper { return check.Lead{P: p, Sum: 2, After: p.T - 1} }

// TestStop: games are those without the rule, up to the first state in which it stops them: from there they have no query and
// no state, and the policy is not asked about them. Left counts to T.
func TestStop(t *testing.T) {
	for _, p := range append(problems(), rows()) {
		d, games := p.Queries(), 60
		free := &sim.Block{P: p, L: 12, Theta: instances(5, d, rng.New(2))}
		playBlock(free, rng.New(3), 0, choose(check.Wavy{P: p}))
		b := &sim.Block{P: p, L: 12, Theta: free.Theta, Stopper: early(p)}
		for range 2 { // the second time in memory that was used before
			playBlock(b, rng.New(3), 0, func(step int, probs []float32, s game.States) {
				if s.Left[0] != float32(p.T-step) || (s.Mask != nil) != p.AskOnce || len(s.N) != len(probs) {
					t.Fatalf("step %d: %v answers left, mask %v, %d counts for %d probabilities", step, s.Left[0], s.Mask, len(s.N), len(probs))
				}
				for at := range s.Mask {
					if s.Mask[at] != (s.N[at] > 0) {
						t.Fatalf("step %d: mask %v of a query asked %v times", step, s.Mask[at], s.N[at])
					}
				}
				for g := range games {
					if u := b.Row[step*games+g]; u >= 0 && !slices.Equal(s.Row(int(u), d).N, b.N[g*d:(g+1)*d]) {
						t.Fatalf("step %d: game %d is said to be in state %d, which is another", step, g, u)
					}
				}
				check.Strict{Policy: check.Wavy{P: p}, By: b.Stopper}.Probs(probs, s)
			})
		}
		lengths := map[int32]int{}
		for g := range games {
			n, s, length := make([]float32, d), make([]float32, d), int32(0)
			over := []bool{false}
			for step := range p.T {
				at := step*games + g
				if b.Stopper.Stop(over, game.States{N: n, S: s}); over[0] {
					if b.Asked[at] != -1 || b.Row[at] != -1 {
						t.Errorf("game %d asks %d in state %d at step %d, when it is over", g, b.Asked[at], b.Row[at], step)
					}
					continue
				}
				if b.Asked[at] != free.Asked[at] || b.Yes[at] != free.Yes[at] {
					t.Fatalf("game %d asks %d at step %d, without the rule %d", g, b.Asked[at], step, free.Asked[at])
				}
				length++
				i, y := b.Asked[at], float32(-1)
				if b.Yes[at] {
					y = 1
				}
				n[i], s[i] = n[i]+1, s[i]+y
			}
			if b.Length[g] != length || free.Length[g] != int32(p.T) || !slices.Equal(b.N[g*d:(g+1)*d], n) || !slices.Equal(b.S[g*d:(g+1)*d], s) {
				t.Errorf("game %d has %d answers, %v with the sums %v; want %d, %v with %v", g, b.Length[g], b.N[g*d:(g+1)*d], b.S[g*d:(g+1)*d], length, n, s)
			}
			lengths[length]++
		}
		if !p.AskOnce && len(lengths) < 2 {
			t.Errorf("%s: games have the lengths %v; the test shows little", p.Name, lengths)
		}
	}
}

// TestNoGameIsLeft: where every game stops at once, or before the last step, the policy is asked no more.
func TestNoGameIsLeft(t *testing.T) {
	p := check.Thresholds(4, 6)
	for after := range p.T {
		steps := 0
		b := &sim.Block{P: p, L: 8, Theta: instances(3, 4, rng.New(2)), Stopper: check.Lead{P: p, Sum: 9, After: after}}
		b.Variate = &sim.ControlVariate{P: p, Lines: lines(p), Steps: &sim.Steps{Weight: make([]float64, 3)}}
		playBlock(b, rng.New(3), 0, func(_ int, probs []float32, s game.States) {
			steps++
			check.Even{P: p}.Probs(probs, s)
		})
		if steps != after || slices.ContainsFunc(b.Length, func(n int32) bool { return int(n) != after }) {
			t.Errorf("stopping after %d answers: %d steps, games of %v answers", after, steps, b.Length)
		}
		for t2, pull := range b.Variate.Steps.Pull {
			if (len(pull) > 0) != (t2 < after) {
				t.Errorf("stopping after %d answers: step %d has a pull of %d states", after, t2, len(pull)/4)
			}
		}
	}
}

// TestStoppedLosses: estimates of losses and of questions are those that the game has when all of it is played, on instances
// and in averages.
func TestStoppedLosses(t *testing.T) {
	for _, p := range append(problems(), rows()) {
		policy := game.Stopping(check.Wavy{P: p}, early(p))
		g, err := exact.New(p)
		if err != nil {
			t.Fatal(err)
		}
		flow, theta := g.Played(policy).Flow(policy), instances(4, p.Queries(), rng.New(6))
		play := sim.Play{P: p, Policy: policy}
		sums, err := play.Instances(t.Context(), theta, 4000, rng.New(7), game.Losses()...)
		if err != nil {
			t.Fatal(err)
		}
		// 5 standard errors: three problems of four instances and three numbers fail once in 50,000 runs.
		within := func(what string, s sim.Sum, want float64) {
			t.Helper()
			if off := math.Abs(s.Mean() - want); off > 5*math.Sqrt(variance(s)/float64(s.N))+1e-9 {
				t.Errorf("%s: %s is %.4f, want %.4f", p.Name, what, s.Mean(), want)
			}
		}
		for m := range 4 {
			one := theta[m*p.Queries() : (m+1)*p.Queries()]
			for i, loss := range game.Losses() {
				within(loss.String(), sums[i][m], flow.Loss(loss, one))
			}
			within("the number of questions", sums[2][m], flow.Questions(one))
			e, err := play.Loss(t.Context(), game.SimpleRegret, one, 4000, rng.New(7).At(m))
			if q := e.Questions; err != nil || q.Lo > flow.Questions(one)+0.1 || q.Hi < flow.Questions(one)-0.1 || q.Lo >= q.Hi {
				t.Errorf("%s: %v questions, %v; want %.4f", p.Name, q, err, flow.Questions(one))
			}
		}
		prior := game.Noiseless(p)
		es, err := play.Average(t.Context(), prior, 4000, rng.New(8), game.Losses()...)
		if err != nil {
			t.Fatal(err)
		}
		var want float64
		all := game.Support(p, prior)
		for _, a := range all {
			want += a.Weight * flow.Questions(a.Theta)
		}
		for _, e := range es {
			if q := e.Questions; math.Abs(q.Mean-want) > 3*(q.Hi-q.Lo)+1e-9 {
				t.Errorf("%s: %v questions on average, want %.4f", p.Name, q, want)
			}
		}
		if es, err = (sim.Play{P: p, Policy: check.Wavy{P: p}}).Average(t.Context(), prior, 40, rng.New(8), game.SimpleRegret); err != nil || es[0].Questions.Hi != 0 {
			t.Errorf("%s: without a rule an average has %v questions, %v", p.Name, es[0].Questions, err)
		}
	}
}

// TestMomentsOfReached: the moments of the states of t answers are of the games that have t, and no others.
func TestMomentsOfReached(t *testing.T) {
	p := check.Thresholds(4, 6)
	const l, games = 20, 60
	b := &sim.Block{P: p, L: l, Theta: instances(games/l, 4, rng.New(2)), Stopper: early(p)}
	b.Variate = &sim.ControlVariate{P: p, Lines: lines(p), Steps: &sim.Steps{Weight: make([]float64, games/l)}}
	playBlock(b, rng.New(3), 0, choose(check.Wavy{P: p}))
	b.Judge(game.BestIdentification, nil)
	over := 0
	for step := range p.T {
		var got, want sim.Moments
		for first := 0; first < games; first += l {
			got.Take(b.Variate.Steps, step, games, first, b.Loss[first:first+l])
			var reached [][3]float64
			var mean [3]float64
			for g := first; g < first+l; g++ {
				if int(b.Length[g]) < step {
					over++
					continue
				}
				x := [3]float64{b.Variate.Steps.U[step*games+g], b.Variate.Steps.V[step*games+g], b.Loss[g]}
				reached = append(reached, x)
				for i := range mean {
					mean[i] += x[i]
				}
			}
			for _, x := range reached {
				for i := range x {
					x[i] -= mean[i] / float64(len(reached))
				}
				for i, v := range [5]float64{x[0] * x[0], x[0] * x[1], x[1] * x[1], x[0] * x[2], x[1] * x[2]} {
					want[i] += v
				}
			}
		}
		for i := range want {
			if math.Abs(got[i]-want[i]) > 1e-9 {
				t.Errorf("step %d: moment %d is %v, want %v", step, i, got[i], want[i])
			}
		}
	}
	if over == 0 {
		t.Error("no game ends early: the test shows nothing")
	}
}
