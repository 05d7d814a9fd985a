package nn

import (
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"mapo/game"
	"mapo/internal/check"
)

// told reads the features of states, [b·|X|, features].
func told(p *game.Problem, s game.States) []float32 {
	f, n := newVectorReader(p), len(s.N)
	x := make([]float32, f.count()*n)
	f.read(x, n, s, f.scratch())
	return byQuery(x, f.count(), n, n)
}

// byDefinition is what a ridge says of one state, by inverting matrices.
type byDefinition struct {
	span    *game.Span
	inverse []float64
	eta     []float64
	score   []float64
	best    int
	near    int
	gap     []float64
	ahead   []float64 // relative to their sum
}

func (r *byDefinition) form(u, v []float64) (out float64) {
	for j := range u {
		out += u[j] * dot(r.inverse[j*len(u):(j+1)*len(u)], v)
	}
	return out
}

// y is the best hypothesis less hypothesis k.
func (r *byDefinition) y(k int) []float64 {
	out := slices.Clone(r.span.Hypothesis(r.best))
	for j, v := range r.span.Hypothesis(k) {
		out[j] -= v
	}
	return out
}

// tell is the share by which an answer to query x shrinks ‖y(k)‖².
func (r *byDefinition) tell(x, k int) float64 {
	u := r.span.Vector(x)
	return math.Pow(r.form(u, r.y(k)), 2) / (1 + r.form(u, u)) / r.form(r.y(k), r.y(k))
}

func define(p *game.Problem, n, sum []float32, kappa float64) *byDefinition {
	m, z := p.Span().Rank, p.Hypotheses()
	v := func(n int) []float64 { return make([]float64, n) }
	r := &byDefinition{span: p.Span(), inverse: v(m * m), eta: v(m), score: v(z), near: -1, gap: v(z), ahead: v(z)}
	a, l, rhs := v(m*m), v(m*m), v(m)
	for j := range m {
		a[j*m+j] = kappa * float64(m) / float64(p.Queries())
	}
	for x := range p.Queries() {
		for j, u := range r.span.Vector(x) {
			rhs[j] += u * float64(sum[x])
			for k, v := range r.span.Vector(x) {
				a[j*m+k] += float64(n[x]) * u * v
			}
		}
	}
	game.Cholesky(l, a, m)
	game.CholeskyInverse(r.inverse, l, m)
	for j := range m {
		r.eta[j] = dot(r.inverse[j*m:(j+1)*m], rhs)
	}
	for k := range r.score {
		if r.score[k] = dot(r.span.Hypothesis(k), r.eta); r.score[k] > r.score[r.best] {
			r.best = k
		}
	}
	total := 0.0
	for k := range r.score {
		if k == r.best {
			continue
		}
		r.gap[k] = (r.score[r.best] - r.score[k]) / math.Sqrt(r.form(r.y(k), r.y(k)))
		r.ahead[k] = math.Exp(-r.gap[k] * r.gap[k] / 2)
		total += r.ahead[k]
		if r.near < 0 || r.gap[k] < r.gap[r.near] {
			r.near = k
		}
	}
	for k := range r.ahead {
		r.ahead[k] /= total
	}
	return r
}

// features are those of query x that a ridge has, in their order, but for what no query tells more than: share and tellNear are the
// largest averages and shares.
func (r *byDefinition) features(x int, tells, pick []float64, share, tellNear float64) []float64 {
	u := r.span.Vector(x)
	lever, mean := r.form(u, u), min(1, math.Pow(dot(u, r.eta), 2))
	own, soft := 0.0, 0.0
	for k := range r.score {
		if check.Farthest(u, r.span.Hypothesis(k)) < 1e-6 {
			own, soft = r.ahead[k]/r.ahead[r.near], 1/(1+r.gap[k])
			if k == r.best {
				own, soft = 1, 1
			}
		}
	}
	return []float64{lever / (1 + lever), r.tell(x, r.near) / tellNear, tells[x] / share, share, pick[x], mean, own, soft}
}

