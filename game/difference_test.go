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
	p := &Problem{T: 1, Vectors: &Vectors{Dim: rank}}
	for x := range queries {
		p.X = append(p.X, fmt.Sprint("x", x))
		for range rank {
			p.Vectors.X = append(p.Vectors.X, r.NormFloat64())
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
		l.Add(s.Row(x), 1, false)
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
