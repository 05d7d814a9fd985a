package game

import (
	"iter"
	"math/rand/v2"
)

// Models returns the prior of a pool that takes each classifier in turn for the truth, at its rate of agreement with the others. The class
// that it predicts has that probability on every item, and the other classes have the same share of the rest. The rate is how often its
// class is one that most classifiers predict, over the items on which they differ, one of so many that tie counting in part.
// It panics where p has no labels.
func Models(p *Problem) Prior {
	m := models{p: p}
	weights, total := p.Weights(), 0.
	rates := make([]float64, p.Hypotheses())
	votes := votesOf(p)
	for c, w := range weights {
		most, ties := 0, 0
		for _, v := range votes[c] {
			switch {
			case v > most:
				most, ties = v, 1
			case v == most:
				ties++
			}
		}
		total += w
		for k := range rates {
			if votes[c][p.predicted(k, c)] == most {
				rates[k] += w / float64(ties)
			}
		}
	}
	for k, rate := range rates {
		rate /= total
		theta := make([]float64, p.Queries())
		p.Vertex(theta, k)
		other := (1 - rate) / float64(len(p.pool().Classes)-1)
		for i, v := range theta {
			if theta[i] = 2*other - 1; v > 0 {
				theta[i] = 2*rate - 1
			} else if !p.isClasses() {
				theta[i] = 1 - 2*rate
			}
		}
		m.rows = append(m.rows, theta)
	}
	return m
}

// votesOf counts the classifiers that predict each class, [cells][classes].
func votesOf(p *Problem) [][]int {
	votes := make([][]int, p.pool().Cells())
	for c := range votes {
		votes[c] = make([]int, len(p.pool().Classes))
		for k := range p.Hypotheses() {
			votes[c][p.predicted(k, c)]++
		}
	}
	return votes
}

// predicted returns the class that hypothesis k predicts in a cell.
func (p *Problem) predicted(k, cell int) int {
	lo, hi := p.pool().Queries(cell)
	says := p.Says(k)
	if !p.isClasses() {
		return int(says[lo])
	}
	for i := lo; i < hi; i++ {
		if says[i] == 1 {
			return int(p.pool().Of[i])
		}
	}
	panic("game: a classifier without a prediction")
}

type models struct {
	p    *Problem
	rows [][]float64 // [|Z|][|X|]
}

func (models) Name() string { return "models" }

func (m models) Draw(dst []float64, r *rand.Rand) int {
	copy(dst, m.rows[r.IntN(len(m.rows))])
	return -1
}

func (m models) support() iter.Seq[[]float64] { return rowPrior{rows: m.rows}.support() }

func (m models) list(p *Problem) []Drawn { return rowPrior{rows: m.rows}.list(p) }

// Votes returns the prior of a pool that believes the classifiers' votes: the probabilities of a cell's classes are drawn from a
// Dirichlet distribution of parameters votes + ½, so that their means are (votes + ½)/(|Z| + C/2) of C classes. It panics where p has no labels.
func Votes(p *Problem) Prior { return voted{p, votesOf(p)} }

type voted struct {
	p     *Problem
	votes [][]int
}

func (voted) Name() string { return "votes" }

func (v voted) Draw(dst []float64, r *rand.Rand) int {
	l := v.p.pool()
	for c, votes := range v.votes {
		share, sum := make([]float64, len(votes)), 0.
		for class, n := range votes {
			normal := r.NormFloat64()
			share[class] = normal * normal / 2 // of the gamma distribution of shape ½; each exponential adds 1 to the shape
			for range n {
				share[class] += r.ExpFloat64()
			}
			sum += share[class]
		}
		lo, hi := l.Queries(c)
		if l.First == nil {
			dst[lo] = 2*share[1]/sum - 1
			continue
		}
		for i := lo; i < hi; i++ {
			dst[i] = 2*share[l.Of[i]]/sum - 1
		}
	}
	return -1
}
