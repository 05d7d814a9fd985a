package flow

import (
	"context"
	"runtime"
	"slices"
	"time"

	"mapo"
	"mapo/nn"
	"mapo/rng"
	"mapo/sim"
	"mapo/train"
)

// trial is about how long Estimate tries things.
const trial = 2 * time.Second

// Estimate is about how long a plan takes: a few iterations of training and some
// games are timed and multiplied.
func Estimate(ctx context.Context, plan Plan, workers int) (time.Duration, error) {
	if err := plan.Check(); err != nil {
		return 0, err
	}
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	c := mapo.RhoTilde(plan.Problem)
	run, err := train.New(train.Task{
		P: plan.Problem, C: c, Loss: plan.Loss, R: plan.Levels[:1], Finite: plan.Finite,
		Config: plan.Train, Key: rng.New(plan.Seed).Name("estimate"), Workers: workers,
	}, nil)
	if err != nil {
		return 0, err
	}
	iteration, err := timeTraining(ctx, run)
	if err != nil {
		return 0, err
	}
	game, err := timeGames(ctx, sim.Play{P: plan.Problem, Policy: nn.Policy(plan.Problem, run.Net()), Workers: workers})
	if err != nil {
		return 0, err
	}
	each := time.Duration(run.Iters()) * iteration
	if plan.Stop > 0 {
		each = min(each, time.Duration(plan.Stop*float64(time.Second)))
	}
	policies := len(plan.Levels) + 1 + len(plan.Rivals)
	return time.Duration(plan.trainings())*each + time.Duration(policies*plan.games())*game, nil
}

// timeTraining is the time of an iteration.
func timeTraining(ctx context.Context, run *train.Run) (time.Duration, error) {
	begin := time.Now()
	for step, err := range train.Descend(ctx, run) {
		if err != nil {
			return 0, err
		}
		if took := time.Since(begin); took > trial || step.Iter == step.Iters {
			return took / time.Duration(step.Iter), nil
		}
	}
	return 0, nil
}

// timeGames is the time of a game, which costs a bit less than moving an
// instance by one.
func timeGames(ctx context.Context, play sim.Play) (time.Duration, error) {
	const games = 1 << 13
	begin := time.Now()
	_, err := play.Average(ctx, mapo.Noiseless(play.P), games, rng.New(0), mapo.BestIdentification)
	return time.Since(begin) / games, err
}

// games is about how many are played to judge a policy.
func (p *Plan) games() int {
	e := p.Effort
	n := e.Starts*e.Screen + e.Finals*e.Replay + e.MaxReport
	for _, r := range e.Rungs {
		n += r.Keep * r.Steps * r.Games
	}
	return n*len(p.Levels) + p.Games*len(p.Priors)
}

// trainings is how many policies the plan trains.
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

// Share is the time each training gets where all may take total: equal parts,
// whatever the number of cores, so that a resumed run is the same run.
func (p *Plan) Share(total time.Duration) time.Duration {
	return total / time.Duration(max(1, p.trainings()))
}
