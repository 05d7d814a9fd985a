package search

import "slices"

// simplices is the geometry of classes: rays from the vertices to the centre, where all classes that may come are as likely.
type simplices struct {
	rays
	centre []float64 // [|X|]
}

func (g simplices) harden(theta []float64, rho, r float64) float64 {
	return scale(g, g.c, theta, rho, r)
}

func (g simplices) stretch(theta []float64, by float64) {
	for i, v := range g.centre {
		theta[i] = v + by*(theta[i]-v)
	}
}

func (g simplices) turn(theta []float64, i int) {
	if lo, hi := g.p.Together(i); hi > lo+1 {
		next := i + 1
		if next == hi {
			next = lo
		}
		theta[i], theta[next] = theta[next], theta[i]
	}
}

// carry: what the j-th query of as said beyond the centre, that of bs now says, for b where it was for a.
func (g simplices) carry(theta []float64, a, b int, as, bs []int) {
	old := slices.Clone(theta)
	for j, i := range as {
		to := bs[j]
		theta[to] = g.centre[to] + (old[i]-g.centre[i])*sign(g.p, a, i)*sign(g.p, b, to)
	}
}