// TestVectorFeatures: what is read of random states is what the definitions say.
func TestVectorFeatures(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 0))
	for _, p := range []*game.Problem{check.RandomVectors(3, 7, 5, 12, r), check.RandomVectors(4, 8, 0, 12, r)} {
		d := p.Queries()
		s := full(r, 10, d, p.T)
		got := told(p, s)
		for at := range 10 * len(ridges) {
			b, i := at/len(ridges), at%len(ridges)
			n, sum := s.N[b*d:(b+1)*d], s.S[b*d:(b+1)*d]
			if slices.Max(sum) == 0 && slices.Min(sum) == 0 {
				continue // all tie
			}
			want := define(p, n, sum, ridges[i])
			tells, pick, tellNear := make([]float64, d), make([]float64, d), 0.0
			for k, ahead := range want.ahead {
				if k == want.best {
					continue
				}
				top := 0
				for x := range d {
					tells[x] += ahead * want.tell(x, k)
					if want.tell(x, k) > want.tell(top, k) {
						top = x
					}
				}
				pick[top] += ahead
			}
			for x := range d {
				tellNear = max(tellNear, want.tell(x, want.near))
			}
			for x := range d {
				row := got[(b*d+x)*vectorFeatures:][:vectorFeatures]
				for j, v := range want.features(x, tells, pick, slices.Max(tells), tellNear) {
					off := 1e-3
					if j == vTells || j == vShare || j == vPick {
						off = 0.05 // challengers below leastWeight are left out
					}
					if have := float64(row[i*perRidge+j]); math.Abs(have-v) > off {
						t.Errorf("state %d, query %d, ridge %d: feature %d is %v, want %v", b, x, i, j, have, v)
					}
				}
				gap := want.gap[want.near]
				for at, v := range map[int]float64{vHeads + i: want.ahead[want.near], vNearest + i: gap / (1 + gap), vCount: float64(n[x]) / 4, vLevel: float64(s.Level[b]) / 8} {
					if math.Abs(float64(row[at])-v) > 1e-3 {
						t.Errorf("feature %d is %v, want %v", at, row[at], v)
					}
				}
			}
		}
	}
}

// TestVectorInvariance: negating a query and its answers, permuting hypotheses, and other coordinates change no feature;
// permuting queries permutes them.
func TestVectorInvariance(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 0))
	gauss := func(n int) (rows [][]float64) {
		for range n {
			rows = append(rows, []float64{r.NormFloat64(), r.NormFloat64(), r.NormFloat64()})
		}
		return rows
	}
	x, z := gauss(6), gauss(5)
	s := full(r, 8, 6, 9)
	plain := told(check.Vectors(x, z, 9), s)
	by := func(rows [][]float64) (out [][]float64) {
		for _, v := range rows {
			out = append(out, []float64{2*v[0] + v[1], v[1] - 3*v[2], 0.1 * v[2]})
		}
		return out
	}
	turned, other := slices.Clone(x), slices.Clone(z)
	turned[2] = []float64{-x[2][0], -x[2][1], -x[2][2]}
	slices.Reverse(other)
	negated := game.States{N: s.N, S: slices.Clone(s.S), Left: s.Left, Level: s.Level}
	for at := 2; at < len(negated.S); at += 6 {
		negated.S[at] = -negated.S[at]
	}
	for name, got := range map[string][]float32{"coordinates": told(check.Vectors(by(x), by(z), 9), s), "hypotheses": told(check.Vectors(x, other, 9), s), "negated": told(check.Vectors(turned, z, 9), negated)} {
		for i, v := range plain {
			if math.Abs(float64(v-got[i])) > 2e-3 {
				t.Fatalf("%s: feature %d is %v, and was %v", name, i%vectorFeatures, got[i], v)
			}
		}
	}
	back, swapped := slices.Clone(x), game.States{Left: s.Left, Level: s.Level}
	slices.Reverse(back)
	for at := 0; at < len(s.N); at += 6 {
		n, sum := slices.Clone(s.N[at:at+6]), slices.Clone(s.S[at:at+6])
		slices.Reverse(n)
		slices.Reverse(sum)
		swapped.N, swapped.S = append(swapped.N, n...), append(swapped.S, sum...)
	}
	got := told(check.Vectors(back, z, 9), swapped)
	for i, v := range plain {
		query, feature := i/vectorFeatures, i%vectorFeatures
		if w := got[(query/6*6+5-query%6)*vectorFeatures+feature]; math.Abs(float64(v-w)) > 2e-3 {
			t.Fatalf("permuted: feature %d is %v, and was %v", feature, w, v)
		}
	}
}

