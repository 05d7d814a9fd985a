package folder

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"mapo/game/sim"
	"mapo/record"
	"mapo/report"
	"mapo/run"
	"mapo/run/job"
)

// With one level π̂ is π_1: the best of the run has a gap of 0 for certain, under both names.
func TestGapsOneLevel(t *testing.T) {
	about := func(mean float64) []record.Worst {
		return []record.Worst{{Level: 8, Estimate: record.Estimate{Mean: mean, Lo: mean - .01, Hi: mean + .01, Confidence: sim.Confidence}}}
	}
	f := &run.Flow{Plan: run.Plan{Levels: []float64{8}}}
	one := &run.Policy{Name: run.PiName(1), Worst: about(.5)}
	gaps := 0
	for _, row := range Rows(f, &run.Result{Policies: []*run.Policy{{Name: run.PiHat, Worst: about(.5)}, one, {Name: "uniform", Worst: about(.8)}}}) {
		if row.Metric != report.Gap {
			continue
		}
		gaps++
		if learned := row.Policy != "uniform"; learned && (row.Lo != 0 || row.Hi != 0) || !learned && (row.Lo <= .28 || row.Hi >= .32) {
			t.Errorf("%s has a gap of %v [%v, %v]", row.Policy, row.Mean, row.Lo, row.Hi)
		}
	}
	if gaps != 3 {
		t.Errorf("%d gaps, want one a policy", gaps)
	}
}

// A record ends with what the policy is judged by: π_k's worst case at its own level, of π̂ the largest excess over the
// benchmarks with its interval, of one without a level the last worst case.
func TestRecordsEnd(t *testing.T) {
	at := func(level, mean float64) record.Worst {
		return record.Worst{Level: level, Estimate: record.Estimate{Mean: mean, Lo: mean - .125, Hi: mean + .25}}
	}
	worst := []record.Worst{at(8, .375), at(16, .75), at(32, .875)}
	b := []float64{.25, .25, .625}
	for _, c := range []struct {
		p    run.Policy
		b    []float64
		want report.Judged
	}{
		{run.Policy{Name: "pi-1", Level: 8}, b, report.Judged{Mean: .375, Lo: .25, Hi: .625}},
		{run.Policy{Name: "pi-2", Level: 16}, b, report.Judged{Mean: .75, Lo: .625, Hi: 1}},
		{run.Policy{Name: run.PiHat, Level: 32}, b, report.Judged{Mean: .5, Lo: .375, Hi: .75}},
		{run.Policy{Name: run.BayesLAL}, b, report.Judged{Mean: .875, Lo: .75, Hi: 1.125}},
	} {
		if got := judged(c.b, &c.p, worst); got != c.want {
			t.Errorf("%s ends with %+v, want %+v", c.p.Name, got, c.want)
		}
	}
}

func TestOneLevel(t *testing.T) {
	plan, dir := tiny(t, 16), t.TempDir()
	plan.Rivals = []string{"uniform"}
	if err := carry(t, plan, dir, 2, func(e job.Event) bool {
		if e.For == run.PiHat {
			t.Errorf("with one level π̂ is π_1 (reading 16), got %v", e)
		}
		return false
	}); err != nil {
		t.Fatal(err)
	}
	rows, _ := results(t, dir)
	of := func(policy string) (out []string) { // but for the seconds
		for _, r := range rows {
			if r[1] == policy {
				out = append(out, strings.Join(slices.Concat(r[:1], r[2:11]), ","))
			}
		}
		return out
	}
	if hat, pi := of(run.PiHat), of("pi-1"); len(hat) < 3 || !slices.Equal(hat, pi) {
		t.Errorf("mapo has %v, pi-1 %v", hat, pi)
	}
}

// TestScreenedRows: results.csv marks the worst cases and gaps that a short search alone found, and no others, and the page
// names no such worst case as the best rival's.
func TestScreenedRows(t *testing.T) {
	plan, dir := tiny(t, 8, 16), t.TempDir()
	plan.Scale, plan.Rivals = "desk", []string{"sgbs:0.1", "sgbs:0.1+posterior"}
	var res *run.Result
	f := carryOut(t, plan, dir, &res)
	want := map[string]bool{}
	for _, p := range res.Policies {
		for _, r := range f.Levels {
			if p.Screened(r) {
				want[p.Name+fmt.Sprintf(" %g", r)] = true
			}
		}
	}
	rows, _ := results(t, dir)
	marked := 0
	for _, row := range rows {
		effort := row[len(row)-1]
		if is := row[0] != report.Average && want[row[1]+" "+row[3]]; is != (effort == report.ScreenEffort) {
			t.Errorf("%v: screened %t", row, is)
		} else if is {
			marked++
		}
	}
	if len(want) == 0 || marked != 2*len(want) {
		t.Errorf("%d rows are marked, of %v", marked, want)
	}
	page := Page(f, res)
	for _, r := range f.Levels {
		if best, ok := page.BestRival(r); ok && want[best.Policy+fmt.Sprintf(" %g", r)] {
			t.Errorf("the best rival at %g is %s", r, best.Policy)
		}
	}
}
