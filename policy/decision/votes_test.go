package decision_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"mapo/game"
	"mapo/internal/check"
	"mapo/policy/decision"
	"mapo/rng"
)

// TestVotes compares with the count of agreements, labels and other classifiers each as they are.
func TestVotes(t *testing.T) {
	r := rng.New(4).Rand()
	for _, p := range []*game.Problem{check.Pool(20, 5, 3, 9, false, r), check.Pool(20, 5, 2, 9, false, r), check.Pool(20, 5, 2, 9, true, r)} {
		by, err := decision.New(p, game.SimpleRegret, decision.Votes)
		if err != nil {
			t.Fatal(err)
		}
		d, n := p.Queries(), p.Hypotheses()
		says := func(k, c int) int {
			lo, hi := p.Seek.(*game.Labels).Queries(c)
			if !(p.Questions().Tells() == 2) {
				return int(p.Says(k)[lo])
			}
			for i := lo; i < hi; i++ {
				if p.Says(k)[i] == 1 {
					return int(p.Seek.(*game.Labels).Of[i])
				}
			}
			return -1
		}
		for range 30 {
			s := game.States{N: make([]float32, d), S: make([]float32, d)}
			want, open := make([]float64, n), make([]int, p.Seek.(*game.Labels).Cells())
			for c := range open {
				open[c] = p.Seek.(*game.Labels).Room(c)
			}
			for range r.IntN(9) {
				c, class := r.IntN(p.Seek.(*game.Labels).Cells()), r.IntN(len(p.Seek.(*game.Labels).Classes))
				lo, _ := p.Seek.(*game.Labels).Queries(c)
				if open[c] == 0 {
					continue
				}
				open[c]--
				if p.Questions().Tells() == 2 {
					p.Seek.(*game.Labels).Label(s.N, s.S, c, p.Seek.(*game.Labels).Came(c, class))
				} else {
					s.N[lo]++
					s.S[lo] += float32(2*class - 1)
				}
				for k := range want {
					if says(k, c) == class {
						want[k]++
					}
				}
			}
			for k := range want {
				for c := range open {
					for o := range n {
						if o != k && says(o, c) == says(k, c) {
							want[k] += .15 * float64(open[c]) / float64(n-1)
						}
					}
				}
			}
			got := make([]float32, n)
			by.Decide(got, s)
			best := 0
			for k, v := range want {
				if v > want[best] {
					best = k
				}
			}
			for k, v := range got {
				if (v > 0) != (want[k] > want[best]-1e-6) {
					t.Fatalf("decides by %v; the counts are %v", got, want)
				}
			}
		}
	}
	if _, err := decision.New(check.Thresholds(3, 3), game.SimpleRegret, decision.Votes); err == nil {
		t.Error("votes decides thresholds")
	}
}

// TestAllOut: where every classifier is ruled out all count, as for the other decisions.
func TestAllOut(t *testing.T) {
	p := check.Pool(10, 4, 2, 5, false, rand.New(rand.NewPCG(1, 2)))
	n, d := p.Hypotheses(), p.Queries()
	by, err := decision.New(p, game.SimpleRegret, decision.Votes)
	if err != nil {
		t.Fatal(err)
	}
	s := game.States{N: make([]float32, d), S: make([]float32, d)}
	want, got := make([]float32, n), make([]float32, n)
	by.Decide(want, s)
	s.Out = slices.Repeat([]bool{true}, n)
	if by.Decide(got, s); !slices.Equal(got, want) {
		t.Errorf("decides %v, want %v", got, want)
	}
}

// TestMeritsOfVotes: the merits of votes are largest where votes decides.
func TestMeritsOfVotes(t *testing.T) {
	p := check.Pool(20, 5, 3, 9, false, rand.New(rand.NewPCG(3, 4)))
	n, d := p.Hypotheses(), p.Queries()
	by, err := decision.New(p, game.SimpleRegret, decision.Votes)
	if err != nil {
		t.Fatal(err)
	}
	merits, err := decision.Merits(p, game.SimpleRegret, decision.Votes)
	if err != nil {
		t.Fatal(err)
	}
	merit, decided := make([]float64, n), make([]float32, n)
	for c := range p.Seek.(*game.Labels).Cells() {
		s := game.States{N: make([]float32, d), S: make([]float32, d)}
		first, _ := p.Seek.(*game.Labels).Queries(c)
		p.Seek.(*game.Labels).Label(s.N, s.S, c, first)
		merits(merit, s)
		by.Decide(decided, s)
		for k, v := range decided {
			if (v > 0) != (merit[k] >= slices.Max(merit)-decision.Rounding) {
				t.Errorf("cell %d: decides %v, the merits are %v", c, decided, merit)
				break
			}
		}
	}
}
