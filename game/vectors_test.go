package game_test

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"mapo/game"
	"mapo/internal/check"
	"mapo/internal/suite"
	"mapo/rng"
)

// state is a random state of p with so many answers.
func state(p *game.Problem, answers int, r *rand.Rand) (n, s []float32) {
	n, s = make([]float32, p.Queries()), make([]float32, p.Queries())
	for range answers {
		i := r.IntN(len(n))
		n[i]++
		s[i] += float32(2*r.IntN(2) - 1)
	}
	return n, s
}

// TestVectorsAsBasis: unit vectors and the standard basis are one game, by the general path too: losses, differences,
// difficulties, their gradients, and decisions.
func TestVectorsAsBasis(t *testing.T) {
	r := rng.New(1).Rand()
	for _, p := range []*game.Problem{check.BestArm(6, 5), check.Thresholds(7, 5), check.Random(6, 9, 5, r)} {
		q := check.AsVectors(p)
		if err := q.Check(); err != nil {
			t.Fatal(err)
		}
		if got := q.Plain(); check.Is[*game.Vectors](got) || !slices.Equal(got.Z, p.Z) || &got.Expects()[0] != &got.Z[0] {
			t.Error("normalised it is not the game of the standard basis")
		}
		if a, b := game.SimpleRegret.Scale(p), game.SimpleRegret.Scale(q); math.Abs(a-b) > 1e-6 {
			t.Errorf("the scale of regret is %v and %v", a, b)
		}
		for range 50 {
			theta := check.Admitted(p, r)
			a, b := make([]float64, len(theta)), make([]float64, len(theta))
			x, y := game.RhoTilde(p).Grad(a, theta), game.RhoTilde(q).Grad(b, theta)
			if math.Abs(x-y) > 1e-6*x || check.Farthest(a, b) > 1e-6*x*x {
				t.Errorf("ρ̃ is %v and %v, its gradients %v and %v", x, y, a, b)
			}
			n, s := state(p, 1+r.IntN(8), r)
			one, two := make([]float32, p.Hypotheses()), make([]float32, p.Hypotheses())
			of := game.States{N: n, S: s}
			game.LeastSquares(p).Decide(one, of)
			game.LeastSquares(q).Decide(two, of)
			if !slices.Equal(one, two) {
				t.Errorf("after %v %v the decisions are %v and %v", n, s, one, two)
			}
			for _, loss := range game.Losses() {
				if a, b := loss.Of(p.Instance(theta), one), loss.Of(q.Instance(theta), two); math.Abs(a-b) > 1e-6 {
					t.Errorf("%v is %v and %v", loss, a, b)
				}
			}
			clear(a)
			clear(b)
			game.SimpleRegret.AddGrad(a, p, p.Instance(theta), one, 1)
			game.SimpleRegret.AddGrad(b, q, q.Instance(theta), two, 1)
			if check.Farthest(a, b) > 1e-6 {
				t.Errorf("the gradients of regret are %v and %v", a, b)
			}
		}
	}
}

// TestVectorsCoordinates: scores, ρ̃ and decisions are those of X·M, Z·M and M⁻¹θ, and scores are ⟨z, θ⟩.
func TestVectorsCoordinates(t *testing.T) {
	r := rng.New(2).Rand()
	x, z := [][]float64{{1, 0, 0}, {0, 1, 0}, {1, 1, 1}, {0.5, -1, 2}, {-1, 0.3, 0.2}}, [][]float64{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 0}}
	m := [][]float64{{2, 0, 1}, {0.5, -3, 0}, {0, 100, 0.1}}
	by := func(rows [][]float64) (out [][]float64) {
		for _, row := range rows {
			of := make([]float64, 3)
			for i, v := range row {
				for j := range of {
					of[j] += v * m[i][j]
				}
			}
			out = append(out, of)
		}
		return out
	}
	p, q := check.Vectors(x, z, 9), check.Vectors(by(x), by(z), 9)
	for range 50 {
		w := []float64{r.NormFloat64() / 5, r.NormFloat64() / 5, r.NormFloat64() / 5}
		theta := make([]float64, len(x))
		for i, row := range x {
			theta[i] = row[0]*w[0] + row[1]*w[1] + row[2]*w[2]
		}
		in := p.Instance(theta)
		for k, row := range z {
			if want := row[0]*w[0] + row[1]*w[1] + row[2]*w[2]; math.Abs(in.Value[k]-want) > 1e-6 {
				t.Errorf("the score of %v is %v, want %v", row, in.Value[k], want)
			}
		}
		if a, b := game.RhoTilde(p).Of(theta), game.RhoTilde(q).Of(theta); math.Abs(a-b) > 1e-3*a {
			t.Errorf("ρ̃ is %v, and %v in other coordinates", a, b)
		}
		n, s := state(p, 1+r.IntN(9), r)
		one, two := make([]float32, 5), make([]float32, 5)
		p.Means(one, n, s)
		q.Means(two, n, s)
		for i := range one {
			if math.Abs(float64(one[i]-two[i])) > 1e-4 {
				t.Errorf("after %v %v the means are %v and %v", n, s, one, two)
			}
		}
	}
}

