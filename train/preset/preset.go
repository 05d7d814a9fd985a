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
	if c.Gated != nil {
		fewWeights(&c, name)
	}
	if o == nil {
		return c, nil
	}
	return c, o.Decode(&c)
}

// choose keeps the blocks that the user says something of, else those that the preset begins with.
func (w *whole) choose(o Overrides) error {
	for _, of := range []struct {
		stands *string
		blocks []string
		what   string
	}{
		{&w.algorithm, []string{"oracle", "paper"}, "algorithms"},
		{&w.policy, []string{"structured", "mlp", "gated"}, "kinds of policy"},
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
