package rival

import (
	"cmp"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"sync"

	"mapo/game"
)

// phase is a part of an elimination: every arm that is left is pulled until it has so many pulls, and then so many are kept.
type phase struct{ pulls, keep int }

// SuccessiveRejects rejects the arm with the worst mean after each of K − 1 phases (Audibert, Bubeck and Munos 2010). With
// l̄ = ½ + Σ_{i=2}^K 1/i, every arm that is left has n_k = ⌈(T − K)/(l̄·(K + 1 − k))⌉ pulls after phase k. Pulls that are over
// go to the last two arms, and the better one of those is recommended. Where T ≤ K it is uniform.
func SuccessiveRejects(p *game.Problem) game.Policy {
	arms, l := p.Queries(), 0.5
	for i := 2; i <= arms; i++ {
		l += 1 / float64(i)
	}
	var phases []phase
	for k := 1; k < arms && p.T > arms; k++ {
		phases = append(phases, phase{int(math.Ceil(float64(p.T-arms) / (l * float64(arms+1-k)))), arms - k})
	}
	return newElimination(p, "successive-rejects", phases)
}

// SequentialHalving keeps the better half of the arms after each of ⌈log₂ K⌉ rounds that share the pulls alike (Karnin, Koren
// and Somekh 2013): ⌊T/(|S|⌈log₂ K⌉)⌋ for each arm of a round's set S. Arms are ranked by the means of all their pulls, those
// of earlier rounds too. Pulls that are over go to the last two arms, and the better one of those is recommended. Where T < K⌈log₂ K⌉ it is uniform.
func SequentialHalving(p *game.Problem) game.Policy {
	arms := p.Queries()
	rounds := bits.Len(uint(arms - 1)) // ⌈log₂ K⌉
	var phases []phase
	for left, pulls := arms, 0; left > 1 && p.T >= arms*rounds; {
		pulls += p.T / (left * rounds)
		left = (left + 1) / 2
		phases = append(phases, phase{pulls, left})
	}
	return newElimination(p, "sequential-halving", phases)
}

// elimination pulls arms in phases and drops the worst after each, ties at random. It is a function of the state alone: an
// arm that was dropped after a phase has exactly that phase's pulls, and no worse one has. Where several may have been, each is with the same probability.
type elimination struct {
	arms   int
	name   string
	phases []phase // nil: uniform
	pool   sync.Pool
}

type eliminationScratch struct {
	weight []float64 // the probability that an arm is left, [|X|]
	order  []int     // arms that may be dropped
	pick   []bool    // [|X|]
}

func newElimination(p *game.Problem, name string, phases []phase) *elimination {
	e := &elimination{arms: p.Queries(), name: name}
	for _, next := range phases {
		if last := len(e.phases) - 1; last >= 0 && e.phases[last].pulls == next.pulls {
			e.phases[last] = next
			continue
		}
		e.phases = append(e.phases, next)
	}
	e.pool.New = func() any {
		return &eliminationScratch{make([]float64, e.arms), make([]int, 0, e.arms), make([]bool, e.arms)}
	}
	return e
}

// String returns the name in specs and results.
func (e *elimination) String() string { return e.name }

// Probs writes to dst, [B, |X|], a distribution over the arms that the phase still has to pull, each in proportion to the
// probability that it is left: uniform unless ties leave that open. Costs O(|X| log |X|) a phase and state.
func (e *elimination) Probs(dst []float32, s game.States) {
	sc := e.pool.Get().(*eliminationScratch)
	defer e.pool.Put(sc)
	rows(dst, s, e.arms, func(row, n, sum []float32, mask []bool) {
		due := e.reconstruct(sc, n, sum)
		for i, times := range n {
			if times >= due {
				sc.weight[i] = 0
			}
		}
		proportional(row, sc.weight, mask)
	})
}

// rule says what Decide does.
func (*elimination) rule() string {
	return "the arm of the largest mean answer among those that are not rejected"
}

// Decide recommends the best mean of the arms that may be left: a tie is shared.
func (e *elimination) Decide(dst []float32, s game.States) {
	sc := e.pool.Get().(*eliminationScratch)
	defer e.pool.Put(sc)
	for at := 0; at < len(s.N); at += e.arms {
		n, sum := s.N[at:at+e.arms], s.S[at:at+e.arms]
		e.reconstruct(sc, n, sum)
		best := math.Inf(-1)
		for i, left := range sc.weight {
			if left > 0 {
				best = max(best, mean(n, sum, i))
			}
		}
		for i, left := range sc.weight {
			sc.pick[i] = left > 0 && mean(n, sum, i) >= best-game.Tie
		}
		game.UniformOver(dst[at:at+e.arms], sc.pick, nil)
	}
}

// reconstruct fills the probability that each arm is left, and returns below how many pulls such an arm is due.
func (e *elimination) reconstruct(sc *eliminationScratch, n, sum []float32) (due float32) {
	left := e.arms
	for i := range sc.weight {
		sc.weight[i] = 1
	}
	for _, phase := range e.phases {
		pulls := float32(phase.pulls)
		for i, weight := range sc.weight {
			if weight > 0 && n[i] < pulls {
				return pulls
			}
		}
		keep := max(2, phase.keep) // pulls that are over are shared by two
		sc.drop(n, sum, pulls, left-keep)
		left = keep
	}
	due = float32(math.Inf(1))
	for i, weight := range sc.weight {
		if weight > 0 {
			due = min(due, n[i])
		}
	}
	return due + 1
}

// drop takes so many of the arms with exactly so many pulls away, the worst of them.
func (sc *eliminationScratch) drop(n, sum []float32, pulls float32, count int) {
	sc.order = sc.order[:0]
	for i, weight := range sc.weight {
		if weight > 0 && n[i] == pulls {
			sc.order = append(sc.order, i)
		}
	}
	count = min(count, len(sc.order)) // fewer only in states of other policies' games
	if count == 0 {
		return
	}
	slices.SortFunc(sc.order, func(a, b int) int { return cmp.Compare(sum[a], sum[b]) })
	last := sum[sc.order[count-1]]
	worse, tied := 0, 0
	for _, i := range sc.order {
		switch {
		case sum[i] < last:
			worse++
		case sum[i] == last:
			tied++
		}
	}
	for _, i := range sc.order[:worse+tied] {
		sc.weight[i] = 0
		if sum[i] == last {
			sc.weight[i] = 1 - float64(count-worse)/float64(tied)
		}
	}
}

// mean returns an arm's mean answer, 0 before its first pull.
func mean(n, sum []float32, i int) float64 {
	if n[i] == 0 {
		return 0
	}
	return float64(sum[i]) / float64(n[i])
}

// ofArms refuses a kind of policy for arms on other problems.
func ofArms(k kind) kind {
	return func(p *game.Problem, name, rest string, has bool) (recipe, error) {
		if err := familyOf(p).arms; err != nil {
			return recipe{}, fmt.Errorf("policy %q %w", name, err)
		}
		return k(p, name, rest, has)
	}
}
