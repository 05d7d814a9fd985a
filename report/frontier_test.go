package report

import (
	"bytes"
	"fmt"
	"html"
	"slices"
	"strings"
	"testing"
)

// place is a policy with the same worst case and gap at every level.
type place struct {
	policy      string
	worst, mean float64
}

// placed is a run of two levels with these policies, gaps against the least.
func placed(kind string, places ...place) *Run {
	run := &Run{Name: "placed", Queries: 2, Hypotheses: 3, Budget: 4, Loss: kind, Levels: []float64{8, 32}}
	least := places[0].worst
	for _, p := range places {
		least = min(least, p.worst)
	}
	for _, p := range places {
		add := func(metric, prior string, r, v float64) {
			run.Rows = append(run.Rows, Row{metric, p.policy, kind, r, prior, -1, v, v - .01, v + .01, .95, 1000, 1, none, ""})
		}
		for _, r := range run.Levels {
			add(WorstCase, "", r, p.worst)
			add(Gap, "", r, p.worst-least)
		}
		add(Average, "flip:0.8", 0, p.mean)
		add(Average, "noiseless", 0, p.mean)
	}
	return run
}

func TestHull(t *testing.T) {
	for _, c := range []struct {
		why    string
		places []place
		want   string
	}{
		{"one is best at both", []place{{"mapo", .1, .1}, {"a", .2, .2}, {"b", .1, .3}}, "[mapo]"},
		{"three on the line, one above it", []place{{"mapo", .1, .5}, {"a", .2, .2}, {"b", .4, .1}, {"c", .15, .45}}, "[mapo a b]"},
		{"what mixtures better is off the line", []place{{"mapo", .1, .5}, {"a", .2, .45}, {"b", .3, .1}}, "[mapo b]"},
		{"the same place twice", []place{{"mapo", .1, .5}, {"a", .1, .5}, {"b", .2, .1}}, "[mapo b]"},
		{"worse on average and in the worst case", []place{{"mapo", .3, .1}, {"a", .1, .2}, {"b", .4, .2}}, "[a mapo]"},
	} {
		run := placed(BestIdentification, c.places...)
		for _, v := range run.frontier() {
			var names []string
			for _, s := range v.hull() {
				names = append(names, s.policy)
			}
			if got := fmt.Sprint(names); got != c.want {
				t.Errorf("%s, by the %s: the line is %s, want %s", c.why, v.label, got, c.want)
			}
		}
	}
}

// TestDialWords: a coin is offered for the policy that gives the most for the
// least, and only where intervals do not overlap.
func TestDialWords(t *testing.T) {
	for _, c := range []struct {
		why    string
		weight float64
		places []place
		want   []string
	}{
		{"a rival that is better on average", 0,
			[]place{{"mapo", .5, .3}, {"uncertainty", .7, .2}, {"sgbs:0.1", .9, .1}},
			[]string{
				"mapo’s largest gap is 0.000 [-0.010, 0.010], its mean loss over the prior flip:0.8 0.300 [0.290, 0.310].",
				"A coin that gives one game in ten to uncertainty brings the mean loss over the prior flip:0.8 from 0.300 to 0.290 and the largest gap from 0.000 to at most 0.020.",
				"To train for a little of the average, set objective: {average: flip:0.8, weight: 0.1} in the spec.",
			}},
		{"a difference that the games do not show", .25,
			[]place{{"mapo", .5, .3}, {"uniform", .7, .285}},
			[]string{
				"mapo’s largest gap is 0.000 [-0.010, 0.010], its mean loss over the prior flip:0.8 0.300 [0.290, 0.310]. It was trained for 0.75 × its largest gap + 0.25 × its mean loss over the prior flip:0.8.",
				"No policy of this run is better on average over the prior flip:0.8 by more than these games leave open, so a coin between two of them would buy nothing.",
				"To train for less or more of the average, change the weight under objective: in the spec; 0 is the worst gap alone.",
			}},
		{"the other way", 0,
			[]place{{"mapo", .5, .2}, {"pi-1", .3, .4}, {"uniform", .9, .9}},
			[]string{
				"mapo’s largest gap is 0.200 [0.190, 0.210], its mean loss over the prior flip:0.8 0.200 [0.190, 0.210].",
				"No policy of this run is better on average over the prior flip:0.8 by more than these games leave open, so a coin between two of them would buy nothing.",
				"A coin that gives one game in ten to pi-1 brings the mean loss over the prior flip:0.8 from 0.200 to 0.220 and the largest gap from 0.200 to at most 0.180.",
				"To train for a little of the average, set objective: {average: flip:0.8, weight: 0.1} in the spec.",
			}},
	} {
		run := placed(BestIdentification, c.places...)
		if run.Weight = c.weight; run.Weight > 0 {
			run.Average = "flip:0.8"
		}
		if got := (page{Run: run}).Dial(); !slices.Equal(got, c.want) {
			t.Errorf("%s:\n got %q\nwant %q", c.why, got, c.want)
		}
	}
	if got := (page{Run: &Run{}}).Dial(); got != nil {
		t.Errorf("of nothing: %q", got)
	}
}

// TestFrontierPrior: the objective's, a table's own, the first.
func TestFrontierPrior(t *testing.T) {
	run := placed(SimpleRegret, place{"mapo", 1, .3}, place{"uniform", 2, .3})
	if got := run.frontierPrior(); got != "flip:0.8" {
		t.Error(got)
	}
	for i := range run.Rows {
		if run.Rows[i].Prior == "noiseless" {
			run.Rows[i].Prior = "table"
		}
	}
	if got := run.frontierPrior(); got != "table" {
		t.Error(got)
	}
	run.Average = "flip:0.8"
	if got := run.frontierPrior(); got != "flip:0.8" {
		t.Error(got)
	}
}

// A regret that towers over the others is drawn at the border, with its number;
// the page says what was trained for, and no caption says otherwise.
func TestFrontierDrawn(t *testing.T) {
	run := placed(SimpleRegret, place{"mapo", 1, .3}, place{"uniform", 1.2, .4}, place{"sgbs:0.1", 14, .2})
	run.Average, run.Weight = "flip:0.8", .2
	figures, err := Figures(run)
	if err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(figures, func(f Figure) bool { return f.Name == "frontier" })
	if at < 0 || !strings.Contains(string(figures[at].SVG), "→14.00") || !strings.Contains(figures[at].Caption, "The axis across is cut") {
		t.Errorf("the frontier is drawn as %v", figures)
	}
	var page bytes.Buffer
	if err := HTML(&page, run); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"<dt>objective</dt><dd>0.8 × its largest gap + 0.2 × its mean loss over the prior flip:0.8</dd>", "Worst case or average", "mapo was not trained for the worst alone"} {
		if !strings.Contains(html.UnescapeString(page.String()), want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	for _, no := range []string{"None of these policies, mapo included", "mapo was not trained for this"} {
		if strings.Contains(page.String(), no) {
			t.Errorf("the page says %q", no)
		}
	}
}
