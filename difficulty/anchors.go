package difficulty

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"mapo/game"
)

// anchorSteps is how many evaluations of ρ̃ [Anchors] spends on a hypothesis. Ten times as many find
// anchors that are 0.3 % easier at most.
const anchorSteps = 150

// Anchors returns an easy instance of every hypothesis of a problem with shares or vectors, [|Z|, |X|], what [game.Problem.Anchors]
// holds: about the least difficulty by p's measure, here ρ̃, within |θ_i| ≤ 1 − [game.Edge] where that hypothesis is best. On that cell ρ̃ is
// convex, so it rises along every segment from the anchor. The anchor of a
// hypothesis that equals another is its row, where ρ̃ is +Inf. Costs 150·O(|Z||X|) a hypothesis, 0.6 s for 126 rows of 116
// queries, and less where there are more than 256: only those that decide are looked at in each step. Hypotheses are shared
// among processors, and the result does not depend on their number. With [game.Vectors] anchors are easiest up to a part in
// 10⁴, and that of a hypothesis that is best nowhere is 0.
func Anchors(p *game.Problem) []float32 { return AnchorsOf(p, every(p)) }

// every lists p's hypotheses.
func every(p *game.Problem) []int {
	ks := make([]int, p.Hypotheses())
	for k := range ks {
		ks[k] = k
	}
	return ks
}

// needsAnchors reports whether the anchors of p are not 2z − 1 and not found yet.
func needsAnchors(p *game.Problem) bool {
	return classOf(p).find != nil && p.Easy() == nil
}

// Anchored returns p, or a copy with its [Anchors] where it has shares or vectors and no anchors yet.
func Anchored(p *game.Problem) *game.Problem {
	q, _ := AnchoredTold(context.Background(), p, func(float64) {})
	return q
}

// AnchoredTold returns what [Anchored] does. It calls tell with the share of the work that is done, first with 0 and then from
// several goroutines at a time. Where ctx is done first, the error is an [Unfinished].
func AnchoredTold(ctx context.Context, p *game.Problem, tell func(share float64)) (*game.Problem, error) {
	if !needsAnchors(p) {
		return p, nil
	}
	q, n, done := *p, float64(p.Hypotheses()), classOf(p).done
	var found []int
	var lock sync.Mutex
	tell(0)
	q.Ease(anchorsOf(ctx, p, every(p), func(k int) {
		lock.Lock()
		found = append(found, k)
		share := float64(len(found)) / n
		lock.Unlock()
		tell(done(share))
	}))
	if ctx.Err() != nil {
		return p, &Unfinished{len(found), p.Hypotheses(), easiestOf(p, found, q.Easy()), ctx.Err()}
	}
	return &q, nil
}

// Unfinished is the error of a search for anchors that ended early.
type Unfinished struct {
	Found, Of int     // hypotheses whose anchor was found, and all
	Least     float64 // the difficulty of the easiest of those anchors, +Inf without any
	Err       error   // of the context
}

func (u *Unfinished) Error() string {
	return fmt.Sprintf("easy instances of %d of %d hypotheses were found: %v", u.Found, u.Of, u.Err)
}

func (u *Unfinished) Unwrap() error { return u.Err }

// easiestOf returns the least difficulty of the anchors of some hypotheses, of [|Z|, |X|].
func easiestOf(p *game.Problem, ks []int, anchors []float32) float64 {
	d, some := p.Queries(), []float32(nil)
	for _, k := range ks {
		some = append(some, anchors[k*d:(k+1)*d]...)
	}
	return slices.Min(append(rhoOf(p, Of(p), len(ks), some), math.Inf(1)))
}

// AnchorsOf returns the anchors of some hypotheses, [len(ks), |X|], as [Anchors] does.
func AnchorsOf(p *game.Problem, ks []int) []float32 {
	return anchorsOf(context.Background(), p, ks, func(int) {})
}

// anchorsOf returns what [AnchorsOf] does, and 0 for those that were not found before ctx was done. It calls found with the
// place of each in ks, from several goroutines at a time.
func anchorsOf(ctx context.Context, p *game.Problem, ks []int, found func(at int)) []float32 {
	d := p.Queries()
	out := make([]float32, len(ks)*d)
	var next atomic.Int64
	var wait sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(ks)) {
		wait.Go(func() {
			find := finder(ctx, p)
			for {
				at := int(next.Add(1)) - 1
				if at >= len(ks) {
					return
				}
				best := find(ks[at])
				if ctx.Err() != nil {
					return
				}
				for i, v := range best {
					out[at*d+i] = float32(v)
				}
				found(at)
			}
		})
	}
	wait.Wait()
	return out
}

