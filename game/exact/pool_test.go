package exact_test

import (
	"math"
	"strings"
	"testing"

	"mapo/game"
	"mapo/game/exact"
	"mapo/game/sim"
	"mapo/internal/check"
	"mapo/policy/rival"
	"mapo/rng"
)

// tinyPools have cells of several items, two classes in both forms, three, and classes that no classifier predicts.
func tinyPools() []*game.Problem {
	r := rng.New(21).Rand()
	return []*game.Problem{check.Pool(7, 2, 2, 4, false, r), check.Pool(7, 2, 2, 4, true, r), check.Pool(6, 2, 3, 3, false, r), check.Pool(6, 3, 3, 3, false, r)}
}

// lostByItems is the expected loss by a recursion over items: whose cell the policy asks, each that has no label is asked alike, and
// says query ask[item] of its cell, or none (−1).
func lostByItems(p *game.Problem, policy game.Policy, loss game.Loss, theta []float64, says []int, s game.States, done []bool) (lost float64) {
	d, left := p.Queries(), 0
	for _, is := range done {
		if !is {
			left++
		}
	}
	if len(done)-left == p.T {
		choice := make([]float32, p.Hypotheses())
		game.DeciderOf(p, policy).Decide(choice, s)
		return loss.Of(p.Instance(theta), choice)
	}
	probs := make([]float32, d)
	policy.Probs(probs, s)
	for item, is := range done {
		c := p.Seek.(*game.Labels).CellOfItem(item)
		lo, hi := p.Seek.(*game.Labels).Queries(c)
		share, open := 0., 0.
		for i := lo; i < hi; i++ {
			share += float64(probs[i])
		}
		for other := p.Seek.(*game.Labels).Cell[c]; other < p.Seek.(*game.Labels).Cell[c+1]; other++ {
			if !done[other] {
				open++
			}
		}
		if is || share == 0 {
			continue
		}
		next := game.States{N: append([]float32(nil), s.N...), S: append([]float32(nil), s.S...), Mask: make([]bool, d), Left: []float32{s.Left[0] - 1}}
		for i := lo; i < hi; i++ {
			if next.N[i]++; i == says[item] {
				next.S[i]++
			} else {
				next.S[i]--
			}
		}
		next.Mask = p.Questions().Mask(next.Mask, next.N)
		done[item] = true
		lost += share / open * lostByItems(p, policy, loss, theta, says, next, done)
		done[item] = false
	}
	return lost
}

