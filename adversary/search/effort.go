package search

import (
	"fmt"
	"math"
	"slices"

	"mapo/game"
)

// Effort is how hard a [Search] works. All counts are per level. Where there
// are more levels than factors of 2 between them, [Search.Run] and [Replay] share them, so
// that they are per factor of 2; [Search.Finds] takes them per level. The
// zero value is desk.
type Effort struct {
	Starts      int    // structured starts
	Screen      int    // games a start is screened with, the better quarter once more with four times as many
	Rungs       []Rung // the successive halvings
	Brood       int    // new trials of a generation: mutations and neighbours' finds
	Generations int    // generations before every rung
	Line        Line   // the long breeding before the last rung
	Corners     int    // generations of the search among instances without any doubt
	Finals      int    // candidates of every rung that go to the final
	Replay      int    // games of a re-played candidate in the second of four halvings; the first has a quarter, the others three and eight times as many
	Report      int    // games of the winner's report, at least

	// Islands is how many levels are searched at least: where fewer are asked for, others
	// are put into the widest gaps between and below them. 0: only those asked for.
	Islands int

	AppendixE bool // the schedule of App. E; else the default

	// HalfWidth is the half-width the report aims at, relative to the loss's
	// typical scale: 1 for best identification, max{1, mean} for simple regret.
	// The number of games follows from the re-play's variance (not from the
	// report's own games, which would bias it), up to MaxReport.
	HalfWidth float64
	MaxReport int
}

// Rung is one halving: the best Keep climb Steps steps of Games games each, the
// size of a step, in θ's units along each query, falling geometrically From → To.
type Rung struct {
	Keep, Steps, Games int
	From, To           float64

	// Margin, where it is positive, has every third trial climb by the margin of the scores (climber.byMargin), squashed at this
	// scale. 0: all climb by their loss.
	Margin float64
}

// Line is a long breeding: of every level Parents bear Young in each of so many Generations,
// and all of them play Games, the same for all. Small changes of θ shrink from From to To, in
// θ's units along each query. No Generations: none.
type Line struct {
	Parents, Young, Games, Generations int
	From, To                           float64
}

// Efforts returns the named ones. For one level alone "smoke" plays about 4,000
// games, "desk" some two million, most of them on the levels below; "paper" is
// App. E's schedule, 1600 trials × 100 steps, 400 × 400, 100 × 1600 with Adam at
// 1e-3.
func Efforts(name string) (Effort, error) {
	switch name {
	case "smoke":
		return Effort{
			Starts: 24, Screen: 4, Brood: 4, Generations: 1, Corners: 2,
			Rungs:  []Rung{{4, 4, 12, .08, .03, 0}, {2, 5, 24, .05, .01, 0}},
			Finals: 2, Replay: 100, Report: 300, HalfWidth: .05, MaxReport: 400,
		}, nil
	case "desk":
		return Effort{
			Starts: 640, Screen: 12, Brood: 40, Generations: 1, Corners: 16, Islands: 5,
			Line: Line{Parents: 24, Young: 40, Games: 64, Generations: 70, From: .25, To: .01},
			Rungs: []Rung{
				{48, 10, 32, .08, .03, 0}, {16, 16, 48, .06, .015, 0}, {6, 16, 64, .04, .01, 0}, {2, 40, 256, .03, .004, 0},
			},
			Finals: 6, Replay: 1000, Report: 4000, HalfWidth: .006, MaxReport: 80000,
		}, nil
	case "paper":
		return Effort{
			Starts: 1600, Screen: 64,
			Rungs:     []Rung{{1600, 100, 64, 1e-3, 1e-3, 0}, {400, 400, 64, 1e-3, 1e-3, 0}, {100, 1600, 64, 1e-3, 1e-3, 0}},
			AppendixE: true, Finals: 20, Replay: 10000, Report: 100000, HalfWidth: .005, MaxReport: 1000000,
		}, nil
	}
	return Effort{}, fmt.Errorf("unknown effort %q; known are smoke, desk and paper", name)
}

// Over returns e for a ladder of levels. Neighbours closer than a factor of 2 serve each other with what they find, and
// climb from it: all of them together get no more than a ladder of factors of 2 over the same range, in shorter climbs.
// App. E's schedule stays as printed.
func (e Effort) Over(levels []float64) Effort {
	return e.schedule().over(e, levels)
}

