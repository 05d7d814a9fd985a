package train

import (
	"math"
	"testing"

	"mapo"
	"mapo/internal/check"
	"mapo/rng"
)

// line solves its normal equations, and says nothing where there is nothing to say.
func TestCriticLine(t *testing.T) {
	var m moments
	for i := range 50 {
		u := math.Sin(float64(i))
		v := math.Cos(3 * float64(i))
		y := 2*u - .5*v
		for j, x := range (moments{u * u, u * v, v * v, u * y, v * y}) {
			m[j] += x
		}
	}
	if ab := m.line(); math.Abs(ab[0]-2) > .01 || math.Abs(ab[1]+.5) > .01 {
		t.Errorf("the line is %v, want 2 and −½", ab)
	}
	if ab := (&moments{}).line(); ab != [2]float64{} {
		t.Errorf("of nothing the line is %v", ab)
	}
}

// The critic leaves the mean gradient what it is and makes it less noisy: over many
// batches of the same policy, entry by entry within 6 standard errors (945 checks,
// fewer than one false alarm in 10⁵ runs), and with less total variance.
func TestCriticIsABaseline(t *testing.T) {
	p := check.Thresholds(6, 6)
	for _, prior := range []mapo.Prior{
		mapo.Flip(p, .8),
		mapo.Rows("rows", [][]float64{{1, .3, .1, -.1, -.3, -.5}, {.5, .4, .3, .2, .1, -1}, {1, 1, 1, .5, 0, -.2}, {-.1, -.2, -.3, -.4, -1, -1}}),
	} {
		t.Run(prior.Name(), func(t *testing.T) { testBaseline(t, p, prior) })
	}
}

func testBaseline(t *testing.T, p *mapo.Problem, prior mapo.Prior) {
	const batches = 300
	mean := map[bool][]float64{}
	square := map[bool][]float64{}
	for _, on := range []bool{false, true} {
		c := quick(t, p)
		c.Algorithm, c.Policy, c.Critic, c.M, c.L = "oracle", "structured", on, 16, 8
		r, err := New(Task{P: p, C: mapo.RhoTilde(p), Loss: mapo.BestIdentification, Prior: prior, Config: c, Key: rng.New(1)}, nil)
		if err != nil {
			t.Fatal(err)
		}
		mean[on], square[on] = make([]float64, len(r.net.Params())), make([]float64, len(r.net.Params()))
		for i := range batches + 20 {
			r.s.Iter = i
			r.drawInstances(r.t.Key.Name("draw").At(i).Rand())
			if err := r.collect(t.Context(), r.phases[0], r.t.Key.Name("games").At(i)); err != nil {
				t.Fatal(err)
			}
			if on {
				r.learnCritic()
			}
			if i < 20 {
				continue // the lines settle
			}
			for j, g := range r.gradPsi {
				mean[on][j] += float64(g) / batches
				square[on][j] += float64(g) * float64(g) / batches
			}
		}
	}
	var with, without float64
	for j := range mean[true] {
		a, b := mean[true][j], mean[false][j]
		va, vb := square[true][j]-a*a, square[false][j]-b*b
		with, without = with+va, without+vb
		if math.Abs(a-b) > 6*math.Sqrt((va+vb)/batches)+1e-9 {
			t.Errorf("the mean of entry %d is %v with the critic, %v without", j, a, b)
		}
	}
	t.Logf("the gradient's variance is %.3g with the critic, %.3g without", with, without)
	if with > .9*without {
		t.Errorf("the gradient's variance is %v with the critic, %v without", with, without)
	}
}
