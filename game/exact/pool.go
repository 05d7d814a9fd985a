package exact

import (
	"encoding/binary"
	"fmt"
	"math"

	"mapo/game"
)

// MostPool is the most states × queries that a policy's games over a pool may come to in one step: some 100 MB.
const MostPool = 1 << 23

// Pool is a tiny pool of items. As in a [Game], the flow of a policy through its states does not depend on the items' classes, and the
// likelihood of a state does not depend on the policy. Only the states that a policy comes to are looked at.
type Pool struct{ p *game.Problem }

// NewPool returns p, which has labels, as one whose games can all be played. It is an error where p is not a game.
func NewPool(p *game.Problem) (*Pool, error) {
	if err := p.Check(); err != nil {
		return nil, err
	}
	return &Pool{p}, nil
}

// PoolFlow is q_π over the final states of a pool, and what is recommended there.
type PoolFlow struct {
	p      *game.Problem
	asks   game.Questions
	q      []float64 // [final]
	n, s   []float32 // [final, |X|]
	choice []float32 // [final, |Z|]
}

// Play plays a policy, which recommends by its own rule. It is an error where its games come to too many states. Costs O(|X|²) for each
// of these and what the policy does.
func (g *Pool) Play(policy game.Policy) (Played, error) {
	d := g.p.Queries()
	f := &PoolFlow{p: g.p, asks: g.p.Questions(), q: []float64{1}, n: make([]float32, d), s: make([]float32, d)}
	for t := range g.p.T {
		probs := make([]float32, len(f.n))
		policy.Probs(probs, f.states(t))
		next, at := &PoolFlow{p: g.p, asks: f.asks}, map[string]int{}
		for k, q := range f.q {
			g.spread(next, at, q, probs[k*d:(k+1)*d], f.n[k*d:(k+1)*d], f.s[k*d:(k+1)*d])
			if len(next.n) > MostPool {
				return nil, fmt.Errorf("games of policy %v come to more than %d states with %d of the %d labels, over %d queries each: lower the budget, or take fewer items and models",
					policy, len(next.q)-1, t+1, g.p.T, d)
			}
		}
		f = next
	}
	f.choice = make([]float32, len(f.q)*g.p.Hypotheses())
	game.DeciderOf(g.p, policy).Decide(f.choice, game.States{N: f.n, S: f.s, Left: make([]float32, len(f.q))})
	return f, nil
}

// states returns those of step t as policies see them.
func (f *PoolFlow) states(t int) game.States {
	s := game.States{N: f.n, S: f.s, Mask: make([]bool, len(f.n)), Left: make([]float32, len(f.q))}
	s.Mask = f.p.Questions().Mask(s.Mask, s.N)
	for k := range s.Left {
		s.Left[k] = float32(f.p.T - t)
	}
	return s
}

// spread adds to next, whose states are found by at, the flow q of a state, n and s, through each label that may follow.
func (g *Pool) spread(next *PoolFlow, at map[string]int, q float64, probs, n, s []float32) {
	var sum float64
	for _, v := range probs {
		sum += float64(v)
	}
	asks := g.p.Questions()
	for c := range asks.Len() {
		lo, hi := asks.Columns(c)
		share := 0.0
		for _, v := range probs[lo:hi] {
			share += float64(v) / sum
		}
		if share == 0 {
			continue
		}
		if g.p.Closed(lo, n[lo]) {
			panic(fmt.Sprintf("exact: the policy asks cell %d, whose items all have labels", c))
		}
		for came := lo; came <= hi; came++ {
			if came == hi && asks.All(c) {
				continue
			}
			from := len(next.n)
			next.n, next.s = append(next.n, n...), append(next.s, s...)
			for i := lo; i < hi; i++ {
				next.n[from+i]++
				next.s[from+i]--
				if i == came {
					next.s[from+i] += 2
				}
			}
			key := nameOf(next.n[from:], next.s[from:])
			k, found := at[key]
			if found {
				next.n, next.s = next.n[:from], next.s[:from]
			} else {
				k = len(next.q)
				at[key], next.q = k, append(next.q, 0)
			}
			next.q[k] += q * share
		}
	}
}

