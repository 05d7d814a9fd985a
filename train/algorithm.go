package train

import (
	"mapo"
	"mapo/adversary"
	"mapo/nn"
)

// algorithm is what the algorithms differ in: the phases and parts of a training.
type algorithm interface {
	// phases returns those of a task, in order.
	phases(t *Task) []phase
	// parts makes those of a task's training.
	parts(t *Task, net nn.Net) parts
	// searchGames returns about how many games the searches of a phase of so many iterations play, in games of a judge.
	searchGames(t *Task, iters int) float64
	// soften returns what the logits of the policy handed out are multiplied by.
	soften(t *Task) float64
	// memory returns how many bytes each of the N instances needs that the adversary holds.
	memory(queries int) int
	// follows reports whether all π_k but one start from that one's weights.
	follows() bool
}

// algorithm returns that which the configuration names.
func (c *Config) algorithm() algorithm {
	if c.Algorithm == "paper" {
		return paper{c}
	}
	return oracle{c}
}

// parts are what the loop is made of.
type parts struct {
	adversary adversary.Adversary
	estimator Estimator
	gradients int     // taken in an iteration
	longest   float64 // gradient that a step takes; 0: any
}

// paper is Algorithm 2 in Appendix D's phases.
type paper struct{ c *Config }

func (a paper) parts(t *Task, net nn.Net) parts {
	p := parts{estimator: newSampled(t, net, nil), gradients: 1}
	s, w := t.setting(), adversary.WeightOptions{Rate: a.c.RateW, Entropy: a.c.LambdaGen, LeaveOneOut: a.c.leaveOneOut()}
	switch {
	case t.Adversary != nil:
		p.adversary = t.Adversary
	case t.Prior != nil:
		p.adversary = adversary.NewPrior(s, t.Prior)
	case t.Finite != nil:
		p.adversary = t.mixed(adversary.NewWeights(s, t.Finite, w))
	default:
		p.adversary = t.mixed(adversary.NewParticles(s, adversary.ParticleOptions{
			WeightOptions: w, N: a.c.N, ThetaRate: a.c.RateTheta, Barrier: a.c.LambdaBarrier, Dense: a.c.Dense,
		}))
	}
	return p
}

func (paper) searchGames(*Task, int) float64 { return 0 }
func (paper) soften(*Task) float64           { return 1 }
func (paper) memory(queries int) int         { return 40 * queries }
func (paper) follows() bool                  { return false }

// oracle is the default: a double oracle. A finite Θ on a game with few states is played whole.
type oracle struct{ c *Config }

// longestStep is the longest gradient that a step against the double oracle takes.
const longestStep = 0.5

func (a oracle) parts(t *Task, net nn.Net) parts {
	if t.Prior != nil {
		return parts{adversary: adversary.NewPrior(t.setting(), t.Prior), estimator: newSampled(t, net, nil), gradients: 1}
	}
	if e := newEnumerated(t, net); e != nil {
		return parts{adversary: adversary.NewAnnealed(t.setting(), t.Finite, wholeSteps), estimator: e, gradients: wholeSteps, longest: longestStep}
	}
	return a.sampled(t, net)
}

// sampled makes the parts of a training whose games are drawn.
func (a oracle) sampled(t *Task, net nn.Net) parts {
	s, p := t.setting(), parts{estimator: newSampled(t, net, a.penalties(t)), gradients: 1, longest: longestStep}
	o := adversary.OracleOptions{
		MeanOptions: adversary.MeanOptions{Temperature: a.c.Temperature, Hedge: a.c.Hedge},
		N:           a.c.N, Games: a.c.M * a.c.L, Refresh: a.c.Refresh, Add: a.c.Add, Below: a.c.Below, Thorough: a.c.Thorough,
	}
	switch {
	case t.Adversary != nil:
		p.adversary = t.Adversary
	case t.Finite != nil:
		p.adversary = t.mixed(adversary.NewMeans(s, t.Finite, o.MeanOptions))
	default:
		p.adversary = t.mixed(adversary.NewOracle(s, t.Loss, o))
	}
	return p
}

// penalties returns what the policy pays besides its loss and its entropy.
func (a oracle) penalties(t *Task) (list []Penalty) {
	if a.c.Magnet > 0 {
		list = append(list, newMagnet(network(t), t.P, a.c.Magnet))
	}
	return list
}

func (a oracle) searchGames(t *Task, iters int) float64 {
	if !t.searched() {
		return 0
	}
	o := adversary.OracleOptions{Refresh: a.c.Refresh, Thorough: a.c.Thorough}
	return o.SearchGames(t.R, iters)
}

func (a oracle) soften(t *Task) float64 {
	if !t.searched() {
		return 1
	}
	return a.c.Soften
}

func (oracle) memory(int) int  { return 0 }
func (a oracle) follows() bool { return a.c.Follow > 0 }

// searched reports whether the default adversary would search for the task's instances.
func (t *Task) searched() bool { return t.Prior == nil && t.Finite == nil && t.Adversary == nil }

// setting is what the task's adversary knows of it.
func (t *Task) setting() adversary.Setting {
	return adversary.Setting{P: t.P, C: t.C, R: t.R, Key: t.Key, Workers: t.Workers}
}

// mixed returns an adversary with the task's average beside it, where it has one.
func (t *Task) mixed(a adversary.Adversary) adversary.Adversary {
	if t.Weight == 0 {
		return a
	}
	return adversary.NewMix(a, t.Average, t.Weight, t.Key)
}

// objective is what a phase on a loss plays for.
func (t *Task) objective(loss mapo.Loss) adversary.Objective {
	o := adversary.Objective{Loss: loss, Scale: 1, R: t.R, Benchmarks: t.B}
	if loss == mapo.BestIdentification {
		o.Scale = t.Config.LambdaBinary
	}
	return o
}
