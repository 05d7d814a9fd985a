package difficulty

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"mapo/game"
)

// Names of the measures in specs, policy files and [game.Problem.Difficulty], where the first is "".
const (
	RhoTilde    = "rho-tilde"
	RhoStarName = "rho-star"
	MAB         = "c-mab"
)

// Measure is a kind of difficulty 𝒞. Of each the easiest instance of a hypothesis of 0 and 1 is 2z − 1, and
// 𝒞(cθ) = 𝒞(θ)/c²: searches rely on both.
type Measure struct {
	Name   string
	Symbol string // in tables and messages
	Grows  string // what it grows with: the end of a sentence that begins with it
	suits  func(p *game.Problem) error
	of     func(p *game.Problem) game.Difficulty
	cells  func(p *game.Problem) []float64 // what [Cells] returns, faster than by of; nil: by of
}

// measures are all there are.
var measures = []Measure{
	{
		Name: RhoTilde, Symbol: "ρ̃", Grows: "grows as answers get noisier and as hypotheses get harder to tell apart",
		suits: func(*game.Problem) error { return nil }, of: game.RhoTilde, cells: cellRho,
	},
	{
		Name: RhoStarName, Symbol: "ρ_*", Grows: "is the least that a design of the answers attains, and grows as answers get noisier and as hypotheses get harder to tell apart",
		suits: func(*game.Problem) error { return nil }, of: RhoStar, cells: cellStar,
	},
	{
		Name: MAB, Symbol: "𝒞_MAB", Grows: "sums 1/gap² over the arms that are not the best, and grows as their means get closer to the best arm’s",
		suits: func(p *game.Problem) error { return classOf(p).arms }, of: func(p *game.Problem) game.Difficulty { return mab{p} },
	},
}

// Named returns the measure of that name for p; "" is ρ̃. An unknown name, and a measure that p does not suit, are errors.
func Named(p *game.Problem, name string) (Measure, error) {
	if name == "" {
		name = RhoTilde
	}
	var known []string
	for _, m := range measures {
		if m.Name == name {
			return m, m.suits(p)
		}
		known = append(known, m.Name)
	}
	return Measure{}, fmt.Errorf("unknown difficulty %q; known are %s", name, strings.Join(known, ", "))
}

// Names lists the measures as specs name them.
func Names() (list []string) {
	for _, m := range measures {
		list = append(list, m.Name)
	}
	return list
}

// MeasureOf returns the one by which p's levels are given. It panics where p's name is not one, which
// its reader refuses.
func MeasureOf(p *game.Problem) Measure {
	m, err := Named(p, p.Difficulty)
	if err != nil {
		panic("difficulty: " + err.Error())
	}
	return m
}

// Of returns the difficulty of p's instances, by the measure that p names.
func Of(p *game.Problem) game.Difficulty { return MeasureOf(p).of(p) }

// Least returns the least difficulty of an instance with |θ_i| ≤ 1 − [game.Edge] (reading 8). Costs as [Cells].
func Least(p *game.Problem) float64 {
	least := math.Inf(1)
	for _, c := range Cells(p) {
		least = min(least, c)
	}
	return least
}

// Cells returns the least difficulty of an instance in the box where each hypothesis is best, [|Z|], +Inf where a hypothesis equals
// another. That of a hypothesis of 0 and 1 is at θ = (1−ε)(2z − 1), of a classifier where it is always right, as far as
// that may be. Where p has shares or vectors it is that of p's anchors, which are
// found where p has none, at the cost of [Anchors].
func Cells(p *game.Problem) []float64 {
	m := MeasureOf(p)
	if m.cells != nil {
		return m.cells(p)
	}
	return vertexRho(p, m.of(p))
}

// vertexRho returns the difficulty where each hypothesis is always right, as far as that may be, [|Z|].
func vertexRho(p *game.Problem, c game.Difficulty) []float64 {
	least, theta := make([]float64, p.Hypotheses()), make([]float64, p.Queries())
	for k := range least {
		p.Vertex(theta, k)
		p.Admit(theta)
		least[k] = c.Of(theta)
	}
	return least
}

var errArms = errors.New("difficulty c-mab is for arms, whose hypotheses are the single queries: write difficulty: rho-tilde, or problem: {arms: {count: 10}}")

// mab is 𝒞_MAB (App. A).
type mab struct{ p *game.Problem }

// Of returns 𝒞_MAB(θ) = Σ_{i ≠ i_*} 1/(θ_{i_*} − θ_i)², +Inf where two arms are best. Costs O(|X|).
func (m mab) Of(theta []float64) float64 { return m.Grad(nil, theta) }

// Grad: with Δ_i = θ_{i_*} − θ_i, ∂𝒞/∂θ_i = 2/Δ_i³, and −Σ_i 2/Δ_i³ for the best arm.
func (m mab) Grad(dst, theta []float64) float64 {
	clear(dst)
	best := 0
	for i, v := range theta {
		if v > theta[best] {
			best = i
		}
	}
	var sum float64
	for i, v := range theta {
		gap := theta[best] - v
		switch {
		case i == best:
			continue
		case gap <= leastGap:
			clear(dst)
			return math.Inf(1)
		}
		sum += 1 / (gap * gap)
		if dst != nil {
			by := 2 / (gap * gap * gap)
			dst[i] += by
			dst[best] -= by
		}
	}
	return sum
}
