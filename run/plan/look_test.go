package plan

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"mapo/difficulty"
	"mapo/rng"
	"mapo/spec"
)

// largeTable writes a table of 4 rows and 50,100 queries.
func largeTable(t *testing.T) string {
	t.Helper()
	r := rng.New(1).Rand()
	var b strings.Builder
	b.WriteString("object")
	for i := range 50100 {
		fmt.Fprintf(&b, ",q%d", i)
	}
	for j := range 4 {
		fmt.Fprintf(&b, "\no%d", j)
		for range 50100 {
			fmt.Fprintf(&b, ",%.3f", r.Float64())
		}
	}
	path := filepath.Join(t.TempDir(), "large.csv")
	if err := os.WriteFile(path, []byte(b.String()+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestLook: a plan that is not carried out finds no anchors of a large table, and is the plan of a run but for those.
func TestLook(t *testing.T) {
	if testing.Short() {
		t.Skip("finds the anchors of a large table")
	}
	path := largeTable(t)
	type outcome struct {
		levels []float64
		hash   string
		found  bool // anchors
	}
	plan := func(look bool) (outcome, []string) {
		s, err := spec.Load(path, spec.Override{})
		if err != nil {
			t.Fatal(err)
		}
		var lock sync.Mutex
		var done []string
		p, err := PlanOf(t.Context(), s, Options{Look: look, Tell: func(what string, share float64) {
			lock.Lock()
			defer lock.Unlock()
			if share == 1 {
				done = append(done, what)
			}
		}})
		if err != nil {
			t.Fatal(err)
		}
		if !difficulty.Large(p.Problem) || s.Problem != p.Problem {
			t.Fatal("the problem is not large, or not the spec's")
		}
		return outcome{p.Levels, p.Content, p.Problem.Easy() != nil}, done
	}
	looked, one := plan(true)
	run, both := plan(false)
	if looked.found || !run.found || !slices.Equal(looked.levels, run.levels) || looked.hash != run.hash {
		t.Errorf("a look is %+v, a run %+v", looked, run)
	}
	if len(one) != 1 || len(both) != 2 || !strings.Contains(both[1], "each of 4 rows") {
		t.Errorf("told of %q, and of %q", one, both)
	}
}

// TestAnchorsStop: the search for anchors of a table that is not large says how far it is, and ends with the context.
func TestAnchorsStop(t *testing.T) {
	const table = "object,q0,q1,q2\na,0.1,0.9,0.2\nb,0.8,0.3,0.7\nc,0.4,0.6,0.9\n"
	path := filepath.Join(t.TempDir(), "small.csv")
	if err := os.WriteFile(path, []byte(table), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := spec.Load(path, spec.Override{})
	if err != nil {
		t.Fatal(err)
	}
	s.Levels = []float64{1000}
	ctx, stop := context.WithCancel(t.Context())
	var told atomic.Value
	_, err = PlanOf(ctx, s, Options{Look: true, Tell: func(what string, _ float64) {
		told.Store(what)
		stop()
	}})
	if what, _ := told.Load().(string); !errors.Is(err, context.Canceled) || !strings.Contains(what, "each of 3 rows") {
		t.Errorf("told of %q, got %v", what, err)
	}
	stop()
}
