package game_test

import (
	"math"
	"testing"

	"mapo/game"
	"mapo/rng"
)

// pool is two cells: the first with two of three classes predicted, the second with all three.
func pool() *game.Problem {
	return &game.Problem{
		X: make([]string, 5), T: 2,
		Seek: &game.Labels{
			Classes: []string{"a", "b", "c"}, Items: []string{"one", "two", "three"}, Cell: []int32{0, 2, 3},
			First: []int32{0, 2, 5}, Of: []int32{0, 2, 0, 1, 2}, Pool: 3,
		},
	}
}

func TestLabelsPlaces(t *testing.T) {
	p := pool()
	for i, want := range []int{0, 0, 1, 1, 1} {
		if got := p.Seek.(*game.Labels).CellOf(i); got != want {
			t.Errorf("query %d is of cell %d, want %d", i, got, want)
		}
	}
	if p.Closed(1, 1) || !p.Closed(1, 2) || !p.Closed(4, 1) {
		t.Error("a cell of two items is open after one label, and closed after as many as it has items")
	}
	for i, want := range []int{0, 0, 1} {
		if got := p.Seek.(*game.Labels).CellOfItem(i); got != want {
			t.Errorf("item %d is of cell %d, want %d", i, got, want)
		}
	}
}

// TestAdmitIsTheProjection compares with the point of a fine grid that is nearest.
func TestAdmitIsTheProjection(t *testing.T) {
	r := rng.New(7).Rand()
	const steps = 400
	for range 50 {
		p, from := pool(), make([]float64, 5)
		for i := range from {
			from[i] = 2*r.NormFloat64() - 0.5
		}
		theta := append([]float64(nil), from...)
		p.Admit(theta)
		again := append([]float64(nil), theta...)
		p.Admit(again)
		for i := range theta {
			if math.Abs(theta[i]-again[i]) > 1e-12 || math.Abs(theta[i]) > 1 {
				t.Fatalf("%v is moved again, to %v", theta, again)
			}
		}
		sum := theta[2] + theta[3] + theta[4]
		if math.Abs(sum+1) > 1e-12 { // Σ(2p−1) = 2 − 3
			t.Fatalf("three classes of three: Σθ = %v, want −1", sum)
		}
		if p0 := (2 + theta[0] + theta[1]) / 2; p0 > 1-game.Edge/2+1e-12 {
			t.Fatalf("two classes of three have the probability %v", p0)
		}
		best, at := math.Inf(1), 0.0
		for a := 0; a <= steps; a++ {
			for b := 0; a+b <= steps; b++ {
				x, y := 2*float64(a)/steps-1, 2*float64(b)/steps-1
				best = min(best, math.Hypot(x-from[0], y-from[1]))
			}
		}
		at = math.Hypot(theta[0]-from[0], theta[1]-from[1])
		if at > best+0.01 {
			t.Fatalf("%v → %v is %v away; a point of the grid is at %v", from[:2], theta[:2], at, best)
		}
	}
}

func TestAdmitClipsOtherwise(t *testing.T) {
	theta := []float64{-2, 0.3, 2}
	(&game.Problem{X: make([]string, 3)}).Admit(theta)
	for i, want := range []float64{game.Edge - 1, 0.3, 1 - game.Edge} {
		if theta[i] != want {
			t.Errorf("θ_%d is %v, want %v", i, theta[i], want)
		}
	}
}
