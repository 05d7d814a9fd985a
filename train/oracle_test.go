package train

import (
	"math"
	"slices"
	"testing"

	"mapo"
	"mapo/complexity"
	"mapo/internal/check"
	"mapo/rng"
)

// What a training leaves its judge is the set's worst within the level, the worst
// first, each once, and none where the adversary is the paper's.
func TestHardest(t *testing.T) {
	p := check.Thresholds(5, 6)
	task := Task{P: p, C: mapo.RhoTilde(p), Loss: mapo.SimpleRegret, R: []float64{12}, Config: quick(t, p), Key: rng.New(1), Workers: 1}
	for _, algorithm := range []string{"paper", "oracle"} {
		task.Config.Algorithm = algorithm
		r, err := New(task, nil)
		if err != nil {
			t.Fatal(err)
		}
		for range 3 {
			if _, err := r.iterate(t.Context(), r.phases[0]); err != nil {
				t.Fatal(err)
			}
			r.s.Iter++
		}
		got := r.Hardest(7)
		if algorithm == "paper" {
			if len(got) != 0 {
				t.Errorf("the paper's adversary leaves %d instances, want none", len(got))
			}
			continue
		}
		if len(got) != 7 {
			t.Fatalf("%d instances, want 7", len(got))
		}
		d := p.Queries()
		mean := func(theta []float64) float64 {
			i := 0
			for ; !slices.Equal(r.s.Particles.Theta[i*d:(i+1)*d], theta); i++ {
			}
			return r.s.Mean[i]
		}
		for i, theta := range got {
			if rho := task.C.Of(theta); rho > 12*(1+1e-9) {
				t.Errorf("instance %d has difficulty %v, above the level", i, rho)
			}
			if i > 0 && mean(theta) > mean(got[i-1]) {
				t.Errorf("instance %d loses %v, more than the one before, %v", i, mean(theta), mean(got[i-1]))
			}
		}
		if mean(got[0]) != slices.Max(r.s.Mean) {
			t.Errorf("the first loses %v, the worst %v", mean(got[0]), slices.Max(r.s.Mean))
		}
	}
}

