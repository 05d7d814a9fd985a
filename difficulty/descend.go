package difficulty

import (
	"math"

	"mapo/game"
)

const (
	firstAim  = 0.2 // how far above the best ρ̃^(−1/2) so far the first steps aim
	lessAim   = 0.7 // what an aim that is not met is multiplied by
	patience  = 10  // steps without an eighth of the aim until it counts as not met
	worsening = 4   // how many times the best ρ̃ a step may end at
	shorten   = 4   // by how much a step is divided that ends above that, or outside of the cell
)

// descend fills c.least with about the easiest instance of the cell in the box, and returns its ρ̃. It climbs
// ρ̃^(−1/2), which is concave on the cell, by Polyak's steps towards a value that is a share above the best so far. Where that
// is not met for a while the share falls, and the climb continues from the best.
func (c *cell) descend(steps int) float64 {
	best := c.start()
	if math.IsInf(best, 1) {
		return best
	}
	aim, missed := firstAim, 0
	rho := c.again()
	for range steps {
		c.slope()
		norm := c.inside()
		if norm == 0 {
			return best
		}
		lack := (1+aim)/math.Sqrt(best) - 1/math.Sqrt(rho)
		rho = c.step(2*lack*rho*math.Sqrt(rho)/norm, worsening*best)
		missed++
		if rho < best {
			if rho < best*(1-aim/8) {
				missed = 0
			}
			best = rho
			copy(c.least, c.theta)
		}
		if missed >= patience || math.IsInf(rho, 1) {
			aim, missed = aim*lessAim, 0
			rho = c.again()
		}
	}
	return best
}

// again goes back to the best point and returns its ρ̃.
func (c *cell) again() float64 {
	copy(c.theta, c.least)
	return c.rho(c.theta)
}

// step moves c.theta against the gradient, shorter where ρ̃ would be above most, and returns ρ̃ there.
func (c *cell) step(size, most float64) (rho float64) {
	copy(c.from, c.theta)
	for range 6 {
		for i, g := range c.grad {
			c.theta[i] = c.from[i] - size*g
		}
		game.Clip(c.theta)
		if rho = c.rho(c.theta); rho < most {
			return rho
		}
		size /= shorten
	}
	return rho
}

// start puts the easier of the row and its signs into c.least, and returns its ρ̃.
func (c *cell) start() float64 {
	for i, z := range c.p.Row(c.j) {
		c.least[i], c.theta[i] = float64(z), float64(z)
		if z != 0 {
			c.theta[i] = math.Copysign(1, float64(z))
		}
	}
	game.Clip(c.least)
	game.Clip(c.theta)
	best := c.rho(c.least)
	if rho := c.rho(c.theta); rho < best {
		best = rho
		copy(c.least, c.theta)
	}
	return best
}

// inside drops from c.grad what would leave the box, and returns the square of its norm.
func (c *cell) inside() (norm float64) {
	const box = 1 - game.Edge
	for i, g := range c.grad {
		if g < 0 && c.theta[i] >= box || g > 0 && c.theta[i] <= -box {
			c.grad[i] = 0
			continue
		}
		norm += g * g
	}
	return norm
}
