package flow

import (
	"math"

	"mapo"
	"mapo/adversary"
	"mapo/nn"
	"mapo/train"
)

// Effort is the judge's on p at a scale. Where games are dear (train.Dear), desk's
// trials become fewer with the root of their cost, as iterations do in proportion.
func Effort(scale string, p *mapo.Problem) (adversary.Effort, error) {
	e, err := adversary.Efforts(scale)
	if err == nil && scale == "desk" {
		e = e.Share(affordable(p))
	}
	return e, err
}

func affordable(p *mapo.Problem) float64 { return math.Sqrt(min(1, train.Dear/nn.Work(p))) }

// yardstickEffort is the search that marks are judged by: about 7,000 games a
// level, from the worst instances found for all policies and starts of its own.
func yardstickEffort(scale string, p *mapo.Problem) adversary.Effort {
	if scale == "smoke" {
		e, _ := adversary.Efforts(scale)
		return e
	}
	e := adversary.Effort{
		Starts: 24, Screen: 16, Brood: 4, Generations: 1,
		Rungs:  []adversary.Rung{{Keep: 8, Steps: 6, Games: 24, From: .06, To: .02}, {Keep: 3, Steps: 10, Games: 48, From: .04, To: .01}},
		Finals: 3, Replay: 300, Report: 800, HalfWidth: .025, MaxReport: 4000,
	}
	return e.Share(affordable(p))
}
