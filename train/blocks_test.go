package train

import (
	"math"
	"slices"
	"testing"

	"mapo"
	"mapo/internal/check"
	"mapo/rng"
)

// estimates are what a pass over all instances leaves.
type estimates struct {
	mean, variance, barrier, theta []float64
	psi                            []float32
	entropy                        float64
}

// passOver plays and learns from all instances, so many at a time.
func passOver(r *Run, ph phase, per int) estimates {
	c := &r.t.Config
	r.gradTheta = grown(r.gradTheta, c.M*r.t.P.Queries())
	r.mean, r.barrier, r.variance = grown(r.mean, c.M), grown(r.barrier, c.M), grown(r.variance, c.M)
	if c.critic() {
		r.foretell(r.scale(ph))
	}
	e := estimates{psi: make([]float32, len(r.net.Params()))}
	w := newWorker(r, per)
	for lo := 0; lo < c.M; lo += per {
		w.learn(ph, rng.New(5), lo, min(c.M, lo+per))
		for i, g := range w.grad {
			e.psi[i] += g
		}
		e.entropy += w.entropy
	}
	e.mean, e.variance, e.barrier, e.theta = slices.Clone(r.mean), slices.Clone(r.variance), slices.Clone(r.barrier), slices.Clone(r.gradTheta)
	return e
}

// An instance has its own difficulty, benchmark and importance wherever it stands in a block: losses, barriers and
// all gradients are the same for one block and for many, whatever the algorithm, with and without a critic.
func TestBlocks(t *testing.T) {
	p := check.Thresholds(4, 4)
	average := mapo.Rows("rows", [][]float64{{1, 1, -1, -1}, {.5, 0, -.5, -1}})
	for name, of := range map[string]struct {
		algorithm string
		critic    bool
		b         []float64
		weight    float64
	}{
		"double oracle, gap": {"oracle", true, []float64{.5, -.5}, 0},
		"no critic":          {"oracle", false, []float64{.5, -.5}, .3},
		"trade-off":          {"oracle", true, nil, .4},
		"paper":              {"paper", false, []float64{.5, -.5}, 0},
		"paper, trade-off":   {"paper", false, []float64{.5, -.5}, .3},
	} {
		c := quick(t, p)
		c.Algorithm, c.Critic, c.M, c.L, c.N = of.algorithm, of.critic, 11, 4, 24
		task := Task{P: p, C: mapo.RhoTilde(p), Loss: mapo.BestIdentification, R: []float64{8, 32}, B: of.b, Weight: of.weight, Config: c, Key: rng.New(1)}
		if of.weight > 0 {
			task.Average = average
		}
		r, err := New(task, nil)
		if err != nil {
			t.Fatal(err)
		}
		ph := r.phases[len(r.phases)-1]
		if r.oracle() {
			if err := r.refresh(t.Context(), ph); err != nil {
				t.Fatal(err)
			}
			r.s.Variance = 2
		}
		r.drawInstances(rng.New(2).Rand())
		for m := range r.importance { // all different
			r.importance[m] *= 1 + float64(m)/4
		}
		want := passOver(r, ph, c.M)
		for _, per := range []int{1, 3} {
			got := passOver(r, ph, per)
			for what, v := range map[string][2][]float64{
				"mean loss": {got.mean, want.mean}, "variance": {got.variance, want.variance}, "barrier": {got.barrier, want.barrier},
				"gradient in θ": {got.theta, want.theta}, "entropy": {{got.entropy}, {want.entropy}},
			} {
				if !alike(v[0], v[1]) {
					t.Errorf("%s: the %s in blocks of %d is %.4g, in one %.4g", name, what, per, v[0], v[1])
				}
			}
			if a, b := widened(got.psi), widened(want.psi); !alike(a, b) {
				t.Errorf("%s: the gradient in ψ in blocks of %d is of length %v, in one of %v, and they differ", name, per, norm64(a), norm64(b))
			}
		}
	}
}

// alike reports whether two vectors, not both 0, are equal but for rounding.
func alike(a, b []float64) bool {
	var off, size float64
	for i, v := range a {
		off, size = max(off, math.Abs(v-b[i])), max(size, math.Abs(b[i]))
	}
	return len(a) == len(b) && off <= 1e-4*size
}

func widened(v []float32) (out []float64) {
	for _, x := range v {
		out = append(out, float64(x))
	}
	return out
}
