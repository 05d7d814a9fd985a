package train

import (
	"mapo/adversary"
	"mapo/game"
	"mapo/policy/nn"
)

// algorithm is what the algorithms differ in: the phases and parts of a training.
type algorithm interface {
	// phases returns those of a task, in order.
	phases(t *Task) []phase
	// parts makes those of a task's training.
	parts(t *Task, net nn.Net) parts
	// soften returns what the logits of the policy handed out are multiplied by.
	soften(t *Task) float64
	// memory returns how many bytes each of the N instances needs that the adversary holds.
	memory(queries int) int
	// of keeps what a policy in this role depends on, c being the configuration that it is part of.
	of(c *Config, role Role)
}

// algorithm returns that which the configuration names.
func (c *Config) algorithm() algorithm {
	if c.Paper != nil {
		return c.Paper
	}
	return c.Oracle
}

// parts are what the loop is made of.
type parts struct {
	adversary adversary.Adversary
	estimator Estimator
	gradients int     // taken in an iteration
	longest   float64 // gradient that a step takes; 0: any
}

func (a *Paper) parts(t *Task, net nn.Net) parts {
	w := adversary.WeightOptions{Rate: a.RateW, Entropy: a.LambdaGen, LeaveOneOut: t.Config.leaveOneOut()}
	return parts{estimator: newSampled(t, net, nil), gradients: 1, adversary: t.opponent(func(s adversary.Setting) adversary.Adversary {
		if t.Finite != nil {
			return adversary.NewWeights(s, t.Finite, w)
		}
		return adversary.NewParticles(s, adversary.ParticleOptions{
			WeightOptions: w, N: t.Config.N, ThetaRate: a.RateTheta, Barrier: a.LambdaBarrier, Dense: a.Dense,
		})
	})}
}

func (*Paper) soften(*Task) float64   { return 1 }
func (*Paper) memory(queries int) int { return 40 * queries }

// longestStep is the longest gradient that a step against the double oracle takes.
const longestStep = 0.5

// parts plays a finite Θ on a game with few states whole.
func (o *Oracle) parts(t *Task, net nn.Net) parts {
	if t.Prior != nil {
		return parts{adversary: t.opponent(nil), estimator: newSampled(t, net, nil), gradients: 1}
	}
	if e := newEnumerated(t, net); e != nil {
		return parts{adversary: adversary.NewAnnealed(t.Setting(), t.Finite, wholeSteps), estimator: e, gradients: wholeSteps, longest: longestStep}
	}
	return o.sampled(t, net)
}

// sampled makes the parts of a training whose games are drawn.
func (o *Oracle) sampled(t *Task, net nn.Net) parts {
	c := &t.Config
	options := adversary.OracleOptions{
		MeanOptions: adversary.MeanOptions{Temperature: o.Temperature, Hedge: o.Hedge},
		N:           c.N, Games: c.M * c.L, Refresh: o.Refresh, Add: o.Add, Below: o.Below, Thorough: o.Thorough, Brief: o.Brief,
	}
	return parts{estimator: newSampled(t, net, o.penalties(t)), gradients: 1, longest: longestStep, adversary: t.opponent(func(s adversary.Setting) adversary.Adversary {
		if t.Finite != nil {
			return adversary.NewMeans(s, t.Finite, options.MeanOptions)
		}
		return adversary.NewOracle(s, t.Loss, options)
	})}
}

// penalties returns what the policy pays besides its loss and its entropy.
func (o *Oracle) penalties(t *Task) (list []Penalty) {
	if o.Magnet > 0 {
		list = append(list, newMagnet(t.fresh(), t.P, o.Magnet))
	}
	return list
}

func (o *Oracle) soften(t *Task) float64 {
	if !t.searched() {
		return 1
	}
	return o.Soften
}

func (*Oracle) memory(int) int { return 0 }

// searched reports whether the default adversary would search for the task's instances.
func (t *Task) searched() bool { return t.Prior == nil && t.Finite == nil && t.Adversary == nil }

// Setting returns what the task's adversary knows of it.
func (t *Task) Setting() adversary.Setting {
	return adversary.Setting{P: t.P, C: t.C, R: t.R, Key: t.Key, Workers: t.Workers}
}

// opponent returns the task's adversary: its prior, else the one that it is given, else the algorithm's own. Where the task
// has an average, that is beside it.
func (t *Task) opponent(own func(adversary.Setting) adversary.Adversary) adversary.Adversary {
	if t.Prior != nil {
		return adversary.NewPrior(t.Setting(), t.Prior)
	}
	a := t.Adversary
	if a == nil {
		a = own(t.Setting())
	}
	if t.Weight == 0 {
		return a
	}
	return adversary.NewMix(a, t.Average, t.Weight, t.Key)
}

// objective returns what a phase on a loss plays for.
func (t *Task) objective(loss game.Loss) adversary.Objective {
	o := adversary.Objective{Loss: loss, Scale: 1, R: t.R, Benchmarks: t.B}
	if loss == game.BestIdentification {
		o.Scale = t.Config.LambdaBinary
	}
	return o
}
