package run

import (
	"testing"

	"mapo/game"
	"mapo/internal/check"
	"mapo/run/job"
)

// What averages depend on is the rows that a prior draws from, not the rest of the spec: another name and
// another rival repeat none, other rows under the same name do.
func TestAveragesDependOnRows(t *testing.T) {
	s := folder(t)
	averages := func(change func(p *Plan)) (done int) {
		t.Helper()
		plan := tiny(t, 16)
		change(&plan)
		f, err := New(t.Context(), plan, s, &job.Local{Store: s, Steps: Steps(plan.Known()...), Cores: 2, Events: func(e job.Event) {
			if e.Kind == job.Finished {
				done++
			}
		}})
		if err != nil {
			t.Fatal(err)
		}
		if err := f.average(t.Context(), &Policy{Name: "uniform", Ref: Ref{Rival: "uniform"}}); err != nil {
			t.Fatal(err)
		}
		return done
	}
	if n := averages(func(*Plan) {}); n != 1 {
		t.Errorf("%d jobs at first, want 1", n)
	}
	if n := averages(func(p *Plan) { p.Name, p.Content, p.Rivals = "another", "1", []string{"uncertainty"} }); n != 0 {
		t.Errorf("%d jobs where another name, hash and rival are all that is new", n)
	}
	if n := averages(func(p *Plan) { p.Priors[1] = game.Rows("table", [][]float64{{1, 1, -1, -1, -1}}) }); n != 1 {
		t.Errorf("%d jobs where the rows are others, want 1", n)
	}
}

// A job elsewhere draws from the rows that were kept, and another problem's are refused.
func TestPriorsKept(t *testing.T) {
	s, plan := folder(t), tiny(t, 16)
	if err := keepPriors(t.Context(), s, plan); err != nil {
		t.Fatal(err)
	}
	refs, err := refsOf(plan.Priors)
	if err != nil {
		t.Fatal(err)
	}
	for i, ref := range refs {
		got, err := loadPrior(t.Context(), s, plan.Problem, ref)
		if err != nil {
			t.Fatal(err)
		}
		if again, err := refOf(got); err != nil || again != ref || got.Name() != plan.Priors[i].Name() {
			t.Errorf("%v came back as %v, %v", ref, again, err)
		}
	}
	if _, err := loadPrior(t.Context(), s, check.Thresholds(3, 3), refs[1]); err == nil {
		t.Error("rows of five queries serve a problem of three")
	}
}
