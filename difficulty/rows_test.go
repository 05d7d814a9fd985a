package difficulty

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"mapo/game"
	"mapo/internal/check"
	"mapo/rng"
)

// line has three rows over one query, at -0.5, 0 and 0.5.
func line() *game.Problem {
	p := &game.Problem{X: []string{"x"}, Names: []string{"no", "even", "yes"}, T: 1, Seek: &game.Shares{Yes: []float64{0.25, 0.5, 0.75}}}
	return p.Grade()
}

// TestRowRho: with a = 0.5 and a gap of 0.125 to its neighbour, ρ̃ of a row is (0.5/0.125)². The row twice as far away has a
// gap of 0.5 and makes less. Flipped, an outer row comes nearer to the even one and then is that one's.
func TestRowRho(t *testing.T) {
	p := line()
	for flipped, want := range map[float64][]float64{
		0:    {16, 16, 16},
		0.1:  {0.25 / 0.075 / 0.075, 16, 0.25 / 0.075 / 0.075}, // at ∓0.4: 0.5·0.4 − 0.125
		0.25: {math.Inf(1), 16, math.Inf(1)},                   // at ∓0.25, a tie
		0.4:  {math.Inf(1), 16, math.Inf(1)},                   // the even row scores higher
	} {
		got := RowRho(p, flipped)
		for k := range want {
			if math.IsInf(got[k], 1) != math.IsInf(want[k], 1) || math.Abs(got[k]-want[k]) > 1e-9*want[k] {
				t.Errorf("%v flipped: ρ̃ of the rows is %v, want %v", flipped, got, want)
				break
			}
		}
	}
	if got, want := fmt.Sprint(Coverage(p, []float64{15, 16, 45}, 0.1)), "[0 0.3333333333333333 1]"; got != want {
		t.Errorf("coverage %v, want %v", got, want)
	}
	if got, want := fmt.Sprint(Coverage(p, []float64{15, 16, 45}, 0)), "[0 1 1]"; got != want {
		t.Errorf("coverage %v, want %v", got, want)
	}
}

// TestSample: all rows up to 500, else 500 at even distances, never "none of these".
func TestSample(t *testing.T) {
	for _, c := range []struct {
		n     int
		other bool
		want  int
		last  int
	}{{3, false, 3, 2}, {3, true, 2, 1}, {500, false, 500, 499}, {501, true, 500, 499}, {1500, false, 500, 1497}} {
		p := &game.Problem{Names: make([]string, c.n), Seek: &game.Shares{Other: c.other}}
		got := Sample(p)
		if len(got) != c.want || got[0] != 0 || got[len(got)-1] != c.last || len(slices.Compact(slices.Clone(got))) != len(got) {
			t.Errorf("of %d rows, %v: %d up to %d, want %d up to %d", c.n, c.other, len(got), got[len(got)-1], c.want, c.last)
		}
	}
}

// TestRowLevels: from the median of the least ρ̃ in steps of √2 to where 95 % of the flipped rows are covered, or to the end given.
func TestRowLevels(t *testing.T) {
	p := check.GradedFile(t, "../examples/animals.csv", 20)
	p.Ease(Anchors(p))
	if got, want := fmt.Sprint(RowLevels(p, 1e6)), "[8 11.313708498984761 16 22.627416997969522 32]"; got != want {
		t.Errorf("levels of animals are %v, want %v", got, want)
	}
	levels := RowLevels(p, 20)
	if got, want := fmt.Sprint(levels), "[8 11.313708498984761 16 22.627416997969522]"; got != want {
		t.Errorf("levels of animals up to 20 are %v, want %v", got, want)
	}
	if got := RowLevels(p, 1); len(got) != 1 {
		t.Errorf("an end below the start leaves %v", got)
	}
	if got := Coverage(p, []float64{22.7, 32}, 0.1); got[0] > 0.9 || got[1] < 0.95 {
		t.Errorf("22.6 and 32 cover %v of the flipped rows, want less and more than 0.95", got)
	}
	q := check.Graded(6, 8, 4, rng.New(1).Rand())
	rho := slices.Sorted(slices.Values(Cells(q)))
	if got := RowLevels(q, 1); got[0] < rho[3] || got[0] > rho[3]*math.Sqrt2 {
		t.Errorf("levels start at %v, the least ρ̃ are %v", got[0], rho)
	}
}

// TestQuantile: the least value that a share of the values do not exceed.
func TestQuantile(t *testing.T) {
	var values []float64
	for k := range 30 {
		values = append(values, float64((k*7)%30+1)) // 1 to 30
	}
	for _, c := range []struct{ share, want float64 }{{0.95, 29}, {0.5, 15}, {0.9, 27}, {0.51, 16}, {1, 30}, {0.01, 1}} {
		if got := quantile(values, c.share); got != c.want {
			t.Errorf("of 1 to 30 the quantile %v is %v, want %v", c.share, got, c.want)
		}
	}
}
