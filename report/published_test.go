package report

import (
	"bytes"
	"fmt"
	"html"
	"strings"
	"testing"
)

// beside lists what the page says beside the paper, one line a cell or claim.
func besideLines(run *Run) string {
	var b strings.Builder
	got := (page{Run: run}).Beside()
	if got == nil {
		return "none"
	}
	fmt.Fprintln(&b, got.Text)
	fmt.Fprintln(&b, got.Title, got.Head)
	for _, cells := range got.Cells {
		fmt.Fprintln(&b, cells)
	}
	for _, c := range got.Claims {
		fmt.Fprintln(&b, c.Paper, c.Here)
	}
	return b.String()
}

func TestBesideThePaper(t *testing.T) {
	run := small()
	if got := besideLines(run); got != "none" {
		t.Errorf("a run that is no experiment of the paper has %s", got)
	}
	run.Experiment = Thresholds
	for _, want := range []string{
		"The paper shows this experiment in its Figures 2 to 5, without numbers.",
		"over the range of r”. mapo’s largest gap over 3 levels is 0.023 [0.011, 0.035], at r\u00a0=\u00a032.",
		"fail on worst-case instances. At r\u00a0=\u00a032 the worst case of SGBS is 0.650 to 0.817, mapo’s 0.602.",
		"Bayes-LAL is best overall. mapo’s mean is at most that of SGBS, Uniform and Uncertainty at 3 of 3 h; Bayes-LAL has the least of all at 0.",
	} {
		if got := besideLines(run); !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	// What trusts the table's rows is not SGBS, deterministic though it is.
	run.Rows = append(run.Rows, Row{Metric: WorstCase, Policy: "information", Loss: run.Loss, Level: 32, Instance: -1, Mean: .99, Lo: .98, Hi: 1, Confidence: .95, Games: 800})
	if got := besideLines(run); !strings.Contains(got, "the worst case of SGBS is 0.650 to 0.817,") {
		t.Errorf("information counts as SGBS in\n%s", got)
	}
	run.Experiment = TwentyQ
	for _, want := range []string{
		"Table 1: 20 Questions, accuracy in percent, higher is better [policy the paper this run the 95 % interval of each number]",
		"[mapo 17.9 79.3 [78.3, 80.3]]", "[sgbs:0.1 27.2 ", "[uniform 6.9 ", "Figure 6: “on 20 questions, uncertainty sampling performs remarkably well”. Its worst case is ",
	} {
		if got := besideLines(run); !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if got := besideLines(run); strings.Contains(got, "sgbs:0.03") {
		t.Errorf("a policy that was not played is listed:\n%s", got)
	}
	run = large(SimpleRegret)
	run.Experiment = Jester
	for i := range run.Rows {
		if run.Rows[i].Prior == "table" {
			run.Rows[i].Prior = "users"
		}
	}
	for _, want := range []string{"14,116 users", "[mapo 3.209 ", "[sgbs:0.01 3.180 ", "[bayes-lal 3.610 ", "“our policy alone nearly achieves the r-dependent baseline for all r”. mapo’s largest gap over 9 levels is "} {
		if got := besideLines(run); !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	var b bytes.Buffer
	if err := HTML(&b, run); err != nil {
		t.Fatal(err)
	}
	if page := html.UnescapeString(b.String()); !strings.Contains(page, "<h2>Beside the paper</h2>") || !strings.Contains(page, "<td>3.209</td>") {
		t.Error("the page does not have the section")
	}
	if got := besideLines(&Run{Experiment: Birds}); !strings.Contains(got, "stand in") {
		t.Error(got)
	}
}

// The paper's numbers as its tables print them: a slip here would be a slip in every
// report.
func TestPublishedTables(t *testing.T) {
	for _, c := range []struct {
		table     published
		sum       float64 // of the column, added up from the paper's page
		count     int
		best, low string
	}{
		{table1, 17.9 + 26.5 + 26.2 + 27.2 + 26.5 + 21.4 + 12.8 + 14.3 + 4.1 + 6.9, 10, "sgbs:0.1", "bayes-lal"},
		{table2, 3.209 + 3.180 + 3.224 + 3.278 + 3.263 + 3.153 + 3.090 + 3.027 + 3.610 + 3.877, 10, "uniform", "uncertainty"},
	} {
		sum, high, low := 0.0, "", ""
		for policy, v := range c.table.values {
			sum += v
			if high == "" || v > c.table.values[high] {
				high = policy
			}
			if low == "" || v < c.table.values[low] {
				low = policy
			}
		}
		if sum-c.sum > 1e-9 || c.sum-sum > 1e-9 || len(c.table.values) != c.count || high != c.best || low != c.low {
			t.Errorf("%s: sum %v of %d, most %s, least %s", c.table.title, sum, len(c.table.values), high, low)
		}
	}
}
