package flow

import (
	"slices"
	"testing"

	"mapo/store"
)

// The policy that a run is for is searched twice, and of each level the worse result is
// reported; another once.
func TestFinalIsSearchedTwice(t *testing.T) {
	ladder, alone := tiny(t, 8, 16, 32), tiny(t, 32)
	worst := func(plan Plan, name string) (means []float64, searches int) {
		t.Helper()
		s, err := store.Folder(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		f, err := New(t.Context(), plan, s, &Local{Store: s, Cores: 2, Events: func(e Event) {
			if e.Kind == Finished {
				searches++
			}
		}})
		if err != nil {
			t.Fatal(err)
		}
		p := &Policy{Name: name, Ref: Ref{Rival: "uniform"}}
		if err := f.judge(t.Context(), p, nil); err != nil {
			t.Fatal(err)
		}
		for _, w := range p.Worst {
			means = append(means, w.Mean)
		}
		return means, searches
	}
	both, n := worst(ladder, PiHat)
	if second, _ := worst(ladder, PiHat+secondSearch); n != 2 {
		t.Errorf("%d searches of π̂, want 2", n)
	} else if slices.Equal(both, second) {
		t.Errorf("both searches found %v: their streams are the same, or the second was worse at every level: choose another seed", both)
	} else {
		for k := range both {
			if both[k] < second[k] {
				t.Errorf("level %d: %v is reported, a search found %v", k, both[k], second[k])
			}
		}
	}
	if _, n := worst(ladder, PiName(1)); n != 1 {
		t.Errorf("%d searches of π_1 of three, want 1", n)
	}
	if _, n := worst(alone, PiName(1)); n != 2 {
		t.Errorf("%d searches of the only policy, want 2", n)
	}
}
