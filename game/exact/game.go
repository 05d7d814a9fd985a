package exact

import (
	"bytes"
	"errors"
	"fmt"
	"math"

	"mapo/game"
)

// Limit is the most states a [Game] may have: about a gigabyte at d = 8.
const Limit = 2_000_000

// MostChoices is the most final states × hypotheses of a [Game], a number each: a gigabyte.
const MostChoices = 1 << 28

// Game is all states of a problem, step by step: [Count] of them. State 0 is
// the start; the states of step t are Start(t) ≤ s < Start(t+1), in
// lexicographic order of their counts. It is read-only and may be shared.
type Game struct {
	P *game.Problem

	start []int   // first state of each step, [T+2]
	count []uint8 // answers yes and no to each query, [states, d, 2]
	next  []int32 // state after yes and after no, −1 where i may not be asked, [inner, d, 2]

	decider game.Decider // what recommends
	stopper game.Stopper // ends games early; nil: they have all their answers
	final   []int        // where games end, in order: those that the stopper says, and all of step T
	place   []int32      // of each of them in final, −1 elsewhere, [states]
	choice  []float32    // what is recommended there, [final, |Z|]
}

// Count returns the number of states of p: C(T+2d, T), and Σ_t C(d, t)·2^t where no query may be repeated. It is a float64
// so that it does not overflow where that is far beyond what can be played.
func Count(p *game.Problem) float64 {
	if Check(p) != nil {
		return math.Inf(1)
	}
	d := float64(p.Queries())
	sum, term := 1.0, 1.0
	for t := 1.0; t <= float64(p.T); t++ {
		if p.AskOnce {
			term *= 2 * (d - t + 1) / t
		} else {
			term *= (2*d + t - 1) / t
		}
		sum += term
	}
	return math.Round(sum)
}

var errPool = errors.New("there is no certificate for games over a pool of items")

// Check reports why games of p's kind cannot be enumerated, however few they are.
func Check(p *game.Problem) error {
	switch p.Answer().(type) {
	case game.Answers:
		return errors.New("games with Gaussian answers cannot be enumerated")
	case game.Classes:
		return errPool
	}
	return nil
}

// New enumerates the states of p. The game recommends by [game.LeastSquares] until [Game.Decided] says otherwise. It is an error
// where p is not a game, has more than [Limit] states, or more than [MostChoices] final states × hypotheses. Costs O(states·d²·log states).
func New(p *game.Problem) (*Game, error) {
	if err := Check(p); errors.Is(err, errPool) {
		return nil, fmt.Errorf("%w; mapo eval --exact plays policies on a tiny one", err)
	} else if err != nil {
		return nil, err
	}
	if err := p.Check(); err != nil {
		return nil, err
	}
	n := Count(p)
	if p.T > math.MaxUint8 && n <= Limit {
		return nil, fmt.Errorf("the budget is %d; games with at most %d answers can be played exactly", p.T, math.MaxUint8)
	}
	if n > Limit {
		return nil, fmt.Errorf("%d queries and a budget of %d make %.4g states, more than the %d that can be played exactly", p.Queries(), p.T, n, Limit)
	}
	d := p.Queries()
	g := &Game{P: p, start: make([]int, 1, p.T+2), count: make([]uint8, 0, int(n)*2*d)}
	row := make([]uint8, 2*d)
	for t := range p.T + 1 {
		g.enumerate(row, 0, t)
		g.start = append(g.start, len(g.count)/(2*d))
	}
	if final := g.States() - g.Inner(); final > MostChoices/p.Hypotheses() {
		return nil, fmt.Errorf("%d final states × %d hypotheses are more than the %d recommendations kept in memory: lower the budget or keep fewer queries", final, p.Hypotheses(), MostChoices)
	}
	g.link()
	return g.ended(game.LeastSquares(p), nil), nil
}

// enumerate appends all rows whose entries from at on sum to left.
func (g *Game) enumerate(row []uint8, at, left int) {
	if at == len(row) {
		if left == 0 {
			g.count = append(g.count, row...)
		}
		return
	}
	most := left
	if g.P.AskOnce {
		if left > (len(row)-at+1)/2 {
			return
		}
		most = min(left, 1)
		if at%2 == 1 {
			most = min(most, 1-int(row[at-1]))
		}
	}
	least := 0
	if at == len(row)-1 && most == left {
		least = left
	}
	for v := least; v <= most; v++ {
		row[at] = uint8(v)
		g.enumerate(row, at+1, left-v)
	}
	row[at] = 0
}

// link fills next.
func (g *Game) link() {
	d := g.P.Queries()
	g.next = make([]int32, g.Inner()*d*2)
	row := make([]uint8, 2*d)
	for t := range g.P.T {
		for s := g.start[t]; s < g.start[t+1]; s++ {
			copy(row, g.row(s))
			for j := range row {
				at := s*2*d + j
				if g.P.AskOnce && row[j]+row[j^1] > 0 {
					g.next[at] = -1
					continue
				}
				row[j]++
				g.next[at] = int32(g.find(t+1, row))
				row[j]--
			}
		}
	}
}