// TestVectorRhoGrad: the gradient of ρ̃ within the column space is right, and c² divides it out along rays.
func TestVectorRhoGrad(t *testing.T) {
	r := rng.New(3).Rand()
	for range 5 {
		p := check.RandomVectors(3, 8, 6, 1, r)
		rho, s := game.RhoTilde(p), p.Span()
		means := func(eta []float64) []float64 {
			theta := make([]float64, p.Queries())
			for x := range theta {
				for j, u := range s.Vector(x) {
					theta[x] += u * eta[j]
				}
			}
			return theta
		}
		check.Grad(t, s.Rank, func(eta []float64) {
			for {
				for j := range eta {
					eta[j] = 4*r.Float64() - 2
				}
				if rho.Of(means(eta)) < 1e3 {
					return
				}
			}
		}, func(eta []float64) float64 { return rho.Of(means(eta)) }, func(dst, eta []float64) {
			grad := make([]float64, p.Queries())
			rho.Grad(grad, means(eta))
			clear(dst)
			for x, g := range grad {
				for j, u := range s.Vector(x) {
					dst[j] += g * u
				}
			}
		})
		theta, half := check.Admitted(p, r), make([]float64, p.Queries())
		for i, v := range theta {
			half[i] = v / 2
		}
		if a, b := rho.Of(theta), rho.Of(half); math.Abs(4*a-b) > 1e-6*b {
			t.Errorf("ρ̃ is %v, and %v at half the means", a, b)
		}
	}
}

// TestDifferences: the weights of a difference make it up, no others of smaller norm do by linear duality, and where queries are
// added that are of no use nothing changes.
func TestDifferences(t *testing.T) {
	r := rng.New(4).Rand()
	for range 20 {
		p := check.RandomVectors(4, 9, 5, 1, r)
		s := p.Span()
		for a := range 5 {
			for b := range 5 {
				if a == b {
					continue
				}
				of, sign := p.Difference(a, b)
				got, norm := make([]float64, s.Rank), 0.0
				for j, x := range of.On {
					norm += math.Abs(of.By[j])
					for i, u := range s.Vector(int(x)) {
						got[i] += sign * of.By[j] * u
					}
				}
				most := 0.0 // |⟨a, μ⟩| ≤ ‖a‖₁ over the box
				for range 200 {
					theta := check.Admitted(p, r)
					in := p.Instance(theta)
					most = max(most, math.Abs(in.Value[a]-in.Value[b]))
				}
				for i := range got {
					if want := s.Hypothesis(a)[i] - s.Hypothesis(b)[i]; math.Abs(got[i]-want) > 1e-7 {
						t.Fatalf("the weights make %v, want %v", got[i], want)
					}
				}
				if len(of.On) > s.Rank || math.Abs(norm-of.Norm) > 1e-12 || most > of.Norm || most < of.Norm/3 {
					t.Errorf("%d weights of norm %v; differences of scores reach %v", len(of.On), of.Norm, most)
				}
			}
		}
	}
}

// TestVectorAdmit: what is admitted is in the column space and the box, and stays.
func TestVectorAdmit(t *testing.T) {
	r := rng.New(5).Rand()
	p := check.RandomVectors(3, 10, 0, 1, r)
	for range 100 {
		theta := make([]float64, 10)
		for i := range theta {
			theta[i] = 3 * r.NormFloat64()
		}
		p.Admit(theta)
		again := slices.Clone(theta)
		p.Admit(again)
		if check.Farthest(theta, again) > 1e-12 || slices.Max(theta) > 1-game.Edge+1e-12 || slices.Min(theta) < game.Edge-1-1e-12 {
			t.Fatalf("admitted %v, then %v", theta, again)
		}
	}
}

