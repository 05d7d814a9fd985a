package exact_test

import (
	"math"
	"slices"
	"testing"

	"mapo/game"
	"mapo/game/exact"
	"mapo/internal/check"
	"mapo/rng"
)

// TestVectors: unit vectors have the grid, the losses and the gradients of arms, to 1e-6. The grid of others is in their column space,
// and the derivative of a loss along any direction there is what its gradient says.
func TestVectors(t *testing.T) {
	arms := check.BestArm(3, 4)
	general := check.AsVectors(arms)
	values := []float64{-1, -.5, .5, 1}
	a, b := exact.Grid(arms, game.RhoTilde(arms), values, 40), exact.Grid(general, game.RhoTilde(general), values, 40)
	if !slices.EqualFunc(a, b, slices.Equal) {
		t.Error("the grids differ")
	}
	for _, loss := range game.Losses() {
		for _, theta := range [][]float64{{.5, -.25, .125}, {.9, .8, -.7}} {
			x, dx := lossOf(t, arms, loss, theta)
			y, dy := lossOf(t, general, loss, theta)
			if math.Abs(x-y) > 1e-6 || check.Farthest(dx, dy) > 1e-6 {
				t.Errorf("%v at %v is %v and %v, with gradients %v and %v", loss, theta, x, y, dx, dy)
			}
		}
	}
	p := check.RandomVectors(2, 4, 3, 4, rng.New(1).Rand())
	grid := exact.Grid(p, game.RhoTilde(p), values, 1e3)
	for _, theta := range grid {
		again := slices.Clone(theta)
		p.Admit(again)
		if check.Farthest(theta, again) > game.Edge+1e-9 {
			t.Errorf("%v is outside of the column space", theta)
		}
	}
	theta, r := make([]float64, 4), rng.New(2).Rand()
	p.Anywhere(theta, r)
	for i := range theta {
		theta[i] *= .8
	}
	step := make([]float64, 4)
	p.Span().Direction(step, r)
	_, grad := lossOf(t, p, game.SimpleRegret, theta)
	const h = 1e-5
	at := func(by float64) float64 {
		moved := slices.Clone(theta)
		for i, s := range step {
			moved[i] += by * s
		}
		v, _ := lossOf(t, p, game.SimpleRegret, moved)
		return v
	}
	want, got := (at(h)-at(-h))/(2*h), 0.0
	for i, s := range step {
		got += grad[i] * s
	}
	if math.Abs(got-want) > 1e-6 || len(grid) == 0 {
		t.Errorf("the derivative is %v, want %v; the grid has %d instances", got, want, len(grid))
	}
}

// lossOf is the exact loss of a policy and its gradient.
func lossOf(t *testing.T, p *game.Problem, loss game.Loss, theta []float64) (float64, []float64) {
	t.Helper()
	g, err := exact.New(p)
	if err != nil {
		t.Fatal(err)
	}
	grad := make([]float64, len(theta))
	return g.Flow(check.Wavy{P: p}).Grad(grad, loss, theta), grad
}
