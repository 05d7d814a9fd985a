// Package preset makes whole configurations of trainings: named ones, what suits a problem, a loss and a number of levels,
// and what a user says of it.
package preset

import (
	"mapo/game"
	"mapo/train"
)

// Overrides are what a user says of a training.
type Overrides interface {
	// Has reports whether it says anything of a block: oracle, paper, structured or mlp.
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
	c := w.kept()
	suit(&c, loss, levels)
	if o != nil {
		if err := o.Decode(&c); err != nil {
			return c, err
		}
	}
	if err := c.Check(); err != nil {
		return c, err
	}
	if err := c.Suits(p); err != nil {
		return c, err
	}
	return c, c.Idle(loss, levels)
}

// choose keeps the blocks that the user says something of, else those that the preset begins with.
func (w *whole) choose(o Overrides) error {
	for _, pair := range []struct {
		one, other string
		second     *bool // whether the other stands
		message    string
	}{
		{"oracle", "paper", &w.paper, "and train.paper are two algorithms: keep one of them"},
		{"structured", "mlp", &w.mlp, "and train.mlp are two kinds of policy: keep one of them"},
	} {
		one, other := o.Has(pair.one), o.Has(pair.other)
		if one && other {
			return &train.Fault{Setting: pair.one, What: pair.message}
		}
		if one || other {
			*pair.second = other
		}
	}
	return nil
}
