package report

import (
	"math"
	"slices"
	"strings"
	"testing"
)

// A noise curve's line is of games that end right, by increasing noise: 1 less the loss, with the ends of its interval turned
// round, and of its policy alone.
func TestNoiseLine(t *testing.T) {
	row := func(policy, prior string, mean, lo, hi float64) Row {
		return Row{Metric: Average, Loss: BestIdentification, Policy: policy, Prior: prior, Mean: mean, Lo: lo, Hi: hi}
	}
	s := noiseLine([]Row{
		row("uniform", "table+flip:0.1", .5, .4375, .5625), row("other", "table", .9, .9, .9), row("uniform", "table", .25, .125, .5), row("uniform", "table+flip:0.05", .375, .25, .5),
	}, "uniform")
	for what, v := range map[string][2][]float64{
		"noise": {s.x, {0, .05, .1}}, "mean": {s.mean, {.75, .625, .5}}, "lower end": {s.lo, {.5, .5, .4375}}, "upper end": {s.hi, {.875, .75, .5625}},
	} {
		if !slices.Equal(v[0], v[1]) {
			t.Errorf("the %s of the line is %v, want %v", what, v[0], v[1])
		}
	}
}

// Figures and tables have policies in one order, few of many levels, and rows of one metric and loss that hold a number.
func TestChosen(t *testing.T) {
	var rows []Row
	for _, policy := range []string{"bayes-lal", "sgbs:0.2", "pi-10", "uncertainty", "pi-2", Mapo, "sgbs:0.05", "uniform", "pi-2"} {
		rows = append(rows, Row{Policy: policy})
	}
	if got, want := policies(rows), []string{Mapo, "pi-2", "pi-10", "uniform", "uncertainty", "sgbs:0.05", "sgbs:0.2", "bayes-lal"}; !slices.Equal(got, want) {
		t.Errorf("policies come as %v, want %v", got, want)
	}
	for _, c := range [][2][]float64{{{1, 2, 3, 4, 5, 6}, {1, 4, 6}}, {{1, 2, 3}, {1, 2, 3}}, {{1}, {1}}} {
		if got := few(c[0]); !slices.Equal(got, c[1]) {
			t.Errorf("few of %v are %v, want %v", c[0], got, c[1])
		}
	}
	run := &Run{Rows: []Row{
		{Metric: Average, Loss: BestIdentification, Policy: "a", Mean: 1}, {Metric: Average, Loss: SimpleRegret, Policy: "b", Mean: 1},
		{Metric: WorstCase, Loss: BestIdentification, Policy: "c", Mean: 1}, {Metric: Average, Loss: BestIdentification, Policy: "d", Mean: math.NaN()},
	}}
	if got := run.pick(Average, BestIdentification); len(got) != 1 || got[0].Policy != "a" {
		t.Errorf("picked are %v, want a alone", got)
	}
	order := leveled([]Row{{Level: 16, Policy: "uniform"}, {Level: 8, Policy: "uniform"}, {Level: math.Inf(1)}, {Level: 16, Policy: Mapo}, {}})
	if len(order) != 3 || order[0].Level != 8 || order[1].Policy != Mapo || order[2].Policy != "uniform" {
		t.Errorf("by level and policy rows come as %v", order)
	}
}

// Averages come by h where a prior has one, the others behind by name, and of each prior by policy. A page's table has them
// in that order.
func TestAveragesInOrder(t *testing.T) {
	run := &Run{Loss: BestIdentification, Levels: []float64{8}}
	for _, of := range []string{"table uniform", "flip:1 mapo", "flip:0.55 uniform", "flip:0.9 mapo", "table mapo", "flip:0.55 pi-10", "flip:0.55 pi-2", "dense mapo", "flip:0.55 mapo"} {
		prior, policy, _ := strings.Cut(of, " ")
		row := estimate(policy, 0, .3)
		row.Metric, row.Prior = Average, prior
		run.Rows = append(run.Rows, row)
	}
	rows := run.pick(Average, BestIdentification)
	sortAverages(rows)
	var got []string
	for _, r := range rows {
		got = append(got, r.Prior+" "+r.Policy)
	}
	curve := []string{"flip:0.55 mapo", "flip:0.55 pi-2", "flip:0.55 pi-10", "flip:0.55 uniform", "flip:0.9 mapo", "flip:1 mapo"}
	if want := append(curve, "dense mapo", "table mapo", "table uniform"); !slices.Equal(got, want) {
		t.Errorf("averages come as\n%q, want\n%q", got, want)
	}
	table := figuresOf(t, run)["averages"].rows
	if len(table) != len(curve) {
		t.Fatalf("the table under the curves over h has %d rows, want %d", len(table), len(curve))
	}
	for i, cells := range table {
		if text := strings.Join(cells, " "); !strings.Contains(text, strings.Fields(curve[i])[0]) || !strings.Contains(text, strings.Fields(curve[i])[1]) {
			t.Errorf("row %d of the table is %q, want %s", i, text, curve[i])
		}
	}
}

// The queries nearest to noise are those of the smallest |θ_i|, the nearest first, equal ones in the problem's order.
func TestNoisiest(t *testing.T) {
	run := &Run{QueryTexts: []string{"a", "b", "c", "d", "e"}}
	theta := []float64{-.9, .3, -.1, 0.5, -.3}
	for n, want := range map[int][]string{0: nil, 1: {"c"}, 3: {"c", "b", "e"}, 9: {"c", "b", "e", "d", "a"}} {
		if got := run.noisiest(theta, n); !slices.Equal(got, want) {
			t.Errorf("the %d queries nearest to noise are %q, want %q", n, got, want)
		}
	}
	if got := (&Run{}).noisiest(theta, 3); got != nil {
		t.Errorf("queries without names are called %q", got)
	}
}
