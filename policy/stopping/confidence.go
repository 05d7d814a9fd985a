package stopping

import (
	"errors"
	"fmt"
	"strconv"

	"mapo/game"
	"mapo/policy/posterior"
)

// Confidence is the rule by which a game ends once one row of a table has at least that posterior probability, the share of
// wrong answers inferred or as the problem has it ([posterior.Rows]). It takes at least one answer. Games that are played and
// served end by the same rule.
const Confidence = "confidence"

// leastConfidence is the confidence that a rule must be above.
const leastConfidence = 0.5

// ParseConfidence reads a confidence at which games end, a number between ½ and 1.
func ParseConfidence(text string) (float64, error) {
	at, err := strconv.ParseFloat(text, 64)
	if err != nil || !(at > leastConfidence && at < 1) {
		return 0, fmt.Errorf("the confidence at which a game ends is %q; it must be between %g and 1, such as 0.95, or off", text, leastConfidence)
	}
	return at, nil
}

// Probability returns the confidence at which games end by a rule of that name; 0: by another one, or never.
func Probability(name string) float64 {
	at, err := parse(name)
	if err != nil {
		return 0
	}
	return at
}

// newConfidence returns the rule at that confidence.
func newConfidence(p *game.Problem, at float64) (game.Stopper, error) {
	rows := posterior.Of(p)
	if rows == nil {
		return nil, errors.New("games end at a confidence only where hypotheses are the rows of a table, and these are not")
	}
	return rows.Until(at), nil
}
