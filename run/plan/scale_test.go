package plan

import (
	"reflect"
	"strings"
	"testing"

	"mapo/spec"
	"mapo/train"
)

// TestScaleReplaces checks that --scale replaces the lengths of training that a spec gives and says
// so, that it leaves the spec's other keys, and that a preset in the spec replaces nothing.
func TestScaleReplaces(t *testing.T) {
	plan := func(scale, keys string) (train.Config, string) {
		t.Helper()
		text := "problem: {thresholds: {d: 5}}\nbudget: 6\nlevels: [16, 32]\ntrain: {preset: smoke" + keys + "}\n"
		s, err := spec.Parse("spec.yaml", []byte(text), spec.Override{Scale: scale, Truth: spec.Majority})
		if err != nil {
			t.Fatal(err)
		}
		var said strings.Builder
		plan, err := PlanOf(t.Context(), s, Options{Scale: scale, Note: func(text string) { said.WriteString(text + "\n") }})
		if err != nil {
			t.Fatal(err)
		}
		return plan.Train, said.String()
	}
	bare, said := plan("smoke", "")
	if said != "" {
		t.Errorf("of a spec without lengths it says %q", said)
	}
	const counts = ", pi: 7, pi_hat: 7, oracle: {follow: 7, refresh: 7, thorough: 7, hedge: 9}"
	if told, _ := plan("", counts); told.PiHat != 7 || told.Oracle.Thorough != 7 || told.Pi != 7 {
		t.Errorf("without --scale %+v, want the spec's own lengths", told)
	}
	scaled, said := plan("smoke", counts)
	bare.Oracle.Hedge = 9
	if !reflect.DeepEqual(scaled, bare) {
		t.Errorf("with --scale\n%+v\nwant\n%+v", scaled, bare)
	}
	want := "--scale smoke replaces the spec's train: {pi: 7, pi_hat: 7, oracle.follow: 7, oracle.refresh: 7, oracle.thorough: 7}\n"
	if said != want {
		t.Errorf("it says %q, want %q", said, want)
	}
	aside, said := plan("smoke", ", paper: {regret: 7, dense: true}")
	bare.Oracle.Hedge = 0
	if want = "--scale smoke trains by another algorithm: the spec's train.paper is put aside\n"; said != want || !reflect.DeepEqual(aside, bare) {
		t.Errorf("it says %q, want %q; the training is %+v", said, want, aside)
	}
}