// TestRidge: scores, squares, products of whitened vectors and what comes back are those of the inverse of A.
func TestRidge(t *testing.T) {
	r := rng.New(7).Rand()
	const rank, kappa = 4, 0.3
	for answers := range 12 {
		p := check.RandomVectors(rank, 7, 5, 20, r)
		n, s := state(p, answers, r)
		g := p.NewRidge()
		a, b, l, inverse := make([]float64, rank*rank), make([]float64, rank), make([]float64, rank*rank), make([]float64, rank*rank)
		g.Span.Sums(a, b, n, s)
		g.Solve(a, b, kappa)
		for i := range rank {
			a[i*rank+i] += kappa
		}
		game.Cholesky(l, a, rank)
		game.CholeskyInverse(inverse, l, rank)
		times := func(v []float64) (out []float64) {
			for i := range rank {
				var sum float64
				for j, w := range v {
					sum += inverse[i*rank+j] * w
				}
				out = append(out, sum)
			}
			return out
		}
		inner := func(v, w []float64) (sum float64) {
			for i, x := range v {
				sum += x * w[i]
			}
			return sum
		}
		near := func(what string, got, want float64) {
			if math.Abs(got-want) > 1e-9*(1+math.Abs(want)) {
				t.Errorf("%d answers: %s is %v, want %v", answers, what, got, want)
			}
		}
		eta := make([]float64, rank)
		g.Back(eta, g.B)
		for i, v := range times(b) {
			near("the estimate", eta[i], v)
		}
		best, y, white := r.IntN(5), make([]float64, rank), make([]float64, rank*p.Queries())
		g.Against(best)
		g.Whiten(white, g.Span.Queries())
		for k := range p.Hypotheses() {
			near("a score", g.Score[k], inner(g.Span.Hypothesis(k), eta))
			diff := slices.Clone(g.Span.Hypothesis(best))
			for i, v := range g.Span.Hypothesis(k) {
				diff[i] -= v
			}
			near("a square", g.Square[k], inner(diff, times(diff)))
			g.Differ(y, best, k)
			for x := range p.Queries() {
				var product float64
				for i, v := range y {
					product += v * white[i*p.Queries()+x]
				}
				near("a product", product, inner(g.Span.Vector(x), times(diff)))
			}
		}
	}
}

// TestFit: the estimate solves the normal equations, is of least norm, and moves by one more answer as [game.Fit.Step] says,
// also until the queries asked span everything.
func TestFit(t *testing.T) {
	r := rng.New(6).Rand()
	for answers := range 12 {
		p := check.RandomVectors(4, 7, 0, 20, r)
		n, s := state(p, answers, r)
		f, after := p.NewFit(), p.NewFit()
		f.Solve(n, s)
		for i := range f.Eta {
			var a, b float64
			for j, v := range f.Eta {
				a += f.A[i*4+j] * v
			}
			for x := range n {
				b += float64(s[x]) * f.Span.Vector(x)[i]
			}
			if math.Abs(a-b) > 1e-7 {
				t.Errorf("%d answers: normal equation %d has %v, want %v", answers, i, a, b)
			}
		}
		if f.Seen != nil { // nothing outside of the span of what was asked
			rest := slices.Clone(f.Eta)
			for at := 0; at < len(f.Seen); at += 4 {
				var part float64
				for i, q := range f.Seen[at : at+4] {
					part += q * f.Eta[i]
				}
				for i, q := range f.Seen[at : at+4] {
					rest[i] -= part * q
				}
			}
			if check.Farthest(rest, make([]float64, 4)) > 1e-9 {
				t.Errorf("%d answers: the estimate has %v outside of what was asked", answers, rest)
			}
		}
		step := make([]float64, 4)
		for x := range n {
			f.Step(step, x)
			var says float64
			for i, u := range f.Span.Vector(x) {
				says += u * f.Eta[i]
			}
			n[x], s[x] = n[x]+1, s[x]+1
			after.Solve(n, s)
			n[x], s[x] = n[x]-1, s[x]-1
			for i, v := range f.Eta {
				if want := v + (1-says)*step[i]; math.Abs(after.Eta[i]-want) > 1e-6 {
					t.Fatalf("%d answers, then query %d: %v, want %v", answers, x, after.Eta[i], want)
				}
			}
		}
	}
}

