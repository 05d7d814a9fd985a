package judge

import (
	"math"
	"slices"
	"strings"
	"testing"

	"mapo/difficulty"
	"mapo/game"
	"mapo/game/exact"
	"mapo/internal/check"
	"mapo/policy/rival"
	"mapo/rng"
)

// five is what levels are chosen for: five thresholds.
func five() Choice {
	return Choice{P: check.Thresholds(5, 4), Loss: game.BestIdentification, Scale: "smoke", Seed: 1}
}

// chosen are c's levels and the note of them.
func chosen(t *testing.T, c Choice) (levels []float64, note string) {
	t.Helper()
	levels, note, err := c.Levels(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return levels, note
}

func TestLevels(t *testing.T) {
	for scale, most := range mostLevels {
		c := five()
		c.Scale = scale
		levels, note := chosen(t, c)
		first := 1.25 * difficulty.Least(c.P)
		if n := len(levels); n < 2 || n > most || levels[0] < first || levels[0] >= first*math.Sqrt2 {
			t.Errorf("%s: %v, want 2 to %d levels from about %g", scale, levels, most, first)
		}
		if !strings.Contains(note, ListLevels(levels)) {
			t.Errorf("%s: the note does not say which: %s", scale, note)
		}
	}
	c := five()
	c.Scale, c.P = "desk", check.Random(100, 900, 20, rng.New(1).Rand())
	if levels, _ := chosen(t, c); len(levels) < 2 || len(levels) > mostCostly {
		t.Errorf("a thousand hypotheses: %v, want %d levels", levels, mostCostly)
	}
	c = five()
	c.Finite = [][]float64{{.3, .3, .3, -.3, -.3}, {.9, .9, .9, .9, -.9}}
	levels, _ := chosen(t, c)
	if rho := game.RhoTilde(c.P).Of(c.Finite[1]); levels[0] < rho {
		t.Errorf("levels %v begin below the easiest given instance, %g", levels, rho)
	}
}

// The highest default level is the first one where Uniform's exact worst case is within 5 % of that far beyond: with losses
// of 86 %, 99.3 % and 100 %, the difficulty of the second instance.
func TestSaturatedLevel(t *testing.T) {
	c := five()
	c.Scale, c.Finite = "paper", nil
	var rho []float64
	for _, x := range []float64{.4, .1, .08} {
		c.Finite = append(c.Finite, []float64{x, x, x, -x, -x})
		rho = append(rho, game.RhoTilde(c.P).Of(c.Finite[len(c.Finite)-1]))
	}
	g, err := exact.New(c.P)
	if err != nil {
		t.Fatal(err)
	}
	f := g.Flow(rival.Uniform(c.P))
	for i, want := range []float64{.86, .993} {
		far, _ := f.Worst(c.Loss, c.Finite)
		if loss, _ := f.Worst(c.Loss, c.Finite[i:i+1]); math.Abs(loss/far-want) > .002 {
			t.Fatalf("Uniform loses %.3f of the largest loss on instance %d, want %g", loss/far, i, want)
		}
	}
	levels, _ := chosen(t, c)
	if last := levels[len(levels)-1]; last < rho[1] || last >= rho[1]*math.Sqrt2 {
		t.Errorf("the highest level is %.4g, want the next one at or above %.4g; the others' difficulties are %.4g and %.4g", last, rho[1], rho[0], rho[2])
	}
}

func TestThin(t *testing.T) {
	levels := []float64{1, 2, 3, 4, 5, 6, 7}
	for n, want := range map[int][]float64{
		9: levels, 7: levels, 4: {1, 3, 5, 7}, 3: {1, 4, 7}, 2: {1, 7},
	} {
		if got := thin(levels, n); !slices.Equal(got, want) {
			t.Errorf("thin to %d: %v, want %v", n, got, want)
		}
	}
	for n := 2; n < 20; n++ {
		for m := 2; m < 20; m++ {
			in := make([]float64, m)
			for i := range in {
				in[i] = float64(i)
			}
			out := thin(in, n)
			if len(out) != min(n, m) || out[0] != 0 || out[len(out)-1] != float64(m-1) || !slices.IsSorted(out) || len(slices.Compact(slices.Clone(out))) != len(out) {
				t.Errorf("thin %d to %d: %v", m, n, out)
			}
		}
	}
}
