// Package stopping holds the rules by which games end before their last answer, by their names in specs, policy files and
// results, such as confidence:0.95. A rule is a [game.Stopper].
package stopping

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"mapo/game"
)

// kind is a rule but for its number.
type kind struct {
	// parse reads the number, and says what is wrong with it in one line.
	parse func(text string) (float64, error)
	// of makes the rule on p.
	of func(p *game.Problem, at float64) (game.Stopper, error)
}

// kinds are the rules by name.
var kinds = map[string]kind{
	Confidence: {ParseConfidence, newConfidence},
}

// Names lists the rules.
func Names() []string { return slices.Sorted(maps.Keys(kinds)) }

// Name returns a rule with its number as files and results have it.
func Name(rule string, at float64) string { return fmt.Sprintf("%s:%v", rule, at) }

// Parse reads a rule with its number. The error is one line that says what there is.
func Parse(name string) (rule string, at float64, err error) {
	rule, text, _ := strings.Cut(name, ":")
	k, ok := kinds[rule]
	if !ok {
		return "", 0, fmt.Errorf("unknown rule of stopping %q; known are %s", rule, strings.Join(Names(), ", "))
	}
	at, err = k.parse(text)
	return rule, at, err
}

// New returns the rule of that name on p; "": nil, games have all their answers.
func New(p *game.Problem, name string) (game.Stopper, error) {
	if name == "" {
		return nil, nil
	}
	rule, at, err := Parse(name)
	if err != nil {
		return nil, err
	}
	return kinds[rule].of(p, at)
}

// With returns policy with the rule of that name. The error is [New]'s.
func With(p *game.Problem, policy game.Policy, name string) (game.Policy, error) {
	by, err := New(p, name)
	if err != nil {
		return nil, err
	}
	return game.Stopping(policy, by), nil
}
