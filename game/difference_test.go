package game

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// spread is a problem of random vectors.
func spread(queries, hypotheses, rank int) *Problem {
	r := rand.New(rand.NewPCG(uint64(queries), uint64(rank)))
	p := &Problem{T: 1, Seek: &Vectors{Dim: rank}}
	for x := range queries {
		p.X = append(p.X, fmt.Sprint("x", x))
		for range rank {
			p.Seek.(*Vectors).X = append(p.Seek.(*Vectors).X, r.NormFloat64())
		}
	}
	var z []float64
	for k := range hypotheses {
		p.Names = append(p.Names, fmt.Sprint("z", k))
		for range rank {
			z = append(z, r.NormFloat64())
		}
	}
	if _, err := p.Fold(z); err != nil {
		panic(err)
	}
	return p
}

// TestDifferenceAsked: only the pairs that are asked for are solved, and what is found does not depend on the order.
func TestDifferenceAsked(t *testing.T) {
	p, q := spread(60, 12, fewMoved+1), spread(60, 12, fewMoved+1)
	for k := range 12 {
		if k != 4 {
			p.Difference(4, k)
		}
	}
	solved := 0
	for at := range p.Span().pair.of {
		if p.Span().pair.of[at].Load() != nil {
			solved++
		}
	}
	if solved != 11 {
		t.Errorf("%d pairs were solved for one hypothesis of 12", solved)
	}
	for a := 11; a >= 0; a-- {
		for b := range a {
			one, _ := p.Difference(a, b)
			two, sign := q.Difference(b, a)
			if sign != 1 || one.Norm != two.Norm || !slices.Equal(one.On, two.On) || !slices.Equal(one.By, two.By) {
				t.Fatalf("the difference of %d and %d is %v, and %v in another order", a, b, one, two)
			}
		}
	}
}

// TestMove: going on from another optimum finds the optimum that a new start does, in fewer pivots.
func TestMove(t *testing.T) {
	const rank = 20
	s := spread(150, 12, rank).Span()
	l := NewL1(rank)
	for x := range 150 {
		l.Add(s.Vector(x), 1, false)
	}
	type solution struct {
		value  float64
		pivots int
		a      []float64
	}
	take := func(value float64) solution {
		out := solution{value, l.pivots, make([]float64, 150)}
		l.Basis(func(x int, a float64) { out.a[x] = a })
		return out
	}
	w := make([]float64, rank)
	moved, anew := 0, 0
	for k := 1; k < 12; k++ {
		for j, v := range s.Hypothesis(0) {
			w[j] = v - s.Hypothesis(k)[j]
		}
		l.Start(s.Hypothesis(0), s.Basis)
		l.Solve()
		l.pivots = 0
		by := take(l.Move(slices.Clone(w)))
		l.Start(slices.Clone(w), s.Basis)
		l.pivots = -1 << 20 // counts on beyond the next renewal
		want := take(l.Solve())
		moved, anew = moved+by.pivots, anew+want.pivots+1<<20
		for x, a := range want.a {
			if math.Abs(by.value-want.value) > 1e-9*want.value || math.Abs(by.a[x]-a) > 1e-7 {
				t.Fatalf("from another optimum %v, anew %v", by, want)
			}
		}
	}
	if moved > anew*3/4 {
		t.Errorf("%d pivots from another optimum, %d anew", moved, anew)
	}
}

// TestL1OneSided: a column that may not be negative is not where it would be cheaper so, and its dual bounds one side alone.
func TestL1OneSided(t *testing.T) {
	// min 3|a| + 3|b| + c + c' subject to (a + c, b + c − c') = w, c and c' one-sided: two columns of cost 1.
	solve := func(x, y float64) (value float64, a [4]float64, dual []float64) {
		l := NewL1(2)
		l.Add([]float64{1, 0}, 3, false)
		l.Add([]float64{0, 1}, 3, false)
		l.Add([]float64{1, 1}, 1, true)
		l.Add([]float64{0, -1}, 1, true)
		l.Start([]float64{x, y}, []int{0, 1})
		value = l.Solve()
		l.Basis(func(j int, v float64) { a[j] = v })
		return value, a, l.Dual()
	}
	for _, c := range []struct {
		x, y, value float64
		a           [4]float64
	}{
		{1, 1, 1, [4]float64{0, 0, 1, 0}},
		{-1, -1, 4, [4]float64{-1, 0, 0, 1}}, // both signs of c would cost 1
		{0, -2, 2, [4]float64{0, 0, 0, 2}},
		{0, 2, 6, [4]float64{0, 2, 0, 0}}, // c' would cost 2
	} {
		value, a, dual := solve(c.x, c.y)
		if math.Abs(value-c.value) > 1e-12 || a != c.a {
			t.Errorf("of (%v, %v) the value is %v by %v, want %v by %v", c.x, c.y, value, a, c.value, c.a)
		}
		if math.Abs(dual[0]*c.x+dual[1]*c.y-c.value) > 1e-12 || dual[0]+dual[1] > 1+1e-9 || -dual[1] > 1+1e-9 {
			t.Errorf("of (%v, %v) the dual is %v", c.x, c.y, dual)
		}
	}
}

// TestAdmitNearTheEdge: means between 1 − ε and 1 are scaled down into the box, and those within it stay.
func TestAdmitNearTheEdge(t *testing.T) {
	p := spread(6, 4, 2)
	theta := make([]float64, 6)
	p.Span().Direction(theta, rand.New(rand.NewPCG(1, 1)))
	most := 0.
	for _, v := range theta {
		most = max(most, math.Abs(v))
	}
	for size, want := range map[float64]float64{1 - Edge/2: 1 - Edge, 2: 1 - Edge, 1 - 2*Edge: 1 - 2*Edge, 0.5: 0.5} {
		got := make([]float64, 6)
		for x, v := range theta {
			got[x] = v * size / most
		}
		p.Admit(got)
		for x, v := range theta {
			if math.Abs(got[x]-v*want/most) > 1e-12 {
				t.Errorf("means of size %v: mean %d is %v, want %v", size, x, got[x], v*want/most)
			}
		}
	}
}
