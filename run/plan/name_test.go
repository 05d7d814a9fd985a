package plan

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mapo/run"
	"mapo/spec"
)

// TestMaxTimeNames: runs of one spec that may take different times go by different names, and the same by the same, as their
// results are not interchangeable.
func TestMaxTimeNames(t *testing.T) {
	of := map[string]time.Duration{}
	for _, span := range []time.Duration{0, time.Minute, time.Hour} {
		name := func() string {
			s, err := spec.Parse("spec.yaml", []byte("problem: {thresholds: {d: 5}}\nbudget: 6\nlevels: [16, 32]\n"), spec.Override{Scale: "smoke", Truth: spec.Majority})
			if err != nil {
				t.Fatal(err)
			}
			p, err := PlanOf(t.Context(), s, Options{MaxTime: span})
			if err != nil {
				t.Fatal(err)
			}
			return p.Content
		}
		one, two := name(), name()
		if other, known := of[one]; known || one != two {
			t.Errorf("%v is called %s and %s; %v is called the first, too: %v", span, one, two, other, known)
		}
		of[one] = span
	}
}

// TestAlone: a training alone is compared with nothing, whatever the spec says.
func TestAlone(t *testing.T) {
	of := func(alone bool) run.Plan {
		s, err := spec.Parse("spec.yaml", []byte("problem: {thresholds: {d: 5}}\nbudget: 6\nlevels: [16, 32]\nevaluate: {rivals: [uniform], priors: [noiseless]}\n"), spec.Override{Scale: "smoke", Truth: spec.Majority})
		if err != nil {
			t.Fatal(err)
		}
		p, err := PlanOf(t.Context(), s, Options{Alone: alone})
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	if p := of(false); len(p.Rivals) != 1 || len(p.Priors) != 1 {
		t.Errorf("a run has the rivals %v and the priors %v", p.Rivals, p.Priors)
	}
	if p := of(true); len(p.Rivals) != 0 || len(p.Priors) != 0 {
		t.Errorf("a training alone has the rivals %v and the priors %v", p.Rivals, p.Priors)
	}
}

// TestMarks: trainings have the keys of earlier programs, which set marks in them unless at smoke scale or where the spec said no.
func TestMarks(t *testing.T) {
	for _, c := range []struct {
		scale, evaluate string
		alone, want     bool
	}{{"desk", "", false, true}, {"paper", "", false, true}, {"smoke", "", false, false}, {"desk", "evaluate: {yardstick: false}\n", false, false}, {"desk", "", true, false}} {
		s, err := spec.Parse("spec.yaml", []byte("problem: {thresholds: {d: 5}}\nbudget: 6\nlevels: [16]\n"+c.evaluate), spec.Override{Scale: c.scale, Truth: spec.Majority})
		if err != nil {
			t.Fatal(err)
		}
		if p, err := PlanOf(t.Context(), s, Options{Alone: c.alone}); err != nil || p.Marks != c.want {
			t.Errorf("%+v: marks %v, %v", c, p.Marks, err)
		}
	}
}

// TestLevelTooLow: a level below what any instance of a table's rows has is refused, with where it is from.
func TestLevelTooLow(t *testing.T) {
	path := filepath.Join(t.TempDir(), "small.csv")
	if err := os.WriteFile(path, []byte("object,q0,q1,q2\na,0.1,0.9,0.2\nb,0.8,0.3,0.7\nc,0.4,0.6,0.9\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, source := range []string{"", "--r"} {
		s, err := spec.Load(path, spec.Override{})
		if err != nil {
			t.Fatal(err)
		}
		s.Levels = []float64{0.01, 1000}
		want := source
		if want == "" {
			want = s.Name
		}
		if _, err := PlanOf(t.Context(), s, Options{Source: source}); err == nil || !strings.HasPrefix(err.Error(), want+": level 0.01 is below ") {
			t.Errorf("%v, want what is wrong with a level of %s", err, want)
		}
	}
}
