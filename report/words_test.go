package report

import (
	"math"
	"strings"
	"testing"
)

// estimate is a worst-case row with half-width .01.
func estimate(policy string, r, mean float64) Row {
	return Row{WorstCase, policy, BestIdentification, r, "", -1, mean, mean - .01, mean + .01, .95, 1000, 0, none, ""}
}

// TestVerdicts: the page says who wins, from the rows alone, and admits what it cannot tell.
func TestVerdicts(t *testing.T) {
	run := &Run{Loss: BestIdentification, Levels: []float64{8, 16, 32}, Rows: []Row{
		estimate(Mapo, 8, .30), estimate("uniform", 8, .31), estimate("uncertainty", 8, .40),
		estimate(Mapo, 16, .40), estimate("uniform", 16, .50), estimate("uncertainty", 16, .45), estimate("pi-2", 16, .30),
		estimate(Mapo, 32, .60), estimate("uniform", 32, .80), estimate("uncertainty", 32, .55),
	}}
	got := (page{Run: run}).Verdicts()
	for i, want := range []verdict{
		{"worse", "At r = 32 a rival does better: its worst case is below mapo’s and the intervals do not overlap.",
			[]string{"r = 32: mapo 0.600 [0.590, 0.610], uncertainty 0.550 [0.540, 0.560]"}},
		{"even", "At r = 8 there is no significant difference between mapo’s worst case and that of these rivals.",
			[]string{"r = 8: mapo 0.300 [0.290, 0.310], uniform 0.310 [0.300, 0.320]"}},
		{"better", "At r = 16 mapo’s worst case is below that of every rival; the intervals do not overlap.", nil},
	} {
		if i >= len(got) {
			t.Fatalf("%d verdicts, want more", len(got))
		}
		g := got[i]
		plain := func(s string) string { return strings.ReplaceAll(s, "\u00a0", " ") }
		if g.Kind != want.Kind || plain(g.Text) != want.Text || plain(strings.Join(g.Cases, "|")) != strings.Join(want.Cases, "|") {
			t.Errorf("verdict %d:\n%+v\nwant\n%+v", i+1, g, want)
		}
	}
}

// TestVerdictsDecide checks the rule itself: touching or missing intervals decide nothing.
func TestVerdictsDecide(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		lo, hi       float64
		ahead, level int
		why          string
	}{
		{.1, .28, 1, 0, "wholly below"},
		{.1, .29, 0, 1, "touches from below"},
		{.31, .4, 0, 1, "touches from above"},
		{.32, .4, 0, 0, "wholly above"},
		{nan, nan, 0, 1, "no interval"},
	} {
		rival := estimate("uniform", 8, .3)
		rival.Lo, rival.Hi = c.lo, c.hi
		own := estimate(Mapo, 8, .30)
		own.Lo, own.Hi = .29, .31
		d := newDuel("", []Row{rival, own})
		if len(d.ahead) != c.ahead || len(d.level) != c.level {
			t.Errorf("%s: %d ahead and %d level, want %d and %d", c.why, len(d.ahead), len(d.level), c.ahead, c.level)
		}
	}
}

// TestAveragesCarryBothLosses: a verdict on each.
func TestAveragesCarryBothLosses(t *testing.T) {
	run := &Run{Loss: BestIdentification}
	for _, kind := range []string{BestIdentification, SimpleRegret} {
		for _, p := range []string{Mapo, "uniform"} {
			row := estimate(p, 0, map[string]float64{Mapo: .2, "uniform": .3}[p])
			row.Metric, row.Prior, row.Loss = Average, "flip:0.8", kind
			run.Rows = append(run.Rows, row)
		}
	}
	got := (page{Run: run}).Verdicts()
	if len(got) != 2 || !strings.Contains(got[0].Text, "best identification") || !strings.Contains(got[1].Text, "simple regret") {
		t.Errorf("verdicts %+v, want one a loss", got)
	}
}

func TestTicks(t *testing.T) {
	for _, c := range []struct {
		axis axis
		want string
	}{
		{linear("", 0, .93, 6), "0 0.2 0.4 0.6 0.8 1.0"},
		{linear("", 0, 3.1, 4), "0 1 2 3 4"},
		{linear("", -.02, .1, 4), "-0.05 0 0.05 0.10"},
		{linear("", 0, 0, 2), "0 0.5 1.0"},
		{linear("", math.Nextafter(.125, 0), .125, 4), "0 0.5 1.0 1.5"}, // equal, but for rounding
		{linear("", 1e17, 1e17, 2), "100000000000000000 100000050000000000 100000100000000000"},
		{difficultyAxis([]float64{8, 11.313708498984761, 16, 32}), "8 16 32"},
		{difficultyAxis([]float64{11.313708498984761}), "11.31"},
		{difficultyAxis([]float64{5, 7}), "5 7"},
		{decades("", .003, .2), "1e-3 0.01 0.1 1"},
	} {
		var got []string
		for _, k := range c.axis.ticks {
			if k.text != "" {
				got = append(got, k.text)
			}
			if p := c.axis.at(k.at); p < -1e-9 || p > 1+1e-9 {
				t.Errorf("tick %v of [%v, %v] lies at %v", k.at, c.axis.lo, c.axis.hi, p)
			}
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("ticks %v, want %s", got, c.want)
		}
	}
}

func TestSeconds(t *testing.T) {
	for s, want := range map[float64]string{.26: "0.3 s", 9.96: "10 s", 119: "119 s", 119.6: "2 min 00 s", 600: "10 min 00 s", 7200: "2 h 00 min", 86400 * 3: "3.0 days"} {
		if got := seconds(s); got != want {
			t.Errorf("seconds(%v) = %s, want %s", s, got, want)
		}
	}
}
