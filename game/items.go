package game

import (
	"math"
	"math/rand/v2"
)

// A pool is finite: an instance of it says how many of each cell's items have which class, and each item gives its label once. So the
// labels of a cell are drawn without replacement, and the counts of their classes are hypergeometric. The paper's model draws each
// answer anew. [Problem.RoundItems] rounds an instance that is not of whole items.

// wholeOf returns the number of items that a share of so many is nearest to, and whether it is that, up to a θ printed to three decimals.
func wholeOf(share, items float64) (n float64, is bool) {
	n = math.Round(share * items)
	return n, math.Abs(share*items-n) < min(0.1, 3e-4*items)
}

// Broken returns the first entry of instances, [M, |X|], that does not say a whole number of its cell's items, −1 where all do. Only
// where p has labels.
func (p *Problem) Broken(theta []float64) int {
	for at, v := range theta {
		if _, is := wholeOf((1+v)/2, float64(p.pool().Room(p.pool().CellOf(at%len(p.X))))); !is {
			return at
		}
	}
	return -1
}

// IsItems reports whether instances, [M, |X|], say whole numbers of items of every cell. Those of other problems have none.
func (p *Problem) IsItems(theta []float64) bool { return p.pool() == nil || p.Broken(theta) < 0 }

// DrawItems draws the class of every item by theta, [|X|], and writes the shares of each cell's classes there. Without
// items theta stays as it is.
func (p *Problem) DrawItems(theta []float64, r *rand.Rand) {
	l := p.pool()
	if l == nil {
		return
	}
	var count []int
	for c := range l.Cells() {
		lo, hi := l.Queries(c)
		count = append(count[:0], make([]int, hi-lo)...)
		for range l.Room(c) {
			u := r.Float64()
			if l.First == nil {
				if u < (1+theta[lo])/2 {
					count[0]++
				}
			} else if came := l.Draw(c, theta, u); came >= 0 {
				count[came-lo]++
			}
		}
		for i, n := range count {
			theta[lo+i] = 2*float64(n)/float64(l.Room(c)) - 1
		}
	}
}

// RoundItems writes to dst, [|X|], an instance of whole items that differs from theta by less than one item in each class of a cell, drawn
// so that its mean is theta: systematic sampling with one number for a cell. Only where p has labels.
func (p *Problem) RoundItems(dst, theta []float64, r *rand.Rand) {
	l := p.pool()
	for c := range l.Cells() {
		lo, hi := l.Queries(c)
		room, u := float64(l.Room(c)), r.Float64()
		sum, before := 0.0, 0.0
		for i := lo; i < hi; i++ {
			sum += (1 + theta[i]) / 2
			upTo := math.Floor(sum*room + u)
			if whole, is := wholeOf(sum, room); is {
				upTo = whole
			}
			dst[i] = 2*(upTo-before)/room - 1
			before = upTo
		}
	}
}
