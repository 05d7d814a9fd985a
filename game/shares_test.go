package game_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"mapo/game"
	"mapo/internal/check"
)

// shared has three rows of shares over two queries; two of them have one majority.
func shared() *game.Problem {
	p := &game.Problem{
		X: []string{"a", "b"}, Names: []string{"A", "B", "C"}, T: 2, AskOnce: true,
		Seek: &game.Shares{Yes: []float64{0.9, 0.1, 0.6, 0.4, 0.1, 0.9}, Weight: []float64{0.5, 0.25, 0.25}},
	}
	return p.Grade()
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
		spoil(p.Seek.(*game.Shares))
		if err := p.Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	for what, spoil := range map[string]func(p *game.Problem){
		"labels":  func(p *game.Problem) { p.Seek = &game.Labels{Cell: []int32{0, 9, 9}} }, // of no items
		"vectors": func(p *game.Problem) { p.Seek = &game.Vectors{Dim: 1, X: make([]float64, 2)} },
	} {
		p := shared()
		if spoil(p); p.Check() == nil {
			t.Errorf("rows with %s that nothing checks are a game", what)
		}
	}
}

// TestDrawShares: flipping a share of the answers shrinks θ, and the name says so.
func TestDrawShares(t *testing.T) {
	prior, theta := game.DrawShares(shared(), 0.25), []float64{0, 0}
	row := prior.Draw(theta, rand.New(rand.NewPCG(1, 2)))
	if want := (2*shared().Seek.(*game.Shares).Row(row, 2)[0] - 1) / 2; prior.Name() != "table+flip:0.25" || theta[0] < want-1e-12 || theta[0] > want+1e-12 {
		t.Errorf("%s draws %v of row %d, want %v first", prior.Name(), theta, row, want)
	}
}

// TestGrade: a row is best at its own θ and by half the squared distance to another row; θ anywhere else is of the row that is
// nearest. What a share of ½ expects is neither answer.
func TestGrade(t *testing.T) {
	p, r := shared(), rand.New(rand.NewPCG(3, 4))
	square := func(k int, theta []float64) (sum float64) {
		for i, yes := range p.Seek.(*game.Shares).Row(k, 2) {
			sum += (theta[i] - (2*yes - 1)) * (theta[i] - (2*yes - 1))
		}
		return sum
	}
	for range 200 {
		theta := []float64{2*r.Float64() - 1, 2*r.Float64() - 1}
		in, nearest := p.Instance(theta), 0
		for k := range p.Names {
			if square(k, theta) < square(nearest, theta) {
				nearest = k
			}
			if got, want := in.Value[0]-in.Value[k], (square(k, theta)-square(0, theta))/2; math.Abs(got-want) > 1e-6 {
				t.Fatalf("at %v row 0 is %v ahead of row %d, want %v", theta, got, k, want)
			}
		}
		if in.Best != nearest {
			t.Fatalf("at %v row %d is best, and %d is nearest", theta, in.Best, nearest)
		}
	}
	p.Seek.(*game.Shares).Yes[0] = 0.5
	if says := p.Grade().Says(0); says[0] != 0.5 || p.Bits()[0] != 0 || p.Digits(0) != "00" {
		t.Errorf("a share of a half expects %v, taken for %v, %q", says[0], p.Bits()[0], p.Digits(0))
	}
	p.Z[1] = 1
	if err := p.Check(); err == nil {
		t.Error("a hypothesis that is not worth what its shares say is accepted")
	}
}

// TestDrawnIsRight: where θ was drawn with a hypothesis, only that is right, whichever is best.
func TestDrawnIsRight(t *testing.T) {
	p := shared()
	in := p.Instance([]float64{0.8, -0.8})
	in.Drawn = 2
	for k, want := range []float64{1, 1, 0} {
		if got := game.BestIdentification.Cost(in, k); got != want {
			t.Errorf("hypothesis %d costs %v, want %v", k, got, want)
		}
	}
}

// TestRhoTildeOfRows: the gradient of ρ̃ with offsets and real scores by central differences, its convexity within a cell,
// and its definition.
func TestRhoTildeOfRows(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	p := &game.Problem{T: 2, Seek: &game.Shares{}}
	for i := range 5 {
		p.X = append(p.X, string(rune('a'+i)))
	}
	for k := range 7 {
		p.Names, p.Seek.(*game.Shares).Weight = append(p.Names, string(rune('A'+k))), append(p.Seek.(*game.Shares).Weight, 1./7)
		for range 5 {
			p.Seek.(*game.Shares).Yes = append(p.Seek.(*game.Shares).Yes, r.Float64())
		}
	}
	c := game.RhoTilde(p.Grade())
	check.Grad(t, 5, func(x []float64) {
		for i := range x {
			x[i] = 1.8*r.Float64() - 0.9
		}
	}, c.Of, func(dst, x []float64) { c.Grad(dst, x) })
	for range 300 {
		a, b, mid := make([]float64, 5), make([]float64, 5), make([]float64, 5)
		for i := range a {
			a[i], b[i] = 2*r.Float64()-1, 2*r.Float64()-1
			mid[i] = (a[i] + b[i]) / 2
		}
		x, y := p.Instance(a), p.Instance(b)
		if x.Best == y.Best && c.Of(mid) > (c.Of(a)+c.Of(b))/2*(1+1e-9) {
			t.Fatalf("ρ̃ is not convex between %v and %v", a, b)
		}
		want := 0.
		for i := range a {
			most := 0.
			for k := range p.Names {
				gap := x.Max - x.Value[k]
				if k != x.Best {
					most = max(most, math.Abs(float64(p.Row(k)[i]-p.Row(x.Best)[i]))*p.Distance(k, x.Best)/(gap*gap))
				}
			}
			want += most
		}
		if got := c.Of(a); math.Abs(got-want) > 1e-9*want {
			t.Fatalf("ρ̃ is %v at %v, want %v", got, a, want)
		}
	}
}

// TestSupportOfOther: "none of these" is not among a table's instances, and the weights of the others sum to 1.
func TestSupportOfOther(t *testing.T) {
	p := shared()
	p.Seek.(*game.Shares).Other = true
	all := game.Support(p, game.DrawShares(p, 0))
	if len(all) != 2 {
		t.Fatalf("%d instances of two rows and none of these", len(all))
	}
	for k, want := range []float64{2. / 3, 1. / 3} { // 0.5 and 0.25
		if math.Abs(all[k].Weight-want) > 1e-12 || all[k].Hypothesis != k {
			t.Errorf("row %d has the weight %v, want %v", all[k].Hypothesis, all[k].Weight, want)
		}
	}
}
