package train

import (
	"context"

	"mapo/record"
)

// Play plays an iteration of the run with the weights psi, adds its estimate of Eq. 11 to dst, both as the network's parameters, and
// has the adversary learn. It moves no weight: runs of one network on several problems share theirs, and one optimiser moves
// them. Once the last phase has had all its iterations it goes on as in the last of them.
func (r *Run) Play(ctx context.Context, dst, psi []float32) error {
	copy(r.net.Params(), psi)
	ph := &r.phases[r.s.Phase]
	work, err := r.adversary.Prepare(ctx, r.policy, r.s.Iter)
	if err != nil {
		return err
	}
	r.s.Work += work
	now := Moment{
		Phase: &ph.Phase, Key: r.t.Key.Name("phase").At(r.s.Phase).At(r.s.Iter),
		Done: ph.done(r.s.Iter, 0, r.gradients), Entropy: ph.entropy(r.s.Iter),
	}
	if err := r.play(ctx, new(record.Step), now); err != nil {
		return err
	}
	r.estimator.Learn()
	r.s.Iter = min(r.s.Iter+1, ph.Iters-1)
	for i, g := range r.grad {
		dst[i] += g
	}
	return nil
}
