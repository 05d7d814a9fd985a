package game

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"strconv"
	"strings"
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

// Grade makes Z, Offset, Majority and, of a table that is not too large, Known of the problem's shares, in place, and returns p. The best hypothesis is then the row
// nearest to θ. With m = 2·yes − 1 half the squared distance is ½‖θ‖² − ⟨m, θ⟩ + ½‖m‖². So z = m, with the offset −½‖m‖².
// It panics where p has no shares.
func (p *Problem) Grade() *Problem {
	d, n := p.Queries(), p.Hypotheses()
	p.Z, p.made.offset, p.made.says, p.Known = make([]float32, n*d), make([]float32, n), make([]float32, n*d), nil
	for k := range n {
		var square float64
		for i, yes := range p.rows().Row(k, d) {
			m := float32(2*yes - 1)
			square += float64(m) * float64(m)
			p.Z[k*d+i] = m
			switch {
			case yes > 0.5:
				p.made.says[k*d+i] = 1
			case yes == 0.5:
				p.made.says[k*d+i] = 0.5
			}
		}
		p.made.offset[k] = float32(-square / 2)
	}
	if len(p.Z) <= MostKnown {
		p.Known = p.Z
	}
	return p
}

// DrawShares returns the prior of p's own shares: a hypothesis by weight, "none of these" left out, with θ = 2·yes − 1.
// With a share of answers flipped in [0, ½], θ is (1 − 2·flipped) times that: each answer is the opposite of
// the row's with that probability. Its name is table, or table+flip:0.1.
func DrawShares(p *Problem, flipped float64) Prior { return DrawFlipped(p, flipped, flipped) }

// DrawFlipped returns [DrawShares] with a share of answers flipped that is drawn uniformly between two, one a game. Its name is
// table+flip:0.05-0.2.
func DrawFlipped(p *Problem, from, to float64) Prior {
	switch {
	case p.rows() == nil:
		panic("game: DrawShares of a problem without shares")
	case !(from >= 0 && from <= to && to <= 0.5):
		panic(fmt.Sprintf("game: DrawShares flips a share from %v to %v, want 0 to 0.5", from, to))
	}
	s := sharesPrior{p: p, from: from, to: to, name: "table"}
	switch {
	case to > from:
		s.name = "table+flip:" + share(from) + "-" + share(to)
	case to > 0:
		s.name = "table+flip:" + share(to)
	}
	rows := p.Hypotheses()
	if p.rows().Other {
		rows--
	}
	sum := 0.
	for _, w := range p.rows().Weight[:rows] {
		sum += w
		s.upTo = append(s.upTo, sum)
	}
	return s
}

// share returns a share as the names of priors have it, without an exponent.
func share(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

type sharesPrior struct {
	p        *Problem
	from, to float64   // the share of answers flipped
	upTo     []float64 // cumulated weights of the rows
	name     string
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
	flipped := s.from
	if s.to > s.from {
		flipped += (s.to - s.from) * r.Float64()
	}
	s.row(dst, row, flipped)
	return row
}

// row writes a row's θ with a share of the answers flipped to dst, [|X|].
func (s sharesPrior) row(dst []float64, row int, flipped float64) {
	for i, yes := range s.p.rows().Row(row, len(dst)) {
		dst[i] = (1 - 2*flipped) * (2*yes - 1)
	}
}

// support yields the θ of every row with the least share of answers flipped, in one slice.
func (s sharesPrior) support() iter.Seq[[]float64] {
	return func(yield func([]float64) bool) {
		theta := make([]float64, s.p.Queries())
		for row := range s.upTo {
			if s.row(theta, row, s.from); !yield(theta) {
				return
			}
		}
	}
}

func (s sharesPrior) list(p *Problem) (all []Drawn) {
	if s.to > s.from {
		return nil
	}
	total := s.upTo[len(s.upTo)-1]
	for row := range s.upTo {
		theta := make([]float64, p.Queries())
		s.row(theta, row, s.from)
		all = append(all, Drawn{theta, row, p.rows().Weight[row] / total})
	}
	return all
}

// ParseShares returns the prior of p's shares that has this name: table, table+flip:0.1 or table+flip:0.05-0.2. It reports
// false where there is none.
func ParseShares(p *Problem, name string) (Prior, bool) {
	text, flips := strings.CutPrefix(name, "table+flip:")
	switch {
	case p.rows() == nil || !flips && name != "table":
		return nil, false
	case !flips:
		return DrawShares(p, 0), true
	}
	low, high, several := strings.Cut(text, "-")
	if !several {
		high = low
	}
	from, err := strconv.ParseFloat(low, 64)
	to, err2 := strconv.ParseFloat(high, 64)
	if err != nil || err2 != nil || !(from >= 0 && from <= to && to <= 0.5) {
		return nil, false
	}
	return DrawFlipped(p, from, to), true
}

// Share returns how often the answer to query i is yes for hypothesis k; false where hypotheses are not rows of shares.
func (p *Problem) Share(k, i int) (float64, bool) {
	if p.rows() == nil {
		return 0, false
	}
	return p.rows().Row(k, len(p.X))[i], true
}

// Words says how the rows of a table are spoken of.
func (s *Shares) Words() *Words { return &rowWords }

// Answer returns yes and no.
func (s *Shares) Answer() Answer { return YesNo{} }

// Decisions returns those of majorities.
func (s *Shares) Decisions() []string { return Majorities{}.Decisions() }

var rowWords = func() Words {
	w := majorities
	w.Candidates = "rows"
	w.Maximises = "maximises Σ (z_i θ̂_i − z_i²/2) over the queries asked, z = 2·yes − 1 its row and θ̂ the mean answer to each, ties (within 1e-5) broken uniformly at random"
	return w
}()

// Check reports the first reason why the shares do not fit p, or why it is not as [Problem.Grade] makes it.
func (s *Shares) Check(p *Problem) error {
	if err := s.check(p.Queries(), p.Hypotheses()); err != nil {
		return err
	}
	return s.checkGraded(p)
}

// checkGraded reports the first reason why p is not as [Problem.Grade] makes it of s.
func (s *Shares) checkGraded(p *Problem) error {
	d, n := p.Queries(), p.Hypotheses()
	if len(p.made.offset) != n || len(p.made.says) != d*n || p.made.easy != nil && len(p.made.easy) != d*n {
		return fmt.Errorf("the problem has shares, %d offsets and %d majorities; %d and %d×%d are needed", len(p.made.offset), len(p.made.says), n, n, d)
	}
	for at, yes := range s.Yes {
		if p.Z[at] != float32(2*yes-1) {
			return fmt.Errorf("hypothesis %q is worth %v at query %q; by its share %v it must be %v", p.Names[at/d], p.Z[at], p.X[at%d], yes, float32(2*yes-1))
		}
	}
	return nil
}

// rows returns the shares of p; nil where it seeks none of them.
func (p *Problem) rows() *Shares {
	s, _ := p.Seek.(*Shares)
	return s
}
