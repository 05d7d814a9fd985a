package record_test

import (
	"encoding/json"
	"math"
	"reflect"
	"testing"

	"mapo/record"
)

// TestStepForm: a training's record in log.jsonl and in the store of a run has these bytes.
func TestStepForm(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		name string
		step record.Step
		want string
	}{
		{"every number", record.Step{Phase: "pi", Iter: 3, Iters: 9, Work: 400, Worst: .5, Feasible: 1, Barrier: .25, PolicyEntropy: .125, ParticleEntropy: .75, GradPsi: 2, GradTheta: 3, GradW: 4},
			`{"phase":"pi","iteration":3,"work":400,"worst":0.5,"feasible":1,"barrier":0.25,"policy_entropy":0.125,"particle_entropy":0.75,"grad_psi":2,"grad_theta":3,"grad_w":4}`},
		{"numbers that are missing", record.Step{Phase: "pi", Iter: 1, Worst: nan, Feasible: math.Inf(1), Barrier: nan, ParticleEntropy: nan, GradTheta: nan, GradW: math.Inf(-1)},
			`{"phase":"pi","iteration":1,"work":0,"worst":null,"feasible":null,"barrier":null,"policy_entropy":0,"particle_entropy":null,"grad_psi":0,"grad_theta":null,"grad_w":null}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			data, err := json.Marshal([]record.Step{c.step})
			if err != nil {
				t.Fatal(err)
			}
			if got, want := string(data), "["+c.want+"]"; got != want {
				t.Errorf("written as\n%s\nwant\n%s", got, want)
			}
			var back []record.Step
			if err := json.Unmarshal(data, &back); err != nil {
				t.Fatal(err)
			}
			again, err := json.Marshal(back)
			if err != nil || string(again) != string(data) {
				t.Errorf("read and written again: %s, error %v, want %s", again, err, data)
			}
		})
	}
	var s record.Step
	if err := json.Unmarshal([]byte(`{"worst":null,"iteration":2}`), &s); err != nil || !math.IsNaN(s.Worst) || s.Iter != 2 || s.GradW != 0 {
		t.Errorf("read as %+v, error %v; want a worst that is NaN", s, err)
	}
}

// TestWorstForm: a worst case in the store of a run, and in the input of a job, whose hash is its key, has these bytes.
func TestWorstForm(t *testing.T) {
	w := record.Worst{Level: 8, Theta: []float64{.5, -1}, Rho: 7.5, Estimate: record.Estimate{Mean: .25, Lo: .2, Hi: .3, Confidence: .95, Games: 100}}
	const want = `{"Level":8,"Theta":[0.5,-1],"Rho":7.5,"Mean":0.25,"Lo":0.2,"Hi":0.3,"Confidence":0.95,"Games":100,"Warnings":null}`
	data, err := json.Marshal(w)
	if err != nil || string(data) != want {
		t.Errorf("written as\n%s, error %v, want\n%s", data, err, want)
	}
	var back record.Worst
	if err := json.Unmarshal(data, &back); err != nil || !reflect.DeepEqual(back, w) {
		t.Errorf("read back as %+v, error %v, want %+v", back, err, w)
	}
}
