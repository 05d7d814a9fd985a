package train

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"mapo"
	"mapo/exact"
	"mapo/nn"
)

// A finite Θ on a game with few states needs no rollouts: Eq. 11's mean over
// them and over I_m ~ softmax(w) is a sum over states, and so is every loss.

const (
	tinyStates = 20_000  // inner states of a game that is played whole each iteration
	tinyCells  = 1 << 22 // states × instances
	tinySteps  = 3       // policy steps an iteration: each costs less than a sampled one
	tinyBegin  = .1      // τ of softmax(loss/τ) as a share of the losses' range, at the start of a phase
	tinyEnd    = 1e-3    // and at its end, falling geometrically
	tinyPolReg = 1e-2    // λ_Pol-reg as a share of the same range, falling to 0 with the square of what is left
)

// tiny is such a game and the scratch of an iteration.
type tiny struct {
	game    *exact.Game
	set     *exact.Set
	rho     []float64   // 𝒞(θ) of the instances, [n]
	states  mapo.States // all inner ones
	tape    nn.Tape     // theirs
	logits  []float32   // [inner, |X|]
	probs   []float64   // the same
	dlogits []float64   // the same
	value   []float64   // [states]
	loss    []float64   // [n]
	grad    []float32
}

// newTiny is nil where the phase's game is too large or has an endless Θ, and
// where an average is to be sampled.
func (r *Run) newTiny(ph phase) *tiny {
	p := r.t.P
	if !r.oracle() || r.t.dial() || r.t.Finite == nil || exact.Count(p) > tinyStates || exact.Count(p)*float64(len(r.t.Finite)) > tinyCells {
		return nil
	}
	g, err := exact.New(p)
	if err != nil {
		return nil
	}
	set, err := g.NewSet(ph.loss, r.t.Finite)
	if err != nil {
		return nil
	}
	cells := g.Inner() * p.Queries()
	y := &tiny{game: g, set: set, states: g.Batch(0, g.Inner()), tape: r.net.NewTape(g.Inner()), logits: make([]float32, cells), probs: make([]float64, cells),
		dlogits: make([]float64, cells), value: make([]float64, g.States()), loss: make([]float64, set.N), grad: make([]float32, len(r.net.Params()))}
	for _, theta := range r.t.Finite {
		y.rho = append(y.rho, r.t.C.Of(theta))
	}
	return y
}

// whole is an iteration that plays the whole game, tinySteps times over.
func (r *Run) whole(ph phase) Step {
	step := r.step(ph)
	for sub := range tinySteps {
		r.wholeStep(ph, &step, (float64(r.s.Iter)+float64(sub)/tinySteps)/float64(ph.iters))
	}
	step.Work = r.s.Work
	return step
}

// wholeStep sets w to softmax(loss/τ), the losses less their benchmarks, and moves
// ψ by Eq. 11's mean; done is the share of the phase behind it.
func (r *Run) wholeStep(ph phase, step *Step, done float64) {
	y := r.tiny
	r.net.Forward(y.logits, y.tape, y.states)
	y.softmax(y.states.Mask)
	flow := y.game.FlowOf(y.probs)
	y.set.Losses(y.loss, flow.Q)
	for i := range y.loss {
		y.loss[i] -= r.shift(ph, y.rho[i])
	}
	step.Worst = floats.Max(y.loss)
	extent := step.Worst - floats.Min(y.loss)
	tau := math.Pow(tinyBegin, 1-done) * math.Pow(tinyEnd, done) * extent
	ps := &r.s.Particles
	for i, v := range y.loss {
		ps.W[i] = v / max(tau, math.SmallestNonzeroFloat32)
		r.s.Mean[i] = r.scale(ph) * v
	}
	r.prob = grown(r.prob, ps.N())
	step.ParticleEntropy = ps.Probabilities(r.prob)
	clear(y.dlogits)
	y.set.AddLogits(y.dlogits, flow, r.prob, 1, y.value)
	step.PolicyEntropy = y.addEntropy(flow, tinyPolReg*(1-done)*(1-done)*extent)
	for i, v := range y.dlogits {
		y.logits[i] = float32(v)
	}
	clear(y.grad)
	r.net.Backward(y.grad, y.tape, y.logits)
	r.gradPsi = y.grad
	step.GradPsi = clip(r.gradPsi)
	r.s.Work += int64(y.game.Inner())
	r.stepPsi(ph)
}

// addEntropy adds the gradient of −λ·Σ_s q_π(s)·H(π(·|s)) to dlogits, the direct part only (reading 1): without it
// queries whose worth shows late are given up early. It returns the flow's mean entropy over log|X|.
func (y *tiny) addEntropy(f *exact.Flow, lambda float64) float64 {
	d := y.game.P.Queries()
	var total, flow float64
	for s, q := range f.Q[:y.game.Inner()] {
		probs := f.Probs[s*d : (s+1)*d]
		var h float64
		for _, p := range probs {
			if p > 0 {
				h -= p * math.Log(p)
			}
		}
		total, flow = total+q*h, flow+q
		for i, p := range probs {
			if p > 0 {
				y.dlogits[s*d+i] += lambda * q * p * (math.Log(p) + h)
			}
		}
	}
	return total / flow / math.Log(float64(max(2, d)))
}

// softmax writes π, [inner, |X|], from the logits in float64: the values of a
// finite Θ's worst are close together.
func (y *tiny) softmax(mask []bool) {
	d := y.game.P.Queries()
	for lo := 0; lo < len(y.probs); lo += d {
		top, sum := math.Inf(-1), 0.
		for i := lo; i < lo+d; i++ {
			if mask == nil || !mask[i] {
				top = max(top, float64(y.logits[i]))
			}
		}
		for i := lo; i < lo+d; i++ {
			y.probs[i] = 0
			if mask == nil || !mask[i] {
				y.probs[i] = math.Exp(float64(y.logits[i]) - top)
				sum += y.probs[i]
			}
		}
		floats.Scale(1/sum, y.probs[lo:lo+d])
	}
}
