package run

import (
	"context"
	"runtime"
	"slices"
	"time"

	"mapo/difficulty"
	"mapo/game"
	"mapo/game/sim"
	"mapo/policy/decision"
	"mapo/policy/nn"
	"mapo/policy/stopping"
	"mapo/rng"
	"mapo/train"
)

// trial is about how long Estimate tries things.
const trial = 2 * time.Second

// Estimate returns about how long a plan takes. It rehearses the run, times a few iterations of π_1's training and some games,
// and multiplies. It takes each of the double oracle's searches to last as long as the first.
func Estimate(ctx context.Context, plan Plan, workers int) (total time.Duration, err error) {
	if err := plan.Check(); err != nil {
		return 0, err
	}
	jobs, err := rehearse(ctx, plan, func(ctx context.Context, f *Flow) error {
		_, err := f.Run(ctx)
		return err
	})
	if err != nil {
		return 0, err
	}
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	first, err := plan.first(workers)
	if err != nil {
		return 0, err
	}
	begin, iteration, err := timeTraining(ctx, first, trial)
	if err != nil {
		return 0, err
	}
	policy, err := decision.With(plan.Problem, plan.Loss, nn.Policy(plan.Problem, first.Net()), plan.Decision)
	if err != nil {
		return 0, err
	}
	if policy, err = stopping.With(plan.Problem, policy, plan.Stopping); err != nil {
		return 0, err
	}
	game, err := timeGames(ctx, sim.Play{P: plan.Problem, Policy: policy, Workers: workers})
	if err != nil {
		return 0, err
	}
	for _, j := range jobs {
		took := time.Duration(j.work * float64(game))
		if j.step == "train" {
			took = begin + time.Duration(j.iterations)*iteration
			if o := plan.Train.Oracle; o != nil {
				took += time.Duration(j.iterations/o.Refresh) * max(0, begin-iteration)
			}
			if plan.Seconds > 0 {
				took = min(took, time.Duration(plan.Seconds*float64(time.Second)))
			}
		}
		total += took
	}
	return total, nil
}

// first returns π_1's training, without the iterations that initialise particles.
func (p *Plan) first(workers int) (*train.Run, error) {
	stop, err := stopping.New(p.Problem, p.Stopping)
	if err != nil {
		return nil, err
	}
	task := train.Task{
		P: p.Problem, C: difficulty.Of(p.Problem), Loss: p.Loss, R: p.Levels[:1], Finite: p.Finite,
		Config: p.Train.Clone(), Key: rng.New(p.Seed).Name("estimate"), Workers: workers, Stopper: stop,
	}
	if task.Config.Paper != nil {
		task.Config.Paper.Init = 0
	}
	if p.Decision != "" {
		if task.Decider, err = decision.New(p.Problem, p.Loss, p.Decision); err != nil {
			return nil, err
		}
	}
	return train.New(task, nil)
}

// timeTraining returns the time of the first iteration, which may have an adversary to
// set up, and of one after it, tried for about so long.
func timeTraining(ctx context.Context, run *train.Run, about time.Duration) (first, other time.Duration, err error) {
	begin := time.Now()
	for step, err := range train.Descend(ctx, run) {
		if err != nil {
			return 0, 0, err
		}
		took := time.Since(begin)
		if step.Iter == 1 {
			first = took
		} else if took > about || step.Iter == step.Iters {
			return first, (took - first) / time.Duration(step.Iter-1), nil
		}
	}
	return first, first, nil
}

// timeGames returns the time of a game, which costs a bit less than moving an
// instance by one.
func timeGames(ctx context.Context, play sim.Play) (time.Duration, error) {
	const games = 1 << 13
	begin := time.Now()
	_, err := play.Average(ctx, game.Noiseless(play.P), games, rng.New(0), game.BestIdentification)
	return time.Since(begin) / games, err
}

// trainings returns how many policies the plan trains.
func (p *Plan) trainings() int {
	n := len(p.Levels)
	if n > 1 {
		n++ // π̂
	}
	if slices.Contains(p.Rivals, BayesLAL) {
		n++
	}
	return n
}

// Share returns the time each training gets where all may take total: equal parts,
// whatever the number of cores, so that a resumed run is the same run.
func (p *Plan) Share(total time.Duration) time.Duration {
	return total / time.Duration(max(1, p.trainings()))
}
