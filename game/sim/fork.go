package sim

import (
	"cmp"
	"math"
	"slices"

	"mapo/game"
	"mapo/internal/num"
)

// fork is a query in a state, whatever θ is. Its two sides are for [table] the hypotheses without and with the query, before
// the answer, which moves the ones against the others. For [graded] they are all hypotheses after a no and after a yes.
type fork struct {
	query       int
	prob        float32    // π(x | s)
	share       float64    // of the likely queries' probability
	delta       [2]float32 // how far a no and a yes move the query's mean
	top, second [2]float32 // the best scores on each side, outOfReach where there is none near
	arg         [2]int32   // whose top is, −1: none
	lo, hi      [2]int32   // those that tie with it, in lineup.ties
	half        float32    // graded: ½ where the query was not asked before, and else 0
	count, mean float32    // of the answers so far
}

// outOfReach is below all scores that an answer brings near the top.
const outOfReach = -math.MaxFloat32 / 4

// answer is one that was drawn, to whichever query.
type answer struct {
	quantile float64   // the number in [0, 1) that it was drawn from
	came     int32     // the column to which it added, −1: none
	theta    []float64 // the instance, [|X|]
}

// view is a state as an instance has it, and the lines that make f of u and v.
type view struct {
	k     *known
	cost  []float64 // [|Z|]
	score []float32 // [|Z|]
	line  [2]float64
}

// foretold is f and what it was made of.
type foretold struct{ f, u, v float64 }

func (w *view) foretold(u, v float64) foretold { return foretold{w.line[0]*u + w.line[1]*v, u, v} }

// twofold computes met where an answer adds to one column, by the two answers that chance leaves.
func twofold(chance game.Chance, o interface {
	// after is u and v after answer number j, y, to f's query.
	after(f *fork, j int, y float32, w *view) (u, v float64)
}, f *fork, theta float64, a answer, w *view) (mean float64, came foretold) {
	y, share, own := chance.Of(theta, a.quantile, a.came >= 0)
	for j, y := range y {
		v := w.foretold(o.after(f, j, y, w))
		mean += share[j] * v.f
		if j == own {
			came = v
		}
	}
	return mean, came
}

// outlook is what least squares would make of one more answer.
type outlook interface {
	// score writes the scores of states to dst, [U, |Z|].
	score(dst []float32, s game.States)
	// rank notes the hypotheses of state u that an answer may bring to the top or next to it, from its scores, [|Z|], second
	// being the largest but one.
	rank(u int, score []float32, second float32)
	// fork is query i's, asked count times with that sum in the state last ranked.
	fork(i int, count, sum float32, score []float32) fork
	// met is f_t+1 by one more answer to f's query, of mean theta: its expectation, and as it is after the answer that was drawn.
	met(f *fork, theta float64, a answer, view *view) (mean float64, came foretold)
	// mark is where the ties of the forks so far end, and back forgets those behind it.
	mark() int
	back(to int)
}

// newOutlook returns the one that suits p.
func newOutlook(p *game.Problem) outlook {
	l := newLineup(p)
	switch p.Goal().(type) {
	case *game.Vectors:
		return newLinear(p)
	case *game.Shares:
		return &graded{lineup: l, scorer: game.NewScorer(p)}
	}
	if p.Questions().Len() < l.d { // questions of several columns
		return newLabels(p, l)
	}
	reach := float32(p.Answer().Reach())
	return &table{lineup: l, weight: p.Worth(), none: make([]float32, l.n), reach: reach}
}

// lineup is what both outlooks keep.
type lineup struct {
	d, n   int // |X| and |Z|
	chance game.Chance
	zt     []float32 // 𝒵 transposed, [|X|, |Z|]
	near   []int32   // the hypotheses of a state that an answer may bring to the top or next to it, best first
	ties   []int32   // of all forks
}

func newLineup(p *game.Problem) lineup {
	d, n := p.Queries(), p.Hypotheses()
	l := lineup{d: d, n: n, chance: p.Answer().Chance(), zt: make([]float32, d*n)}
	unit := p.Unit()
	for k := range n {
		for i, z := range p.Row(k) {
			l.zt[i*n+k] = z / unit
		}
	}
	return l
}

func (t *lineup) mark() int   { return len(t.ties) }
func (t *lineup) back(to int) { t.ties = t.ties[:to] }

// table is the outlook where 𝒵 holds 0 and 1, or a weight of the query in place of 1: an answer moves the hypotheses that have
// the query, all alike.
type table struct {
	lineup
	weight []float32 // of each query, at most 1
	reach  float32   // how far an answer moves two scores apart, about
	none   []float32 // no biases, [|Z|]
	mean   []float32 // θ̂, [U, |X|]
}

func (t *table) score(dst []float32, s game.States) {
	t.mean = num.Sized(t.mean, len(s.N))
	num.Means(t.mean, s.S, s.N)
	num.Forward(dst, t.mean, t.zt, t.none, len(s.N)/t.d, t.d, t.n, num.Linear)
}

// rank takes those within reach.
func (t *table) rank(_ int, score []float32, second float32) { t.within(score, second-t.reach) }

// fewNear is up to how many hypotheses insertion sorts as fast as anything.
const fewNear = 200

