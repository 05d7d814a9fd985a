package run

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"mapo/game"
	"mapo/internal/check"
	"mapo/policy/rival"
	"mapo/rng"
	"mapo/train"
)

func TestPlanCheck(t *testing.T) {
	for _, c := range []struct {
		why, want string
		change    func(p *Plan)
	}{
		{"nothing is wrong", "", func(*Plan) {}},
		{"no levels", "no levels", func(p *Plan) { p.Levels = nil }},
		{"levels fall", "does not follow", func(p *Plan) { p.Levels = []float64{32, 8} }},
		{"not a number", "not a positive number", func(p *Plan) { p.Levels = []float64{math.NaN()} }},
		{"nothing is that easy", "below 2.288", func(p *Plan) { p.Levels = []float64{1, 8} }},
		{"given instances may be easier than the edge allows", "", func(p *Plan) {
			p.Levels, p.Finite = []float64{2.2834}, [][]float64{{1, 1, 1, -1, -1}, {1, 1, 1, 1, 1}}
		}},
		{"none of those given is that easy", "below 3.334, the least difficulty of the 1 given instances", func(p *Plan) {
			p.Levels, p.Finite = []float64{3, 8}, [][]float64{{1, 1, 1, -1, -1}}
		}},
		{"the least difficulty as it is told", "", func(p *Plan) {
			p.Levels, p.Finite = []float64{3.334, 8}, [][]float64{{1, 1, 1, -1, -1}}
		}},
		{"none of those given tells hypotheses apart", "no given instance has a single best hypothesis", func(p *Plan) {
			p.Finite = [][]float64{{0, 0, 0, 0, 0}}
		}},
		{"no such rival", "unknown policy", func(p *Plan) { p.Rivals = []string{"luck"} }},
		{"no such training", "N is 0", func(p *Plan) { p.Train.N = 0 }},
		{"an average without a prior", "has a weight and no average", func(p *Plan) { p.Weight = .1 }},
		{"nothing but the average", "weight is 1", func(p *Plan) { p.Weight, p.Average = 1, p.Priors[0] }},
		{"one instance for two parts", "at least 2 instances", func(p *Plan) { p.Weight, p.Average, p.Train.M = .1, p.Priors[0], 1 }},
		{"an average of no weight", "", func(p *Plan) { p.Average, p.Train.M = p.Priors[0], 1 }},
		{"no policy file holds it", "1001000 cells", func(p *Plan) { p.Problem = check.Graded(1000, 1001, 3, rng.New(1).Rand()) }},
		{"no game", "budget is 0", func(p *Plan) { q := *p.Problem; q.T, p.Problem = 0, &q }},
	} {
		p := tiny(t, 8, 32)
		c.change(&p)
		err := p.Check()
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: got %v, want %q", c.why, err, c.want)
		}
	}
}

func TestEstimate(t *testing.T) {
	p := tiny(t, 8, 32)
	took, err := Estimate(t.Context(), p, 1)
	if err != nil {
		t.Fatal(err)
	}
	if took <= 0 || took > time.Hour {
		t.Errorf("a run of about a second is estimated to take %v", took)
	}
	more := p
	more.Train.Pi, more.Train.PiHat = 1000000*p.Train.Pi, 1000000*p.Train.PiHat
	if longer, err := Estimate(t.Context(), more, 1); err != nil || longer < 100*took {
		t.Errorf("a million times the iterations: %v after %v (%v)", longer, took, err)
	}
	if got, want := p.Share(time.Hour), 15*time.Minute; got != want {
		t.Errorf("each of π_1, π_2, π̂ and Bayes-LAL gets %v, want %v", got, want)
	}
}

// TestEstimateStops: an estimate tries the games that the run will play. Those that end early have fewer steps.
func TestEstimateStops(t *testing.T) {
	p := tiny(t, 8)
	q := &game.Problem{Name: "rows", X: []string{"a", "b", "c", "d"}, Names: []string{"A", "B", "C", "D"}, T: 4, AskOnce: true, Seek: &game.Shares{
		Yes: []float64{1, 1, 0, 0, 1, 0, 1, 0, 0, 1, 1, 0, 0, 0, 0, 1}, Weight: []float64{0.25, 0.25, 0.25, 0.25},
	}}
	p.Problem, p.Priors, p.Rivals = q.Grade(), nil, []string{"uniform"}
	var steps [2]int64
	for i, stop := range []string{"", "confidence:0.6"} {
		p.Stopping = stop
		first, err := p.first(1)
		if err != nil {
			t.Fatal(err)
		}
		for step, err := range train.Descend(t.Context(), first) {
			if err != nil {
				t.Fatal(err)
			}
			if steps[i] = step.Work - steps[i]; step.Iter == 2 { // without the first one's search
				break
			}
		}
		if took, err := Estimate(t.Context(), p, 1); err != nil || took <= 0 {
			t.Errorf("with %q it is estimated to take %v: %v", stop, took, err)
		}
	}
	if !(steps[1] > 0 && steps[1] < steps[0]) {
		t.Errorf("an iteration has %d steps, and %d where games end early", steps[0], steps[1])
	}
}

// TestSharp: the sharpest of a policy is a policy.
func TestSharp(t *testing.T) {
	p := tiny(t, 8).Problem
	policy := Sharp(p, rival.SGBS(p, .1))
	d := p.Queries()
	s := game.States{N: make([]float32, 3*d), S: make([]float32, 3*d)}
	r := rng.New(1).Rand()
	for i := range s.N {
		s.N[i] = float32(r.IntN(3))
		s.S[i] = s.N[i]
	}
	dst, soft := make([]float32, 3*d), make([]float32, 3*d)
	policy.Probs(dst, s)
	rival.SGBS(p, .1).Probs(soft, s)
	for b := range 3 {
		row, from := dst[b*d:(b+1)*d], soft[b*d:(b+1)*d]
		at := slices.Index(row, 1)
		if at < 0 || slices.Max(from) != from[at] || slices.Index(from, from[at]) != at {
			t.Errorf("state %d: %v made of %v", b, row, from)
		}
	}
}

// TestSampled: policy files and reports say where the shares of rows are of a sample.
func TestSampled(t *testing.T) {
	for cells, want := range map[[2]int]string{
		{20, 30}:    "",
		{101, 2000}: "how many of the rows a level covers is told of a sample of 100 rows",
	} {
		p := Plan{Problem: check.Graded(cells[0], cells[1], 4, rng.New(2).Rand())}
		if got := p.Sampled(); got != want {
			t.Errorf("%d × %d: %q, want %q", cells[1], cells[0], got, want)
		}
	}
}
