package run

import (
	"context"

	"mapo/game"
	"mapo/judge"
)

// Ladder is what Algorithm 1 leaves: the π_k, the benchmarks b^(r_k) and π̂. Each policy is judged at
// every level, though π_k is trained for r_k alone.
type Ladder struct {
	Pi    []*Policy // π_k, [K]
	B     []float64 // b^(r_k), [K], unscaled
	PiHat *Policy   // π̂
}

// Last returns the policy that Algorithm 1 ends in, as it was trained.
func (l *Ladder) Last() *Policy {
	if len(l.Pi) == 1 {
		return l.Pi[0]
	}
	return l.PiHat
}

// Algorithm 1 (MAPO). For k = 1 … K the r-dependent policy π_k is trained on
// Θ^(r_k) (Eq. 4) and judged at every level, in a ladder by a draft of the judge's search
// (search.Effort.Draft). The benchmarks b^(r_k) are the least worst cases found (reading 11), by two searches
// of the policies that hold them, and measured finely (reading 12). Then π̂ is trained to exceed them by as little as it can
// (Eq. 5), from the weights of a π_k in the middle (reading 16).
//
// MAPO carries out Algorithm 1 with f's executor. With one level π̂ is π_1. Where
// the configuration says so (train.Config.Follows) all π_k but one start from that
// one's weights: a middle level's, for regret the upper one. What is learnt for hard
// instances serves on easier ones better than the reverse.
func MAPO(ctx context.Context, f *Flow) (*Ladder, error) {
	r := f.Levels
	pi := make([]*Policy, len(r))
	middle := max(1, len(r)/2) - 1
	first := middle
	if f.Loss == game.SimpleRegret {
		first = len(r) / 2
	}
	learn := func(ctx context.Context, k int, warm *Policy) (err error) {
		pi[k], err = f.learn(ctx, objective{name: PiName(k + 1), r: r[k : k+1], warm: warm})
		return err
	}
	if f.Train.Follows() {
		if err := learn(ctx, first, nil); err != nil {
			return nil, err
		}
	}
	warm := pi[first]
	err := f.crew.Each(ctx, len(r), func(ctx context.Context, k int) error {
		if k != first || warm == nil {
			if err := learn(ctx, k, warm); err != nil {
				return err
			}
		}
		return f.judge(ctx, pi[k], nil)
	})
	if err != nil {
		return nil, err
	}
	if err := f.confirm(ctx, pi); err != nil {
		return nil, err
	}
	b := judge.Benchmarks(Curves(pi))
	if len(r) == 1 {
		return &Ladder{Pi: pi, B: b, PiHat: pi[0].named(PiHat)}, nil
	}
	hat, err := f.learn(ctx, objective{name: PiHat, r: r, b: b, warm: pi[middle]})
	if err != nil {
		return nil, err
	}
	return &Ladder{Pi: pi, B: b, PiHat: hat}, f.judge(ctx, hat, BankOf(pi))
}
