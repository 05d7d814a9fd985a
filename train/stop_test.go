package train

import (
	"context"
	"math"
	"sync/atomic"
	"testing"

	"mapo/game"
	"mapo/game/exact"
	"mapo/game/sim"
	"mapo/internal/check"
	"mapo/policy/nn"
	"mapo/rng"
)

// TestStoppedGradient: where games end early, the mean of the estimates of Eq. 11 is the gradient of the stopped game's loss,
// with and without a critic, and means of losses are its losses. Entry by entry within 6 standard errors.
func TestStoppedGradient(t *testing.T) {
	p := check.Thresholds(4, 5)
	thetas := [][]float64{{1, .3, -.3, -1}, {.6, .2, -.1, .5}}
	by := check.Lead{P: p, Sum: 2, After: 4}
	for _, on := range []bool{false, true} {
		c := quick()
		structured(&c)
		c.Oracle, c.Paper, c.LambdaPolFine = base().Oracle, nil, 0
		c.Critic, c.M, c.L = on, 16, 8
		r := takeApart(t, Task{P: p, C: game.RhoTilde(p), Loss: game.BestIdentification, Prior: game.Rows("rows", thetas), Stopper: by, Config: c, Key: rng.New(1)})
		want, lost := exactly(t, r, thetas)
		const batches = 300
		mean, square, loss := make([]float64, len(want)), make([]float64, len(want)), 0.
		for i := range batches + 20 {
			games := r.estimate(t, i)
			r.estimator.Learn()
			if games.Steps >= int64(c.M*c.L*p.T) || games.Steps <= int64(c.M*c.L) {
				t.Fatalf("games of %d steps in all", games.Steps)
			}
			if i < 20 {
				continue // the lines settle
			}
			for j, x := range r.grad {
				mean[j], square[j] = mean[j]+float64(x)/batches, square[j]+float64(x)*float64(x)/batches
			}
			for _, x := range games.Mean {
				loss += x / float64(len(games.Mean)) / batches
			}
		}
		for j, v := range want {
			if math.Abs(mean[j]-v) > 6*math.Sqrt((square[j]-mean[j]*mean[j])/batches)+1e-5 {
				t.Errorf("critic %v: the mean of entry %d is %v, want %v", on, j, mean[j], v)
			}
		}
		if math.Abs(loss-lost) > .02*lost {
			t.Errorf("critic %v: the mean loss is %v, want %v", on, loss, lost)
		}
	}
}

// exactly returns the gradient of the mean loss over the thetas, scaled, and that loss.
func exactly(t *testing.T, r *estimation, thetas [][]float64) (grad []float64, loss float64) {
	t.Helper()
	g, err := exact.New(r.task.P)
	if err != nil {
		t.Fatal(err)
	}
	g = g.Stopped(r.task.Stopper)
	set, err := g.NewSet(r.task.Loss, thetas)
	if err != nil {
		t.Fatal(err)
	}
	states := g.Batch(0, g.Inner())
	logits, tape := make([]float32, g.Inner()*r.task.P.Queries()), r.net.NewTape(g.Inner())
	r.net.Forward(logits, tape, states)
	flow, weights := g.Flow(nn.Policy(r.task.P, r.net)), make([]float64, len(thetas))
	for i, theta := range thetas {
		weights[i] = 1 / float64(len(thetas))
		loss += r.task.Config.LambdaBinary * weights[i] * flow.Loss(r.task.Loss, theta)
	}
	dlogits := make([]float64, len(logits))
	set.AddLogits(dlogits, flow, weights, r.task.Config.LambdaBinary, make([]float64, g.States()))
	for i, v := range dlogits {
		logits[i] = float32(v)
	}
	out := make([]float32, len(r.grad))
	r.net.Backward(out, tape, logits)
	return wide(out), loss
}

// asked counts how often it is asked.
type asked struct {
	game.Stopper
	times *atomic.Int64
}

func (a asked) Stop(dst []bool, s game.States) {
	a.times.Add(1)
	a.Stopper.Stop(dst, s)
}

// searching is an adversary that keeps the policy that its searches would play.
type searching struct {
	box
	policy game.Policy
}

func (a *searching) Prepare(_ context.Context, policy game.Policy, _ int) (int64, error) {
	a.policy = policy
	return 0, nil
}

