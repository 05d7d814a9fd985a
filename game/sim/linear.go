package sim

import (
	"math"

	"mapo/game"
)

// linear is the outlook where queries are vectors. An answer that exceeds its prediction ⟨u, η̂⟩ by δ moves the least squares by
// δ times the query's step ([game.Fit.Step]), and so all scores, by δ times a direction.
type linear struct {
	p      *game.Problem
	n      int
	unit   float64
	fits   []*game.Fit // of a step's states
	state  *game.Fit   // the one last ranked
	step   []float64   // [Rank]
	to     []float32   // the directions of the forks, [forks, |Z|]
	chance game.Chance
}

func newLinear(p *game.Problem) *linear {
	return &linear{p: p, n: p.Hypotheses(), unit: p.Span().Unit, step: make([]float64, p.Span().Rank), chance: p.Answer().Chance()}
}

func (t *linear) score(dst []float32, s game.States) {
	d := t.p.Queries()
	for u := range s.Len(d) {
		if u == len(t.fits) {
			t.fits = append(t.fits, t.p.NewFit())
		}
		t.fits[u].Solve(s.N[u*d:(u+1)*d], s.S[u*d:(u+1)*d])
		t.fits[u].Scores(dst[u*t.n:(u+1)*t.n], t.unit)
	}
}

func (t *linear) rank(u int, _ []float32, _ float32) { t.state = t.fits[u] }

func (t *linear) mark() int   { return len(t.to) }
func (t *linear) back(to int) { t.to = t.to[:to] }

// fork keeps the query's direction, and its prediction as the mean.
func (t *linear) fork(i int, _, _ float32, _ []float32) fork {
	f := fork{query: i}
	f.lo[0] = int32(len(t.to))
	t.state.Step(t.step, i)
	for j, u := range t.state.Span.Vector(i) {
		f.mean += float32(u * t.state.Eta[j])
	}
	for k := range t.n {
		var by float64
		for j, v := range t.state.Span.Hypothesis(k) {
			by += v * t.step[j]
		}
		t.to = append(t.to, float32(by/t.unit))
	}
	return f
}

func (t *linear) met(f *fork, theta float64, a answer, w *view) (mean float64, came foretold) {
	return twofold(t.chance, t, f, theta, a, w)
}

func (t *linear) after(f *fork, _ int, y float32, w *view) (u, v float64) {
	return t.moved(f, y, w.k, w.cost, w.score)
}

// moved returns u and v after the answer y.
func (t *linear) moved(f *fork, y float32, k *known, cost []float64, score []float32) (u, v float64) {
	by := y - f.mean
	to := t.to[f.lo[0]:][:len(score)]
	top, rest := float32(outOfReach), float32(outOfReach)
	for j, s := range score {
		s += by * to[j]
		top = larger(s, top)
		if j != k.best {
			rest = larger(s, rest)
		}
	}
	var sum, count float64
	own := score[k.best] + by*to[k.best]
	for j, s := range score {
		if s+by*to[j] >= top-game.Tie {
			sum += cost[j]
			count++
		}
	}
	u = sum / count
	if k.alone {
		if u = 1; own >= top-game.Tie {
			u = 1 - 1/count
		}
	}
	lead := float64(own - rest)
	return u, lead / (1 + math.Abs(lead))
}
