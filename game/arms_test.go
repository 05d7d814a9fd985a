package game_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"mapo/game"
	"mapo/internal/check"
)

func TestIsArms(t *testing.T) {
	turned := check.BestArm(3, 2)
	slices.Reverse(turned.Z[:6])
	for _, c := range []struct {
		p    *game.Problem
		want bool
		why  string
	}{
		{check.BestArm(3, 2), true, "the unit vectors"},
		{turned, false, "in another order"},
		{check.Thresholds(2, 2), false, "other hypotheses, more of them"},
	} {
		if got := check.Is[game.Arms](c.p); got != c.want {
			t.Errorf("%s: %v, want %v", c.why, got, c.want)
		}
	}
}

// TestParsePrior: names are those that priors print themselves, and the box fills [-1, 1].
func TestParsePrior(t *testing.T) {
	p := check.Thresholds(3, 2)
	for _, name := range []string{"noiseless", "flip:0.8", "box"} {
		if prior, ok := game.ParsePrior(p, name); !ok || prior.Name() != name {
			t.Errorf("ParsePrior(%q) = %v, %v", name, prior, ok)
		}
	}
	for _, name := range []string{"flip:1.5", "flip:NaN", "table", "users", ""} {
		if prior, ok := game.ParsePrior(p, name); ok {
			t.Errorf("ParsePrior(%q) is %s, want none", name, prior.Name())
		}
	}
	r, below := rand.New(rand.NewPCG(1, 1)), 0
	theta := make([]float64, 3)
	const draws = 3000
	for range draws {
		if game.Box(p).Draw(theta, r) != -1 {
			t.Fatal("an instance of the box has a hypothesis")
		}
		for _, v := range theta {
			if v < -1 || v >= 1 {
				t.Fatalf("%v is not in the box", v)
			}
			if v < -.5 {
				below++
			}
		}
	}
	if share := float64(below) / (3 * draws); share < .22 || share > .28 { // 6.5 standard deviations
		t.Errorf("a share of %v is below -0.5, want 1/4", share)
	}
}
