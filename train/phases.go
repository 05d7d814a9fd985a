package train

import (
	"math"

	"mapo"
	"mapo/adversary"
)

// Names of the phases, [Step.Phase].
const (
	PhaseInit   = "init"   // Init, of the loss of the phase it prepares
	PhaseRegret = "regret" // regret training
	PhaseTilde  = "tilde"  // fine-tuning π̃_k, for regret too
	PhasePi     = "pi"     // π_k for the task's loss
	PhasePiHat  = "pi-hat" // π̂
)

// phase is one of appendix D's procedures: some iterations on one loss.
type phase struct {
	name   string
	loss   mapo.Loss
	iters  int
	gap    bool    // the loss is ℓ − b^(r_k(θ)) (Eq. 5)
	fresh  bool    // reinitialise particles and w
	rateW  float64 // 0 while w is frozen
	polReg float64
	init   bool
}

// phases are appendix D's, in order (reading 17): for π_k Init and regret
// training on Ω_k, the fine-tuning of π̃_k, and for best identification that of
// π_k; for π̂ Init and the fine-tuning against the benchmarks; for Bayes-LAL one
// π_k's without Init.
func phases(t *Task) []phase {
	c := &t.Config
	var list []phase
	add := func(ph phase) {
		if ph.iters == 0 {
			return
		}
		if c.Init > 0 && t.Prior == nil && t.Finite == nil && c.Algorithm == "paper" {
			list = append(list, phase{name: PhaseInit, loss: ph.loss, gap: ph.gap, iters: c.Init, polReg: ph.polReg, init: true, fresh: true})
			ph.fresh = false
		}
		list = append(list, ph)
	}
	if t.B != nil {
		add(phase{name: PhasePiHat, loss: t.Loss, iters: c.PiHat, gap: true, fresh: true, rateW: c.RateW, polReg: c.LambdaPolFine})
		return list
	}
	if c.Algorithm == "oracle" {
		add(phase{name: PhasePi, loss: t.Loss, iters: c.Pi, fresh: true, polReg: c.LambdaPolFine})
		return list
	}
	add(phase{name: PhaseRegret, loss: mapo.SimpleRegret, iters: c.Regret, fresh: true, rateW: c.RateW, polReg: c.LambdaPol})
	add(phase{name: PhaseTilde, loss: mapo.SimpleRegret, iters: c.Tilde, fresh: true, rateW: c.RateW, polReg: c.LambdaPolFine})
	if t.Loss == mapo.BestIdentification {
		add(phase{name: PhasePi, loss: t.Loss, iters: c.Pi, fresh: true, rateW: c.RateW, polReg: c.LambdaPolFine})
	}
	return list
}

// Idle reports, as a [*Fault], whether a policy of a ladder of so many levels would not be
// trained at all: nil where each has an iteration.
func (c *Config) Idle(loss mapo.Loss, levels int) error {
	fault := func(key string) error {
		return &Fault{key, "leaves nothing to train: give it at least one iteration"}
	}
	t := Task{Loss: loss, Config: *c}
	if len(phases(&t)) == 0 {
		return fault("pi")
	}
	if t.B = make([]float64, levels); levels > 1 && len(phases(&t)) == 0 {
		return fault("pi_hat")
	}
	return nil
}

// Stretch multiplies the iterations of every phase, none becoming none. Where they become
// fewer, so do thorough searches.
func (c *Config) Stretch(by float64) {
	for _, n := range []*int{&c.Init, &c.Regret, &c.Tilde, &c.Pi, &c.Follow, &c.PiHat} {
		if *n > 0 {
			*n = int(max(1, min(mostCount, math.Round(by*float64(*n)))))
		}
	}
	c.Thorough = int(math.Round(min(1, by) * float64(c.Thorough)))
}

// enter begins phase i.
func (r *Run) enter(i int) {
	r.s.Phase, r.s.Iter = i, 0
	if i >= len(r.phases) {
		return
	}
	r.s.Seen, r.s.Refreshed, r.s.Variance, r.s.Critic = false, 0, 0, nil
	if i > 0 && !r.phases[i-1].init {
		// A new loss has a new scale: the optimiser's memory of the old one misleads.
		r.newOptimizer()
	}
	if r.magnet != nil {
		copy(r.magnet.Params(), r.net.Params())
	}
	r.tiny = r.newTiny(r.phases[i])
	if r.t.Prior != nil || !r.phases[i].fresh {
		return
	}
	switch {
	case r.t.Finite != nil:
		r.s.Particles = *adversary.Fixed(r.t.Finite)
	case r.oracle():
		r.s.Particles = adversary.Particles{}
	default:
		r.s.Particles = *adversary.Start(r.t.P, r.t.Config.N, r.t.Key.Name("particles").At(i))
	}
	if r.oracle() {
		n := r.s.Particles.N()
		r.s.Mean, r.s.Lead, r.s.Last = make([]float64, n), make([]float64, n), make([]int, n)
		return
	}
	r.s.Theta = *adversary.NewAdam(len(r.s.Particles.Theta))
	r.s.W = *adversary.NewAdam(r.s.Particles.N())
	r.s.Rows = make([]int, r.s.Particles.N())
}

// scale is λ_binary where the loss is best identification.
func (r *Run) scale(ph phase) float64 {
	if ph.loss == mapo.BestIdentification {
		return r.t.Config.LambdaBinary
	}
	return 1
}

// shift is b^(r_k(θ)) where the phase plays for the gap, in the loss's units.
func (r *Run) shift(ph phase, rho float64) float64 {
	if !ph.gap {
		return 0
	}
	return r.t.B[mapo.LevelOf(r.t.R, rho)]
}