// schedule is what a search does with an effort.
type schedule interface {
	// search fills h.seen over the whole of Θ.
	search(h *hunt) error
	// over returns e for a ladder of levels, draft e for a first look.
	over(e Effort, levels []float64) Effort
	draft(e Effort) Effort
	// games returns about how many games it plays besides those that every schedule plays: of each level, and of each that
	// was asked for.
	games(e Effort) (each, asked int)
	// rule is how the number-th trial of a rung climbs.
	rule(number int) rule
}

// schedule returns the one that e is of.
func (e *Effort) schedule() schedule {
	if e.AppendixE {
		return appendixE{}
	}
	return structured{}
}

// Alone returns e for the levels that are asked for and no others.
func (e Effort) Alone() Effort {
	e = e.orDesk()
	e.Islands = 0
	return e
}

// Games returns about how many games [Search.Run] plays with e over the levels, none being asked for twice. It serves to
// predict how long a search takes, not for its record.
func (e Effort) Games(levels []float64) int {
	e = e.orDesk().Over(levels)
	again := secondScreen * e.Screen
	each := e.Starts * e.Screen // a level's, islands among them
	for i, r := range e.Rungs {
		young := again
		if i > 0 {
			young = max(again, r.Games)
		}
		if young >= manyGames {
			young = young/4 + young/3
		}
		each += e.Generations*e.Brood*young + r.Keep*r.Steps*r.Games + e.Finals*e.Replay/4
	}
	asked := (10+4*3+2*8)*e.Replay + e.Report // a level's that was asked for
	more, moreAsked := e.schedule().games(e)
	each, asked = each+more, asked+moreAsked
	return max(len(levels), e.Islands)*each + len(levels)*asked + e.Line.games(max(len(levels), e.Islands))
}

func (l Line) games(levels int) int { return levels * l.Generations * (l.Parents + l.Young) * l.Games }

// Share returns e with that share of its trials, each as carefully played.
func (e Effort) Share(share float64) Effort {
	e.Starts, e.Brood, e.Finals = part(share, e.Starts, 1), part(share, e.Brood, 1), part(share, e.Finals, 2)
	e.Line.Parents, e.Line.Young = part(share, e.Line.Parents, 4), part(share, e.Line.Young, 1)
	e.Rungs = slices.Clone(e.Rungs)
	for i := range e.Rungs {
		e.Rungs[i].Keep = part(share, e.Rungs[i].Keep, 1)
	}
	return e
}

// Draft returns e for a first look: half of its trials, and half of the games that the best are chosen and reported by.
// App. E's schedule stays as printed.
func (e Effort) Draft() Effort {
	e = e.orDesk()
	return e.schedule().draft(e)
}

// LongClimbs is how many times as many steps climbs have where hypotheses are graded and a search is to be strong.
const LongClimbs = 4

// gradedMargin is the scale of the margin there.
const gradedMargin = 1.5

// Graded returns e as it suits p. Where hypotheses are graded, climbs find what breeding does not: they have so many times as
// many steps, and in the first half of the rungs some climb by the margin of scores. Elsewhere, and for App. E's schedule,
// nothing changes.
func (e Effort) Graded(p *game.Problem, longer int) Effort {
	e = e.orDesk()
	if !classOf(p).climbs || e.AppendixE {
		return e
	}
	e.Rungs = slices.Clone(e.Rungs)
	for i := range e.Rungs {
		e.Rungs[i].Steps *= longer
		if i < len(e.Rungs)/2 {
			e.Rungs[i].Margin = gradedMargin
		}
	}
	return e
}

// Fine returns e with half the half-width, and up to twice as many games to report by. Desk's suffice for it where the
// loss is best identification, whose deviation is at most 0.5.
func (e Effort) Fine() Effort {
	e = e.orDesk()
	e.HalfWidth /= 2
	e.MaxReport *= 2
	return e
}

// part returns a share of n, rounded, but at least the smaller of n and least.
func part(share float64, n, least int) int {
	return max(min(n, least), int(math.Round(share*float64(n))))
}

// orDesk replaces the zero value.
func (e Effort) orDesk() Effort {
	if e.Starts == 0 && e.Rungs == nil && e.Finals == 0 {
		e, _ = Efforts("desk")
	}
	return e
}
