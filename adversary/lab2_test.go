package adversary

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"testing"

	"mapo"
	"mapo/baseline"
	"mapo/rng"
)

func TestPolish(t *testing.T) {
	if os.Getenv("POLISH") == "" {
		t.Skip()
	}
	p := labThresholds(25, 20)
	score := map[string]float64{}
	for _, name := range []string{"uniform", "uncertainty"} {
		pol, _ := baseline.Parse(p, name)
		for seed := range 4 {
			e, _ := Efforts("desk")
			s := &Search{P: p, C: mapo.RhoTilde(p), Loss: mapo.SimpleRegret, Policy: pol, Levels: []float64{8, 16, 32, 64, 128}, Key: rng.New(uint64(seed + 1)), Effort: e}
			ws, _ := s.Run(context.Background())
			h, _ := s.hunt(context.Background())
			tr := &trial{theta: ws[3].Theta, rho: ws[3].Rho, level: 3}
			tr2 := &trial{theta: append([]float64(nil), ws[3].Theta...), rho: ws[3].Rho, level: 3}
			h.measure([]*trial{tr}, 100000, rng.New(7))
			fmt.Printf("%s reported %.3f true %.3f  rho %.1f", name, ws[3].Mean, tr.mean, tr.rho)
			_ = tr2
			for _, g := range []Rung{{1, 40, 256, .03, .004}, {1, 80, 128, .03, .004}, {1, 20, 512, .04, .004}, {1, 40, 512, .03, .004}, {1, 80, 256, .03, .002}} {
				for v := range 4 {
					labAvg, labStyle, labNorm = v&1 > 0, false, v&2 > 0
					m := 0.
					for rep := range 3 {
						tr3 := &trial{theta: append([]float64(nil), tr2.theta...), rho: tr.rho, level: 3}
						h.climb([]*trial{tr3}, g, rng.New(uint64(20+rep)))
						h.measure([]*trial{tr3}, 50000, rng.New(9))
						m += tr3.mean / 3
					}
					score[fmt.Sprint(name, g, v)] += (m - tr.mean) / 4
				}
			}
			labAvg, labStyle, labNorm = false, true, false
			fmt.Println()
		}
	}
	for _, k := range slices.Sorted(maps.Keys(score)) {
		fmt.Printf("%s %+.4f\n", k, score[k])
	}
}
