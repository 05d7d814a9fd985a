package judge

import (
	"fmt"
	"math"

	"mapo/difficulty"
	"mapo/game"
	"mapo/game/exact"
)

// gridValues are the coordinates of the instances that stand for Θ^(r) where a
// spec gives none; the design's reference values are on this grid.
var gridValues = []float64{-1, -.75, -.5, -.25, .25, .5, .75, 1}

const (
	mostGrid = 1 << 20 // points a grid may have before its hard ones are dropped

	// What is certified in a run by itself: some seconds of work.
	mostGridInRun = 1 << 17
	mostStates    = 20_000
	mostCells     = 1 << 22 // final states × instances of a level
)

// ExactSet returns the instances of difficulty at most r that an exact judge looks at:
// those of finite, or where it is nil the grid {±1, ±0.75, ±0.5, ±0.25}^d. None may be left. [ExactName] says which.
func ExactSet(p *game.Problem, finite [][]float64, r float64) (set [][]float64) {
	c := difficulty.Of(p)
	if finite == nil {
		return exact.Grid(p, c, gridValues, r)
	}
	omega := game.Omega{C: c, R: r}
	for _, theta := range finite {
		if omega.Contains(theta) {
			set = append(set, theta)
		}
	}
	return set
}

// ExactName says what [ExactSet] takes its instances from.
func ExactName(p *game.Problem, finite [][]float64) string {
	switch {
	case finite != nil:
		return fmt.Sprintf("the %d given instances", len(finite))
	case p.Free() < p.Queries():
		return fmt.Sprintf("the grid {±1, ±0.75, ±0.5, ±0.25}^%d of the means of %d independent queries", p.Free(), p.Free())
	}
	return "the grid {±1, ±0.75, ±0.5, ±0.25}^d"
}

// CheckedExactSet returns [ExactSet], and an error where there is no such set: of a grid too large to visit, or an empty set.
func CheckedExactSet(p *game.Problem, finite [][]float64, r float64) ([][]float64, error) {
	if n := math.Pow(float64(len(gridValues)), float64(p.Free())); finite == nil && n > mostGrid {
		return nil, fmt.Errorf("%d queries make a grid of %.3g instances, more than %d: give some by instances: FILE in the spec", p.Queries(), n, mostGrid)
	}
	set := ExactSet(p, finite, r)
	if len(set) == 0 {
		return nil, fmt.Errorf("none of %s has difficulty at most %g: raise the level", ExactName(p, finite), r)
	}
	return set, nil
}

// Uncertified returns why a run does not certify up to difficulty r, "" where it does.
func Uncertified(p *game.Problem, finite [][]float64, r float64) string {
	states, n := exact.Count(p), float64(len(finite))
	if finite == nil {
		n = math.Pow(float64(len(gridValues)), float64(p.Free()))
	}
	const large = "The least worst case that any policy can have is not known: this problem is too large for a certificate, with %.3g %s."
	if err := exact.Check(p); err != nil {
		return "The least worst case that any policy can have is not known: " + err.Error() + "."
	}
	switch {
	case states > mostStates:
		return fmt.Sprintf(large, states, "states of a game")
	case states > exact.MostChoices/float64(p.Hypotheses()):
		return fmt.Sprintf(large, states*float64(p.Hypotheses()), "states × hypotheses")
	case finite == nil && n > mostGridInRun:
		return fmt.Sprintf(large, n, "instances on the grid")
	}
	if finite == nil {
		n = float64(len(ExactSet(p, nil, r)))
	}
	if cells := states * n; cells > mostCells {
		return fmt.Sprintf(large, cells, "states × instances")
	}
	return ""
}
