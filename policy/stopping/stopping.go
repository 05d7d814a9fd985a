package stopping

import (
	"fmt"
	"strings"

	"mapo/game"
)

// Name returns a rule with its number as files and results have it.
func Name(rule string, at float64) string { return fmt.Sprintf("%s:%v", rule, at) }

// parse reads the number of the rule of that name. The error is one line that says what there is.
func parse(name string) (at float64, err error) {
	rule, text, _ := strings.Cut(name, ":")
	if rule != Confidence {
		return 0, fmt.Errorf("unknown rule of stopping %q; known are %s", rule, Confidence)
	}
	return ParseConfidence(text)
}

// New returns the rule of that name on p; "": nil, games have all their answers.
func New(p *game.Problem, name string) (game.Stopper, error) {
	if name == "" {
		return nil, nil
	}
	at, err := parse(name)
	if err != nil {
		return nil, err
	}
	return newConfidence(p, at)
}

// With returns policy with the rule of that name. The error is [New]'s.
func With(p *game.Problem, policy game.Policy, name string) (game.Policy, error) {
	by, err := New(p, name)
	if err != nil {
		return nil, err
	}
	return game.Stopping(policy, by), nil
}
