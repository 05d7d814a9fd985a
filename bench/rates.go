package bench

import (
	"context"
	"time"

	"mapo/data/dataset"
	"mapo/game"
	"mapo/game/sim"
	"mapo/policy/nn"
	"mapo/policy/rival"
	"mapo/rng"
)

// Rate is how fast a policy is played, forward only, the games judged.
type Rate struct {
	Policy         string
	StepsPerSecond float64
}

// rateGames is how many games are played between two looks at the clock,
// rateTime how long a policy plays.
const (
	rateGames = 2048
	rateTime  = time.Second
)

// Rates plays the network of o, Uncertainty and SGBS on uniform instances of
// the thresholds, 16 games each, as the judge does.
func Rates(ctx context.Context, o Options) ([]Rate, error) {
	o, err := o.orDefault()
	if err != nil {
		return nil, err
	}
	p := dataset.Thresholds(o.Queries, o.Budget)
	net := nn.Net(nn.NewMLP(p, []int{256, 256, 256, 256}, rng.New(1)))
	if o.Policy == "structured" {
		net = nn.NewStructured(p, 16, rng.New(1))
	}
	var rates []Rate
	for _, one := range []struct {
		name   string
		policy game.Policy
	}{
		{o.Policy, nn.Policy(p, net)}, {"uncertainty", rival.Uncertainty(p)}, {"sgbs:0.1", rival.SGBS(p, .1)},
	} {
		steps, err := rate(ctx, sim.Play{P: p, Policy: one.policy, Workers: o.Workers})
		if err != nil {
			return nil, err
		}
		rates = append(rates, Rate{one.name, steps})
	}
	return rates, nil
}

// rate returns the median over rounds of rateGames.
func rate(ctx context.Context, play sim.Play) (float64, error) {
	const each = 16
	d := play.P.Queries()
	theta := make([]float64, rateGames/each*d)
	r := rng.New(2).Rand()
	for i := range theta {
		theta[i] = 2*r.Float64() - 1
	}
	var seconds []float64
	for begin := time.Now(); len(seconds) < 3 || time.Since(begin) < rateTime; {
		last := time.Now()
		if _, err := play.Instances(ctx, theta, each, rng.New(3).At(len(seconds)), game.SimpleRegret); err != nil {
			return 0, err
		}
		seconds = append(seconds, time.Since(last).Seconds())
	}
	return rateGames * float64(play.P.T) / median(seconds), nil
}
