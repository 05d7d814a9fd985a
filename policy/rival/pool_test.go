package rival_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"mapo/game"
	"mapo/internal/check"
	"mapo/policy/rival"
	"mapo/rng"
)

// partly is a state of a pool after so many labels, and the list of them: cell and class.
func partly(p *game.Problem, labels int, r *rand.Rand) (s game.States, list [][2]int) {
	d := p.Queries()
	s = game.States{N: make([]float32, d), S: make([]float32, d), Mask: make([]bool, d)}
	for len(list) < labels {
		cell, class := r.IntN(p.Seek.(*game.Labels).Cells()), r.IntN(len(p.Seek.(*game.Labels).Classes))
		lo, _ := p.Seek.(*game.Labels).Queries(cell)
		switch {
		case p.Closed(lo, s.N[lo]):
			continue
		case (p.Questions().Tells() == 2):
			p.Seek.(*game.Labels).Label(s.N, s.S, cell, p.Seek.(*game.Labels).Came(cell, class))
		default:
			s.N[lo]++
			s.S[lo] += float32(2*class - 1)
		}
		list = append(list, [2]int{cell, class})
	}
	s.Mask = p.Questions().Mask(s.Mask, s.N)
	return s, list
}

// says is the class that classifier k predicts in a cell.
func says(p *game.Problem, k, cell int) int {
	lo, hi := p.Seek.(*game.Labels).Queries(cell)
	if !(p.Questions().Tells() == 2) {
		return int(p.Says(k)[lo])
	}
	for i := lo; i < hi; i++ {
		if p.Says(k)[i] == 1 {
			return int(p.Seek.(*game.Labels).Of[i])
		}
	}
	panic("no class")
}

// TestModelSelector compares with the rule as published, worked out item by item.
func TestModelSelector(t *testing.T) {
	r := rng.New(3).Rand()
	for _, p := range []*game.Problem{check.Pool(14, 5, 4, 8, false, r), check.Pool(14, 4, 2, 8, false, r), check.Pool(14, 4, 2, 8, true, r)} {
		const epsilon = .4
		policy, gamma := rival.ModelSelector(p, epsilon), (1-epsilon)/epsilon
		for range 30 {
			s, list := partly(p, r.IntN(6), r)
			entropy := func(extra [2]int) float64 {
				post, sum := make([]float64, p.Hypotheses()), 0.
				for k := range post {
					post[k] = 1
					for _, it := range append(list[:len(list):len(list)], extra) {
						if says(p, k, it[0]) == it[1] {
							post[k] *= gamma
						}
					}
					sum += post[k]
				}
				h := 0.
				for _, w := range post {
					h -= w / sum * math.Log(w/sum)
				}
				return h
			}
			least, open := math.Inf(1), 0.
			expected := make([]float64, p.Seek.(*game.Labels).Cells())
			for c := range expected {
				for class := range p.Seek.(*game.Labels).Classes {
					expected[c] += entropy([2]int{c, class}) / float64(len(p.Seek.(*game.Labels).Classes))
				}
				if lo, _ := p.Seek.(*game.Labels).Queries(c); !s.Mask[lo] {
					least = min(least, expected[c])
				}
			}
			want := make([]float64, len(expected))
			for c, v := range expected {
				if lo, _ := p.Seek.(*game.Labels).Queries(c); !s.Mask[lo] && v < least+1e-9 {
					want[c] = float64(p.Seek.(*game.Labels).Room(c)) - float64(s.N[lo])
					open += want[c]
				}
			}
			got := make([]float32, p.Queries())
			policy.Probs(got, s)
			for c := range want {
				lo, hi := p.Seek.(*game.Labels).Queries(c)
				var sum float64
				for _, v := range got[lo:hi] {
					sum += float64(v)
				}
				if math.Abs(sum-want[c]/open) > 1e-5 {
					t.Fatalf("cell %d is asked with probability %v, want %v", c, sum, want[c]/open)
				}
			}
		}
	}
}

// TestModelSelectorRecommends: whatever the loss, it recommends the classifiers that agree with the most labels, as published.
func TestModelSelectorRecommends(t *testing.T) {
	r := rng.New(5).Rand()
	for _, p := range []*game.Problem{check.Pool(14, 5, 4, 8, false, r), check.Pool(14, 4, 2, 8, false, r), check.Pool(14, 4, 2, 8, true, r)} {
		for _, loss := range game.Losses() {
			policy, err := rival.Parse(p, loss, "model-selector:0.4")
			if err != nil {
				t.Fatal(err)
			}
			for range 30 {
				s, list := partly(p, r.IntN(9), r)
				agrees := make([]int, p.Hypotheses())
				for k := range agrees {
					for _, it := range list {
						if says(p, k, it[0]) == it[1] {
							agrees[k]++
						}
					}
				}
				got := make([]float32, p.Hypotheses())
				game.DeciderOf(p, policy).Decide(got, s)
				for k, v := range got {
					if (v > 0) != (agrees[k] == slices.Max(agrees)) {
						t.Fatalf("%v: it recommends by %v, and agreements are %v", loss, got, agrees)
					}
				}
			}
		}
	}
}

