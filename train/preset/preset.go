// Package preset makes whole configurations of trainings: named ones, what suits a problem, a loss and a number of levels,
// and what a user says of it.
package preset

import (
	"fmt"

	"mapo/game"
	"mapo/train"
)

// Overrides are what a user says of a training.
type Overrides interface {
	// Has reports whether it says anything of a block: oracle, paper, structured, mlp or gated.
	Has(block string) bool
	// Decode sets what it says on dst, whose blocks are those that stand.
	Decode(dst *train.Config) error
}

// For returns the final configuration of a ladder's trainings. It begins with the preset of this name for the problem and the
// loss, changes it to what suits its algorithm, its policy and so many levels, and sets what the user says of it; o may be
// nil. An error about a setting is a [*train.Fault], or Decode's.
func For(name string, p *game.Problem, loss game.Loss, levels int, o Overrides) (train.Config, error) {
	w, err := named(name, p, loss)
	if err != nil {
		return train.Config{}, err
	}
	if o != nil {
		if err := w.choose(o); err != nil {
			return train.Config{}, err
		}
	}
	c, err := w.told(name, loss, levels, o)
	if err == nil && c.From != w.From {
		if err := w.start(c.From, loss, o); err != nil {
			return c, err
		}
		c, err = w.told(name, loss, levels, o)
	}
	if err != nil {
		return c, err
	}
	if err := c.Check(); err != nil {
		return c, err
	}
	if err := c.Suits(p); err != nil {
		return c, err
	}
	return c, c.Idle(loss, levels)
}

// told returns the configuration with the blocks that stand, changed to what suits them, and set to what the user says.
func (w *whole) told(name string, loss game.Loss, levels int, o Overrides) (train.Config, error) {
	c := w.kept()
	suit(&c, loss, levels)
	switch {
	case c.Gated != nil:
		fewWeights(&c, name)
	case c.Adaptive != nil:
		trained(&c, name)
	}
	if o == nil {
		return c, nil
	}
	return c, o.Decode(&c)
}

// kinds are the blocks of a policy's kinds that a spec may name.
var kinds = []string{"structured", "mlp", "gated"}

// start sets what the trainings start from, the weights of the policy adaptive. It returns a fault where they do not suit.
func (w *whole) start(from string, loss game.Loss, o Overrides) error {
	if from != train.FromInstant {
		return &train.Fault{Setting: "from", What: fmt.Sprintf("is %q; known are %s and %s", from, train.FromFresh, train.FromInstant)}
	}
	for _, block := range kinds {
		if o.Has(block) {
			return &train.Fault{Setting: "from", What: fmt.Sprintf("is instant, and train.%s is another kind of policy: leave one of them out", block)}
		}
	}
	if loss != game.BestIdentification {
		return &train.Fault{Setting: "from", What: "is instant, whose weights are for best identification: say from: fresh"}
	}
	w.policy, w.From = "adaptive", train.FromInstant
	return nil
}

// choose keeps the blocks that the user says something of, else those that the preset begins with.
func (w *whole) choose(o Overrides) error {
	for _, of := range []struct {
		stands *string
		blocks []string
		what   string
	}{
		{&w.algorithm, []string{"oracle", "paper"}, "algorithms"},
		{&w.policy, kinds, "kinds of policy"},
	} {
		var said []string
		for _, block := range of.blocks {
			if o.Has(block) {
				said = append(said, block)
			}
		}
		switch len(said) {
		case 0:
		case 1:
			*of.stands = said[0]
		default:
			return &train.Fault{Setting: said[0], What: fmt.Sprintf("and train.%s are two %s: keep one of them", said[1], of.what)}
		}
	}
	return nil
}
