package nn

import (
	"fmt"
	"sync"

	"mapo/game"
	"mapo/internal/num"
)

// chunk is how many states a policy passes through its network at once: the activations of so many
// stay in the second-level cache, and it is a multiple of every kernel's rows.
const chunk = 96

// Policy returns π^ψ: the softmax of net's logits over what each state's mask leaves.
//
// Probs may be called concurrently, not while ψ moves, and allocates nothing once as many tapes exist as
// there are callers at a time. A batch's rows equal the single rows' bit for bit.
func Policy(p *game.Problem, net Net) game.Policy {
	f := &forward{net: net, d: p.Queries()}
	f.tapes.New = func() any { return net.NewTape(chunk) }
	return f
}

// forward is the policy of a network.
type forward struct {
	net   Net
	d     int
	tapes sync.Pool // of Tape
}

// Probs writes π^ψ(s) to dst, [B,|X|].
func (f *forward) Probs(dst []float32, s game.States) {
	n := s.Len(f.d)
	if len(dst) != n*f.d {
		panic(fmt.Sprintf("nn: probabilities have %d entries, want %d", len(dst), n*f.d))
	}
	t := f.tapes.Get().(Tape)
	defer f.tapes.Put(t)
	for lo := 0; lo < n; lo += chunk {
		hi := min(n, lo+chunk)
		part := dst[lo*f.d : hi*f.d]
		states := s.Slice(lo, hi, f.d)
		f.net.Forward(part, t, states)
		num.Softmax(part, part, states.Mask, hi-lo, f.d)
	}
}
