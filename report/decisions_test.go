package report

import (
	"strings"
	"testing"
)

// TestBandDecisions: the band of SGBS spans its β under one decision. With another it is a line of
// its own.
func TestBandDecisions(t *testing.T) {
	var all []series
	for _, name := range []string{"sgbs:0.1+posterior", "sgbs:0.01", "sgbs:0.1", "sgbs:0.3"} {
		all = append(all, series{name: name, short: name, x: []float64{1}, mean: []float64{0.5}})
	}
	rest, bands := family(all)
	if len(bands) != 1 || bands[0].name != "SGBS, β 0.01–0.3" {
		t.Errorf("bands %v, want SGBS of β 0.01–0.3", bands)
	}
	if len(rest) != 1 || rest[0].short != "sgbs:0.1+posterior" {
		t.Errorf("lines %v, want sgbs:0.1+posterior", rest)
	}
}

// TestFlipClaim: what is said of the paper's claim on averages counts the policies that it names
// alone.
func TestFlipClaim(t *testing.T) {
	row := func(policy string, mean float64) Row {
		return Row{Metric: Average, Policy: policy, Loss: BestIdentification, Prior: "flip:0.8", Instance: -1, Mean: mean, Lo: mean, Hi: mean, Confidence: 0.95, Games: 1}
	}
	run := &Run{Loss: BestIdentification, Rows: []Row{row(Mapo, 0.3), row("uniform", 0.5), row("sgbs:0.1", 0.4), row("information", 0.2), row("instant:0.7", 0.1), row("bayes-lal", 0.25)}}
	const want = "at 1 of 1 h; Bayes-LAL has the least of all at 0."
	if got := run.flipClaim().Here; !strings.HasSuffix(got, want) {
		t.Errorf("%q, want …%q", got, want)
	}
}