// TestSearchesStop: an adversary's searches play the task's rule of stopping.
func TestSearchesStop(t *testing.T) {
	p, c := graded(), base()
	by := asked{check.Lead{P: p, Sum: 9, After: 2}, new(atomic.Int64)}
	a := new(searching)
	iterate(t, begin(t, Task{P: p, C: game.RhoTilde(p), Loss: game.BestIdentification, Adversary: a, Config: c, Key: rng.New(1), Stopper: by}))
	by.times.Store(0)
	play := sim.Play{P: p, Policy: a.policy}
	if _, err := play.Loss(t.Context(), game.BestIdentification, mean(p, 0), 8, rng.New(2)); err != nil {
		t.Fatal(err)
	}
	if by.times.Load() == 0 {
		t.Error("games of the policy that searches play do not ask the rule of stopping")
	}
}

// TestStoppedReachesTheBracket: a policy for games that end early is trained to the minimax value of these games, where they are
// played whole.
func TestStoppedReachesTheBracket(t *testing.T) {
	p := check.Thresholds(3, 5)
	by := check.Lead{P: p, Sum: 2, After: 5}
	rows := exact.Grid(p, game.RhoTilde(p), []float64{-1, -.75, -.5, -.25, .25, .5, .75, 1}, 32)
	bracket, err := exact.Certify(t.Context(), p, rows, exact.Options{Stopper: by})
	if err != nil {
		t.Fatal(err)
	}
	free, err := exact.Certify(t.Context(), p, rows, exact.Options{})
	if err != nil {
		t.Fatal(err)
	}
	c := base()
	c.Structured.Units, c.Decay, c.Pi = 32, .02, 400
	run := begin(t, Task{P: p, C: game.RhoTilde(p), Loss: game.BestIdentification, R: []float64{32}, Finite: rows, Config: c, Key: rng.New(1), Stopper: by})
	finish(t, run)
	g, err := exact.New(p)
	if err != nil {
		t.Fatal(err)
	}
	worst, _ := g.Stopped(by).Flow(nn.Policy(p, run.Net())).Worst(game.BestIdentification, rows)
	t.Logf("worst case %.4f, bracket [%.4f, %.4f], without the rule [%.4f, %.4f]", worst, bracket.Lo, bracket.Hi, free.Lo, free.Hi)
	if worst > bracket.Hi+.004 || worst < bracket.Lo-1e-6 {
		t.Errorf("the policy's worst case is %.4f, the bracket [%.4f, %.4f]", worst, bracket.Lo, bracket.Hi)
	}
	if bracket.Lo <= free.Hi {
		t.Errorf("the rule of stopping costs nothing here, [%.4f, %.4f]: the test shows little", bracket.Lo, bracket.Hi)
	}
}

// TestStoppedEntropy: where games are played whole, states in which they end pull at no logit, and have no part in the mean
// entropy.
func TestStoppedEntropy(t *testing.T) {
	p := check.Thresholds(3, 4)
	r := takeApart(t, Task{P: p, C: game.RhoTilde(p), Loss: game.BestIdentification, R: []float64{32}, Config: base(), Key: rng.New(1),
		Finite: [][]float64{{1, .5, -.5}, {1, 1, -1}}, Stopper: check.Lead{P: p, Sum: 2, After: 3}})
	games := r.estimate(t, 0)
	e, whole := r.estimator.(*Enumerated)
	if !whole {
		t.Fatal("the game is not played whole")
	}
	flow, d := e.game.FlowOf(e.probs), p.Queries()
	var total, all float64
	for s := range e.game.Inner() {
		if e.game.Ends(s) {
			for _, v := range e.dlogits[s*d : (s+1)*d] {
				if v != 0 {
					t.Fatalf("a game that is over pulls at its logits by %v", v)
				}
			}
			continue
		}
		for _, q := range e.probs[s*d : (s+1)*d] {
			total -= flow.Q[s] * q * math.Log(q)
		}
		all += flow.Q[s]
	}
	if want := total / all / math.Log(3); math.Abs(games.Entropy-want) > 1e-9 {
		t.Errorf("the mean entropy is %v, want %v", games.Entropy, want)
	}
}
