package game

import (
	"fmt"
	"math"
	"slices"
)

// Mismatch returns in words the first part of p, which a policy was trained on, that other, a spec's problem, has otherwise. It
// returns "" where games and recommendations are the same. Names of the problem and of hypotheses, the items of a pool, the
// difficulty and its anchors do not change a game. Nor do known instances where p or other has none, as in early policy files.
func (p *Problem) Mismatch(other *Problem) string {
	switch {
	case p.rows() != nil && other.rows() == nil:
		return "it was trained on the rows of a table, and the spec's hypotheses are majorities"
	case p.rows() == nil && other.rows() != nil:
		return "it was trained on majorities, and the spec's hypotheses are the rows of a table"
	case p.Queries() != other.Queries():
		return fmt.Sprintf("it has %d queries, the spec %d", p.Queries(), other.Queries())
	case p.Hypotheses() != other.Hypotheses():
		return fmt.Sprintf("it has %d hypotheses, the spec %d", p.Hypotheses(), other.Hypotheses())
	case p.T != other.T:
		return fmt.Sprintf("its budget is %d, the spec's %d", p.T, other.T)
	case p.numbers() != other.numbers():
		return fmt.Sprintf("its answers are %s, the spec's %s", p.numbers().words(), other.numbers().words())
	case p.AskOnce != other.AskOnce:
		return fmt.Sprintf("its ask-once is %v, the spec's %v", p.AskOnce, other.AskOnce)
	}
	for i, text := range p.X {
		if text != other.X[i] {
			return fmt.Sprintf("its query %d is %q, the spec's %q", i, text, other.X[i])
		}
	}
	for k := range p.Hypotheses() {
		if !slices.Equal(p.Row(k), other.Row(k)) || !slices.Equal(p.Says(k), other.Says(k)) || p.offset(k) != other.offset(k) {
			return fmt.Sprintf("its hypothesis %d, %q, answers otherwise than the spec's, %q", k, p.Names[k], other.Names[k])
		}
	}
	if p.rows() != nil {
		if text := p.rows().mismatch(other.rows(), p); text != "" {
			return text
		}
	} else if len(p.Known) > 0 && len(other.Known) > 0 && !slices.Equal(p.Known, other.Known) {
		return "it knows other instances than the spec: the table has other shares"
	}
	if text := p.pool().mismatch(other.pool()); text != "" {
		return text
	}
	return p.vectors().mismatch(other.vectors(), p)
}

// offset returns what is added to the score of hypothesis k.
func (p *Problem) offset(k int) float32 {
	if p.made.offset == nil {
		return 0
	}
	return p.made.offset[k]
}

// words says what answers are.
func (a Answers) words() string {
	if a.gaussian() {
		return fmt.Sprintf("numbers (gaussian: %g, bound: %g)", a.Sigma, a.Bound)
	}
	return "yes and no"
}

// weightTolerance is how far apart prior weights may be, relative to the larger one: other machines round otherwise.
const weightTolerance = 1e-9

// mismatch does what [Problem.Mismatch] does for the shares of p, whose Z is equal.
func (s *Shares) mismatch(other *Shares, p *Problem) string {
	for k, w := range s.Weight {
		if v := other.Weight[k]; math.Abs(w-v) > weightTolerance*max(w, v) {
			return fmt.Sprintf("its hypothesis %d, %q, has prior weight %.4g, the spec's %.4g", k, p.Names[k], w, v)
		}
	}
	for at := range s.Yes {
		if s.unknown(at) != other.unknown(at) {
			d := p.Queries()
			return fmt.Sprintf("its hypothesis %d, %q, and the spec's differ in whether the share of query %d, %q, is known", at/d, p.Names[at/d], at%d, p.X[at%d])
		}
	}
	switch a, b := s.wrong(), other.wrong(); {
	case a != b:
		return fmt.Sprintf("its share of wrong answers is %s, the spec's %s", a, b)
	case s.Other && !other.Other:
		return "its last hypothesis is none of these, and the spec's is not"
	case !s.Other && other.Other:
		return "the spec's last hypothesis is none of these, and its own is not"
	}
	return ""
}

// unknown reports whether a share stands in for a missing cell.
func (s *Shares) unknown(at int) bool { return s.Unknown != nil && s.Unknown[at] }

// wrong returns the share of wrong answers in words.
func (s *Shares) wrong() string {
	if s.Wrong == nil {
		return "inferred"
	}
	return fmt.Sprint(*s.Wrong)
}

// mismatch does what [Problem.Mismatch] does for labels.
func (l *Labels) mismatch(other *Labels) string {
	switch {
	case l == nil && other == nil:
		return ""
	case other == nil:
		return "its queries are items of a pool, and the spec's are not"
	case l == nil:
		return "the spec's queries are items of a pool, and its own are not"
	case !slices.Equal(l.Classes, other.Classes):
		return fmt.Sprintf("its classes are %q, the spec's %q", l.Classes, other.Classes)
	case !slices.Equal(l.Cell, other.Cell) || !slices.Equal(l.First, other.First) || !slices.Equal(l.Of, other.Of):
		return "its pool has other cells of items than the spec's"
	}
	return ""
}

// mismatch does what [Problem.Mismatch] does for the vectors of p's queries.
func (v *Vectors) mismatch(other *Vectors, p *Problem) string {
	switch {
	case v == nil && other == nil:
		return ""
	case other == nil:
		return "its queries are vectors, and the spec's are not"
	case v == nil:
		return "the spec's queries are vectors, and its own are not"
	case v.Dim != other.Dim:
		return fmt.Sprintf("its queries are vectors of %d entries, the spec's of %d", v.Dim, other.Dim)
	}
	for i, text := range p.X {
		if lo, hi := i*v.Dim, (i+1)*v.Dim; !slices.Equal(v.X[lo:hi], other.X[lo:hi]) {
			return fmt.Sprintf("its query %d, %q, is another vector than the spec's", i, text)
		}
	}
	return ""
}
