package game

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
)

// Prior is a distribution over instances, for averages.
type Prior interface {
	// Name is the prior's name in specs and results, such as "flip:0.8".
	Name() string
	// Draw writes one θ to dst, [|X|], reading only r, and returns the hypothesis that θ was drawn with, or -1 where
	// the prior draws instances alone.
	Draw(dst []float64, r *rand.Rand) int
}

// Flip is 𝒫_h: z uniform over the hypotheses and θ_i = ±(2z_i − 1), the sign
// kept with probability h (Section 4.2; reading 5). Flip with h = 1 is
// [Noiseless].
func Flip(p *Problem, h float64) Prior {
	if !(h >= 0 && h <= 1) {
		panic(fmt.Sprintf("game: Flip keeps a sign with probability %v, want 0 to 1", h))
	}
	return flip{p, h, fmt.Sprintf("flip:%g", h)}
}

// Noiseless is 𝒫̃, the prior Bayes-LAL is trained on: z uniform, θ = 2z − 1
// (App. H). Where p has [Shares] a row is drawn by its weight, with θ its own.
func Noiseless(p *Problem) Prior {
	if p.Shares != nil {
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
	for i, z := range f.p.Says(k) {
		dst[i] = 2*float64(z) - 1
		if f.h < 1 && r.Float64() >= f.h {
			dst[i] = -dst[i]
		}
	}
	return k
}

// Rows is the prior that draws one of the rows uniformly: a table's own prior
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

// Instances are the rows, not to be written to: a caller that plays the prior elsewhere needs them.
func (p rowPrior) Instances() [][]float64 { return p.rows }

// support yields all rows.
func (p rowPrior) support() iter.Seq[[]float64] { return slices.Values(p.rows) }
