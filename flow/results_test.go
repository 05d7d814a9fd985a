package flow

import (
	"testing"

	"mapo/report"
	"mapo/search"
	"mapo/sim"
)

// With one level π̂ is π_1: the best of the run has a gap of 0 for certain, under both names.
func TestGapsOneLevel(t *testing.T) {
	about := func(mean float64) []search.Worst {
		return []search.Worst{{Level: 8, Estimate: sim.Estimate{Mean: mean, Lo: mean - .01, Hi: mean + .01, Confidence: sim.Confidence}}}
	}
	f := &Flow{Plan: Plan{Levels: []float64{8}}}
	one := &Policy{Name: PiName(1), Worst: about(.5)}
	gaps := 0
	for _, row := range f.Rows(&Result{Policies: []*Policy{one.named(PiHat), one, {Name: "uniform", Worst: about(.8)}}}) {
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
