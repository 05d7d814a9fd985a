package train

import (
	"slices"
	"testing"

	"mapo/game"
	"mapo/internal/check"
	"mapo/rng"
	"mapo/train/optim"
)

// TestPlay: its gradient, with an optimiser of the caller's, takes the steps that Descend takes, and it goes on past the last iteration.
func TestPlay(t *testing.T) {
	p := check.Thresholds(4, 4)
	c := base()
	c.Optimizer, c.Pi, c.Oracle.Refresh = "adam", 6, 3
	task := Task{P: p, C: game.RhoTilde(p), Loss: game.BestIdentification, R: []float64{20}, Config: c, Key: rng.New(1)}
	alone, played := begin(t, task), begin(t, task)
	finish(t, alone)

	psi, grad := slices.Clone(played.Net().Params()), make([]float32, len(played.Net().Params()))
	phases, adam := c.algorithm().phases(&task), optim.New("adam", played.Net())
	for i := range c.Pi {
		clear(grad)
		if err := played.Play(t.Context(), grad, psi); err != nil {
			t.Fatal(err)
		}
		adam.Step(psi, grad, phases[0].rate(i))
	}
	if !slices.Equal(psi, alone.Net().Params()) {
		t.Error("six iterations of Play end with other weights than Descend")
	}
	was := slices.Clone(grad)
	if err := played.Play(t.Context(), grad, psi); err != nil || slices.Equal(was, grad) {
		t.Errorf("a seventh adds nothing: %v", err)
	}
}
