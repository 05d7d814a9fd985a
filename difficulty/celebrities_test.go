package difficulty

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"mapo/game"
	"mapo/rng"
)

// celebrities are n hypotheses of the kind 20 Questions has: answers follow a few
// hidden traits, most queries are rarely yes, and every third hypothesis differs from
// the one before in at most three queries.
func celebrities(d, n int, r *rand.Rand) *game.Problem {
	const traits = 12
	weight := make([][]float64, d)
	for i := range weight {
		for range traits {
			weight[i] = append(weight[i], r.NormFloat64())
		}
		weight[i] = append(weight[i], 3*r.NormFloat64()-2)
	}
	p := &game.Problem{X: make([]string, d), T: 1}
	seen := map[string]bool{}
	for len(p.Names) < n {
		row := make([]float32, d)
		if k := len(p.Names); k%3 == 1 {
			copy(row, p.Row(k-1))
			for range 1 + r.IntN(3) {
				i := r.IntN(d)
				row[i] = 1 - row[i]
			}
		} else {
			alike(row, weight, r)
		}
		key := make([]byte, d)
		for i, z := range row {
			key[i] = byte(z)
		}
		if seen[string(key)] {
			continue
		}
		seen[string(key)] = true
		p.Names, p.Z = append(p.Names, ""), append(p.Z, row...)
	}
	return p
}

// alike draws a hypothesis with traits of its own.
func alike(row []float32, weight [][]float64, r *rand.Rand) {
	var trait []float64
	for range len(weight[0]) - 1 {
		trait = append(trait, r.NormFloat64())
	}
	for i, w := range weight {
		x := w[len(trait)]
		for f, v := range trait {
			x += v * w[f]
		}
		if r.Float64() < 1/(1+math.Exp(-2*x)) {
			row[i] = 1
		}
	}
}

// Near-duplicates make the design hard: the few queries that tell two apart get most of
// the weight. At 20 Questions' size the certificate takes about a second of one core.
func TestDesignOfCelebrities(t *testing.T) {
	if testing.Short() {
		t.Skip("a second")
	}
	p := celebrities(500, 1000, rng.New(1).Rand())
	start := time.Now()
	lambda, value, gap, err := Design(p)
	if err != nil {
		t.Fatal(err)
	}
	sound(t, lambda, gap)
	// λ attains no more than value; the hypothesis made from the one before is among the
	// pairs that attain it.
	worst := 0.0
	for k := 1; k < p.Hypotheses(); k += 3 {
		n := float64(p.Differ(k, k-1))
		worst = max(worst, spread(p, k, k-1, lambda)/(n*n))
	}
	if worst > value*(1+1e-9) || worst < value*(1-2*Gap) {
		t.Errorf("near-duplicates attain %v, the value is %v", worst, value)
	}
	t.Logf("value %.1f, gap %.2g, %v", value, gap, time.Since(start))
}
