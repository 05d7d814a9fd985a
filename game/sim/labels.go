package sim

import (
	"mapo/game"
)

// labels is the outlook where questions have several columns. A fork is a cell's, of its first query: it has an outcome for each of
// the cell's queries, whose class an item may have, and then one for none of them.
type labels struct {
	lineup
	p      *game.Problem
	scorer *game.Scorer
	own    []int32 // the query that each hypothesis predicts in each cell, [|Z|, cells]

	sums, counts []float32 // of the states scored last, [U, |X|]
	state        int       // ranked last
	outcomes     []outcome
	scores       []float32 // after each outcome, [outcomes, |Z|]
}

// outcome is what least squares make of a label.
type outcome struct {
	top, second float32
	arg         int32 // whose top is
	lo, hi      int32 // those that tie with it, in lineup.ties
}

func newLabels(p *game.Problem, l lineup) *labels {
	return &labels{lineup: l, p: p, scorer: game.NewScorer(p), own: p.Predictions()}
}

func (t *labels) score(dst []float32, s game.States) {
	t.counts, t.sums = s.N, s.S
	for u := range len(s.N) / t.d {
		t.scorer.Score(dst[u*t.n:(u+1)*t.n], s.N[u*t.d:(u+1)*t.d], s.S[u*t.d:(u+1)*t.d])
	}
}

func (t *labels) rank(u int, _ []float32, _ float32) { t.state = u }

// back forgets outcomes, too.
func (t *labels) back(to int) {
	for len(t.outcomes) > 0 && int(t.outcomes[len(t.outcomes)-1].lo) >= to {
		t.outcomes = t.outcomes[:len(t.outcomes)-1]
	}
	t.scores = t.scores[:len(t.outcomes)*t.n]
	t.lineup.back(to)
}

// fork works out every outcome of a label of query i's cell.
func (t *labels) fork(i int, count, _ float32, score []float32) fork {
	asks := t.p.Questions()
	cell := asks.Of(i)
	lo, hi := asks.Columns(cell)
	f := fork{query: lo, lo: [2]int32{int32(len(t.outcomes))}}
	sums := t.sums[t.state*t.d:][:t.d]
	for came := lo; came <= hi; came++ {
		if came == hi && asks.All(cell) {
			break
		}
		at := len(t.scores)
		for k, v := range score {
			own := int(t.own[k*asks.Len()+cell])
			answer := float32(-1)
			if own == came {
				answer = 1
			}
			delta := (sums[own]+answer)/(count+1) - sums[own]/max(1, count)
			t.scores = append(t.scores, v+t.zt[own*t.n+k]*delta)
		}
		t.outcomes = append(t.outcomes, t.leading(t.scores[at:]))
	}
	return f
}

// leading returns the outcome with these scores, [|Z|], and adds those that tie for the best to t.ties.
func (t *labels) leading(scores []float32) outcome {
	o := outcome{top: outOfReach, second: outOfReach, arg: -1, lo: int32(len(t.ties))}
	for k, v := range scores {
		switch {
		case v > o.top:
			o.top, o.second, o.arg = v, o.top, int32(k)
		case v > o.second:
			o.second = v
		}
	}
	for k, v := range scores {
		if v >= o.top-game.Tie {
			t.ties = append(t.ties, int32(k))
		}
	}
	o.hi = int32(len(t.ties))
	return o
}

// met sums over the outcomes by the probabilities of the cell's classes.
func (t *labels) met(f *fork, _ float64, a answer, w *view) (mean float64, came foretold) {
	asks := t.p.Questions()
	cell := asks.Of(f.query)
	lo, hi := asks.Columns(cell)
	rest := 1.
	for i := lo; i <= hi; i++ {
		share := rest
		if i < hi {
			share = (1 + a.theta[i]) / 2
			rest -= share
		} else if asks.All(cell) {
			break
		}
		v := w.foretold(t.after(int(f.lo[0])+i-lo, w.k, w.cost))
		mean += share * v.f
		if i == int(a.came) || i == hi && a.came < 0 {
			came = v
		}
	}
	return mean, came
}

// after returns u and v after an outcome.
func (t *labels) after(number int, k *known, cost []float64) (u, v float64) {
	o, scores := &t.outcomes[number], t.scores[number*t.n:][:t.n]
	return settled(k, cost, t.ties[o.lo:o.hi], scores[k.best], o.top, o.second, o.arg)
}
