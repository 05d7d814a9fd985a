package train

import (
	"bytes"
	"encoding/gob"
	"math"
	"testing"

	"mapo"
	"mapo/adversary"
	"mapo/exact"
	"mapo/internal/check"
	"mapo/rng"
	"mapo/sim"
)

// A training that was stopped and resumed ends in the same bytes.
func TestTinyResumes(t *testing.T) {
	p := check.Thresholds(3, 4)
	rows := exact.Grid(p, mapo.RhoTilde(p), []float64{-1, -.5, .5, 1}, 20)
	resumes(t, 100, func() *Run { return tinyRun(t, p, mapo.BestIdentification, 20, rows, 0) })
}

// So does one by Soap, whose bases are as old as the last tenth step, with leads that add up and a magnet.
func TestSampledResumes(t *testing.T) {
	p := check.Thresholds(4, 4)
	c, err := Preset("smoke", p, mapo.BestIdentification)
	if err != nil {
		t.Fatal(err)
	}
	c.Optimizer, c.Pi, c.Hedge, c.Magnet = "soap", 30, 10, .3
	task := Task{P: p, C: mapo.RhoTilde(p), Loss: mapo.BestIdentification, R: []float64{20}, Config: c, Key: rng.New(1)}
	resumes(t, 13, func() *Run {
		r, err := New(task, nil)
		if err != nil {
			t.Fatal(err)
		}
		return r
	})
}

// resumes stops one of two alike trainings after so many iterations, and compares what both end with.
func resumes(t *testing.T, after int, begin func() *Run) {
	t.Helper()
	whole, half := begin(), begin()
	finish(t, whole)
	for step, err := range Descend(t.Context(), half) {
		if err != nil {
			t.Fatal(err)
		}
		if step.Iter == after {
			break
		}
	}
	kept, err := half.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	again, err := Resume(half.t, kept)
	if err != nil {
		t.Fatal(err)
	}
	if again.done() != after {
		t.Fatalf("resumed at iteration %d, stopped at %d", again.done(), after)
	}
	finish(t, again)
	a, err := whole.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	b, err := again.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(a, b) {
		t.Error("the resumed training ends in other bytes")
	}
	half.t.Config.Optimizer = map[string]string{"adam": "soap", "soap": "adam"}[half.t.Config.Optimizer]
	if _, err := Resume(half.t, kept); err == nil {
		t.Error("a checkpoint of another optimiser was taken")
	}
}

// sampled is a small task whose games are drawn.
func sampled(t testing.TB, algorithm string) Task {
	t.Helper()
	p := check.Thresholds(4, 4)
	c, err := Preset("smoke", p, mapo.BestIdentification)
	if err != nil {
		t.Fatal(err)
	}
	c.Algorithm, c.Pi, c.Regret, c.N, c.M, c.L, c.Critic = algorithm, 6, 6, 12, 4, 2, algorithm == "oracle"
	return Task{P: p, C: mapo.RhoTilde(p), Loss: mapo.BestIdentification, R: []float64{20}, Config: c, Key: rng.New(1)}
}

// stopped is a snapshot of the task's training after a step.
func stopped(t testing.TB, task Task) []byte {
	t.Helper()
	r, err := New(task, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range Descend(t.Context(), r) {
		if err != nil {
			t.Fatal(err)
		}
		break
	}
	data, err := r.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// A state whose parts are not of the task's sizes is refused when it is read, not met later.
func TestResumeRefuses(t *testing.T) {
	for algorithm, faults := range map[string]map[string]func(s *state){
		"oracle": {
			"a mean too few":    func(s *state) { s.Mean = s.Mean[1:] },
			"a lead too few":    func(s *state) { s.Lead = s.Lead[1:] },
			"no last games":     func(s *state) { s.Last = nil },
			"no magnet":         func(s *state) { s.Magnet = nil },
			"a critic too long": func(s *state) { s.Critic = append(s.Critic, sim.Moments{}) },
		},
		"paper": {
			"a row too few":      func(s *state) { s.Rows = s.Rows[1:] },
			"no moments of θ":    func(s *state) { s.Theta = adversary.Adam{} },
			"a moment of w less": func(s *state) { s.W.V = s.W.V[1:] },
		},
	} {
		faults["no weights"] = func(s *state) { s.Psi = nil }
		faults["a phase before the first"] = func(s *state) { s.Phase = -1 }
		faults["a phase behind the last"] = func(s *state) { s.Phase = 9 }
		faults["an iteration before the first"] = func(s *state) { s.Iter = -1 }
		faults["an iteration behind the last"] = func(s *state) { s.Iter = math.MaxInt }
		faults["half an instance"] = func(s *state) { s.Particles.Theta = s.Particles.Theta[1:] }
		faults["no optimiser"] = func(s *state) { s.Adam = nil }
		task := sampled(t, algorithm)
		task.Config.Magnet = .3
		whole := stopped(t, task)
		if _, err := Resume(task, whole); err != nil {
			t.Errorf("%s: %v", algorithm, err)
		}
		for why, spoil := range faults {
			var s state
			if err := gob.NewDecoder(bytes.NewReader(whole)).Decode(&s); err != nil {
				t.Fatal(err)
			}
			spoil(&s)
			var b bytes.Buffer
			if err := gob.NewEncoder(&b).Encode(&s); err != nil {
				t.Fatal(err)
			}
			if _, err := Resume(task, b.Bytes()); err == nil {
				t.Errorf("%s: a checkpoint with %s was taken", algorithm, why)
			}
		}
	}
}

// Whatever a checkpoint holds, it is read or refused. (What is in it has been checked by then: store's sums.)
func FuzzResume(f *testing.F) {
	task := sampled(f, "oracle")
	f.Add(stopped(f, task))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, data []byte) {
		if r, err := Resume(task, data); err == nil {
			_, err = r.Snapshot()
			if err != nil {
				t.Error(err)
			}
		}
	})
}
