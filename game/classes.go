package game

import (
	"fmt"
	"math/rand/v2"
	"slices"
)

// isClasses reports whether queries are the classes of items, those of a cell being asked together.
func (p *Problem) isClasses() bool { return p.pool() != nil && p.pool().First != nil }

// Came returns the query of a cell that says class, or −1 where no classifier predicts that. Only of more than two classes.
func (l *Labels) Came(cell, class int) int {
	lo, hi := l.Queries(cell)
	for i := lo; i < hi; i++ {
		if int(l.Of[i]) == class {
			return i
		}
	}
	return -1
}

// All reports whether some classifier predicts each class there: the probabilities of a cell's queries then sum to 1.
func (l *Labels) All(cell int) bool {
	lo, hi := l.Queries(cell)
	return hi-lo == len(l.Classes)
}

// Label adds a label to a state, n and s, [|X|], of a problem of more than two classes: came is the query of the item's class,
// −1 where no classifier predicts that.
func (l *Labels) Label(n, s []float32, cell, came int) {
	lo, hi := l.Queries(cell)
	for i := lo; i < hi; i++ {
		n[i]++
		if i == came {
			s[i]++
		} else {
			s[i]--
		}
	}
}

// Draw returns the query of a cell that u in [0, 1) picks by (1+θ_i)/2, [|X|], −1 for none of them. Rounding falls on the last
// query where some classifier predicts each class.
func (l *Labels) Draw(cell int, theta []float64, u float64) int {
	lo, hi := l.Queries(cell)
	for i := lo; i < hi; i++ {
		share := (1 + theta[i]) / 2
		if u < share {
			return i
		}
		u -= share
	}
	if l.All(cell) {
		return hi - 1
	}
	return -1
}

// Predictions returns the query that each hypothesis predicts in each cell, [|Z|, cells]. Only of more than two classes.
func (p *Problem) Predictions() []int32 {
	cells := p.pool().Cells()
	out := make([]int32, p.Hypotheses()*cells)
	for k := range p.Hypotheses() {
		says := p.Says(k)
		for c := range cells {
			lo, hi := p.pool().Queries(c)
			for i := lo; i < hi; i++ {
				if says[i] != 0 {
					out[k*cells+c] = int32(i)
				}
			}
		}
	}
	return out
}

// Weights returns how many items stand behind each cell, [cells]: what a hypothesis gains that is right there.
func (p *Problem) Weights() []float64 {
	l, d := p.pool(), len(p.X)
	out := make([]float64, l.Cells())
	for c := range out {
		lo, hi := l.Queries(c)
		for at := lo; at < len(p.Z); at += d {
			for _, z := range p.Z[at : at+hi-lo] {
				out[c] = max(out[c], float64(z))
			}
		}
		if l.First != nil {
			out[c] *= 2
		}
	}
	return out
}

// Unit returns the largest entry of Z where p has labels, else 1: what scores are divided by, so that those of large pools tie
// within [Tie], too.
func (p *Problem) Unit() float32 {
	if p.pool() == nil {
		return 1
	}
	return slices.Max(p.Z)
}

// Centre writes to dst, [|X|], the instance where all hypotheses score alike, towards which difficulty grows as 1/c²: 0, or
// where queries are classes the uniform distribution over those that may come.
func (p *Problem) Centre(dst []float64) {
	clear(dst)
	if !p.isClasses() {
		return
	}
	for c := range p.pool().Cells() {
		lo, hi := p.pool().Queries(c)
		may := float64(hi - lo)
		if !p.pool().All(c) {
			may++
		}
		for i := lo; i < hi; i++ {
			dst[i] = 2/may - 1
		}
	}
}

// Vertex writes the instance on which hypothesis k is always right to dst, [|X|]: 2z − 1 of the answers that it expects.
func (p *Problem) Vertex(dst []float64, k int) {
	for i, z := range p.Says(k) {
		dst[i] = 2*float64(z) - 1
	}
}

// AddScore adds weight · ∂ log P/∂θ to dst, [|X|], after so many answers n that sum to s, [|X|]: the factor of Eq. 10.
func (p *Problem) AddScore(dst, theta []float64, n, s []float32, weight float64) {
	p.Answer().AddScore(dst, theta, n, s, p.Questions(), weight)
}

// Anywhere writes an instance to dst, [|X|], that is drawn uniformly from all that may be: from [−1, 1] each, or where queries are
// classes from the probabilities of a cell. With [Vectors] it is uniform nearly: by a walk of 20 steps for each dimension.
func (p *Problem) Anywhere(dst []float64, r *rand.Rand) {
	if p.vectors() != nil {
		p.Span().walk(dst, r)
		return
	}
	if !p.isClasses() {
		for i := range dst {
			dst[i] = 2*r.Float64() - 1
		}
		return
	}
	for c := range p.pool().Cells() {
		lo, hi := p.pool().Queries(c)
		var sum float64
		for i := lo; i < hi; i++ {
			dst[i] = r.ExpFloat64()
			sum += dst[i]
		}
		if !p.pool().All(c) {
			sum += r.ExpFloat64()
		}
		for i := lo; i < hi; i++ {
			dst[i] = 2*dst[i]/sum - 1
		}
	}
}

// Check reports the first reason why p is not a pool with these labels.
func (l *Labels) Check(p *Problem) error {
	d, n := p.Queries(), p.Hypotheses()
	if err := l.check(d); err != nil {
		return err
	}
	switch {
	case p.AskOnce || p.Reply != nil:
		return fmt.Errorf("a pool of items has labels for answers, and its cells say how often they may be asked: leave out ask-once, answers and offsets")
	case p.T > len(l.Items):
		return fmt.Errorf("budget %d is above the pool's %d items on which its classifiers differ, and an item has one label: lower the budget to at most %d", p.T, len(l.Items), len(l.Items))
	case len(p.made.says) != d*n:
		return fmt.Errorf("the problem has labels and %d expected answers; %d×%d are needed", len(p.made.says), n, d)
	}
	seen, weights := make(map[string]int, n), p.Weights()
	for k := range n {
		if err := p.checkClassifier(k, weights); err != nil {
			return err
		}
		bits := p.Digits(k)
		if j, ok := seen[bits]; ok {
			return fmt.Errorf("classifiers %q and %q predict the same on all items: leave one out", p.Names[j], p.Names[k])
		}
		seen[bits] = k
	}
	return nil
}

// checkClassifier reports the first cell in which classifier k is not worth what weights, [cells], says.
func (p *Problem) checkClassifier(k int, weights []float64) error {
	z, says := p.Row(k), p.Says(k)
	for c, w := range weights {
		lo, hi := p.pool().Queries(c)
		if p.pool().First != nil {
			w /= 2
		}
		ones := 0
		for i := lo; i < hi; i++ {
			if says[i] != 0 && says[i] != 1 || z[i] != float32(w)*says[i] || !(w > 0) {
				return fmt.Errorf("classifier %q expects %v of query %d and is worth %v; with %v items behind it, it must be worth that times 0 or 1", p.Names[k], says[i], i, z[i], w)
			}
			ones += int(says[i])
		}
		if p.pool().First != nil && ones != 1 {
			return fmt.Errorf("classifier %q predicts %d classes of cell %d; it must predict one", p.Names[k], ones, c)
		}
	}
	return nil
}
