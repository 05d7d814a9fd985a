package difficulty

import (
	"context"
	"math"

	"mapo/game"
)

// class is how the difficulties of a kind of problem are found.
type class struct {
	// find returns what finds the easiest instance of a hypothesis by ρ̃, [|X|], valid until the next; once ctx is done it soon
	// ends, in any instance. nil: a hypothesis is easiest where it is always right, so that there are no anchors to look for.
	find  func(ctx context.Context, p *game.Problem) func(k int) []float64
	done  func(share float64) float64 // what share of the work is done once a share of the anchors is found
	cells func(p *game.Problem) []float64
	star  func(p *game.Problem, in *game.Instance) designer
	// static is the design of [Static].
	static func(ctx context.Context, p *game.Problem) ([]float64, error)
	few    int // up to how many cells a table is looked at whole
	arms   error
}

// designer solves ρ_* of one instance.
type designer interface {
	// solve moves on until both bounds are a relative tol apart, and returns the upper one with its design, [|X|], and the gap.
	solve(ctx context.Context, tol float64) (rho float64, lambda []float64, gap float64, err error)
	// grad adds the gradient of the upper bound to dst, [|X|].
	grad(dst []float64, p *game.Problem, in *game.Instance)
}

// classOf returns that of p.
func classOf(p *game.Problem) class {
	c := class{
		done: func(share float64) float64 { return share }, star: newStar, few: math.MaxInt, arms: errArms,
		static: func(context.Context, *game.Problem) ([]float64, error) { return nil, nil },
	}
	switch p.Goal().(type) {
	case game.Arms:
		c.arms = nil
		c.cells = bitRho
	case game.Majorities:
		c.cells = bitRho
	case *game.Shares:
		c.find, c.few = findInCell, largeCells
	case *game.Vectors:
		c.find, c.star, c.static = findByCuts, newVectorDesigner, lastStatic.design
		c.done = func(share float64) float64 { return share * (2 - share) } // of the pairs of hypotheses, whose differences take longest
	}
	return c
}
