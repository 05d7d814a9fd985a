package flow

import (
	"slices"
	"testing"

	"mapo/eval"
	"mapo/store"
)

// countingJobs is a flow of the plan that adds to jobs each that it carries out.
func countingJobs(t *testing.T, plan Plan, jobs *int) *Flow {
	t.Helper()
	s, err := store.Folder(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	f, err := New(t.Context(), plan, s, &Local{Store: s, Cores: 2, Events: func(e Event) {
		if e.Kind == Finished {
			*jobs++
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// The policy that a run is for is searched twice, and of each level the worse result is
// reported; another once.
func TestFinalIsSearchedTwice(t *testing.T) {
	ladder, alone := tiny(t, 8, 16, 32), tiny(t, 32)
	worst := func(plan Plan, name string) (means []float64, searches int) {
		t.Helper()
		f := countingJobs(t, plan, &searches)
		p := &Policy{Name: name, Ref: Ref{Rival: "uniform"}}
		if err := f.judge(t.Context(), p, f.Effort, nil); err != nil {
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

// A benchmark is held by a policy that was searched there twice: one of which a search missed
// all is not taken at its word, and neither is the next who then holds it.
func TestBenchmarksAreConfirmed(t *testing.T) {
	plan := tiny(t, 8, 16, 32)
	searches := 0
	f := countingJobs(t, plan, &searches)
	hat := &Policy{Name: PiHat, Ref: Ref{Rival: "uniform"}}
	ps := []*Policy{hat, {Name: PiName(1), Ref: Ref{Rival: "uniform"}}, {Name: PiName(2), Ref: Ref{Rival: "uncertainty"}}}
	for _, p := range ps {
		if err := f.judge(t.Context(), p, f.Effort, nil); err != nil {
			t.Fatal(err)
		}
	}
	missed := func(p *Policy, k int, mean float64) { p.Worst[k].Mean = mean }
	missed(ps[1], 0, 0)
	missed(ps[2], 0, .001)
	missed(hat, 2, 0)
	before := slices.Clone(hat.Worst)
	searches = 0
	if err := f.confirm(t.Context(), ps); err != nil {
		t.Fatal(err)
	}
	if ps[1].Worst[0].Mean < .01 || ps[2].Worst[0].Mean < .01 {
		t.Errorf("benchmarks that no second search bears out stand: %v, %v", ps[1].Worst[0], ps[2].Worst[0])
	}
	for k, i := range eval.Holders(curves(ps)) {
		if ps[i] != hat && !slices.Contains(ps[i].confirmed, f.Levels[k]) {
			t.Errorf("%s holds the benchmark for r = %g by one search", ps[i].Name, f.Levels[k])
		}
	}
	for k, w := range hat.Worst {
		if w.Mean != before[k].Mean {
			t.Errorf("π̂ was searched again: %v became %v", before[k], w)
		}
	}
	done := searches
	if err := f.confirm(t.Context(), ps); err != nil || done == 0 || searches != done {
		t.Errorf("%d searches, then %d more of what was confirmed, %v", done, searches-done, err)
	}
}
