package train

import (
	"math"
	"slices"
	"testing"

	"mapo/adversary"
	"mapo/internal/num"
)

// The magnet's gradient against central differences of the divergence, with a query that cannot be asked and states that
// games share; and nothing where the two policies are one.
func TestMagnetGrad(t *testing.T) {
	const weight = .7
	own := []float32{.3, -.8, 1.2, 0, .5, .25}
	magnet := []float32{-.2, .4, 1, 0, .5, -.75}
	mask := []bool{false, false, false, true, false, false}
	row, games := []int32{0, 1, 0}, []float64{2, 1}
	distance := func(own []float32) float64 {
		var sum float64
		for u, n := range games {
			p, q := make([]float32, 3), make([]float32, 3)
			num.Softmax(p, own[u*3:u*3+3], mask[u*3:u*3+3], 1, 3)
			num.Softmax(q, magnet[u*3:u*3+3], mask[u*3:u*3+3], 1, 3)
			for i := range p {
				if p[i] > 0 {
					sum += weight * n * float64(p[i]) * math.Log(float64(p[i])/float64(q[i]))
				}
			}
		}
		return sum
	}
	probs := make([]float32, 6)
	for u := range games {
		num.Softmax(probs[u*3:u*3+3], own[u*3:u*3+3], mask[u*3:u*3+3], 1, 3)
	}
	got := slices.Clone(magnet)
	MagnetGrad(got, own, probs, row, weight, new(RowScratch))
	for i := range own {
		at := func(by float32) float64 {
			x := slices.Clone(own)
			x[i] += by
			return distance(x)
		}
		// Differences of 1e-2 leave out a third derivative's 2e-5, the softmax's rounding is far less.
		if want := (at(1e-2) - at(-1e-2)) / 2e-2; math.Abs(float64(got[i])-want) > 1e-4 {
			t.Errorf("entry %d is %v, want %v", i, got[i], want)
		}
	}
	same := slices.Clone(own)
	MagnetGrad(same, own, probs, row, weight, new(RowScratch))
	for i, v := range same {
		if v != 0 {
			t.Errorf("entry %d is %v where π is μ", i, v)
		}
	}
}

// The magnet is the running mean of ψ. While π is where it began it pulls at nothing, from then on it does.
func TestMagnetFollows(t *testing.T) {
	start := func(weight float64) *Run {
		task := sampled(t, "oracle")
		task.Config.Oracle.Magnet = weight
		return begin(t, task)
	}
	free, held := start(0), start(.3)
	want := slices.Clone(held.Net().Params())
	for iter := range 3 {
		for _, r := range []*Run{free, held} {
			iterate(t, r)
		}
		if same := slices.Equal(free.Net().Params(), held.Net().Params()); same != (iter == 0) {
			t.Errorf("after %d iterations ψ is the same with and without a magnet: %t", iter+1, same)
		}
		for i, v := range held.Net().Params() {
			want[i] += magnetMemory * (v - want[i])
		}
		var s state
		if data, err := held.Snapshot(); err != nil {
			t.Fatal(err)
		} else if err := adversary.Decode(data, &s); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(holds(t, s.Estimator).Penalties[0], want) {
			t.Errorf("after %d iterations the magnet is not ψ's running mean", iter+1)
		}
	}
}
