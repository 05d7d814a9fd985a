package train

import (
	"context"
	"fmt"
	"iter"
	"math"

	"mapo/policy/nn"
	"mapo/record"
	"mapo/train/optim"
)

// Descend trains the run to its end: Algorithm 2, and every other algorithm, over the phases of appendix D. It yields one
// Step an iteration. In between the run is whole: the caller may take its Snapshot, use its Net, or stop by breaking off.
// It yields ctx's error when that ends, and the iteration under way is discarded; a completed search is kept. It yields an
// error, too, where weights grow beyond what logits can be made of.
func Descend(ctx context.Context, r *Run) iter.Seq2[record.Step, error] {
	return func(yield func(record.Step, error) bool) {
		for r.s.Phase < len(r.phases) {
			step, err := r.iterate(ctx)
			if err == nil && !nn.Bounded(r.net) {
				err = fmt.Errorf("it diverged at iteration %d of %d: set train.rate_psi below %g", step.Iter, step.Iters, r.t.Config.RatePsi)
			}
			if err == nil {
				if r.s.Iter++; r.s.Iter == r.phases[r.s.Phase].Iters {
					err = r.enter(r.s.Phase + 1)
				}
			}
			if err != nil {
				yield(record.Step{}, err)
				return
			}
			if !yield(step, nil) {
				return
			}
		}
	}
}

// enter begins phase i.
func (r *Run) enter(i int) error {
	r.s.Phase, r.s.Iter = i, 0
	if i >= len(r.phases) {
		return nil
	}
	if i > 0 && !r.phases[i-1].Frozen {
		// A new loss has a new scale: the optimiser's memory of the old one misleads.
		r.newOptimizer()
	}
	r.estimator.Enter()
	return r.adversary.Enter(r.phases[i].Phase, nil)
}

// newOptimizer begins ψ's optimiser.
func (r *Run) newOptimizer() { r.optimizer = optim.New(r.t.Config.Optimizer, r.net) }

// done returns the number of iterations behind the run.
func (r *Run) done() int {
	n := r.s.Iter
	for _, ph := range r.phases[:r.s.Phase] {
		n += ph.Iters
	}
	return n
}

// iterate does one pass of the loop.
func (r *Run) iterate(ctx context.Context) (record.Step, error) {
	if err := ctx.Err(); err != nil { // an iteration that is played whole does not look at ctx
		return record.Step{}, err
	}
	ph := &r.phases[r.s.Phase]
	key := r.t.Key.Name("phase").At(r.s.Phase).At(r.s.Iter)
	work, err := r.adversary.Prepare(ctx, r.policy, r.s.Iter)
	if err != nil {
		return record.Step{}, err
	}
	r.s.Work += work
	step := record.Step{Phase: ph.name, Iter: r.done() + 1, Iters: r.total}
	for part := range r.gradients {
		if err := r.descend(ctx, ph, &step, Moment{Phase: &ph.Phase, Key: key, Done: ph.done(r.s.Iter, part, r.gradients), Entropy: ph.entropy(r.s.Iter)}); err != nil {
			return record.Step{}, err
		}
	}
	step.Work = r.s.Work
	return step, nil
}

// descend takes one step on ψ along the estimate of Eq. 11, and has the adversary learn from the same games.
func (r *Run) descend(ctx context.Context, ph *phase, step *record.Step, now Moment) error {
	if err := r.play(ctx, step, now); err != nil {
		return err
	}
	r.optimizer.Step(r.net.Params(), r.grad, ph.rate(r.s.Iter))
	r.estimator.Learn()
	return nil
}

// play plays an iteration's games, leaves the estimate of Eq. 11 in r.grad, and has the adversary learn.
func (r *Run) play(ctx context.Context, step *record.Step, now Moment) error {
	r.batch.Reset(r.t.Config.M, r.t.P.Queries())
	r.adversary.Draw(&r.batch, now.Key)
	clear(r.grad)
	games, err := r.estimator.Gradient(ctx, r.grad, &r.batch, now)
	if err != nil {
		return err
	}
	r.s.Work += games.Steps
	step.PolicyEntropy, step.GradPsi = games.Entropy, clip(r.grad, r.longest)
	seen := r.adversary.Observe(&r.batch, &games.Games)
	step.Worst, step.Feasible, step.Barrier = seen.Worst, seen.Feasible, seen.Barrier
	step.ParticleEntropy, step.GradTheta, step.GradW = seen.Entropy, seen.ThetaGrad, seen.WGrad
	return nil
}

// clip shortens grad to the longest length, 0 for any, and returns its length before.
func clip(grad []float32, longest float64) float64 {
	length := norm32(grad)
	if longest > 0 && length > longest {
		by := float32(longest / length)
		for i := range grad {
			grad[i] *= by
		}
	}
	return length
}

func norm32(x []float32) float64 {
	var sum float64
	for _, v := range x {
		sum += float64(v) * float64(v)
	}
	return math.Sqrt(sum)
}
