package rival

import (
	"fmt"
	"math"
	"strconv"
	"sync"

	"mapo/game"
	"mapo/policy/decision"
)

// pulls is a policy for arms that is a weight of each arm once all were pulled. Before that it pulls those without a pull, each
// with the same probability. The arm with the largest mean is recommended. Read-only.
type pulls struct {
	name  string
	arms  int
	weigh func(sc *pullsScratch) // fills weight
	pool  sync.Pool              // of *pullsScratch
}

// pullsScratch holds one state and what is worked out of it, each [|X|].
type pullsScratch struct {
	n, mean       []float64 // pulls and mean answer of each arm
	weight        []float64 // the probability of a pull, up to a factor; 0 before weigh is called
	value, lead   []float64 // for weigh, by which arms are compared
	first, second []bool    // for weigh, which arms are the best by a value
}

func newPulls(p *game.Problem, name string, weigh func(sc *pullsScratch)) *pulls {
	u := &pulls{name: name, arms: p.Queries(), weigh: weigh}
	v := func() []float64 { return make([]float64, u.arms) }
	u.pool.New = func() any {
		return &pullsScratch{v(), v(), v(), v(), v(), make([]bool, u.arms), make([]bool, u.arms)}
	}
	return u
}

// String returns the name in specs and results.
func (u *pulls) String() string { return u.name }

// Probs writes to dst, [B, |X|], a distribution over the arms.
func (u *pulls) Probs(dst []float32, s game.States) {
	sc := u.pool.Get().(*pullsScratch)
	defer u.pool.Put(sc)
	rows(dst, s, u.arms, func(row, n, sum []float32, mask []bool) {
		if least(sc.first, n, mask) == 0 {
			game.UniformOver(row, sc.first, mask)
			return
		}
		for i, times := range n {
			sc.n[i], sc.mean[i], sc.weight[i] = float64(times), mean(n, sum, i), 0
		}
		u.weigh(sc)
		proportional(row, sc.weight, mask)
	})
}

// least picks the arms with the fewest pulls of those that may be pulled, and returns how many pulls that is.
func least(pick []bool, n []float32, mask []bool) float32 {
	fewest := float32(math.Inf(1))
	for i, times := range n {
		if mask == nil || !mask[i] {
			fewest = min(fewest, times)
		}
	}
	for i, times := range n {
		pick[i] = times == fewest
	}
	return fewest
}

// largest picks the arms whose value is the largest up to [game.Tie], but not arm except, and returns how many they are.
func largest(pick []bool, value []float64, except int) (tied int) {
	top := math.Inf(-1)
	for i, v := range value {
		if i != except {
			top = max(top, v)
		}
	}
	for i, v := range value {
		if pick[i] = i != except && v >= top-game.Tie; pick[i] {
			tied++
		}
	}
	return tied
}

// mostConstant is far above what constant of a policy for arms is of use.
const mostConstant = 1000

// parsePulls returns a kind of policy for arms with a constant from 0, own where a name has none.
func parsePulls(word, what string, own float64, of func(p *game.Problem, constant float64) game.Policy) kind {
	return ofArms(func(p *game.Problem, name, rest string, has bool) (recipe, error) {
		v := own
		if has {
			var err error
			if v, err = strconv.ParseFloat(rest, 64); err != nil || !(v >= 0 && v <= mostConstant) {
				return recipe{}, fmt.Errorf("policy %q: %s must be a number from 0 to %d, such as %s", name, what, mostConstant, numbered(word, own))
			}
		}
		return recipe{numbered(word, v), decision.LeastSquares, func() (game.Policy, error) { return of(p, v), nil }}, nil
	})
}
