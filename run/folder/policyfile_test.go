package folder

import (
	"testing"

	"mapo/policy/nn"
	"mapo/run"
	"mapo/run/job"
	"mapo/run/store"
)

// TestContractNamesItsInit: a policy file says which policy its training began from.
func TestContractNamesItsInit(t *testing.T) {
	plan := tiny(t, 32)
	plan.Rivals, plan.Priors = nil, nil
	learn := func(plan run.Plan) (*run.Flow, *run.Ladder) {
		t.Helper()
		s, err := store.Folder(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		f, err := run.New(t.Context(), plan, s, &job.Local{Store: s, Steps: run.Steps(), Cores: 1})
		if err != nil {
			t.Fatal(err)
		}
		ladder, err := run.MAPO(t.Context(), f)
		if err != nil {
			t.Fatal(err)
		}
		return f, ladder
	}
	f, ladder := learn(plan)
	if got, ok := run.Contract(f, ladder.PiHat, ladder).Trained["init"]; ok {
		t.Errorf("fresh weights: the file says it began from %q", got)
	}
	_, source, err := nn.Decode(ladder.PiHat.Net.File)
	if err != nil {
		t.Fatal(err)
	}
	plan.Init = ladder.PiHat.Net.File
	f, ladder = learn(plan)
	if got, want := run.Contract(f, ladder.PiHat, ladder).Trained["init"], "pi-1 "+source.Hash[:8]; got != want {
		t.Errorf("the file says it began from %q, want %q", got, want)
	}
}