// nameOf returns a state as text.
func nameOf(n, s []float32) string {
	name := make([]byte, 0, 8*len(n))
	for i := range n {
		name = binary.LittleEndian.AppendUint32(name, math.Float32bits(n[i]))
		name = binary.LittleEndian.AppendUint32(name, math.Float32bits(s[i]))
	}
	return string(name)
}

// Loss returns ℓ(π, θ) where each label is drawn anew, as the paper's answers are: Σ_s q_π(s)·Π_i p_i^{k_i}·L_T(s, θ) over the final
// states, k_i labels being of query i's class.
func (f *PoolFlow) Loss(loss game.Loss, theta []float64) float64 {
	return f.sum(loss, theta, func(share, _, times float64) float64 { return math.Pow(share, times) })
}

// Given returns the expected loss where theta is of whole items and each gives its label once. The labels of a cell are then drawn
// without replacement: K_i(K_i − 1)… takes the place of p_i^{k_i}, where K_i of the cell's items have query i's class.
func (f *PoolFlow) Given(loss game.Loss, theta []float64) (float64, error) {
	if i := f.p.Broken(theta); i >= 0 {
		items := f.asks.Room(f.asks.Of(i))
		return 0, fmt.Errorf("query %q is %g; exact games of a pool need whole items, and its cell has %d: write 2k/%d - 1 where k of them have that class, or drop --exact",
			f.p.X[i], theta[i], items, items)
	}
	return f.sum(loss, theta, func(share, items, times float64) float64 {
		product, left := 1.0, math.Round(share*items)
		for ; times > 0; times-- {
			product *= max(0, left)
			left--
		}
		return product
	}), nil
}

// sum returns the mean loss over the final states, whose labels of a cell's items have the probability factor(1, items, all)⁻¹·Π over
// the classes of factor(share, items, times).
func (f *PoolFlow) sum(loss game.Loss, theta []float64, factor func(share, items, times float64) float64) (sum float64) {
	d, hyps, most := f.p.Queries(), f.p.Hypotheses(), f.p.T+1
	var table []float64 // factor for up to T times, of each query and then of none of them, [|X| + cells, T+1]
	var all []float64   // 1/factor(1, items, all), [cells, T+1]
	for c := range f.asks.Len() {
		lo, hi := f.asks.Columns(c)
		rest, items := 1.0, float64(f.asks.Room(c))
		for i := lo; i <= hi; i++ {
			share := max(0, rest)
			if i < hi {
				share = (1 + theta[i]) / 2
			}
			rest -= share
			for times := range most {
				table = append(table, factor(share, items, float64(times)))
			}
		}
		for times := range most {
			all = append(all, 1/factor(1, items, float64(times)))
		}
	}
	in := f.p.Instance(theta)
	for k, q := range f.q {
		n, s := f.n[k*d:(k+1)*d], f.s[k*d:(k+1)*d]
		for c := range f.asks.Len() {
			lo, hi := f.asks.Columns(c)
			none := int(n[lo])
			if none == 0 {
				continue
			}
			q *= all[c*most+none]
			for i := lo; i < hi; i++ {
				times := int(n[i]+s[i]) / 2
				q *= table[(i+c)*most+times]
				none -= times
			}
			q *= table[(hi+c)*most+none]
		}
		if q != 0 {
			sum += q * loss.Of(in, f.choice[k*hyps:(k+1)*hyps])
		}
	}
	return sum
}

// Questions returns the budget.
func (f *PoolFlow) Questions([]float64) float64 { return float64(f.p.T) }

// Stops returns false.
func (f *PoolFlow) Stops() bool { return false }