// Decided returns the same game with another rule by which it recommends. It shares all else. Costs O(final states·|Z|)
// and what the rule does.
func (g *Game) Decided(by game.Decider) *Game { return g.ended(by, g.stopper) }

// Stopped returns the same game with another rule by which it ends early; nil: it has all its answers. States behind those in
// which it stops stay, and no game comes there. Costs as [Game.Decided], and O(inner states·d) and what the rule does.
func (g *Game) Stopped(by game.Stopper) *Game { return g.ended(g.decider, by) }

// Played returns the same game as policy ends it: with its decision and its rule of stopping.
func (g *Game) Played(policy game.Policy) *Game {
	return g.ended(game.DeciderOf(g.P, policy), game.StopperOf(policy))
}

// ended returns the same game with these rules.
func (g *Game) ended(by game.Decider, stop game.Stopper) *Game {
	other := *g
	other.decider, other.stopper = by, stop
	other.stops()
	other.decides()
	return &other
}

// stops fills final and place.
func (g *Game) stops() {
	g.final, g.place = make([]int, 0, g.States()-g.Inner()), make([]int32, g.States())
	add := func(s int) {
		g.place[s] = int32(len(g.final))
		g.final = append(g.final, s)
	}
	over := make([]bool, batch)
	for lo := 0; lo < g.Inner(); lo += batch {
		hi := min(lo+batch, g.Inner())
		if g.stopper != nil {
			g.stopper.Stop(over[:hi-lo], g.Batch(lo, hi))
		}
		for s := lo; s < hi; s++ {
			if g.place[s] = -1; over[s-lo] {
				add(s)
			}
		}
	}
	for s := g.Inner(); s < g.States(); s++ {
		add(s)
	}
}

// decides fills choice.
func (g *Game) decides() {
	d, n := g.P.Queries(), g.P.Hypotheses()
	g.choice = make([]float32, len(g.final)*n)
	for lo := 0; lo < len(g.final); lo += batch {
		hi := min(lo+batch, len(g.final))
		s := game.States{N: make([]float32, (hi-lo)*d), S: make([]float32, (hi-lo)*d), Left: make([]float32, hi-lo)}
		for k, at := range g.final[lo:hi] {
			g.counts(s.N[k*d:(k+1)*d], s.S[k*d:(k+1)*d], at)
		}
		g.decider.Decide(g.choice[lo*n:hi*n], s)
	}
}

// States returns how many states there are.
func (g *Game) States() int { return g.start[g.P.T+1] }

// Inner returns how many states have answers left: states 0 … Inner−1. Games end in the others, and where they stop.
func (g *Game) Inner() int { return g.start[g.P.T] }

// Start returns the first state of step t, 0 ≤ t ≤ T+1.
func (g *Game) Start(t int) int { return g.start[t] }

// Next returns the state after the answer yes and the one after no to query i in inner state s; both −1 where i may not be
// asked.
func (g *Game) Next(s, i int) (yes, no int) {
	at := (s*g.P.Queries() + i) * 2
	return int(g.next[at]), int(g.next[at+1])
}

// Stops reports whether the game has a rule by which it ends early.
func (g *Game) Stops() bool { return g.stopper != nil }

// Ends reports whether games end in state s.
func (g *Game) Ends(s int) bool { return g.place[s] >= 0 }

// Decision returns the distribution from which the recommendation is drawn in state s, in which games end, [|Z|].
func (g *Game) Decision(s int) []float32 {
	f, n := int(g.place[s]), g.P.Hypotheses()
	return g.choice[f*n : (f+1)*n]
}

// row returns the counts of state s, [d, 2].
func (g *Game) row(s int) []uint8 {
	w := 2 * g.P.Queries()
	return g.count[s*w : (s+1)*w]
}

// find returns the state of step t with the given counts, −1 where there is none.
func (g *Game) find(t int, row []uint8) int {
	lo, hi := g.start[t], g.start[t+1]
	for lo < hi {
		mid := (lo + hi) / 2
		switch c := bytes.Compare(g.row(mid), row); {
		case c == 0:
			return mid
		case c < 0:
			lo = mid + 1
		default:
			hi = mid
		}
	}
	return -1
}

// counts writes N and S of state k, [|X|] each.
func (g *Game) counts(n, s []float32, k int) {
	row := g.row(k)
	for i := range n {
		yes, no := float32(row[2*i]), float32(row[2*i+1])
		n[i], s[i] = yes+no, yes-no
	}
}

// Batch returns states lo … hi−1 as policies see them, with Left, and with Mask where queries may not be repeated.
func (g *Game) Batch(lo, hi int) game.States {
	d, b := g.P.Queries(), hi-lo
	s := game.States{N: make([]float32, b*d), S: make([]float32, b*d), Left: make([]float32, b)}
	if g.P.AskOnce {
		s.Mask = make([]bool, b*d)
	}
	for k := range b {
		g.counts(s.N[k*d:(k+1)*d], s.S[k*d:(k+1)*d], lo+k)
		left := float32(g.P.T)
		for _, n := range s.N[k*d : (k+1)*d] {
			left -= n
		}
		s.Left[k] = left
	}
	for at := range s.Mask {
		s.Mask[at] = s.N[at] > 0
	}
	return s
}
