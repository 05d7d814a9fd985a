package train

import (
	"context"
	"math"

	"gonum.org/v1/gonum/floats"

	"mapo/adversary"
	"mapo/game"
	"mapo/game/exact"
	"mapo/policy/nn"
)

const (
	wholeStates = 20_000  // inner states of a game that is played whole each iteration
	wholeCells  = 1 << 22 // states × instances
	wholeSteps  = 3       // policy steps an iteration: each costs less than a sampled one
	wholePolReg = 1e-2    // λ_Pol-reg as a share of the losses' range, falling to 0 with the square of what is left
)

// Enumerated computes the mean of Eq. 11 without sampling, for a finite Θ on a game with few states: the mean over rollouts
// and over I_m ~ softmax(w) is a sum over states, and so is every loss. The instances of an average that lists its own follow
// those of Θ.
type Enumerated struct {
	net     nn.Net
	game    *exact.Game
	set     *exact.Set
	states  game.States // all inner ones
	tape    nn.Tape     // theirs
	logits  []float32   // [inner, |X|]
	probs   []float64   // the same
	dlogits []float64   // the same
	value   []float64   // [states]
	loss    []float64   // [n]
	prob    []float64   // softmax(w) times 1 − w, and the average's weights times w, [n]
	worst   int         // how many of the n are Θ's
	share   float64     // the average's, w
	games   Games
}

// newEnumerated returns an estimator for a task's network; nil where the game is too large or has an endless Θ, and where an
// average is to be sampled.
func newEnumerated(t *Task, net nn.Net) *Enumerated {
	p := t.P
	var average []game.Drawn
	if t.Weight > 0 {
		if average = game.Support(p, t.Average); average == nil {
			return nil
		}
	}
	n := len(t.Finite) + len(average)
	if t.Finite == nil || t.Adversary != nil || exact.Count(p) > wholeStates || exact.Count(p)*float64(n) > wholeCells {
		return nil
	}
	g, err := exact.New(p)
	if err != nil {
		return nil
	}
	if t.Decider != nil {
		g = g.Decided(t.Decider)
	}
	if t.Stopper != nil {
		g = g.Stopped(t.Stopper)
	}
	set, err := g.NewSet(t.Loss, t.Finite, average...)
	if err != nil {
		return nil
	}
	cells, prob := g.Inner()*p.Queries(), make([]float64, n)
	for k, a := range average {
		prob[len(t.Finite)+k] = t.Weight * a.Weight
	}
	return &Enumerated{worst: len(t.Finite), share: t.Weight, net: net, game: g, set: set, states: g.Batch(0, g.Inner()), tape: net.NewTape(g.Inner()), logits: make([]float32, cells), probs: make([]float64, cells),
		dlogits: make([]float64, cells), value: make([]float64, g.States()), loss: make([]float64, n), prob: prob}
}

// Enter does nothing: nothing is learned but ψ.
func (e *Enumerated) Enter() {}

// Gradient computes every loss, has the adversary respond to it, and takes Eq. 11's mean.
func (e *Enumerated) Gradient(_ context.Context, grad []float32, b *adversary.Batch, now Moment) (*Games, error) {
	e.net.Forward(e.logits, e.tape, e.states)
	e.softmax(e.states.Mask)
	flow := e.game.FlowOf(e.probs)
	e.set.Losses(e.loss, flow.Q)
	loss, prob := e.loss[:e.worst], e.prob[:e.worst]
	for i := range loss {
		loss[i] -= b.Benchmark[i]
	}
	extent := floats.Max(loss) - floats.Min(loss)
	e.games.Mean = loss
	b.Respond(prob, loss)
	if e.share > 0 {
		floats.Scale(1-e.share, prob)
	}
	clear(e.dlogits)
	e.set.AddLogits(e.dlogits, flow, e.prob, 1, e.value)
	e.games.Entropy = e.addEntropy(flow, wholePolReg*(1-now.Done)*(1-now.Done)*extent)
	e.games.Steps = int64(e.game.Inner())
	for i, v := range e.dlogits {
		e.logits[i] = float32(v)
	}
	e.net.Backward(grad, e.tape, e.logits)
	return &e.games, nil
}

// Learn does nothing.
func (e *Enumerated) Learn() {}

// Snapshot returns nothing: each gradient begins afresh.
func (e *Enumerated) Snapshot() ([]byte, error) { return nil, nil }

// Restore does nothing.
func (e *Enumerated) Restore([]byte) error { return nil }

// addEntropy adds the gradient of −λ·Σ_s q_π(s)·H(π(·|s)) to dlogits, the direct part only (reading 1): without it
// queries whose worth shows late are given up early. It returns the flow's mean entropy over log|X|.
func (e *Enumerated) addEntropy(f *exact.Flow, lambda float64) float64 {
	d := e.game.P.Queries()
	var total, flow float64
	for s, q := range f.Q[:e.game.Inner()] {
		if e.game.Ends(s) {
			continue
		}
		probs := f.Probs[s*d : (s+1)*d]
		h := adversary.Entropy(probs)
		total, flow = total+q*h, flow+q
		for i, p := range probs {
			if p > 0 {
				e.dlogits[s*d+i] += lambda * q * p * (math.Log(p) + h)
			}
		}
	}
	return total / flow / math.Log(float64(max(2, d)))
}

// softmax writes π, [inner, |X|], from the logits in float64: the values of a
// finite Θ's worst are close together.
func (e *Enumerated) softmax(mask []bool) {
	d := e.game.P.Queries()
	for lo := 0; lo < len(e.probs); lo += d {
		top, sum := math.Inf(-1), 0.
		for i := lo; i < lo+d; i++ {
			if mask == nil || !mask[i] {
				top = max(top, float64(e.logits[i]))
			}
		}
		for i := lo; i < lo+d; i++ {
			e.probs[i] = 0
			if mask == nil || !mask[i] {
				e.probs[i] = math.Exp(float64(e.logits[i]) - top)
				sum += e.probs[i]
			}
		}
		floats.Scale(1/sum, e.probs[lo:lo+d])
	}
}
