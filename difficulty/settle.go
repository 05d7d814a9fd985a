package difficulty

import (
	"cmp"
	"math"
	"slices"
)

const (
	fewHypotheses = 256  // up to which all are looked at in every step
	nearFirst     = 64   // how many are looked at first where there are more
	mostRounds    = 8    // how often others join
	settled       = 1e-3 // by what share all hypotheses may make an instance harder than those looked at
)

// settle fills c.least as [cell.descend] does. Where there are many hypotheses it looks at few: the nearest to the row,
// joined by those that decide at the easiest instance found, until all make it hardly harder. It returns ρ̃ of c.least.
func (c *cell) settle(steps int) float64 {
	if len(c.on) <= fewHypotheses {
		return c.descend(steps)
	}
	all := slices.Clone(c.on)
	best := c.start()
	kept := slices.Clone(c.least)
	c.on = c.nearest(nearFirst)
	for round := range mostRounds { // the first are short
		aim := c.descend(steps / max(1, 3-round))
		copy(c.theta, c.least)
		some := slices.Clone(c.on)
		c.on = append(c.on[:0], all...)
		rho := c.rho(c.theta)
		if rho < best {
			best = rho
			copy(kept, c.theta)
		}
		if math.IsInf(aim, 1) || round > 1 && rho <= aim*(1+settled) {
			break
		}
		c.on = c.join(some, rho)
	}
	copy(c.least, kept)
	c.on = append(c.on[:0], all...)
	return best
}

// nearest lists the n hypotheses over which z_j leads least at its row, ascending.
func (c *cell) nearest(n int) []int {
	for i, z := range c.p.Row(c.j) {
		c.theta[i] = float64(z)
	}
	for k := range c.gap {
		c.lead(c.theta, k)
	}
	order := slices.Clone(c.on)
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(c.gap[a], c.gap[b]) })
	order = order[:n]
	slices.Sort(order)
	return order
}

// join returns some and the hypotheses that decide at the last point: at some query where ρ̃ is finite, else those that
// score higher.
func (c *cell) join(some []int, rho float64) []int {
	if !math.IsInf(rho, 1) {
		some = append(some, c.by...)
	} else {
		for k := range c.gap {
			if c.lead(c.theta, k) <= leastGap {
				some = append(some, k)
			}
		}
	}
	slices.Sort(some)
	return slices.Compact(some)
}
