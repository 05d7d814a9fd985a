package judge

import (
	"math"

	"mapo/adversary/search"
	"mapo/game"
	"mapo/policy/nn"
)

// veryCostly is the cost of a game (nn.Work) beyond which desk also has fewer levels
// and wider intervals: a thousand hypotheses have three times as much.
const veryCostly = 3 * nn.Costly

// widest is the most half-width that a worst case is measured to where games are very costly, so that a draft's
// (search.Effort.Draft) is still .01 of the loss's scale.
const widest = .01 / math.Sqrt2

// leastReplay is the least that smoke re-plays a candidate.
const leastReplay = 16

// Effort returns the judge's on p at a scale: where a game costs much, desk's and smoke's have less, and where hypotheses are
// graded desk's has longer climbs, the first of them also by the margin of scores.
func Effort(scale string, p *game.Problem) (search.Effort, error) {
	e, err := search.Efforts(scale)
	if scale == "desk" {
		e = e.Graded(p, search.LongClimbs)
	}
	return afforded(e, scale, p), err
}

// afforded returns e with less where games cost much (nn.Costly). Smoke has fewer games to choose candidates by, so that
// it stays a look of a minute. Desk has fewer trials, by the root of their cost. Where games are very costly it also has
// fewer games for
// those that candidates are chosen by, wider intervals and no more levels than are trained for.
func afforded(e search.Effort, scale string, p *game.Problem) search.Effort {
	work := nn.Work(p)
	if scale == "smoke" && work > nn.Costly {
		e.Replay = max(leastReplay, int(float64(e.Replay)*nn.Costly/work))
	}
	if scale != "desk" {
		return e
	}
	over := max(1, work/veryCostly)
	if over > 1 {
		e.Islands = min(e.Islands, mostCostly)
	}
	e = e.Share(math.Sqrt(min(1, nn.Costly/work)) / over)
	e.Replay, e.Report = int(float64(e.Replay)/over), int(float64(e.Report)/over)
	e.HalfWidth = min(e.HalfWidth*math.Sqrt(over), max(e.HalfWidth, widest))
	return e
}
