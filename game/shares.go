package game

import (
	"fmt"
	"iter"
	"math/rand/v2"
)

// Shares are graded hypotheses: each says how likely a yes is to every query, as the rows of a table do. Where a
// [Problem] has them, two hypotheses may agree on every majority in Z and still differ. Read-only once made.
type Shares struct {
	Yes     []float64 // P(yes), in [0, 1], [|Z|, |X|]
	Unknown []bool    // true where Yes stands in for a missing cell, [|Z|, |X|]; nil: nothing is missing
	Weight  []float64 // the probability of each hypothesis before the game, at least 0, sum 1, [|Z|]
	Wrong   *float64  // the share of wrong answers, in [0, ½), where it is known; nil: a posterior infers it
	Other   bool      // whether the last hypothesis is "none of these", which no game is drawn from
}

// check reports the first reason why the shares do not fit n hypotheses over d queries.
func (s *Shares) check(d, n int) error {
	switch {
	case len(s.Yes) != n*d:
		return fmt.Errorf("the problem has %d shares; %d×%d are needed", len(s.Yes), n, d)
	case s.Unknown != nil && len(s.Unknown) != n*d:
		return fmt.Errorf("the mask of unknown shares has %d entries; %d×%d are needed", len(s.Unknown), n, d)
	case s.Wrong != nil && !(*s.Wrong >= 0 && *s.Wrong < 0.5):
		return fmt.Errorf("the share of wrong answers is %v; it must be from 0 to below 0.5", *s.Wrong)
	case len(s.Weight) != n:
		return fmt.Errorf("the problem has %d weights for %d hypotheses", len(s.Weight), n)
	}
	for at, yes := range s.Yes {
		if !(yes >= 0 && yes <= 1) {
			return fmt.Errorf("hypothesis %d has the share %v at query %d; it must be from 0 to 1", at/d, yes, at%d)
		}
	}
	var sum float64
	for k, w := range s.Weight {
		if !(w >= 0) {
			return fmt.Errorf("hypothesis %d has weight %v; it must be at least 0", k, w)
		}
		sum += w
	}
	if !(sum > 1-1e-9 && sum < 1+1e-9) {
		return fmt.Errorf("the weights sum to %v; they must sum to 1", sum)
	}
	return nil
}

// Row returns hypothesis k's shares, [|X|], of a problem of d queries. It aliases Yes.
func (s *Shares) Row(k, d int) []float64 { return s.Yes[k*d : (k+1)*d : (k+1)*d] }

// Grade makes Z, Offset and Majority of the problem's shares, in place, and returns p. The best hypothesis is then the row
// nearest to θ. With m = 2·yes − 1 half the squared distance is ½‖θ‖² − ⟨m, θ⟩ + ½‖m‖². So z = m, with the offset −½‖m‖².
// It panics where p has no shares.
func (p *Problem) Grade() *Problem {
	d, n := p.Queries(), p.Hypotheses()
	p.Z, p.Offset, p.Majority = make([]float32, n*d), make([]float32, n), make([]float32, n*d)
	for k := range n {
		var square float64
		for i, yes := range p.Shares.Row(k, d) {
			m := float32(2*yes - 1)
			square += float64(m) * float64(m)
			p.Z[k*d+i] = m
			switch {
			case yes > 0.5:
				p.Majority[k*d+i] = 1
			case yes == 0.5:
				p.Majority[k*d+i] = 0.5
			}
		}
		p.Offset[k] = float32(-square / 2)
	}
	return p
}

// DrawShares returns the prior of p's own shares: a hypothesis by weight, "none of these" left out, with θ = 2·yes − 1.
// With a share of answers flipped in [0, ½], θ is (1 − 2·flipped) times that: each answer is the opposite of
// the row's with that probability. Its name is table, or table+flip:0.1.
func DrawShares(p *Problem, flipped float64) Prior {
	switch {
	case p.Shares == nil:
		panic("game: DrawShares of a problem without shares")
	case !(flipped >= 0 && flipped <= 0.5):
		panic(fmt.Sprintf("game: DrawShares flips a share of %v, want 0 to 0.5", flipped))
	}
	s := sharesPrior{p: p, keep: 1 - 2*flipped, name: "table"}
	if flipped > 0 {
		s.name = fmt.Sprintf("table+flip:%g", flipped)
	}
	rows := p.Hypotheses()
	if p.Shares.Other {
		rows--
	}
	sum := 0.
	for _, w := range p.Shares.Weight[:rows] {
		sum += w
		s.upTo = append(s.upTo, sum)
	}
	return s
}

type sharesPrior struct {
	p    *Problem
	keep float64
	upTo []float64 // cumulated weights of the rows
	name string
}

// Name returns table, with the share of flipped answers.
func (s sharesPrior) Name() string { return s.name }

// Draw writes one row's θ and returns the row.
func (s sharesPrior) Draw(dst []float64, r *rand.Rand) int {
	u := r.Float64() * s.upTo[len(s.upTo)-1]
	row := 0
	for row < len(s.upTo)-1 && u >= s.upTo[row] {
		row++
	}
	s.row(dst, row)
	return row
}

// row writes a row's θ to dst, [|X|].
func (s sharesPrior) row(dst []float64, row int) {
	for i, yes := range s.p.Shares.Row(row, len(dst)) {
		dst[i] = s.keep * (2*yes - 1)
	}
}

// support yields the θ of every row, in one slice.
func (s sharesPrior) support() iter.Seq[[]float64] {
	return func(yield func([]float64) bool) {
		theta := make([]float64, s.p.Queries())
		for row := range s.upTo {
			if s.row(theta, row); !yield(theta) {
				return
			}
		}
	}
}