// A refresh adds many instances where the only level's policy learns to identify, else few
// of each level it searches, and a third of a small set at most.
func TestRefreshAdds(t *testing.T) {
	p := check.Thresholds(8, 6)
	for _, c := range []struct {
		loss        mapo.Loss
		one         bool
		set         int
		levels      []float64
		least, most int
	}{
		{mapo.BestIdentification, true, 320, []float64{12}, 20, 48},
		{mapo.BestIdentification, false, 320, []float64{12}, 1, 8},
		{mapo.SimpleRegret, true, 320, []float64{12}, 9, 8 * 3},
		{mapo.SimpleRegret, true, 24, []float64{12}, 1, 8},
		{mapo.SimpleRegret, false, 320, []float64{12}, 1, 8},
		{mapo.BestIdentification, false, 320, []float64{6, 12}, 1, 8},
	} {
		config, err := Preset("desk", p, c.loss)
		if err != nil {
			t.Fatal(err)
		}
		if c.one {
			config.Settle(c.loss, 1)
		}
		config.N = c.set
		r, err := New(Task{P: p, C: mapo.RhoTilde(p), Loss: c.loss, R: c.levels, Config: config, Key: rng.New(1), Workers: 1}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := r.refresh(t.Context(), r.phases[0]); err != nil {
			t.Fatal(err)
		}
		before := r.s.Particles.N()
		if most := min(config.N, fullSet*len(r.hunted())); before == 0 || before > most {
			t.Fatalf("the set begins with %d instances, want up to %d", before, most)
		}
		r.s.Iter = config.Refresh
		if err := r.refresh(t.Context(), r.phases[0]); err != nil {
			t.Fatal(err)
		}
		added := 0
		for _, last := range r.s.Last {
			if last == r.s.Iter {
				added++
			}
		}
		if added < c.least || added > c.most {
			t.Errorf("%s at levels %v, alone %t, adds %d instances, want %d to %d", c.loss, c.levels, c.one, added, c.least, c.most)
		}
	}
}

// As many searches of a training are thorough as it asks for, in its later half.
func TestThorough(t *testing.T) {
	p := check.Thresholds(5, 6)
	c := quick(t, p)
	c.Algorithm, c.Refresh, c.PiHat, c.Pi = "oracle", 16, 200, 200
	for _, of := range []struct {
		b        []float64
		thorough int
		want     []int
	}{{[]float64{.1, .2}, 3, []int{112, 144, 192}}, {nil, 2, []int{112, 192}}, {nil, 0, nil}} {
		c.Thorough = of.thorough
		r, err := New(Task{P: p, C: mapo.RhoTilde(p), Loss: mapo.BestIdentification, R: []float64{6, 12}, B: of.b, Config: c, Key: rng.New(1)}, nil)
		if err != nil {
			t.Fatal(err)
		}
		var got []int
		for ; r.s.Iter < 200; r.s.Iter += c.Refresh {
			if r.thorough(r.phases[0]) {
				got = append(got, r.s.Iter)
			}
		}
		if !slices.Equal(got, of.want) {
			t.Errorf("benchmarks %v, %d asked for: thorough at %v, want %v", of.b, of.thorough, got, of.want)
		}
	}
}

// Regret's only level is searched together with those below it, a π_k's of a ladder in turn.
func TestHunted(t *testing.T) {
	p := check.Thresholds(5, 6)
	c := quick(t, p)
	c.Algorithm, c.Refresh = "oracle", 10
	const r = 32
	below := lower(r, complexity.LeastRho(p))
	if len(below) < 2 {
		t.Fatalf("levels %v below %d, want some", below, r)
	}
	for _, of := range []struct {
		loss  mapo.Loss
		below bool
		want  []int // levels of each refresh
	}{
		{mapo.SimpleRegret, true, []int{1 + len(below), 1 + len(below), 1 + len(below)}},
		{mapo.SimpleRegret, false, []int{1, 1, 1}},
		{mapo.BestIdentification, true, []int{1, 1, 1}},
	} {
		c.Below = of.below
		run, err := New(Task{P: p, C: mapo.RhoTilde(p), Loss: of.loss, R: []float64{r}, Config: c, Key: rng.New(1)}, nil)
		if err != nil {
			t.Fatal(err)
		}
		var tops []float64
		for i, want := range of.want {
			run.s.Iter = i * c.Refresh
			got := run.hunted()
			if len(got) != want || !slices.IsSorted(got) {
				t.Errorf("%v, below %t: refresh %d searches %v, want %d levels, increasing", of.loss, of.below, i, got, want)
			}
			tops = append(tops, got[len(got)-1])
		}
		want := []float64{r, r, r}
		if of.loss == mapo.SimpleRegret && !of.below {
			want[1] = below[0]
		}
		if !slices.Equal(tops, want) {
			t.Errorf("%v, below %t: the highest levels are %v, want %v", of.loss, of.below, tops, want)
		}
	}
}

// Where what an instance loses falls with its weight, as a policy that learns has it, Lead makes
// the losses that have a weight equal, and one that is always less has none; by means alone they
// differ by τ where weights do by a factor of e.
func TestLead(t *testing.T) {
	p := check.Thresholds(5, 6)
	alone := []float64{.9, .85, .75, .2} // what each loses without weight
	play := func(tau float64, hedge int) (mean, prob []float64) {
		c := quick(t, p)
		c.Algorithm, c.N, c.Temperature, c.Hedge = "oracle", len(alone), tau, hedge
		r, err := New(Task{P: p, C: mapo.RhoTilde(p), Loss: mapo.SimpleRegret, R: []float64{12}, Config: c, Key: rng.New(1), Workers: 1}, nil)
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range alone {
			r.admit([]float64{float64(i), 0, 0, 0, 0}, v)
		}
		for range 4000 {
			r.drawInstances(rng.New(2).Rand())
			for i, v := range alone {
				r.s.Mean[i] += .1 * (v - .5*r.prob[i] - r.s.Mean[i])
			}
			r.lead()
		}
		return r.s.Mean, r.prob
	}
	mean, prob := play(.1/hedgedTau, 50)
	for i := range 3 {
		if apart := mean[i] - mean[0]; math.Abs(apart) > 1e-3 || prob[i] < .1 {
			t.Errorf("with lead instance %d loses %.4f more than the first, of weight %.3f", i, apart, prob[i])
		}
	}
	if prob[3] > 1e-3 {
		t.Errorf("with lead the instance that always loses less has weight %.4f", prob[3])
	}
	mean, prob = play(.1, 0)
	if apart, want := mean[0]-mean[2], .1*math.Log(prob[0]/prob[2]); apart < .02 || math.Abs(apart-want) > 1e-3 {
		t.Errorf("by means alone the first loses %.4f more than the third, want %.4f by their weights", apart, want)
	}
}

// What leaves a full set is among the starts of the searches that follow, the last of it where
// more has left than is remembered.
func TestDropped(t *testing.T) {
	p := check.Thresholds(5, 6)
	task := Task{P: p, C: mapo.RhoTilde(p), Loss: mapo.BestIdentification, R: []float64{30}, Config: quick(t, p), Key: rng.New(1), Workers: 1}
	task.Config.Algorithm, task.Config.N = "oracle", 4
	r, err := New(task, nil)
	if err != nil {
		t.Fatal(err)
	}
	instance := func(i int) []float64 { // each harder than the one before, so that the first leaves first
		theta := []float64{1, 1, 1, -1, -1}
		theta[0] -= float64(i) / 1000
		return theta
	}
	const most = oracleDropped * 4
	for _, n := range []int{4, 4 + most, 4 + 2*most} {
		for i := r.s.Particles.N() + len(r.s.Dropped)/p.Queries(); i < n; i++ {
			r.admit(instance(i), float64(i))
		}
		known := r.known(30)
		for i := max(0, n-4-most); i < n; i++ {
			if !known.Has(instance(i)) {
				t.Errorf("after %d, instance %d is no start", n, i)
			}
		}
		if got := len(known.Thetas); got > most+4 {
			t.Errorf("after %d, %d starts, want %d at most", n, got, most+4)
		}
	}
}
