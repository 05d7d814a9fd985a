package train

import (
	"mapo/adversary"
	"mapo/game"
)

// Names of the phases, [record.Step.Phase].
const (
	PhaseInit   = "init"   // Init, of the loss of the phase it prepares
	PhaseRegret = "regret" // regret training
	PhaseTilde  = "tilde"  // fine-tuning π̃_k, for regret too
	PhasePi     = "pi"     // π_k for the task's loss
	PhasePiHat  = "pi-hat" // π̂
)

// phase is one of appendix D's procedures: some iterations on one loss.
type phase struct {
	adversary.Phase
	name    string
	polReg  float64 // λ_Pol-reg
	falling bool    // polReg falls with the square of what is left of the phase
	psiRate float64 // learning rate of ψ at the phase's start
	decay   float64 // the share of it that the phase ends with
}

// rate returns ψ's learning rate, which falls linearly over the phase.
func (ph *phase) rate(iter int) float64 {
	left := 1 - float64(iter)/float64(ph.Iters)
	return ph.psiRate * (ph.decay + (1-ph.decay)*left)
}

// entropy returns the weight of the policy's entropy.
func (ph *phase) entropy(iter int) float64 {
	if !ph.falling {
		return ph.polReg
	}
	left := 1 - float64(iter)/float64(ph.Iters)
	return ph.polReg * (left * left)
}

// done returns the share of the phase behind the part-th of so many gradients of an iteration.
func (ph *phase) done(iter, part, parts int) float64 {
	return (float64(iter) + float64(part)/float64(parts)) / float64(ph.Iters)
}

// phases returns appendix D's, in order (reading 17): for π_k Init and regret
// training on Ω_k, the fine-tuning of π̃_k, and for best identification that of
// π_k. For π̂ they are Init and the fine-tuning against the benchmarks, for Bayes-LAL one
// π_k's without Init.
func (a *Paper) phases(t *Task) []phase {
	c, l := &t.Config, schedule{t: t}
	if t.Prior == nil && t.Finite == nil {
		l.init = a.Init
	}
	if t.B != nil {
		l.add(PhasePiHat, t.Loss, c.PiHat, c.LambdaPolFine)
		return l.list
	}
	l.add(PhaseRegret, game.SimpleRegret, a.Regret, a.LambdaPol)
	l.add(PhaseTilde, game.SimpleRegret, a.Tilde, c.LambdaPolFine)
	if t.Loss == game.BestIdentification {
		l.add(PhasePi, t.Loss, c.Pi, c.LambdaPolFine)
	}
	return l.list
}

// phases returns one, that of π_k or of π̂.
func (*Oracle) phases(t *Task) []phase {
	c, l := &t.Config, schedule{t: t, falling: true}
	if t.B != nil {
		l.add(PhasePiHat, t.Loss, c.PiHat, c.LambdaPolFine)
	} else {
		l.add(PhasePi, t.Loss, c.Pi, c.LambdaPolFine)
	}
	return l.list
}

// schedule is a list of phases in the making.
type schedule struct {
	t       *Task
	init    int // iterations of Init before every phase
	falling bool
	list    []phase
}

// add appends a phase, with its Init before it. A phase without iterations is left out.
func (l *schedule) add(name string, loss game.Loss, iters int, polReg float64) {
	if iters == 0 {
		return
	}
	ph := phase{name: name, polReg: polReg, falling: l.falling, psiRate: l.t.Config.RatePsi, decay: l.t.Config.Decay}
	ph.Phase = adversary.Phase{Objective: l.t.objective(loss), Iters: iters, Fresh: true}
	if l.init > 0 {
		before := ph
		before.name, before.Iters, before.Frozen, before.Index = PhaseInit, l.init, true, len(l.list)
		l.list, ph.Fresh = append(l.list, before), false
	}
	ph.Index = len(l.list)
	l.list = append(l.list, ph)
}

// Idle reports, as a [*Fault], whether a policy of a ladder of so many levels would not be
// trained at all: nil where each has an iteration.
func (c *Config) Idle(loss game.Loss, levels int) error {
	fault := func(key string) error {
		return &Fault{key, "leaves nothing to train: give it at least one iteration"}
	}
	t := Task{Loss: loss, Config: *c}
	if len(c.algorithm().phases(&t)) == 0 {
		return fault("pi")
	}
	if t.B = make([]float64, levels); levels > 1 && len(c.algorithm().phases(&t)) == 0 {
		return fault("pi_hat")
	}
	return nil
}