// TestVectorsRefused: hypotheses outside of the span, and what no allocation separates.
func TestVectorsRefused(t *testing.T) {
	p := &game.Problem{X: []string{"a", "b"}, Names: []string{"one", "two"}, T: 1, Seek: &game.Vectors{Dim: 2, X: []float64{1, 1, 2, 2}}}
	if _, err := p.Fold([]float64{1, 1, 1, 0}); err == nil || !strings.Contains(err.Error(), `"two" lies outside of the span`) {
		t.Errorf("collinear queries: %v", err)
	}
	if _, err := p.Fold([]float64{1, 1, 1, 1 + 1e-9}); err != nil {
		t.Fatal(err)
	}
	if err := p.Check(); err == nil || !strings.Contains(err.Error(), `"one" and "two" are the same, so that no allocation of answers separates them`) {
		t.Errorf("equal hypotheses: %v", err)
	}
}

// TestVectorsJSON: a problem comes back from JSON as it was.
func TestVectorsJSON(t *testing.T) {
	p := check.RandomVectors(3, 6, 4, 9, rng.New(7).Rand())
	p.Span()
	data, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	var q game.Problem
	if err := json.Unmarshal(data, &q); err != nil {
		t.Fatal(err)
	}
	if again, _ := json.Marshal(q); string(again) != string(data) || !slices.Equal(q.Span().V, p.Span().V) {
		t.Error("it has changed")
	}
}

// TestL1Ends: queries that are nearly dependent do not keep the programme going in a circle, and what it ends in makes up the
// difference.
func TestL1Ends(t *testing.T) {
	p := check.Vectors([][]float64{
		{0, 0.1959896027543473, 1, 1},
		{6.771455079589714e-07, 0.1959896027543473, 1, 1.0000014091826528},
		{1, 0, 1, -1},
		{8.578998333245706e-07, 0.1959896027543473, 0.9999999462568105, 1.0000013307411826},
		{-1, 0, 1, 1},
		{8.578998333245706e-07, 0.1959896027543473, 1.0000000125393447, 1.0000013307411826},
		{1, -6.830901105421461e-06, 1, -1.0000054595225214},
		{-1.000000019317026, 3.3526563944079844e-08, 1, 1},
		{-3.726829010578475e-08, 0.1959893404423448, 1, 0.9999999397118946},
		{8.578998333245707e-09, 0.001959897550836826, 0.009999998583849768, 0.010000015326650232},
		{8.578998333245706e-07, 0.1959896027543473, 0.9999999462568105, 0.9989035263519349},
	}, [][]float64{
		{-8.578998332842147e-07, 0, 1.0000000125393447, -1.0000013307411826},
		{8.578998333245706e-07, -0.1959896027543473, 1.2539344673712094e-08, -1.330741182581363e-06},
		{0.9999991335211683, 0.19402970520351046, -1.0100000111231944, -2.0000013307411826},
		{0, -0.1959896027543473, 1, 2.000001409182653},
		{-1.0000015543623673, 0.19598956922778335, 1, -2.9989049355345876},
		{8.951681234303554e-07, -0.39197894319669213, -5.374318945428058e-08, -1.000001391029288},
		{1.9999991614171928, -3.3526563944079844e-08, 0, 0.0010964736480650883},
		{-8.49320834991325e-07, -0.1959896027543473, 1.0099999448406602, 0.9989035263519349},
		{1.8075432536559927e-07, 0.3939391030595314, 1, -0.01109789815736811},
	}, 3)
	done := make(chan bool)
	go func() {
		defer close(done)
		p.Difference(1, 0)
	}()
	select {
	case <-done:
	case <-time.After(suite.Patience):
		t.Fatal("the differences of 9 hypotheses come to no end")
	}
	s := p.Span()
	for a := range p.Hypotheses() {
		for b := range a {
			of, sign := p.Difference(a, b)
			off, norm := 0.0, 0.0
			for i, v := range s.Hypothesis(a) {
				want := v - s.Hypothesis(b)[i]
				got := 0.0
				for j, x := range of.On {
					got += sign * of.By[j] * s.Vector(int(x))[i]
				}
				off, norm = max(off, math.Abs(got-want)), max(norm, math.Abs(want))
			}
			if off > 1e-3*norm {
				t.Errorf("hypotheses %d and %d are off by %v of %v", a, b, off, norm)
			}
		}
	}
}
