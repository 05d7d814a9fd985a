package game_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"mapo/game"
)

// shared has three rows of shares over two queries; two of them have one majority.
func shared() *game.Problem {
	return &game.Problem{
		X: []string{"a", "b"}, Names: []string{"A", "B", "C"}, T: 2, AskOnce: true, Z: []float32{1, 0, 1, 0, 0, 1},
		Shares: &game.Shares{Yes: []float64{0.9, 0.1, 0.6, 0.4, 0.1, 0.9}, Weight: []float64{0.5, 0.25, 0.25}},
	}
}

// TestLeastSquaresOfRows: the nearest row over the queries asked is recommended, also where majorities are alike, and
// queries that were not asked count for nothing.
func TestLeastSquaresOfRows(t *testing.T) {
	p := shared()
	for _, c := range []struct {
		why  string
		n, s []float32
		want []float32
	}{
		{"nothing asked", []float32{0, 0}, []float32{0, 0}, []float32{1. / 3, 1. / 3, 1. / 3}},
		{"a yes: 0.9 is nearest", []float32{1, 0}, []float32{1, 0}, []float32{1, 0, 0}},
		{"answers that even out: 0.6 is nearest", []float32{2, 0}, []float32{0, 0}, []float32{0, 1, 0}},
		{"a no to a, a yes to b", []float32{1, 1}, []float32{-1, 1}, []float32{0, 0, 1}},
	} {
		got := make([]float32, 3)
		game.LeastSquares(p).Decide(got, game.States{N: c.n, S: c.s})
		for k := range got {
			if d := got[k] - c.want[k]; d > 1e-6 || d < -1e-6 {
				t.Errorf("%s: %v, want %v", c.why, got, c.want)
				break
			}
		}
	}
}

// TestSharesCheck: every fault of shares is told, and rows of one majority are not the same hypothesis.
func TestSharesCheck(t *testing.T) {
	if err := shared().Check(); err != nil {
		t.Fatal(err)
	}
	half := 0.5
	for want, spoil := range map[string]func(*game.Shares){
		"share 1.5 at query 0":          func(s *game.Shares) { s.Yes[2] = 1.5 },
		"5 shares; 3×2 are needed":      func(s *game.Shares) { s.Yes = s.Yes[:5] },
		"mask of unknown shares has 1":  func(s *game.Shares) { s.Unknown = []bool{true} },
		"2 weights for 3 hypotheses":    func(s *game.Shares) { s.Weight = s.Weight[:2] },
		"weight -1; it must be":         func(s *game.Shares) { s.Weight[1] = -1 },
		"sum to 1.25; they must":        func(s *game.Shares) { s.Weight[1] = 0.5 },
		"share of wrong answers is 0.5": func(s *game.Shares) { s.Wrong = &half },
	} {
		p := shared()
		spoil(p.Shares)
		if err := p.Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// TestDrawShares: flipping a share of the answers shrinks θ, and the name says so.
func TestDrawShares(t *testing.T) {
	prior, theta := game.DrawShares(shared(), 0.25), []float64{0, 0}
	row := prior.Draw(theta, rand.New(rand.NewPCG(1, 2)))
	if want := (2*shared().Shares.Row(row, 2)[0] - 1) / 2; prior.Name() != "table+flip:0.25" || theta[0] < want-1e-12 || theta[0] > want+1e-12 {
		t.Errorf("%s draws %v of row %d, want %v first", prior.Name(), theta, row, want)
	}
}