// TestVectorPolicy: rows of a batch are single rows, the policy file keeps problem and network, and weights serve on other vectors.
func TestVectorPolicy(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 0))
	p := check.RandomVectors(3, 7, 5, 12, r)
	p.Reply = game.Answers{Sigma: 0.5, Bound: 2}
	m := unfold(newStructured(p, 8), r)
	s := full(r, 130, 7, p.T)
	probs, one := make([]float32, 130*7), make([]float32, 7)
	policy := Policy(p, m)
	policy.Probs(probs, s)
	for b := range 130 {
		policy.Probs(one, s.Row(b, 7))
		if !slices.Equal(one, probs[b*7:(b+1)*7]) {
			t.Fatalf("row %d is %v alone, %v in a batch", b, one, probs[b*7:(b+1)*7])
		}
	}
	path := filepath.Join(t.TempDir(), "p.safetensors")
	if err := WriteFile(path, m, Contract{Name: "mapo", Problem: p, Loss: "simple-regret", Rule: "least squares", Version: "v0"}); err != nil {
		t.Fatal(err)
	}
	net, c, err := ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	again := make([]float32, len(probs))
	Policy(c.Problem, net).Probs(again, s)
	if q := c.Problem; net.Arch() != "structured vectors 28-8-8" || c.Format != FormatRows || !slices.Equal(again, probs) || !slices.Equal(q.Z, p.Z) || !slices.Equal(q.Seek.(*game.Vectors).X, p.Seek.(*game.Vectors).X) || !slices.Equal(q.Expects(), p.Expects()) {
		t.Errorf("%s of format %q gives other probabilities, or the problem has changed", net.Arch(), c.Format)
	}
	if _, err := empty(net.Arch(), thresholds(3, 3), len(m.Params())); err == nil {
		t.Error("a network for vectors is read for a table")
	}
	if _, err := empty("structured even 28-8-8", p, len(m.Params())); err == nil {
		t.Error("a network for tables is read for vectors")
	}
	other := newStructured(check.RandomVectors(6, 20, 0, 40, r), 8)
	if copy(other.Params(), m.Params()) != len(other.Params()) || other.Arch() != m.Arch() {
		t.Errorf("of other vectors it is %s", other.Arch())
	}
}

// TestVectorStarts: fresh weights that lean ask what tells the leader from its challengers, and what was asked less.
func TestVectorStarts(t *testing.T) {
	p := check.Vectors([][]float64{{1, 0}, {0, 1}, {math.Cos(0.1), math.Sin(0.1)}}, nil, 40)
	of := func(m *Structured, n, s []float32) []float32 {
		probs := make([]float32, 3)
		Policy(p, m).Probs(probs, game.States{N: n, S: s})
		return probs
	}
	if got := of(newStructured(p, 4).LeanToRivals(), []float32{4, 4, 4}, []float32{4, 0, 4}); got[1] < 0.5 {
		t.Errorf("of Soare's example it asks %v", got)
	}
	if got := of(newStructured(p, 4).LeanToUnasked(), []float32{9, 0, 9}, []float32{1, 0, 1}); got[1] < 0.5 {
		t.Errorf("it asks %v, the second of which was not asked", got)
	}
}

func dot(a, b []float64) (sum float64) {
	b = b[:len(a)]
	for i, v := range a {
		sum += v * b[i]
	}
	return sum
}
