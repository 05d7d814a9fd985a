package game_test

import (
	"math"
	"testing"

	"mapo/game"
	"mapo/internal/check"
	"mapo/rng"
)

// TestVotesMean: the mean of what Votes draws is (votes + ½)/(|Z| + C/2).
func TestVotesMean(t *testing.T) {
	for _, classes := range []int{2, 3} {
		p := check.Pool(8, 4, classes, 2, false, rng.New(1).Rand())
		theta := make([]float64, p.Queries())
		want := make([]float64, p.Queries())
		for i := range want {
			votes := 0.
			for k := range p.Hypotheses() {
				votes += float64(p.Says(k)[i])
			}
			want[i] = 2*(votes+.5)/(4+float64(classes)/2) - 1
		}
		sum, r := make([]float64, len(theta)), rng.New(2).Rand()
		const draws = 20_000
		prior, ok := game.ParsePrior(p, "votes")
		if !ok {
			t.Fatal("votes is not a prior of a pool")
		}
		for range draws {
			prior.Draw(theta, r)
			for i, v := range theta {
				sum[i] += v / draws
			}
		}
		for i, v := range sum {
			if math.Abs(v-want[i]) > 6/math.Sqrt(draws) {
				t.Errorf("%d classes, query %d: the mean is %v, want %v", classes, i, v, want[i])
			}
		}
	}
}

// TestModelsByHand: three models on a cell of two items and one of one.
func TestModelsByHand(t *testing.T) {
	p := pool()
	p.Names = []string{"first", "second", "third"}
	p.Expecting([]float32{1, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1})
	p.Z = []float32{1, 0, .5, 0, 0, 1, 0, 0, .5, 0, 0, 1, 0, 0, .5}
	prior, ok := game.ParsePrior(p, "models")
	if !ok {
		t.Fatal("models is not a prior of a pool")
	}
	// The first agrees with most in the cell of weight 2, and with one of three in that of weight 1: (2 + 1/3)/3 = 7/9.
	first := game.Support(p, prior)[0].Theta
	for i, share := range []float64{7. / 9, 1. / 9, 7. / 9, 1. / 9, 1. / 9} {
		if math.Abs(first[i]-(2*share-1)) > 1e-12 {
			t.Errorf("θ_%d is %v, want %v", i, first[i], 2*share-1)
		}
	}
	if _, ok := game.ParsePrior(check.Thresholds(3, 3), "models"); ok {
		t.Error("models is a prior of thresholds")
	}
}