// finder returns what finds the easiest instance of a hypothesis by p's measure, [|X|], valid until the next. Once ctx is done it
// soon ends, in any instance.
func finder(ctx context.Context, p *game.Problem) func(k int) []float64 {
	find := classOf(p).find(ctx, p)
	if p.Difficulty != RhoStarName {
		return find
	}
	c := RhoStar(p)
	return func(k int) []float64 { return ease(ctx, p, c, find(k)) }
}

// findByCuts finds the easiest instances of hypotheses of vectors.
func findByCuts(ctx context.Context, p *game.Problem) func(k int) []float64 {
	o, best := newPolar(p), make([]float64, p.Queries())
	return func(k int) []float64 {
		o.of(ctx, best, k)
		return best
	}
}

// findInCell finds those of the rows of a table.
func findInCell(_ context.Context, p *game.Problem) func(k int) []float64 {
	c := newCell(p)
	return func(k int) []float64 {
		c.of(k)
		c.settle(anchorSteps)
		return c.least
	}
}

// cell is ρ̃ on {θ : z_*(θ) = z_j}, with a worker's scratch.
type cell struct {
	p      *game.Problem
	offset []float32 // [|Z|]
	j      int
	a      []float64 // z_j − z of every other hypothesis, [|Z| − 1, |X|]
	shift  []float64 // the offset of z_j less that of z, [|Z| − 1]
	norm   []float64 // ‖a‖₁, [|Z| − 1]

	on []int // the hypotheses that are looked at, ascending

	gap, base   []float64 // of the last point: the gap, and norm/gap², [|Z| − 1]
	ratio       []float64 // max |a_i|·base, [|X|]
	by          []int     // the hypothesis that has it, [|X|]
	theta, grad []float64 // [|X|]
	least, from []float64 // the easiest point so far, and the one before, [|X|]
}

func newCell(p *game.Problem) *cell {
	d, n := p.Queries(), p.Hypotheses()-1
	c := &cell{p: p, offset: p.Offsets(), a: make([]float64, n*d), by: make([]int, d)}
	for _, s := range []*[]float64{&c.shift, &c.norm, &c.gap, &c.base} {
		*s = make([]float64, n)
	}
	for _, s := range []*[]float64{&c.ratio, &c.theta, &c.grad, &c.least, &c.from} {
		*s = make([]float64, d)
	}
	return c
}

// of makes c the cell of hypothesis j.
func (c *cell) of(j int) {
	c.j = j
	d, star, at := len(c.theta), c.p.Row(j), 0
	for k := range c.p.Hypotheses() {
		if k == j {
			continue
		}
		a := c.a[at*d : (at+1)*d]
		var norm float64
		for i, z := range c.p.Row(k) {
			a[i] = float64(star[i]) - float64(z)
			norm += math.Abs(a[i])
		}
		c.norm[at], c.shift[at] = norm, float64(c.offset[j])-float64(c.offset[k])
		at++
	}
	c.on = c.on[:0]
	for k := range c.shift {
		c.on = append(c.on, k)
	}
}

// leastGap is how far z_j has to lead at an instance of its cell, as [game.RhoTilde] has it.
const leastGap = 1e-9

// lead fills c.gap[k] at theta, and returns it.
func (c *cell) lead(theta []float64, k int) float64 {
	gap := c.shift[k]
	for i, a := range c.a[k*len(theta) : (k+1)*len(theta)] {
		gap += a * theta[i]
	}
	c.gap[k] = gap
	return gap
}

// rho returns ρ̃ at theta of the hypotheses looked at, +Inf outside of the cell, and fills what slope needs.
func (c *cell) rho(theta []float64) float64 {
	d := len(theta)
	for _, k := range c.on {
		gap := c.lead(theta, k)
		if !(gap > leastGap) {
			return math.Inf(1)
		}
		c.base[k] = c.norm[k] / (gap * gap)
	}
	clear(c.ratio)
	for _, k := range c.on {
		base := c.base[k]
		for i, a := range c.a[k*d : (k+1)*d] {
			if v := math.Abs(a) * base; v > c.ratio[i] {
				c.ratio[i], c.by[i] = v, k
			}
		}
	}
	var sum float64
	for _, v := range c.ratio {
		sum += v
	}
	return sum
}

// slope writes a subgradient of ρ̃ at the point of the last rho to c.grad.
func (c *cell) slope() {
	d := len(c.grad)
	clear(c.grad)
	for i, k := range c.by {
		if k < 0 || c.ratio[i] == 0 {
			continue
		}
		// All queries that share this hypothesis are taken together, but for those on which nothing differs: [cell.join] reads by.
		sum := 0.0
		for l := i; l < d; l++ {
			if c.by[l] == k && c.ratio[l] > 0 {
				sum += c.ratio[l]
				c.by[l] = -1
			}
		}
		scale := -2 * sum / c.gap[k]
		for l, a := range c.a[k*d : (k+1)*d] {
			c.grad[l] += scale * a
		}
	}
}
