package judge

import (
	"math"
	"math/rand/v2"
	"testing"

	"mapo/internal/suite"
	"mapo/record"
)

// tinyPool is four items of unequal weight and two models.
var tinyPool = struct {
	Drawn
	weight []float64
	right  [][]bool
	guess  [][]float64
}{
	Drawn{Items: 4, Weight: 7, Most: 3, Floor: 0.1},
	[]float64{1, 2, 3, 1},
	[][]bool{{true, false, true, true}, {false, true, true, false}},
	[][]float64{{0.5, 0.2, 0.9, 0.4}, {0.1, 0.1, 0.7, 0.3}},
}

// choose is an adaptive rule: it prefers items by what the labels so far said of the first model, with a floor of 10 %.
func choose(weight []float64, right []bool, labelled []int) []float64 {
	q, best, open := make([]float64, len(weight)), -1, len(weight)-len(labelled)
	taken, hits := map[int]bool{}, 0
	for _, i := range labelled {
		taken[i] = true
		if right[i] {
			hits++
		}
	}
	for i, w := range weight {
		if !taken[i] && (best < 0 || hits%2 == 0 && w > weight[best] || hits%2 == 1 && w < weight[best]) {
			best = i
		}
	}
	for i := range q {
		if !taken[i] {
			q[i] = 0.1 / float64(open)
			if i == best {
				q[i] += 0.9
			}
		}
	}
	return q
}

// expected is the mean over all games of an adaptive rule of what a model's draws give after so many labels.
func expected(model, labels int, of func(draws []Drew) float64) float64 {
	p := tinyPool
	var walk func(done []int, draws []Drew) float64
	walk = func(done []int, draws []Drew) (sum float64) {
		if len(done) == labels {
			return of(draws)
		}
		for i, q := range choose(p.weight, p.right[0], done) {
			if q > 0 {
				next := append(append([]Drew{}, draws...), Drew{p.weight[i], q, p.right[model][i], p.guess[model][i]})
				sum += q * walk(append(append([]int{}, done...), i), next)
			}
		}
		return sum
	}
	return walk(nil, nil)
}

// truths are a model's accuracy on the tiny pool and the mean of its guesses.
func truths(model int) (truth, guess float64) {
	for i, w := range tinyPool.weight {
		truth += w * one(tinyPool.right[model][i]) / tinyPool.Weight
		guess += w * tinyPool.guess[model][i] / tinyPool.Weight
	}
	return truth, guess
}

// TestUnbiased: over all games of an adaptive rule, the estimate's expectation is the truth, for each number of labels.
func TestUnbiased(t *testing.T) {
	for model := range tinyPool.right {
		truth, guess := truths(model)
		for labels := 1; labels <= 4; labels++ {
			got := expected(model, labels, func(draws []Drew) float64 { return tinyPool.Unbiased(draws, guess) })
			if math.Abs(got-truth) > 1e-12 {
				t.Errorf("model %d, %d labels: expectation %v, truth %v", model, labels, got, truth)
			}
		}
	}
}

// TestFairBets: against the true share, bets keep their capital in expectation over all games. So the capital exceeds 40 with
// probability at most 1/40, whatever ends the draws (Ville 1939), and the interval fails with at most 0.05.
func TestFairBets(t *testing.T) {
	for model := range tinyPool.right {
		truth, _ := truths(model)
		for labels := 1; labels <= 4; labels++ {
			for _, right := range []bool{true, false} {
				share := truth
				if !right {
					share = 1 - truth
				}
				got := expected(model, labels, func(draws []Drew) float64 { return tinyPool.capital(draws, right, share) })
				if math.Abs(got-1) > 1e-9 {
					t.Errorf("model %d, %d labels, right %v: the expected capital is %v", model, labels, right, got)
				}
			}
		}
	}
}

// TestAccuracyOfAll: where all items have labels, the estimate and its interval are the truth.
func TestAccuracyOfAll(t *testing.T) {
	p := tinyPool
	var draws []Drew
	var done []int
	for _, i := range []int{2, 0, 3, 1} {
		draws = append(draws, Drew{p.weight[i], choose(p.weight, p.right[0], done)[i], p.right[0][i], 0.3})
		done = append(done, i)
	}
	if got, want := p.Accuracy(draws, 0.3), 5./7; math.Abs(got.Mean-want) > 1e-12 || math.Abs(got.Hi-got.Lo) > 1e-12 {
		t.Errorf("%+v, want %v", got, want)
	}
	if got := p.Accuracy(nil, 0.3); got.Lo != 0 || got.Hi != 1 || got.Mean != 0.3 {
		t.Errorf("without labels: %+v", got)
	}
}

// TestCoverage: the interval of the model that most labels agree with, which they chose, holds its accuracy. Of 2,000 sessions
// on different pools a coverage of 0.95 gives less than 0.93 with probability 4·10⁻⁵. Here it is above 0.99, so that of 400 less is
// as unlikely.
func TestCoverage(t *testing.T) {
	sessions := 2000
	if suite.Reduced() {
		sessions = 400
	}
	for _, c := range []struct {
		why           string
		models, items int
		labels        int
		floor         float64
	}{
		{"uniform draws", 8, 100, 50, 1},
		{"greedy draws over a floor", 8, 100, 50, 0.1},
		{"few labels", 5, 60, 20, 0.1},
		{"a half of the draws uniform", 8, 200, 50, 0.5},
		{"many models, all labels but a few", 40, 60, 50, 0.1},
	} {
		var held, width float64
		for s := range sessions {
			est, truth := session(rand.New(rand.NewPCG(uint64(s), 7)), c.models, c.items, c.labels, c.floor)
			if truth >= est.Lo-1e-12 && truth <= est.Hi+1e-12 {
				held++
			}
			width += est.Hi - est.Lo
		}
		held, width = held/float64(sessions), width/float64(sessions)
		t.Logf("%s: coverage %.3f, mean width %.3f", c.why, held, width)
		if held < 0.93 {
			t.Errorf("%s: coverage %.3f", c.why, held)
		}
	}
}

// session plays one: draws prefer the item on which the two best models differ.
func session(r *rand.Rand, models, items, labels int, floor float64) (est record.Estimate, truth float64) {
	right := make([][]bool, models)
	for m := range right {
		right[m] = make([]bool, items)
		accuracy := 0.5 + 0.4*r.Float64()
		for i := range right[m] {
			right[m][i] = r.Float64() < accuracy
		}
	}
	d := Drawn{Items: items, Weight: float64(items), Most: 1, Floor: floor}
	hits, taken := make([]int, models), make([]bool, items)
	draws := make([][]Drew, models)
	for range labels {
		first, second := 0, 1
		for m := range hits {
			switch {
			case hits[m] > hits[first]:
				first, second = m, first
			case m != first && hits[m] > hits[second]:
				second = m
			}
		}
		var open []int
		pick := -1
		for i := range items {
			if !taken[i] {
				open = append(open, i)
				if pick < 0 || right[first][i] != right[second][i] {
					pick = i
				}
			}
		}
		at, q := pick, floor/float64(len(open))
		if r.Float64() < floor {
			at = open[r.IntN(len(open))]
		}
		if at == pick {
			q += 1 - floor
		}
		taken[at] = true
		for m := range hits {
			if right[m][at] {
				hits[m]++
			}
			draws[m] = append(draws[m], Drew{1, q, right[m][at], 0.6})
		}
	}
	best := 0
	for m := range hits {
		if hits[m] > hits[best] {
			best = m
		}
	}
	for _, yes := range right[best] {
		truth += one(yes) / float64(items)
	}
	return d.Accuracy(draws[best], 0.6), truth
}
