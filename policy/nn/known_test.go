package nn

import (
	"math"
	"math/rand/v2"
	"testing"

	"mapo/game"
)

// TestKnownFeatures compares what is read of known instances with Bayes' rule, answer by answer.
func TestKnownFeatures(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 0))
	for _, p := range []*game.Problem{knowing(thresholds(7, 9), 2, r), knowing(randomTable(r, 20, 70, 9, .5), 30, r), knowing(randomTable(r, 9, 12, 6, .3), 300, r)} {
		d, n := p.Queries(), len(p.Known)/p.Queries()
		f := newReader(p, 1)
		const b = 40
		s := full(r, b, d, p.T)
		x := make([]float32, b*d*f.count())
		f.read(x, b*d, s, f.scratch())
		x = byQuery(x, f.count(), b*d, b*d)
		for state := range b {
			row := s.Row(state, d)
			likely, all, top, asked := make([]float64, n), 0., 0., 0.
			for j := range n {
				likely[j], asked = 1, 0
				for i := range d {
					yes := min(max((1+float64(p.Known[j*d+i]))/2, .02), .98)
					for range int(row.N[i]+row.S[i]) / 2 {
						likely[j] *= yes
					}
					for range int(row.N[i]-row.S[i]) / 2 {
						likely[j] *= 1 - yes
					}
					asked += float64(row.N[i])
				}
				all, top = all+likely[j], max(top, likely[j])
			}
			fit := 1.
			if asked > 0 {
				fit = math.Pow(top, 1/asked)
			}
			for i := range d {
				mean, second := 0., 0.
				for j, v := range likely {
					theta := float64(p.Known[j*d+i])
					mean += v / all * theta
					second += v / all * theta * theta
				}
				got := x[(state*d+i)*f.count()+structuredFeatures:][:knownFeatures]
				for k, want := range [knownFeatures]float64{
					kSide: mean, kSplit: 1 - math.Abs(mean), kSpread: math.Sqrt(second - mean*mean + 1./1024),
					kSharp: math.Log(all/top) / math.Log(float64(n)), kFit: fit,
				} {
					if math.Abs(float64(got[k])-want) > 1e-4 {
						t.Fatalf("|X| = %d, state %d, query %d: feature %d of the known instances is %v, want %v", d, state, i, k, got[k], want)
					}
				}
			}
		}
	}
}