// TestPool: exact losses of tiny pools are those of an enumeration of all games where labels are drawn anew, and of a recursion over items
// where each gives its label once, and sampled games agree with both.
func TestPool(t *testing.T) {
	r := rng.New(22).Rand()
	differs := false
	for n, p := range tinyPools() {
		d := p.Queries()
		whole, err := exact.Of(p)
		if err != nil {
			t.Fatal(err)
		}
		theta, says := make([]float64, d), make([]int, len(p.Seek.(*game.Labels).Items))
		for i := range theta {
			theta[i] = -1
		}
		for item := range says { // a class each
			lo, hi := p.Seek.(*game.Labels).Queries(p.Seek.(*game.Labels).CellOfItem(item))
			if says[item] = lo + r.IntN(hi-lo+1); says[item] == hi {
				if says[item] = -1; p.Seek.(*game.Labels).First != nil && p.Seek.(*game.Labels).All(p.Seek.(*game.Labels).CellOfItem(item)) {
					says[item] = lo
				}
			}
			if says[item] >= 0 {
				theta[says[item]] += 2 / float64(p.Seek.(*game.Labels).Room(p.Seek.(*game.Labels).CellOfItem(item)))
			}
		}
		for _, name := range []string{"uniform", "uncertainty", "model-selector", "uniform+votes"} {
			policy, err := rival.Parse(p, game.SimpleRegret, name)
			if err != nil {
				t.Fatal(err)
			}
			f, err := whole.Play(policy)
			if err != nil {
				t.Fatal(err)
			}
			for _, loss := range game.Losses() {
				var anew float64
				for _, g := range check.Games(p, policy, theta) {
					choice := make([]float32, p.Hypotheses())
					game.DeciderOf(p, policy).Decide(choice, g.End())
					anew += g.Prob * loss.Of(p.Instance(theta), choice)
				}
				if got := f.Loss(loss, theta); math.Abs(got-anew) > 1e-6 {
					t.Errorf("pool %d, %s, %v: %.8f, by an enumeration of games %.8f", n, name, loss, got, anew)
				}
				start := game.States{N: make([]float32, d), S: make([]float32, d), Mask: make([]bool, d), Left: []float32{float32(p.T)}}
				want := lostByItems(p, policy, loss, theta, says, start, make([]bool, len(says)))
				got, err := f.Given(loss, theta)
				if err != nil || math.Abs(got-want) > 1e-6 {
					t.Errorf("pool %d, %s, %v: %.8f where items have one label, by a recursion over items %.8f: %v", n, name, loss, got, want, err)
				}
				differs = differs || math.Abs(got-anew) > 0.01
				for items, want := range map[bool]float64{true: want, false: anew} {
					const games = 4000
					sums, err := sim.Play{P: p, Policy: policy, Items: items}.Instances(t.Context(), theta, games, rng.New(uint64(n)), loss)
					if err != nil {
						t.Fatal(err)
					}
					s := sums[0][0]
					noise := math.Sqrt(max(0, s.XX/games-s.Mean()*s.Mean()) / games)
					if far := math.Abs(s.Mean() - want); far > 6*noise+20*loss.Scale(p)/games {
						t.Errorf("pool %d, %s, %v, one label an item %v: sampled games lose %.4f, exactly %.4f", n, name, loss, items, s.Mean(), want)
					}
				}
			}
		}
	}
	if !differs {
		t.Error("labels that are drawn anew lose the same: the test cannot tell the two")
	}
}

// TestPoolGrid: the grid of a pool is all probabilities of its classes on it.
func TestPoolGrid(t *testing.T) {
	p := check.Pool(2, 3, 3, 2, false, rng.New(24).Rand())
	d, values := p.Queries(), []float64{-1, -.5, 0, .5, 1}
	want, theta := 0, make([]float64, d)
	omega := game.Omega{C: game.RhoTilde(p), R: 40}
	for n := range int(math.Pow(5, float64(d))) {
		for i := range theta {
			theta[i], n = values[n%5], n/5
		}
		may := omega.Contains(theta)
		for c := range p.Seek.(*game.Labels).Cells() {
			lo, hi := p.Seek.(*game.Labels).Queries(c)
			sum := 0.
			for _, v := range theta[lo:hi] {
				sum += (1 + v) / 2
			}
			may = may && sum <= 1 && (sum == 1 || !p.Seek.(*game.Labels).All(c))
		}
		if may {
			want++
		}
	}
	grid := exact.Grid(p, game.RhoTilde(p), values, 40)
	if len(grid) != want || want == 0 {
		t.Errorf("%d instances on the grid, want %d", len(grid), want)
	}
}

// TestPoolRefuses: what is not of whole items, and a pool of too many states.
func TestPoolRefuses(t *testing.T) {
	r := rng.New(23).Rand()
	p := check.Pool(7, 2, 2, 4, false, r)
	whole, err := exact.Of(p)
	if err != nil {
		t.Fatal(err)
	}
	f, err := whole.Play(rival.Uniform(p))
	if err != nil {
		t.Fatal(err)
	}
	theta := make([]float64, p.Queries())
	for i := range theta {
		theta[i] = .123
	}
	if _, err = f.Given(game.SimpleRegret, theta); err == nil || !strings.Contains(err.Error(), "need whole items, and its cell has ") {
		t.Errorf("a share of no whole items: %v", err)
	}
	large := check.Pool(60, 5, 3, 30, false, r)
	if whole, err = exact.Of(large); err != nil {
		t.Fatal(err)
	}
	if _, err = whole.Play(rival.Uniform(large)); err == nil || !strings.Contains(err.Error(), "lower the budget") {
		t.Errorf("a large pool: %v", err)
	}
}
