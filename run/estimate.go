package run

import (
	"context"
	"runtime"
	"slices"
	"time"

	"mapo/adversary/search"
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

// Estimate returns about how long a plan takes. It times a few iterations of training and
// some games, and multiplies.
func Estimate(ctx context.Context, plan Plan, workers int) (time.Duration, error) {
	if err := plan.Check(); err != nil {
		return 0, err
	}
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	run, first, rest, err := plan.pace(ctx, workers, trial)
	if err != nil {
		return 0, err
	}
	policy, err := decision.With(plan.Problem, plan.Loss, nn.Policy(plan.Problem, run.Net()), plan.Decision)
	if err != nil {
		return 0, err
	}
	if policy, err = stopping.With(plan.Problem, policy, plan.Stopping); err != nil {
		return 0, err
	}
	each, err := timeGames(ctx, sim.Play{P: plan.Problem, Policy: policy, Workers: workers})
	if err != nil {
		return 0, err
	}
	training := first + rest
	if plan.Stop > 0 {
		training = min(training, time.Duration(plan.trainings())*time.Duration(plan.Stop*float64(time.Second)))
	}
	policies := len(plan.Levels) + 1 + len(plan.Rivals)
	games := policies*plan.Games*len(plan.Priors) + 2*judging(plan.Effort, plan.Levels) // π̂ is searched twice
	games += (policies - 1) * judging(plan.effortFor(BayesLAL), plan.Levels)
	for k := range plan.Levels {
		games += judging(plan.Effort.Alone(), plan.Levels[k:k+1]) // as is who holds a benchmark
	}
	return training + time.Duration(games)*each, nil
}

// judging returns about how many games a search costs. Games that ask the policy the same
// count as a fifth.
func judging(e search.Effort, levels []float64) int { return e.Games(levels) - e.Alike(levels)*4/5 }

// pace returns about how long all trainings take, in two parts: first, until each has had
// its first iteration, and rest, which is in proportion to the iterations. It tries π_1's
// training for about so long, and once more from its Init where it has one, whose
// iterations have another cost. It takes each of the double oracle's searches to last as
// long as the first.
func (p *Plan) pace(ctx context.Context, workers int, about time.Duration) (run *train.Run, first, rest time.Duration, err error) {
	bare := *p
	bare.Train = bare.Train.WithoutInit()
	run, iters, err := bare.iterations(workers)
	if err != nil {
		return nil, 0, 0, err
	}
	begin, iteration, err := timeTraining(ctx, run, about)
	if err != nil {
		return nil, 0, 0, err
	}
	first, rest = time.Duration(p.trainings())*begin, time.Duration(iters)*iteration
	rest += time.Duration(p.Train.Searches(iters)) * max(0, begin-iteration)
	init, all, err := p.iterations(workers)
	if err != nil || all == iters {
		return run, first, rest, err
	}
	_, iteration, err = timeTraining(ctx, init, about)
	return run, first, rest + time.Duration(all-iters)*iteration, err
}

// iterations returns how many all trainings take together, and π_1's training.
func (p *Plan) iterations(workers int) (first *train.Run, total int, err error) {
	stop, err := stopping.New(p.Problem, p.Stopping)
	if err != nil {
		return nil, 0, err
	}
	task := train.Task{
		P: p.Problem, C: difficulty.Of(p.Problem), Loss: p.Loss, R: p.Levels[:1], Finite: p.Finite,
		Config: p.Train, Key: rng.New(p.Seed).Name("estimate"), Workers: workers, Stopper: stop,
	}
	if p.Decision != "" {
		if task.Decider, err = decision.New(p.Problem, p.Loss, p.Decision); err != nil {
			return nil, 0, err
		}
	}
	if first, err = train.New(task, nil); err != nil {
		return nil, 0, err
	}
	total = len(p.Levels) * first.Iters()
	if p.Train.Follows() {
		follow := p.Train.Of(train.Role{Follows: true})
		total = first.Iters() + (len(p.Levels)-1)*follow.Pi
	}
	for _, t := range []struct {
		trained bool
		change  func()
	}{
		{len(p.Levels) > 1, func() { task.R, task.B = p.Levels, make([]float64, len(p.Levels)) }},
		{slices.Contains(p.Rivals, BayesLAL), func() { task.R, task.B, task.Finite, task.Prior = nil, nil, nil, game.Noiseless(p.Problem) }},
	} {
		if !t.trained {
			continue
		}
		t.change()
		run, err := train.New(task, nil)
		if err != nil {
			return nil, 0, err
		}
		total += run.Iters()
	}
	return first, total, nil
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
