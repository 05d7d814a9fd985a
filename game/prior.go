package game

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

// Prior is a distribution over instances, for averages.
type Prior interface {
	// Name is the prior's name in specs and results, such as "flip:0.8".
	Name() string
	// Draw writes one θ to dst, [|X|], reading only r, and returns the hypothesis that θ was drawn with, or -1 where
	// the prior draws instances alone.
	Draw(dst []float64, r *rand.Rand) int
}

// Drawn is an instance of a prior that lists its own.
type Drawn struct {
	Theta      []float64 // [|X|]
	Hypothesis int       // the hypothesis that it was drawn with and that alone is right, -1: the best ones are
	Weight     float64   // how likely it is; they sum to 1
}

// Support lists the instances that prior draws on p, each with its probability; nil where it has no list: a prior of flips
// that are drawn anew has none.
func Support(p *Problem, prior Prior) []Drawn {
	if l, ok := prior.(interface{ list(p *Problem) []Drawn }); ok {
		return l.list(p)
	}
	return nil
}

// Flip returns 𝒫_h: z uniform over the hypotheses and θ_i = ±(2z_i − 1), the sign
// kept with probability h (Section 4.2; reading 5). Where queries are classes, an item's is z's with probability h, else
// any other that is predicted there. Flip with h = 1 is [Noiseless].
func Flip(p *Problem, h float64) Prior {
	if !(h >= 0 && h <= 1) {
		panic(fmt.Sprintf("game: Flip keeps a sign with probability %v, want 0 to 1", h))
	}
	return flip{p, h, fmt.Sprintf("flip:%g", h)}
}

// Noiseless returns 𝒫̃, the prior Bayes-LAL is trained on: z uniform, θ = 2z − 1
// (App. H). Where p has [Shares] a row is drawn by its weight, with θ its own.
func Noiseless(p *Problem) Prior {
	if p.rows() != nil {
		s := DrawShares(p, 0).(sharesPrior)
		s.name = "noiseless"
		return s
	}
	return flip{p, 1, "noiseless"}
}

type flip struct {
	p    *Problem
	h    float64
	name string
}

func (f flip) Name() string { return f.name }

func (f flip) Draw(dst []float64, r *rand.Rand) int {
	k := r.IntN(f.p.Hypotheses())
	f.p.Vertex(dst, k)
	if f.h == 1 {
		return k
	}
	for i := 0; i < len(dst); {
		lo, hi := f.p.Together(i)
		if i = hi; r.Float64() < f.h {
			continue
		}
		if !f.p.isClasses() {
			dst[lo] = -dst[lo]
		} else if hi > lo+1 {
			turn(dst[lo:hi], 1+r.IntN(hi-lo-1))
		}
	}
	return k
}

// turn moves each class's probability to the by-th after it.
func turn(theta []float64, by int) {
	was := slices.Clone(theta)
	for i, v := range was {
		theta[(i+by)%len(theta)] = v
	}
}

// list returns every vertex 2z − 1, where no sign is turned.
func (f flip) list(p *Problem) (all []Drawn) {
	if f.h < 1 {
		return nil
	}
	for k := range p.Hypotheses() {
		theta := make([]float64, p.Queries())
		p.Vertex(theta, k)
		all = append(all, Drawn{theta, -1, 1 / float64(p.Hypotheses())})
	}
	return all
}

// ParsePrior returns the prior of p that this name alone gives: noiseless, flip:h, box, models or votes of a pool, or one of p's
// shares. It reports false where there is none.
func ParsePrior(p *Problem, name string) (Prior, bool) {
	switch {
	case p.vectors() != nil:
		return Box(p), name == boxed{}.Name()
	case p.pool() == nil:
	case name == models{}.Name():
		return Models(p), true
	case name == voted{}.Name():
		return Votes(p), true
	}
	switch name {
	case "noiseless":
		return Noiseless(p), true
	case boxed{}.Name():
		return Box(p), true
	}
	if text, ok := strings.CutPrefix(name, "flip:"); ok {
		h, err := strconv.ParseFloat(text, 64)
		if err != nil || !(h >= 0 && h <= 1) {
			return nil, false
		}
		return Flip(p, h), true
	}
	return ParseShares(p, name)
}

// Box draws from all instances uniformly, whatever the hypotheses are: every θ_i from [−1, 1], or the probabilities of the classes.
func Box(p *Problem) Prior { return boxed{p} }

type boxed struct{ p *Problem }

func (boxed) Name() string { return "box" }

func (b boxed) Draw(dst []float64, r *rand.Rand) int {
	b.p.Anywhere(dst, r)
	return -1
}

// Rows returns the prior that draws one of the rows uniformly: a table's own prior
// (θ_i = 2p_i − 1) or a set of users.
func Rows(name string, rows [][]float64) Prior {
	if len(rows) == 0 {
		panic("game: Rows has no instance to draw")
	}
	return rowPrior{name, rows}
}

type rowPrior struct {
	name string
	rows [][]float64
}

func (p rowPrior) Name() string { return p.name }

func (p rowPrior) Draw(dst []float64, r *rand.Rand) int {
	copy(dst, p.rows[r.IntN(len(p.rows))])
	return -1
}

// Instances returns the rows, not to be written to: a caller that plays the prior elsewhere needs them.
func (p rowPrior) Instances() [][]float64 { return p.rows }

// support yields all rows.
func (p rowPrior) support() iter.Seq[[]float64] { return slices.Values(p.rows) }

func (p rowPrior) list(*Problem) (all []Drawn) {
	for _, theta := range p.rows {
		all = append(all, Drawn{theta, -1, 1 / float64(len(p.rows))})
	}
	return all
}
