package train

import (
	"context"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"slices"

	"mapo"
	"mapo/adversary"
	"mapo/nn"
	"mapo/record"
)

// Step is what one iteration shows of itself.
type Step = record.Step

// worstMemory is the share the running mean of Step.Worst keeps an iteration.
const worstMemory = 0.95

// Descend is Algorithm 2 over the run's phases. It yields one Step an
// iteration, in between the run is whole: the caller may take its Snapshot or
// use its Net, and stop by breaking off. On ctx's end it yields its error, and
// the iteration under way has left no trace but its search, which is not made again; a training whose weights grow beyond what
// logits can be made of ends with one, too.
func Descend(ctx context.Context, r *Run) iter.Seq2[Step, error] {
	return func(yield func(Step, error) bool) {
		for r.s.Phase < len(r.phases) {
			step, err := r.iterate(ctx, r.phases[r.s.Phase])
			if err == nil && !nn.Bounded(r.net) {
				err = fmt.Errorf("it diverged at iteration %d of %d: set train.rate_psi below %g", step.Iter, step.Iters, r.t.Config.RatePsi)
			}
			if err != nil {
				yield(Step{}, err)
				return
			}
			if r.s.Iter++; r.s.Iter == r.phases[r.s.Phase].iters {
				r.enter(r.s.Phase + 1)
			}
			if !yield(step, nil) {
				return
			}
		}
	}
}

// done is the number of iterations behind the run.
func (r *Run) done() int {
	n := r.s.Iter
	for _, ph := range r.phases[:r.s.Phase] {
		n += ph.iters
	}
	return n
}

// iterate is one pass of Algorithm 2's loop.
func (r *Run) iterate(ctx context.Context, ph phase) (Step, error) {
	c := &r.t.Config
	key := r.t.Key.Name("phase").At(r.s.Phase).At(r.s.Iter)
	if r.oracle() {
		if err := r.refresh(ctx, ph); err != nil {
			return Step{}, err
		}
	}
	if r.tiny != nil {
		return r.whole(ph), nil
	}
	if c.Algorithm == "oracle" {
		left := 1 - float64(r.s.Iter)/float64(ph.iters)
		ph.polReg *= left * left
	}
	r.drawInstances(r.draw.Of(key.Name("draw")))
	if err := r.collect(ctx, ph, key.Name("games")); err != nil {
		return Step{}, err
	}
	step := r.step(ph)
	step.PolicyEntropy = r.entropy / float64(c.M*c.L*r.t.P.T) / math.Log(float64(max(2, r.t.P.Queries())))
	step.GradPsi = norm32(r.gradPsi)
	r.s.Work += int64(c.M * c.L * r.t.P.T)
	step.Work = r.s.Work
	r.measure(ph, &step)
	switch {
	case r.oracle():
		r.remember()
		step.Worst, step.ParticleEntropy = r.setWorst(ph), r.particleEntropy
		step.GradPsi = clip(r.gradPsi)
	case r.t.Prior == nil:
		r.ascend(ph, &step)
	}
	if c.critic() {
		r.learnCritic()
	}
	r.stepPsi(ph)
	r.moveMagnet()
	return step, nil
}

// step is what the iteration under way shows, the adversary's part not yet known.
func (r *Run) step(ph phase) Step {
	nan := math.NaN()
	return Step{Phase: ph.name, Iter: r.done() + 1, Iters: r.total, Feasible: nan, Barrier: nan, ParticleEntropy: nan, GradTheta: nan, GradW: nan}
}

// stepPsi moves ψ along gradPsi, the rate falling linearly over the phase.
func (r *Run) stepPsi(ph phase) {
	c := &r.t.Config
	left := 1 - float64(r.s.Iter)/float64(ph.iters)
	rate := c.RatePsi * (c.Decay + (1-c.Decay)*left)
	if r.s.Soap != nil {
		r.s.Soap.Step(r.net.Params(), r.gradPsi, rate)
		return
	}
	r.s.Adam.Step(r.net.Params(), r.gradPsi, rate)
}

// newOptimizer begins ψ's optimiser.
func (r *Run) newOptimizer() {
	if r.t.Config.Optimizer == "soap" {
		r.s.Soap = nn.NewSoap(r.net)
		return
	}
	r.s.Adam = nn.NewAdam(len(r.net.Params()))
}

// optimizes reports whether the state holds the optimiser that the task asks for, of n parameters.
func (r *Run) optimizes(n int) bool {
	if r.t.Config.Optimizer == "soap" {
		return r.s.Soap.Fits(r.net)
	}
	return r.s.Adam != nil && len(r.s.Adam.M) == n && len(r.s.Adam.V) == n
}

