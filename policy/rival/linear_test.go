package rival

import (
	"math"
	"slices"
	"strings"
	"testing"

	"mapo/game"
	"mapo/internal/check"
	"mapo/rng"
)

// ask is what a policy asks in one state.
func ask(p *game.Problem, policy game.Policy, n, s []float32) []float32 {
	probs := make([]float32, p.Queries())
	policy.Probs(probs, game.States{N: n, S: s})
	return probs
}

// TestXYStatic: of Soare's example nearly all is asked of e₂, which tells e₁ from its neighbour; after so many answers a query
// is due that is the farthest behind its share.
func TestXYStatic(t *testing.T) {
	p := check.Vectors([][]float64{{1, 0}, {0, 1}, {math.Cos(0.1), math.Sin(0.1)}}, [][]float64{{1, 0}, {math.Cos(0.1), math.Sin(0.1)}}, 100)
	policy := xyStaticOf(t, p)
	n := make([]float32, 3)
	for range p.T {
		probs := ask(p, policy, n, make([]float32, 3))
		n[slices.Index(probs, slices.Max(probs))]++
	}
	if n[1] < 90 || n[0]+n[2] < 3 {
		t.Errorf("asked %v, want nearly all of the second", n)
	}
	arms := check.AsVectors(check.BestArm(4, 10))
	if got := ask(arms, xyStaticOf(t, arms), []float32{1, 2, 2, 2}, make([]float32, 4)); got[0] != 1 {
		t.Errorf("of four arms the one with fewest answers is asked with %v", got)
	}
}

// xyStaticOf returns the policy xy-static on p.
func xyStaticOf(t *testing.T, p *game.Problem) game.Policy {
	t.Helper()
	policy, err := XYStatic(p)
	if err != nil {
		t.Fatal(err)
	}
	return policy
}

// TestXYStaticFails: where the static design is not found, the error says which policy it is of.
// These vectors, from a search by random numbers, have components of very different size.
func TestXYStaticFails(t *testing.T) {
	p := check.Vectors([][]float64{{-300, -16, -0.18}, {0, 30, 2.6}, {-0.1, 6, -10}, {-500, 8, 1.2}},
		[][]float64{{-1985.0018, 32.908, 4.629}, {-3900, -206.2, -2.184}, {1200.14, 55.609, 14.72078}}, 20)
	_, err := Parse(p, game.BestIdentification, "xy-static+least-squares")
	if err == nil || !strings.Contains(err.Error(), `policy "xy-static+least-squares": the static design: the design did not converge; name another`) {
		t.Errorf("the error is %v", err)
	}
}

// reference is what LinGapE asks, worked out by inverting every matrix.
func reference(p *game.Problem, c float64, n, s []float32) int {
	span := p.Span()
	r := span.Rank
	form := func(extra int, y []float64) float64 { // yᵀ(A + xxᵀ)⁻¹y and, for extra −1, without
		a, l, inverse := make([]float64, r*r), make([]float64, r*r), make([]float64, r*r)
		for i := range r {
			a[i*r+i] = 1 / float64(p.Queries())
		}
		for x, times := range n {
			if x == extra {
				times++
			}
			for i, v := range span.Vector(x) {
				for j, w := range span.Vector(x) {
					a[i*r+j] += float64(times) * v * w
				}
			}
		}
		game.Cholesky(l, a, r)
		game.CholeskyInverse(inverse, l, r)
		var sum float64
		for i, v := range y {
			for j, w := range y {
				sum += v * w * inverse[i*r+j]
			}
		}
		return sum
	}
	score := make([]float64, p.Hypotheses()) // bᵀA⁻¹v by polarisation
	b := make([]float64, r)
	for x, sum := range s {
		for j, u := range span.Vector(x) {
			b[j] += float64(sum) * u
		}
	}
	diff := func(v, w []float64, sign float64) []float64 {
		out := make([]float64, r)
		for i := range out {
			out[i] = v[i] + sign*w[i]
		}
		return out
	}
	best := 0
	for k := range score {
		v := span.Hypothesis(k)
		if score[k] = (form(-1, diff(b, v, 1)) - form(-1, diff(b, v, -1))) / 4; score[k] > score[best] {
			best = k
		}
	}
	rival, most := -1, math.Inf(-1)
	for k := range score {
		if y := diff(span.Hypothesis(best), span.Hypothesis(k), -1); k != best {
			if ahead := score[k] - score[best] + c*math.Sqrt(form(-1, y)); ahead > most {
				rival, most = k, ahead
			}
		}
	}
	ask, least := -1, math.Inf(1)
	for x := range n {
		if left := form(x, diff(span.Hypothesis(best), span.Hypothesis(rival), -1)); left < least {
			ask, least = x, left
		}
	}
	return ask
}

// TestLinGapE: it asks what the definition says, in random states.
func TestLinGapE(t *testing.T) {
	r := rng.New(1).Rand()
	for range 60 {
		p := check.RandomVectors(3, 7, 5*r.IntN(2), 20, r)
		n, s := make([]float32, 7), make([]float32, 7)
		for range 1 + r.IntN(12) {
			i := r.IntN(7)
			n[i]++
			s[i] += float32(2*r.IntN(2) - 1)
		}
		c := 2 * r.Float64()
		if got, want := ask(p, LinGapE(p, c), n, s), reference(p, c, n, s); got[want] < 0.999 {
			t.Errorf("after %v %v it asks %v, want query %d", n, s, got, want)
		}
	}
}

