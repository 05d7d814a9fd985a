package difficulty

import (
	"cmp"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"mapo/game"
)

// rounds is how often [Design] may look for more pairs.
const rounds = 200

// Design returns the static design that tells all pairs of hypotheses apart, by
// which 20 Questions chooses its queries:
//
//	min_λ max_{z ≠ z′} Σ_{i ∈ D(z, z′)} (1/λ_i) / |D(z, z′)|²,
//
// D the queries on which the answers that z and z′ expect differ, ½ taken for 0: ρ_* with θ = 2z′ − 1, for all z′ at
// once. lambda, [|X|], attains the value; the least possible is at most gap·value
// below it, gap ≤ [Gap]. λ_i is 0 where all hypotheses agree.
//
// Pairs are taken in as they are needed: solve over those at hand, look over
// all |Z|² pairs for ones that are worse, repeat. A look costs O(|Z|²|X|/8), a
// few tens of them are needed, and a few hundred pairs in the end.
func Design(p *game.Problem) (lambda []float64, value, gap float64, err error) {
	if p.Hypotheses() < 2 {
		panic("difficulty: Design wants at least 2 hypotheses")
	}
	o := newPairs(p)
	s := newSolver(p.Queries())
	s.add(o.first())
	best := math.Inf(1)
	tol := 0.1
	for range rounds {
		if err := s.solve(tol); err != nil {
			return nil, 0, 0, fmt.Errorf("design over %d hypotheses: %w", p.Hypotheses(), err)
		}
		worst, more := o.look(s.design, s.lower)
		if worst < best {
			best, lambda = worst, s.lambda()
		}
		gap = 1 - s.lower/best
		if gap <= Gap {
			return lambda, best, max(0, gap), nil
		}
		tol = max(Gap/4, min(tol, gap/4))
		s.add(more)
	}
	return nil, 0, 0, fmt.Errorf("design over %d hypotheses: %w", p.Hypotheses(), errSlow)
}

// pairs looks for the worst pairs, hypotheses as rows of bytes with a bit a
// query and, for a design, the sums Σ 1/λ_i of all 256 subsets of 8 queries.
type pairs struct {
	p     *game.Problem
	width int      // bytes a row
	bytes []uint8  // [|Z|, width]
	known []uint64 // a bit for each pair taken in, [|Z|, |Z|]
	sums  []float64
}

func newPairs(p *game.Problem) *pairs {
	n, width := p.Hypotheses(), (p.Queries()+7)/8
	o := &pairs{p: p, width: width, bytes: make([]uint8, n*width), known: make([]uint64, (n*n+63)/64), sums: make([]float64, width*256)}
	for k := range n {
		for i, z := range p.Says(k) {
			if z > 0.5 {
				o.bytes[k*width+i/8] |= 1 << (i % 8)
			}
		}
	}
	return o
}

func (o *pairs) row(k int) []uint8 { return o.bytes[k*o.width : (k+1)*o.width] }

// says returns the row of bits as numbers, [|X|].
func (o *pairs) says(k int) []float32 {
	out := make([]float32, o.p.Queries())
	for i := range out {
		out[i] = float32(o.row(k)[i/8] >> (i % 8) & 1)
	}
	return out
}

// take returns the pair as a column, and whether it is new.
func (o *pairs) take(a, b int) (column, bool) {
	a, b = min(a, b), max(a, b)
	at := a*o.p.Hypotheses() + b
	if o.known[at/64]>>(at%64)&1 == 1 {
		return column{}, false
	}
	o.known[at/64] |= 1 << (at % 64)
	c := newColumn(a, b, o.says(a), o.says(b), 1)
	n := float64(len(c.on))
	c.scale = 1 / (n * n)
	return c, true
}

// first returns, as columns, each hypothesis with its nearest, and for each query the nearest pair that differs
// there, so that no query is left without.
func (o *pairs) first() []column {
	d, n := o.p.Queries(), o.p.Hypotheses()
	type pair struct{ a, b, differ int }
	nearest, across := make([]pair, n), make([]pair, d)
	for k := range nearest {
		nearest[k].differ = math.MaxInt
	}
	for i := range across {
		across[i].differ = math.MaxInt
	}
	for a := range n {
		za := o.row(a)
		for b := range a {
			differ := 0
			for j, v := range o.row(b) {
				differ += bits.OnesCount8(v ^ za[j])
			}
			if differ == 0 {
				continue // the same hypothesis twice
			}
			it := pair{a, b, differ}
			for _, k := range [2]int{a, b} {
				if differ < nearest[k].differ {
					nearest[k] = it
				}
			}
			for j, v := range o.row(b) {
				for x := v ^ za[j]; x != 0; x &= x - 1 {
					if i := j*8 + bits.TrailingZeros8(x); differ < across[i].differ {
						across[i] = it
					}
				}
			}
		}
	}
	var cols []column
	for _, it := range append(nearest, across...) {
		if it.differ == math.MaxInt {
			continue
		}
		if c, ok := o.take(it.a, it.b); ok {
			cols = append(cols, c)
		}
	}
	return cols
}

// look returns max_{z ≠ z′} of the objective for a design given as 1/λ, [|X|], and new columns above lower: the
// worst of each hypothesis, the worst |X| of them.
func (o *pairs) look(inverse []float64, lower float64) (worst float64, more []column) {
	for j := range o.width {
		t := o.sums[j*256 : (j+1)*256]
		t[0] = 0
		for x := 1; x < 256; x++ {
			low := bits.TrailingZeros8(uint8(x))
			t[x] = t[x&(x-1)]
			if i := j*8 + low; i < len(inverse) {
				t[x] += inverse[i]
			}
		}
	}
	type found struct {
		a, b  int
		value float64
	}
	var all []found
	for a := range o.p.Hypotheses() {
		za, it := o.row(a), found{a: a}
		for b := range a {
			var sum float64
			differ := 0
			for j, v := range o.row(b) {
				x := v ^ za[j]
				sum += o.sums[j<<8|int(x)]
				differ += bits.OnesCount8(x)
			}
			// Two that are alike make 0/0, which is above nothing.
			if f := sum / float64(differ*differ); f > it.value {
				it.b, it.value = b, f
			}
		}
		worst = max(worst, it.value)
		if it.value > lower {
			all = append(all, it)
		}
	}
	slices.SortStableFunc(all, func(x, y found) int { return cmp.Compare(y.value, x.value) })
	for _, it := range all {
		if len(more) == len(inverse) {
			break
		}
		if c, ok := o.take(it.a, it.b); ok {
			more = append(more, c)
		}
	}
	return worst, more
}
