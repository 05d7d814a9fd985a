package flow

import (
	"testing"

	"mapo/record"
	"mapo/report"
	"mapo/sim"
)

// With one level π̂ is π_1: the best of the run has a gap of 0 for certain, under both names.
func TestGapsOneLevel(t *testing.T) {
	about := func(mean float64) []record.Worst {
		return []record.Worst{{Level: 8, Estimate: record.Estimate{Mean: mean, Lo: mean - .01, Hi: mean + .01, Confidence: sim.Confidence}}}
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

// A record ends with what the policy is judged by: π_k's worst case at its own level, of π̂ the largest excess over the
// benchmarks with its interval, of one without a level the last worst case.
func TestRecordsEnd(t *testing.T) {
	at := func(level, mean float64) record.Worst {
		return record.Worst{Level: level, Estimate: record.Estimate{Mean: mean, Lo: mean - .125, Hi: mean + .25}}
	}
	worst := []record.Worst{at(8, .375), at(16, .75), at(32, .875)}
	b := []float64{.25, .25, .625}
	for _, c := range []struct {
		p    Policy
		b    []float64
		want report.Judged
	}{
		{Policy{Name: "pi-1", Level: 8}, b, report.Judged{Mean: .375, Lo: .25, Hi: .625}},
		{Policy{Name: "pi-2", Level: 16}, b, report.Judged{Mean: .75, Lo: .625, Hi: 1}},
		{Policy{Name: PiHat, Level: 32}, b, report.Judged{Mean: .5, Lo: .375, Hi: .75}},
		{Policy{Name: BayesLAL}, b, report.Judged{Mean: .875, Lo: .75, Hi: 1.125}},
	} {
		if got := new(Flow).judged(c.b, &c.p, worst); got != c.want {
			t.Errorf("%s ends with %+v, want %+v", c.p.Name, got, c.want)
		}
	}
}