// TestLinearTopTwo: of two hypotheses there is one pair, and it asks as LinGapE; of arms the leader and all challengers are
// asked, the near ones more.
func TestLinearTopTwo(t *testing.T) {
	r := rng.New(2).Rand()
	p := check.RandomVectors(3, 7, 2, 20, r)
	n, s := []float32{1, 0, 2, 1, 0, 1, 0}, []float32{1, 0, 0, -1, 0, 1, 0}
	if a, b := ask(p, LinearTopTwo(p, 1), n, s), ask(p, LinGapE(p, 1), n, s); check.Farthest(wide(a), wide(b)) > 1e-6 {
		t.Errorf("asks %v, and LinGapE %v", a, b)
	}
	arms := check.AsVectors(check.BestArm(4, 40))
	near := ask(arms, LinearTopTwo(arms, 1), []float32{9, 6, 6, 6}, []float32{6, 3, 0, -5})
	if !(near[1] > near[2] && near[2] > 3*near[3]) {
		t.Errorf("asks %v", near)
	}
	if wider := ask(arms, LinearTopTwo(arms, 4), []float32{9, 6, 6, 6}, []float32{6, 3, 0, -5}); !(wider[3] > near[3] && wider[1] < near[1]) {
		t.Errorf("with four times the variance it asks %v, else %v", wider, near)
	}
}

// TestLinearTopTwoOfArms: of unit vectors A is diagonal, so each challenger's probability of being ahead is Φ worked out by hand;
// the pair's queries are those of its arms, of which the one with fewer answers tells more.
func TestLinearTopTwoOfArms(t *testing.T) {
	const d = 4
	p := check.AsVectors(check.BestArm(d, 40))
	n, s := []float32{9, 5, 4, 3}, []float32{6, 2, 1, 0}
	mean, variance := make([]float64, d), make([]float64, d)
	for i := range n {
		variance[i] = 1 / (float64(n[i]) + 1./d)
		mean[i] = float64(s[i]) * variance[i]
	}
	want, total := make([]float64, d), 0.
	for i := 1; i < d; i++ {
		ahead := standard((mean[i] - mean[0]) / math.Sqrt(variance[0]+variance[i]))
		want[i], total = ahead, total+ahead // the challenger, as it has fewer answers than the leader
	}
	for i := range want {
		want[i] /= total
	}
	if got := wide(ask(p, LinearTopTwo(p, 1), n, s)); check.Farthest(got, want) > 1e-5 {
		t.Errorf("asks %v, want %v", got, want)
	}
}

// standard is Φ by Simpson's rule.
func standard(x float64) float64 {
	const steps, low = 20_000, -12.
	h, sum := (x-low)/steps, 0.
	for k := range steps + 1 {
		v, weight := low+h*float64(k), 2.
		switch {
		case k == 0 || k == steps:
			weight = 1
		case k%2 == 1:
			weight = 4
		}
		sum += weight * math.Exp(-v*v/2)
	}
	return sum * h / 3 / math.Sqrt(2*math.Pi)
}

func wide(v []float32) []float64 {
	out := make([]float64, len(v))
	for i, x := range v {
		out[i] = float64(x)
	}
	return out
}

// TestVectorNames: names are read, and what does not fit is refused in one line that names what there is.
func TestVectorNames(t *testing.T) {
	p := check.RandomVectors(3, 7, 0, 20, rng.New(3).Rand())
	for name, want := range map[string]string{"uniform": "uniform", "xy-static": "xy-static", "lin-gap-e": "lin-gap-e:1", "lin-gap-e:.5": "lin-gap-e:0.5", "linear-top-two": "linear-top-two", "linear-top-two:1.0": "linear-top-two", "linear-top-two:.5": "linear-top-two:0.5", "round-robin": "round-robin"} {
		policy, err := Parse(p, game.BestIdentification, name)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := Name(p, game.BestIdentification, name); err != nil || got != want {
			t.Errorf("%s is called %q (%v)", name, got, err)
		}
		probs := make([]float32, 7)
		mask := []bool{true, false, true, true, true, false, true}
		policy.Probs(probs, game.States{N: make([]float32, 7), S: make([]float32, 7), Mask: mask})
		if sum := probs[1] + probs[5]; math.Abs(float64(sum)-1) > 1e-6 {
			t.Errorf("%s asks %v where two queries may be asked", name, probs)
		}
	}
	for name, part := range map[string]string{"uncertainty": "does not read vectors", "lin-gap-e:x": "c must be a number", "uniform+posterior": "write decision: least-squares", "xy-static:3": "takes no number", "linear-top-two:0": "the scale of the posterior's variance must be a number above 0"} {
		if _, err := Parse(p, game.BestIdentification, name); err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Parse(check.BestArm(3, 5), game.BestIdentification, "xy-static"); err == nil || !strings.Contains(err.Error(), "queries that are vectors") {
		t.Errorf("of arms: %v", err)
	}
}
