package game

import "fmt"

// States is a batch of B states s_t (App. B): what has been answered so far.
// B = 1 is nothing special. Policies read it and never write.
type States struct {
	N     []float32 // answers to each query so far, [B,|X|]
	S     []float32 // their sums, answers being ±1, [B,|X|]
	Mask  []bool    // true where a query may not be asked, [B,|X|]; nil: all may
	Left  []float32 // answers left in the game, [B]; nil: T − Σ_i N_i
	Level []float32 // log₂ of the difficulty a policy should be ready for, [B]; nil: unknown
	Out   []bool    // true where a hypothesis was guessed and is wrong, [B,|Z|]; nil: none was. Posteriors over rows read it
}

// Len returns B, for a problem of d queries.
func (s States) Len(d int) int {
	if len(s.N)%d != 0 || len(s.S) != len(s.N) {
		panic(fmt.Sprintf("game: states have %d counts and %d sums, want a multiple of %d", len(s.N), len(s.S), d))
	}
	return len(s.N) / d
}

// Row returns state b alone, as a batch of one. It aliases s.
func (s States) Row(b, d int) States { return s.Slice(b, b+1, d) }

// Slice returns states lo … hi−1, for a problem of d queries. It aliases s.
func (s States) Slice(lo, hi, d int) States {
	r := States{N: s.N[lo*d : hi*d], S: s.S[lo*d : hi*d]}
	if s.Mask != nil {
		r.Mask = s.Mask[lo*d : hi*d]
	}
	if s.Left != nil {
		r.Left = s.Left[lo:hi]
	}
	if s.Level != nil {
		r.Level = s.Level[lo:hi]
	}
	if s.Out != nil {
		n := len(s.Out) / s.Len(d)
		r.Out = s.Out[lo*n : hi*n]
	}
	return r
}

// Answers left in state b of a game of budget T.
func (s States) left(b, d, budget int) float32 {
	if s.Left != nil {
		return s.Left[b]
	}
	left := float32(budget)
	for _, n := range s.N[b*d : (b+1)*d] {
		left -= n
	}
	return left
}

// LeftOf returns how many answers state b has left in a game of p. A label counts once, however many queries it answers.
func (p *Problem) LeftOf(s States, b int) float32 {
	if !p.isClasses() || s.Left != nil {
		return s.left(b, len(p.X), p.T)
	}
	left := float32(p.T)
	for _, i := range p.pool().First[:p.pool().Cells()] {
		left -= s.N[b*len(p.X)+int(i)]
	}
	return left
}

// UniformOver writes to dst, [|X|], the uniform distribution over the queries
// for which pick is true and mask is not; over all that mask leaves where that
// set is empty.
func UniformOver(dst []float32, pick, mask []bool) {
	if pick == nil && mask == nil {
		by := 1 / float32(len(dst))
		for i := range dst {
			dst[i] = by
		}
		return
	}
	n := 0
	for i := range dst {
		dst[i] = 0
		if (pick == nil || pick[i]) && (mask == nil || !mask[i]) {
			dst[i] = 1
			n++
		}
	}
	if n == 0 {
		if pick == nil {
			panic("game: UniformOver has no query left by the mask")
		}
		UniformOver(dst, nil, mask)
		return
	}
	for i := range dst {
		dst[i] /= float32(n)
	}
}
