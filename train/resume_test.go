package train

import (
	"bytes"
	"math"
	"testing"

	"mapo/adversary"
	"mapo/game"
	"mapo/game/exact"
	"mapo/game/sim"
	"mapo/internal/check"
	"mapo/rng"
)

// A training that was stopped and resumed ends in the same bytes.
func TestTinyResumes(t *testing.T) {
	p := check.Thresholds(3, 4)
	rows := exact.Grid(p, game.RhoTilde(p), []float64{-1, -.5, .5, 1}, 20)
	resumes(t, 100, tinyTask(t, p, game.BestIdentification, 20, rows, 200))
}

// So does one by Soap, whose bases are as old as the last tenth step, with leads that add up and a magnet.
func TestSampledResumes(t *testing.T) {
	p := check.Thresholds(4, 4)
	c := base()
	c.Optimizer, c.Pi, c.Oracle.Hedge, c.Oracle.Magnet = "soap", 30, 10, .3
	task := Task{P: p, C: game.RhoTilde(p), Loss: game.BestIdentification, R: []float64{20}, Config: c, Key: rng.New(1)}
	resumes(t, 13, task)
}

// resumes stops one of two alike trainings after so many iterations, and compares what both end with.
func resumes(t *testing.T, after int, task Task) {
	t.Helper()
	whole, half := begin(t, task), begin(t, task)
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
	again, err := Resume(task, kept)
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
	task.Config.Optimizer = map[string]string{"adam": "soap", "soap": "adam"}[task.Config.Optimizer]
	if _, err := Resume(task, kept); err == nil {
		t.Error("a checkpoint of another optimiser was taken")
	}
}

// stopped is a snapshot of the task's training after a step.
func stopped(t testing.TB, task Task) []byte {
	t.Helper()
	r := begin(t, task)
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

// A state whose parts are not of the task's sizes and each other's is refused when it is read, not met later. (What an
// adversary holds is its own package's to check.)
func TestResumeRefuses(t *testing.T) {
	faults := map[string]func(s *state){
		"no weights":                    func(s *state) { s.Psi = nil },
		"a phase before the first":      func(s *state) { s.Phase = -1 },
		"a phase behind the last":       func(s *state) { s.Phase = 9 },
		"an iteration before the first": func(s *state) { s.Iter = -1 },
		"an iteration behind the last":  func(s *state) { s.Iter = math.MaxInt },
		"no optimiser":                  func(s *state) { s.Optimizer = nil },
		"no adversary":                  func(s *state) { s.Adversary = nil },
		"no estimator":                  func(s *state) { s.Estimator = nil },
		"no magnet":                     changed(t, func(s *sampledState) { s.Penalties = nil }),
		"a magnet too short":            changed(t, func(s *sampledState) { s.Penalties[0] = s.Penalties[0][1:] }),
		"moments of a step too many":    changed(t, func(s *sampledState) { s.Critic = append(s.Critic, sim.Moments{}) }),
		"an estimator of another kind":  func(s *state) { s.Estimator = s.Optimizer },
		"an adversary of another kind":  func(s *state) { s.Adversary = s.Estimator },
	}
	for _, algorithm := range []string{"oracle", "paper"} {
		task := sampled(t, algorithm)
		if o := task.Config.Oracle; o != nil {
			o.Magnet = .3
		}
		whole := stopped(t, task)
		if _, err := Resume(task, whole); err != nil {
			t.Errorf("%s: %v", algorithm, err)
		}
		for why, spoil := range faults {
			if algorithm == "paper" && (why == "no magnet" || why == "a magnet too short") {
				continue // it has none
			}
			var s state
			if err := adversary.Decode(whole, &s); err != nil {
				t.Fatal(err)
			}
			spoil(&s)
			data, err := adversary.Encode(&s)
			if err != nil {
				t.Fatal(err)
			}
			if r, err := Resume(task, data); err == nil || r != nil {
				t.Errorf("%s: a checkpoint with %s was taken", algorithm, why)
			}
		}
	}
}

// changed spoils what the estimator holds.
func changed(t *testing.T, spoil func(s *sampledState)) func(s *state) {
	return func(s *state) {
		var e sampledState
		if err := adversary.Decode(s.Estimator, &e); err != nil {
			t.Fatal(err)
		}
		spoil(&e)
		data, err := adversary.Encode(&e)
		if err != nil {
			t.Fatal(err)
		}
		s.Estimator = data
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
