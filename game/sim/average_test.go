package sim_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"mapo/game"
	"mapo/game/sim"
	"mapo/internal/check"
	"mapo/policy/rival"
	"mapo/rng"
)

// TestAverageByHand: two rows, one question. The posterior names the likelier row, so it is right with probability
// (1 + |m|)/2 times what flips leave of it, and the result does not depend on the number of workers.
func TestAverageByHand(t *testing.T) {
	p := &game.Problem{
		T: 1, AskOnce: true, X: []string{"q"}, Names: []string{"A", "B"},
		Seek: &game.Shares{Yes: []float64{0.9, 0.1}, Weight: []float64{0.5, 0.5}},
	}
	p.Grade()
	policy, err := rival.Parse(p, game.BestIdentification, "information:0.1")
	if err != nil {
		t.Fatal(err)
	}
	for flip, want := range map[float64]float64{0: 0.1, 0.1: 0.1 + 0.1*0.8, 0.5: 0.5} {
		const games = 40_000
		play := sim.Play{P: p, Policy: policy, Workers: 1}
		one, err := play.Average(t.Context(), game.DrawShares(p, flip), games, rng.New(3), game.BestIdentification)
		play.Workers = 3
		three, err3 := play.Average(t.Context(), game.DrawShares(p, flip), games, rng.New(3), game.BestIdentification)
		if err != nil || err3 != nil || one[0].Mean != three[0].Mean {
			t.Fatalf("one worker %v (%v), three %v (%v)", one, err, three, err3)
		}
		// Hoeffding: off by 0.016 with probability 3e-9.
		if math.Abs(one[0].Mean-want) > 0.016 {
			t.Errorf("with %v flipped the loss is %v, want %v", flip, one[0].Mean, want)
		}
	}
}

// drawn is a prior that keeps what was drawn from it.
type drawn struct {
	game.Prior
	thetas *[][]float64
}

func (d drawn) Draw(dst []float64, r *rand.Rand) int {
	k := d.Prior.Draw(dst, r)
	*d.thetas = append(*d.thetas, slices.Clone(dst))
	return k
}

// TestAverageDraws: each game has a draw of its own, also past a block of 256, the one that its number names.
func TestAverageDraws(t *testing.T) {
	p := check.Thresholds(5, 2)
	prior, key := game.Flip(p, .7), rng.New(6)
	const games = 600
	var got, want [][]float64
	if _, err := (sim.Play{P: p, Policy: check.Even{P: p}, Workers: 1}).Average(t.Context(), drawn{prior, &got}, games, key, game.BestIdentification); err != nil {
		t.Fatal(err)
	}
	for m := range games {
		theta := make([]float64, 5)
		prior.Draw(theta, key.Name("theta").At(m).Rand())
		want = append(want, theta)
	}
	if !slices.EqualFunc(got, want, slices.Equal) {
		t.Error("the draws are not those of the games' numbers")
	}
}

// TestAverageByWeight: rows are drawn by their weights, none of these never.
func TestAverageByWeight(t *testing.T) {
	p := &game.Problem{
		T: 1, X: []string{"q"}, Names: []string{"A", "B", "none of these"},
		Seek: &game.Shares{Yes: []float64{1, 0, 0.7}, Weight: []float64{0.6, 0.2, 0.2}, Other: true},
	}
	p.Grade()
	prior, count, theta := game.DrawShares(p, 0), [3]int{}, []float64{0}
	r := rng.New(1).Rand()
	for range 40_000 {
		k := prior.Draw(theta, r)
		count[k]++
		if want := 2*p.Seek.(*game.Shares).Yes[k] - 1; theta[0] != want {
			t.Fatalf("row %d has θ %v, want %v", k, theta, want)
		}
	}
	if share := float64(count[0]) / 40_000; count[2] != 0 || math.Abs(share-0.75) > 0.016 {
		t.Errorf("drawn %v, want three quarters A and never none of these", count)
	}
}

// TestAverageOfRows: over the rows of a table the row that was drawn is right, also where another one is nearer to its θ
// once answers are flipped. With flips the first row's θ is 0.4, and the second's is 0.2 without.
func TestAverageOfRows(t *testing.T) {
	p := &game.Problem{
		T: 1, X: []string{"q"}, Names: []string{"A", "B"},
		Seek: &game.Shares{Yes: []float64{1, 0.6}, Weight: []float64{0.5, 0.5}},
	}
	p.Grade()
	games := check.Draws(0, 1, 0.02)
	got, err := sim.Play{P: p, Policy: check.Even{P: p}}.Average(t.Context(), game.DrawShares(p, 0.3), games, rng.New(1), game.BestIdentification)
	if err != nil {
		t.Fatal(err)
	}
	// A yes is nearest to A and a no to B: right in 0.7 of A's games and in 0.46 of B's.
	if want := 1 - (0.7+0.46)/2; got[0].Mean < want-0.02 || got[0].Mean > want+0.02 {
		t.Errorf("wrong in %v of games, want %v", got[0].Mean, want)
	}
}
