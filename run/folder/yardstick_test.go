package folder

import (
	"encoding/csv"
	"fmt"
	"math"
	"math/bits"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"mapo/internal/suite"
	"mapo/policy/nn"
	"mapo/record"
	"mapo/run"
	"mapo/run/runtest"
	"mapo/run/store"
)

// Every training is judged at iterations that double and at its end; the work is
// that of the training's own record, and what it learns is the same with marks or
// without.
func TestYardstick(t *testing.T) {
	if testing.Short() {
		t.Skip("two runs")
	}
	plan, dir := tiny(t, 8, 32), t.TempDir()
	plan.Rivals = []string{"uniform", run.BayesLAL}
	plan.Train.Pi, plan.Train.PiHat = 11, 20
	plan.Marks = true
	var res *run.Result
	carryOut(t, plan, dir, &res)
	judged := 0
	for _, p := range res.Policies {
		if p.Net == nil {
			if p.Marks != nil {
				t.Errorf("%s was not trained and has marks", p.Name)
			}
			continue
		}
		if len(p.Marks) < 2 || len(p.Marks) > 5 {
			t.Fatalf("%s has %d marks", p.Name, len(p.Marks))
		}
		judged++
		for i, m := range p.Marks {
			at := slices.IndexFunc(p.Net.Curve, func(x record.Step) bool { return x.Iter == m.Iter })
			if at < 0 || p.Net.Curve[at].Work != m.Work {
				t.Errorf("%s: the mark at iteration %d has work %d, the record otherwise", p.Name, m.Iter, m.Work)
			}
			if end := m.Iter == p.Net.Done; !end && bits.OnesCount(uint(m.Iter)) != 1 || end != (i == len(p.Marks)-1) {
				t.Errorf("%s has its mark %d of %d at iteration %d of %d", p.Name, i+1, len(p.Marks), m.Iter, p.Net.Done)
			}
			if i > 0 && !(m.Seconds >= p.Marks[i-1].Seconds) || !(m.Seconds >= 0) {
				t.Errorf("%s: %v seconds at the mark %d", p.Name, m.Seconds, i+1)
			}
			want := []float64{p.Level}
			switch p.Name {
			case run.PiHat:
				want = plan.Levels
			case run.BayesLAL:
				want = []float64{32}
			}
			for k, w := range m.Worst {
				if len(m.Worst) != len(want) || w.Level != want[k] || !(w.Lo <= w.Mean && w.Mean <= w.Hi) {
					t.Errorf("%s at iteration %d is judged %+v, want levels %v", p.Name, m.Iter, m.Worst, want)
				}
			}
		}
	}
	if judged != 4 {
		t.Errorf("%d trainings were judged, want 4", judged)
	}
	// The mark at the end is the policy itself.
	hat := res.Ladder.PiHat
	kept, err := store.Folder(filepath.Join(dir, storeFolder))
	if err != nil {
		t.Fatal(err)
	}
	mark := func(iter int) string { return fmt.Sprintf("marks/%s/%d", hat.Ref.Trained, iter) }
	file, err := kept.Get(t.Context(), mark(hat.Net.Done))
	if err != nil || string(file) != string(hat.Net.File) {
		t.Errorf("the last mark is not the policy: %v", err)
	}
	first, err := kept.Get(t.Context(), mark(1))
	if err != nil || string(first) == string(file) {
		t.Errorf("the first mark is the last: %v", err)
	}
	_, page := results(t, dir)
	if !strings.Contains(page, `id="yardstick"`) {
		t.Error("the report does not draw it")
	}

	plan.Marks = false
	without := t.TempDir()
	if err := carry(t, plan, without, 2, nil); err != nil {
		t.Fatal(err)
	}
	runtest.Same(t, "without marks", runtest.Left(t, without), runtest.Left(t, dir))
	if _, err := os.Stat(filepath.Join(without, marksFile)); err == nil {
		t.Error("without marks there is a yardstick.csv")
	}
}

// yardstick.csv is the same bytes but for its last column, whatever the number of
// workers, interrupted or not.
func TestYardstickSameBytes(t *testing.T) {
	plan, first, more := tiny(t, 8, 32), 9, 9
	if suite.Reduced() {
		plan, first, more = tiny(t, 16), 5, 6
	}
	plan.Rivals, plan.Priors, plan.Marks = nil, nil, true
	read := func(dir string) string {
		data, err := os.ReadFile(filepath.Join(dir, marksFile))
		if err != nil {
			t.Fatal(err)
		}
		lines, err := csv.NewReader(strings.NewReader(string(data))).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range lines[1:] {
			if s, err := strconv.ParseFloat(line[len(line)-1], 64); err != nil || math.IsNaN(s) {
				t.Errorf("line %d has no seconds: %v", i+2, line)
			}
		}
		return string(runtest.Untimed(data))
	}
	alone, dir := t.TempDir(), t.TempDir()
	if err := carry(t, plan, alone, 1, nil); err != nil {
		t.Fatal(err)
	}
	if stops := interrupted(t, plan, dir, first, more); stops < 3 {
		t.Errorf("only %d interruptions", stops)
	}
	if read(dir) != read(alone) {
		t.Errorf("interrupted:\n%s\nalone:\n%s", read(dir), read(alone))
	}
}

// A training that the clock stops sets its last mark there.
func TestYardstickStopped(t *testing.T) {
	plan := tiny(t, 16)
	plan.Rivals, plan.Priors, plan.Marks, plan.Stop = nil, nil, true, 1e-9
	var res *run.Result
	carryOut(t, plan, t.TempDir(), &res)
	p := res.Ladder.Pi[0]
	if p.Net.Done != 1 || len(p.Marks) != 1 || p.Marks[0].Iter != 1 {
		t.Errorf("stopped after iteration %d, the marks are %+v", p.Net.Done, p.Marks)
	}
	if _, _, err := nn.Decode(p.Net.File); err != nil {
		t.Error(err)
	}
}
