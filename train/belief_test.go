package train

import (
	"math"
	"testing"

	"mapo"
	"mapo/internal/check"
	"mapo/rng"
)

// What a game loses on average is what Bayes' rule says, worked out in the open.
func TestBeliever(t *testing.T) {
	p := check.Thresholds(4, 6)
	rows := [][]float64{{1, .5, -.5, -1}, {-.2, -.1, .3, -1}, {0, 0, 0, .1}, {.9, .8, .7, .6}, {-1, -1, -1, -1}}
	for _, loss := range mapo.Losses() {
		var b belief
		var scratch rng.Generator
		b.draw(p, mapo.Rows("rows", rows), 7, rng.New(1), &scratch)
		b.work(p, loss, 3)
		v := believer{belief: &b}
		v.begin(p.T, 1, 3) // of three games the last two
		asked, yes := []int32{0, 3, 1, 2, 2, 1, 0, 0}, []bool{true, false, true, true, false, true, true, true}
		const g = 2
		for i, x := range asked {
			v.observe([]int32{2, 1, x}, []bool{true, false, yes[i]})
		}
		for k := range p.Hypotheses() {
			tie := []int{k, (k + 1) % p.Hypotheses()}
			var sum, all float64
			for i := range b.n {
				theta := b.theta[i*4 : i*4+4]
				likely := 1.0
				for j, x := range asked {
					if yes[j] {
						likely *= (1 + theta[x]) / 2
					} else {
						likely *= (1 - theta[x]) / 2
					}
				}
				all += likely
				sum += likely * 3 * loss.Of(p.Instance(theta), tie)
			}
			if got := v.loss(g, tie); math.Abs(got-sum/all) > 1e-5 { // float32's logarithms, of a loss up to 12
				t.Errorf("%v: ending with one of %v loses %v, want %v", loss, tie, got, sum/all)
			}
		}
	}
}