// within fills near with the hypotheses of at least that score, best first, and those that score the same by index. Costs
// O(|Z| + n log n) for n of them.
func (t *lineup) within(score []float32, least float32) {
	t.near = t.near[:0]
	for k, v := range score {
		if v < least {
			continue
		}
		t.near = append(t.near, int32(k))
	}
	if len(t.near) > fewNear {
		slices.SortFunc(t.near, func(a, b int32) int { return cmp.Or(cmp.Compare(score[b], score[a]), cmp.Compare(a, b)) })
		return
	}
	for i, k := range t.near {
		v, at := score[k], i
		for ; at > 0 && score[t.near[at-1]] < v; at-- {
			t.near[at] = t.near[at-1]
		}
		t.near[at] = k
	}
}

func (t *table) fork(i int, count, sum float32, score []float32) fork {
	mean := sum / max(1, count)
	f := fork{query: i, count: count, mean: mean, delta: [2]float32{(sum-1)/(count+1) - mean, (sum+1)/(count+1) - mean}}
	f.delta[0], f.delta[1] = t.weight[i]*f.delta[0], t.weight[i]*f.delta[1]
	z := t.zt[i*len(score):][:len(score)]
	for side := range 2 {
		f.top[side], f.second[side], f.arg[side], f.lo[side] = outOfReach, outOfReach, -1, int32(len(t.ties))
		for _, k := range t.near {
			if (z[k] != 0) != (side == 1) {
				continue
			}
			v := score[k]
			if f.arg[side] < 0 {
				f.top[side], f.arg[side] = v, k
			} else if f.second[side] == outOfReach {
				f.second[side] = v
			}
			if v < f.top[side]-game.Tie {
				break
			}
			t.ties = append(t.ties, k)
		}
		f.hi[side] = int32(len(t.ties))
	}
	return f
}

// known is what an instance says of hypotheses.
type known struct {
	best  int  // z_*(θ), or the hypothesis that θ was drawn with
	alone bool // whether recommending it costs 0 and any other 1
}

// of works k out, and what recommending each hypothesis costs, [|Z|]. Regret is of the best hypothesis, whichever was drawn.
func (k *known) of(loss game.Loss, in *game.Instance, cost []float64) {
	k.best, k.alone = in.Best, loss == game.BestIdentification && !in.Many
	if in.Drawn >= 0 && loss == game.BestIdentification {
		k.best, k.alone = in.Drawn, true
	}
	for i := range cost {
		cost[i] = loss.Cost(in, i)
	}
}

func (t *table) after(f *fork, j int, y float32, w *view) (u, v float64) {
	delta := f.delta[j]
	if y != float32(2*j-1) { // a number
		delta = t.weight[f.query] * (y - f.mean) / (f.count + 1)
	}
	return t.moved(f, delta, w.k, w.cost, w.score)
}

func (t *table) met(f *fork, theta float64, a answer, view *view) (float64, foretold) {
	return twofold(t.chance, t, f, theta, a, view)
}

// moved returns u and v where an answer moves the mean of f's query by delta.
func (t *table) moved(f *fork, delta float32, k *known, cost []float64, score []float32) (u, v float64) {
	without, with := f.top[0], f.top[1]+delta
	own, has := score[k.best], 0
	if t.zt[f.query*len(score)+k.best] != 0 {
		has = 1
		own += delta
	}
	most := larger(without, with)
	u = t.lost(f, without >= most-game.Tie, with >= most-game.Tie, k, own >= most-game.Tie, cost)
	if int(f.arg[has]) == k.best { // the best of the others
		if has != 0 {
			most = larger(without, f.second[1]+delta)
		} else {
			most = larger(f.second[0], with)
		}
	}
	lead := float64(own - most)
	return u, lead / (1 + math.Abs(lead))
}

// settled returns u and v where the hypotheses tied, [any], are best with the score top. z_* scores own, and leads the score
// second of the next one where it is hypothesis arg, whose score is top.
func settled(k *known, cost []float64, tied []int32, own, top, second float32, arg int32) (u, v float64) {
	switch {
	case !k.alone:
		for _, j := range tied {
			u += cost[j]
		}
		u /= float64(len(tied))
	case own >= top-game.Tie:
		u = 1 - 1/float64(len(tied))
	default:
		u = 1
	}
	if int(arg) == k.best {
		top = second
	}
	lead := float64(own - top)
	return u, lead / (1 + math.Abs(lead))
}

// lost returns the mean cost of those that tie, without the query, with it or both; own says whether z_* is one of them.
func (t *table) lost(f *fork, without, with bool, k *known, own bool, cost []float64) float64 {
	var tied [2][]int32
	if without {
		tied[0] = t.ties[f.lo[0]:f.hi[0]]
	}
	if with {
		tied[1] = t.ties[f.lo[1]:f.hi[1]]
	}
	count := float64(len(tied[0]) + len(tied[1]))
	if k.alone {
		if own {
			return 1 - 1/count
		}
		return 1
	}
	var sum float64
	for _, side := range tied {
		for _, k := range side {
			sum += cost[k]
		}
	}
	return sum / count
}

// larger returns the maximum, without max's care for what is not a number and for the sign of 0.
func larger(a, b float32) float32 {
	if a > b {
		return a
	}
	return b
}