// measure takes the losses of the feasible instances drawn into the running
// estimate of the worst case.
func (r *Run) measure(ph phase, step *Step) {
	c := &r.t.Config
	var sum, feasible, barrier float64
	n := c.M
	if a := r.t.adversarial(); a > 0 {
		n = a
	}
	for m := range n {
		barrier += r.barrier[m]
		if r.barrier[m] == 0 {
			sum += r.mean[m]
			feasible++
		}
	}
	if !r.oracle() && r.t.Prior == nil {
		step.Feasible, step.Barrier = feasible/float64(n), barrier/float64(n)
	}
	if feasible > 0 {
		now := sum / feasible / r.scale(ph)
		if !r.s.Seen {
			r.s.Worst, r.s.Seen = now, true
		}
		r.s.Worst = worstMemory*r.s.Worst + (1-worstMemory)*now
	}
	step.Worst = r.s.Worst
}

// ascend moves w and Θ̃ by the estimates of Eq. 9 and 10.
func (r *Run) ascend(ph phase, step *Step) {
	c, ps := &r.t.Config, &r.s.Particles
	step.ParticleEntropy = r.particleEntropy
	if ph.rateW > 0 {
		r.gradW = grown(r.gradW, ps.N())
		adversary.WGrad(r.gradW, r.prob, r.idx, r.mean[:len(r.idx)], c.Estimator == "loo")
		step.GradW = norm64(r.gradW)
		adversary.EntropyGrad(r.gradW, r.prob, c.LambdaGen)
		r.s.W.Ascend(ps.W, r.gradW, ph.rateW)
	}
	if r.t.Finite != nil {
		return
	}
	step.GradTheta = norm64(r.gradTheta[:len(r.idx)*r.t.P.Queries()])
	if c.Dense {
		r.ascendAll()
	} else {
		r.ascendDrawn()
	}
}

// ascendAll is dense Adam on Θ̃, the paper's: particles not drawn drift on by
// their momentum.
func (r *Run) ascendAll() {
	d, ps := r.t.P.Queries(), &r.s.Particles
	r.gradAll = grown(r.gradAll, len(ps.Theta))
	for m, i := range r.idx {
		for j, g := range r.gradTheta[m*d : (m+1)*d] {
			r.gradAll[i*d+j] += g
		}
	}
	r.s.Theta.Ascend(ps.Theta, r.gradAll, r.t.Config.RateTheta)
	mapo.Clip(ps.Theta)
}

// ascendDrawn moves the drawn particles only, each with an Adam of its own.
func (r *Run) ascendDrawn() {
	d, ps, adam := r.t.P.Queries(), &r.s.Particles, &r.s.Theta
	for m, i := range r.idx {
		if slices.Contains(r.idx[:m], i) {
			continue
		}
		grad := r.gradTheta[m*d : (m+1)*d]
		for o := m + 1; o < len(r.idx); o++ {
			if r.idx[o] == i {
				for j, g := range r.gradTheta[o*d : (o+1)*d] {
					grad[j] += g
				}
			}
		}
		lo, hi := i*d, (i+1)*d
		own := adversary.Adam{M: adam.M[lo:hi], V: adam.V[lo:hi], T: r.s.Rows[i]}
		own.Ascend(ps.Theta[lo:hi], grad, r.t.Config.RateTheta)
		r.s.Rows[i] = own.T
		mapo.Clip(ps.Theta[lo:hi])
	}
}

// drawInstances fills theta and importance with M instances: those of the
// adversary, I_m ~ softmax(w) in idx, then those of a prior.
func (r *Run) drawInstances(rand *rand.Rand) {
	c, d := &r.t.Config, r.t.P.Queries()
	r.theta, r.importance = grown(r.theta, c.M*d), grown(r.importance, c.M)
	for m := range r.importance {
		r.importance[m] = 1
	}
	if r.t.Prior != nil {
		r.drawPrior(0)
		return
	}
	ps := &r.s.Particles
	if r.oracle() {
		r.weigh(rand)
	} else {
		r.prob = grown(r.prob, ps.N())
		r.particleEntropy = ps.Probabilities(r.prob)
		r.pick(r.prob, rand)
	}
	for m, i := range r.idx {
		copy(r.theta[m*d:(m+1)*d], ps.Theta[i*d:(i+1)*d])
	}
	r.drawPrior(len(r.idx))
	r.mixObjective()
}

// pick draws the adversary's I_m from prob, [N].
func (r *Run) pick(prob []float64, rand *rand.Rand) {
	r.idx = grown(r.idx, r.t.adversarial())
	r.cdf = grown(r.cdf, len(prob))
	var sum float64
	for i, p := range prob {
		sum += p
		r.cdf[i] = sum
	}
	for m := range r.idx {
		i, _ := slices.BinarySearch(r.cdf, rand.Float64()*sum)
		r.idx[m] = min(i, len(prob)-1)
	}
}

// grown is s with n zeros, in its own memory where that suffices.
func grown[E any](s []E, n int) []E {
	s = slices.Grow(s[:0], n)[:n]
	clear(s)
	return s
}

func norm64(x []float64) float64 {
	var sum float64
	for _, v := range x {
		sum += v * v
	}
	return math.Sqrt(sum)
}

func norm32(x []float32) float64 {
	var sum float64
	for _, v := range x {
		sum += float64(v) * float64(v)
	}
	return math.Sqrt(sum)
}
