package folder

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"mapo/data/dataset"
	"mapo/report"
	"mapo/run"
	"mapo/run/runtest"
)

// results reads a run's results.csv, its header aside, and report.html.
func results(t *testing.T, dir string) (rows [][]string, page string) {
	t.Helper()
	file, err := os.Open(filepath.Join(dir, resultsFile))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if rows, err = csv.NewReader(file).ReadAll(); err != nil || len(rows) == 0 {
		t.Fatal(err, "and", len(rows), "lines")
	}
	html, err := os.ReadFile(filepath.Join(dir, reportFile))
	if err != nil {
		t.Fatal(err)
	}
	return rows[1:], string(html)
}

// A run on a tiny problem certifies: the design's reference brackets stand in
// results.csv, every policy's exact worst case lies above them, and the report
// shows both. All of it is found again by a run that goes on.
func TestCertified(t *testing.T) {
	plan, dir := tiny(t, 8, 32), t.TempDir()
	plan.Problem, plan.Priors = dataset.Thresholds(3, 5), nil
	plan.Rivals = []string{"uniform", "sgbs:0.1", run.BayesLAL}
	var res *run.Result
	f := carryOut(t, plan, dir, &res)
	want := map[string][2]float64{"8": {.2730, .2744}, "32": {.5039, .5067}}
	rows, page := results(t, dir)
	n := 0
	for _, row := range rows {
		if row[0] != report.Minimax {
			continue
		}
		n++
		b := want[row[3]]
		lo, err1 := strconv.ParseFloat(row[7], 64)
		hi, err2 := strconv.ParseFloat(row[8], 64)
		if err1 != nil || err2 != nil || row[1] != "" || lo > b[1] || hi < b[0] || hi-lo > .0021 || lo > hi {
			t.Errorf("the bracket at r = %s is [%v, %v], want it to meet [%v, %v]: %v", row[3], lo, hi, b[0], b[1], row)
		}
	}
	if n != 2 {
		t.Errorf("results.csv has %d brackets, want 2", n)
	}
	c := res.Certificate
	if c.Why != "" || len(c.Brackets) != 2 || c.Brackets[0].Instances != 168 || c.Brackets[1].Instances != 360 {
		t.Errorf("the certificate is %+v", c)
	}
	for _, p := range res.Policies {
		for k, b := range c.Brackets {
			if len(p.Exact) != 2 || p.Exact[k] < b.Lo-1e-9 || p.Exact[k] > 1 {
				t.Errorf("%s: exact worst cases %v, the bracket's lower end %v", p.Name, p.Exact, b.Lo)
			}
		}
	}
	if u := res.Policies[3]; u.Name != "uniform" || u.Exact[0] < .4588 || u.Exact[0] > .4590 || u.Exact[1] < .6145 || u.Exact[1] > .6147 {
		t.Errorf("%s: %v, want uniform's .4589 and .6146", u.Name, u.Exact)
	}
	for _, want := range []string{`id="minimax"`, "no policy at all has a worst case below", "mapo’s there is exactly"} {
		if !strings.Contains(page, want) {
			t.Errorf("the report does not say %q", want)
		}
	}
	if strings.Contains(page, "too large for a certificate") {
		t.Error("the report says that there is no certificate")
	}
	if len(Page(f, res).Exact) != 2*len(res.Policies) {
		t.Error("not every policy's exact worst cases are on the page")
	}
	again := runtest.Left(t, dir)
	finished(t, plan, dir)
	runtest.Same(t, "finished", runtest.Left(t, dir), again)
}

// Given instances are certified over themselves: there the exact judge and the
// sampled one look at the same thing.
func TestCertifiedFinite(t *testing.T) {
	plan, dir := tiny(t), t.TempDir()
	plan.Problem, plan.Priors, plan.Rivals = dataset.Thresholds(3, 5), nil, []string{"uniform"}
	plan.Finite = [][]float64{{.5, -.75, -1}, {.25, .25, .5}, {1, .75, -.5}}
	plan.Levels = []float64{10, 40}
	var res *run.Result
	carryOut(t, plan, dir, &res)
	c := res.Certificate
	if len(c.Brackets) != 2 || c.Brackets[0].Instances != 2 || c.Brackets[1].Instances != 3 || c.Over != "the 3 given instances" {
		t.Fatalf("the certificate is %+v", c)
	}
	for _, p := range res.Policies {
		for k, w := range p.Worst {
			if p.Exact[k] < w.Lo-.05 || p.Exact[k] > w.Hi+.05 {
				t.Errorf("%s at r = %v: exactly %v, sampled %v", p.Name, w.Level, p.Exact[k], w.Estimate)
			}
		}
	}
}

// What is not tiny is not certified, and the report says so in a sentence.
func TestNotCertified(t *testing.T) {
	plan, dir := tiny(t, 16), t.TempDir()
	plan.Rivals, plan.Priors = []string{"uniform"}, nil
	if err := carry(t, plan, dir, 2, nil); err != nil {
		t.Fatal(err)
	}
	rows, page := results(t, dir)
	for _, row := range rows {
		if row[0] == report.Minimax {
			t.Errorf("there is a bracket: %v", row)
		}
	}
	if !strings.Contains(page, "too large for a certificate") || strings.Contains(page, `id="minimax"`) {
		t.Error("the report does not say that there is no certificate")
	}
}