// TestPoolRivals: what asks about a pool is a distribution over open items, the same for two classes given either way.
func TestPoolRivals(t *testing.T) {
	for _, name := range []string{"uniform", "disagreement", "model-selector", "model-selector:0.4", "gain:2", "sgbs:0.1", "uncertainty", "instant:0.7"} {
		plain, general := check.Pool(14, 5, 2, 6, false, rng.New(1).Rand()), check.Pool(14, 5, 2, 6, true, rng.New(1).Rand())
		a, err := rival.Parse(plain, game.SimpleRegret, name)
		b, err2 := rival.Parse(general, game.SimpleRegret, name)
		if err != nil || err2 != nil {
			t.Fatal(err, err2)
		}
		for seed := range uint64(20) {
			x, y := make([]float32, plain.Queries()), make([]float32, general.Queries())
			s, _ := partly(plain, 4, rng.New(seed).Rand())
			other, _ := partly(general, 4, rng.New(seed).Rand())
			a.Probs(x, s)
			b.Probs(y, other)
			var sum float64
			for c, v := range x {
				sum += float64(v)
				if both := y[2*c] + y[2*c+1]; math.Abs(float64(v-both)) > 1e-4 {
					t.Fatalf("%s asks cell %d with probability %v of one query, %v of two", name, c, v, both)
				}
				if v != 0 && s.Mask[c] {
					t.Fatalf("%s asks cell %d, which is closed", name, c)
				}
			}
			if math.Abs(sum-1) > 1e-5 {
				t.Fatalf("%s: probabilities sum to %v", name, sum)
			}
		}
	}
}

// TestDisagreement: on three cells of votes 4:0:0:0…, the most divided one is asked.
func TestDisagreement(t *testing.T) {
	p := check.Pool(30, 6, 4, 5, false, rng.New(2).Rand())
	s, _ := partly(p, 3, rng.New(4).Rand())
	probs := make([]float32, p.Queries())
	rival.Disagreement(p).Probs(probs, s)
	entropy := func(c int) (h float64) {
		votes := map[int]float64{}
		for k := range p.Hypotheses() {
			votes[says(p, k, c)]++
		}
		for _, n := range votes {
			h -= n / 6 * math.Log(n/6)
		}
		return h
	}
	most := 0.
	for c := range p.Seek.(*game.Labels).Cells() {
		if lo, _ := p.Seek.(*game.Labels).Queries(c); !s.Mask[lo] {
			most = max(most, entropy(c))
		}
	}
	for i, v := range probs {
		if divided := entropy(p.Seek.(*game.Labels).CellOf(i)) > most-1e-9; (v > 0) != (divided && !s.Mask[i]) {
			t.Errorf("query %d is asked with probability %v; most divided: %v", i, v, divided)
		}
	}
}

func TestPoolNames(t *testing.T) {
	p, table := check.Pool(8, 4, 3, 3, false, rng.New(1).Rand()), check.Thresholds(3, 3)
	for name, want := range map[string]string{"model-selector": "model-selector:0.46", "model-selector:.4": "model-selector:0.4", "disagreement+posterior": "disagreement+posterior", "uniform+votes": "uniform+votes", "model-selector+least-squares": "model-selector:0.46+least-squares"} {
		if got, err := rival.Name(p, game.SimpleRegret, name); err != nil || got != want {
			t.Errorf("%s is named %q, want %q (%v)", name, got, want, err)
		}
	}
	for _, name := range []string{"model-selector:0.5", "model-selector:x", "disagreement:2", "top-two", "uniform+vote"} {
		if _, err := rival.Parse(p, game.SimpleRegret, name); err == nil {
			t.Errorf("%s is taken", name)
		}
	}
	for _, name := range []string{"model-selector", "disagreement", "uniform+votes"} {
		if _, err := rival.Parse(table, game.SimpleRegret, name); err == nil || !strings.Contains(err.Error(), "pool of items") {
			t.Errorf("%s on a table: %v", name, err)
		}
	}
}
