package check

import (
	"fmt"
	"math/rand/v2"

	"mapo/game"
)

// Vectors returns a problem with queries x and hypotheses z, which are vectors of one
// length; z nil: the queries.
func Vectors(x, z [][]float64, budget int) *game.Problem {
	p := &game.Problem{Name: "vectors", T: budget, Seek: &game.Vectors{Dim: len(x[0])}}
	for i, row := range x {
		p.X = append(p.X, fmt.Sprintf("x%d", i))
		p.Seek.(*game.Vectors).X = append(p.Seek.(*game.Vectors).X, row...)
	}
	if z == nil {
		z = x
	}
	var flat []float64
	for k, row := range z {
		p.Names = append(p.Names, fmt.Sprintf("z%d", k))
		flat = append(flat, row...)
	}
	p, err := p.Fold(flat)
	if err != nil {
		panic(err)
	}
	return p
}

// RandomVectors returns a problem with n normal queries in dim dimensions and m normal
// hypotheses; none: the queries.
func RandomVectors(dim, n, m, budget int, r *rand.Rand) *game.Problem {
	var z [][]float64
	x := gauss(n, dim, r)
	if m > 0 {
		z = gauss(m, dim, r)
	}
	return Vectors(x, z, budget)
}

func gauss(n, dim int, r *rand.Rand) [][]float64 {
	rows := make([][]float64, n)
	for i := range rows {
		for range dim {
			rows[i] = append(rows[i], r.NormFloat64())
		}
	}
	return rows
}

// AsVectors returns p with its queries given as unit vectors, and not normalised: the same
// game by the general path.
func AsVectors(p *game.Problem) *game.Problem {
	q, d := *p, p.Queries()
	q.Seek = &game.Vectors{Dim: d, X: make([]float64, d*d)}
	for i := range d {
		q.Seek.(*game.Vectors).X[i*d+i] = 1
	}
	z := make([]float64, len(p.Z))
	for at, v := range p.Z {
		z[at] = float64(v)
	}
	of, err := q.Fold(z)
	if err != nil {
		panic(err)
	}
	return of
}

// Admitted returns a random instance of p: one of the box, moved to where it may be.
func Admitted(p *game.Problem, r *rand.Rand) []float64 {
	theta := make([]float64, p.Queries())
	for i := range theta {
		theta[i] = 2*r.Float64() - 1
	}
	p.Admit(theta)
	return theta
}
