package run

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"mapo/adversary/search"
	"mapo/judge"
	"mapo/record"
	"mapo/run/job"
	"mapo/run/store"
)

// keeping is a flow of the plan that adds to jobs each that it carries out.
func keeping(t *testing.T, plan Plan, jobs *[]job.Event) *Flow {
	t.Helper()
	s, err := store.Folder(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	f, err := New(t.Context(), plan, s, &job.Local{Store: s, Steps: Steps(), Cores: 2, Events: func(e job.Event) {
		if e.Kind == job.Finished {
			*jobs = append(*jobs, e)
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
		var jobs []job.Event
		f := keeping(t, plan, &jobs)
		p := &Policy{Name: name, Ref: Ref{Rival: "uniform"}}
		if err := f.judge(t.Context(), p, nil); err != nil {
			t.Fatal(err)
		}
		for _, w := range p.Worst {
			means = append(means, w.Mean)
		}
		return means, len(jobs)
	}
	f := keeping(t, ladder, new([]job.Event))
	in := JudgeInput{Header: f.header(PiHat + secondSearch), Policy: Ref{Rival: "uniform"}, Levels: f.Levels, Effort: f.Effort}
	found, _, err := f.worst(t.Context(), stepJudge, in)
	if err != nil {
		t.Fatal(err)
	}
	var second []float64
	for _, w := range found {
		second = append(second, w.Mean)
	}
	if both, n := worst(ladder, PiHat); n != 2 {
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

// In a ladder anybody but π̂ is searched and replayed by a draft; the only policy is not.
func TestEffortFor(t *testing.T) {
	ladder, alone := tiny(t, 8, 16, 32), tiny(t, 32)
	for _, c := range []struct {
		plan Plan
		name string
		want search.Effort
	}{
		{ladder, PiHat, ladder.Effort},
		{ladder, PiName(1), ladder.Effort.Draft()},
		{ladder, "uniform", ladder.Effort.Draft()},
		{alone, PiName(1), alone.Effort},
		{alone, "uniform", alone.Effort},
	} {
		if got := c.plan.effortFor(c.name); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%d levels, %s: %+v, want %+v", len(c.plan.Levels), c.name, got, c.want)
		}
	}
}

// A benchmark is held by a policy that was searched there twice: one of which a search missed
// all is not taken at its word, and neither is the next who then holds it. Who holds one, and π̂
// everywhere, is measured finely, on the worst instance found.
func TestBenchmarksAreConfirmed(t *testing.T) {
	var jobs []job.Event
	f := keeping(t, tiny(t, 8, 16, 32), &jobs)
	hat := &Policy{Name: PiHat, Ref: Ref{Rival: "uniform"}}
	ps := []*Policy{hat, {Name: PiName(1), Ref: Ref{Rival: "uniform"}}, {Name: PiName(2), Ref: Ref{Rival: "uncertainty"}}}
	for _, p := range ps {
		if err := f.judge(t.Context(), p, nil); err != nil {
			t.Fatal(err)
		}
	}
	coarse := hat.Worst[0].Games
	missed := func(p *Policy, k int, mean float64) { p.Worst[k].Mean = mean }
	missed(ps[1], 0, 0)
	missed(ps[2], 0, .001)
	missed(hat, 2, 0)
	searched := func(of string) (n int) {
		for _, e := range jobs {
			if e.Step == "judge" && strings.HasPrefix(e.For, of) {
				n++
			}
		}
		jobs = nil
		return n
	}
	searched("")
	if err := f.confirm(t.Context(), ps); err != nil {
		t.Fatal(err)
	}
	all := slices.Clone(jobs)
	if searched(PiHat) > 0 {
		t.Error("π̂ was searched a third time")
	}
	if ps[1].Worst[0].Mean < .01 || ps[2].Worst[0].Mean < .01 || hat.Worst[2].Mean < .01 {
		t.Errorf("what no second search or measurement bears out stands: %v, %v, %v", ps[1].Worst[0], ps[2].Worst[0], hat.Worst[2])
	}
	for k, i := range judge.Holders(Curves(ps)) {
		if ps[i] != hat && !slices.Contains(ps[i].confirmed, f.Levels[k]) {
			t.Errorf("%s holds the benchmark for r = %g by one search", ps[i].Name, f.Levels[k])
		}
		for _, w := range []record.Worst{ps[i].Worst[k], hat.Worst[k]} {
			if w.Games < 2*coarse {
				t.Errorf("r = %g: %v decides a gap by %d games, where a coarse measurement has %d", f.Levels[k], w, w.Games, coarse)
			}
		}
	}
	if jobs = all; searched("") == 0 {
		t.Error("nobody was searched again")
	}
	if err := f.confirm(t.Context(), ps); err != nil {
		t.Fatal(err)
	}
	// Other games may make somebody else the holder, who is then searched; nobody is twice at a level.
	for _, p := range ps {
		if levels := slices.Sorted(slices.Values(p.confirmed)); len(slices.Compact(levels)) < len(p.confirmed) {
			t.Errorf("%s was searched again at %v", p.Name, p.confirmed)
		}
	}
}

// Measured finely again, a policy plays other games: those before had a part in what stands.
func TestSettledAgain(t *testing.T) {
	var jobs []job.Event
	f := keeping(t, tiny(t, 32), &jobs)
	p := &Policy{Name: PiName(1), Ref: Ref{Rival: "uniform"}}
	if err := f.judge(t.Context(), p, nil); err != nil {
		t.Fatal(err)
	}
	var found [2]record.Worst
	for i := range found {
		if err := f.settle(t.Context(), p, f.Levels); err != nil {
			t.Fatal(err)
		}
		found[i] = p.Worst[0]
	}
	if !slices.Equal(found[0].Theta, found[1].Theta) {
		t.Fatalf("what stands changed from %v to %v, though nothing was found", found[0], found[1])
	}
	if found[0].Mean == found[1].Mean {
		t.Errorf("measured twice by the same games: %v", found[0].Estimate)
	}
}
