package exact

import (
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"mapo/game"
)

// end is what a duel knows of the ends of games: their costs, and who decides there.
type end interface {
	// costs writes the value of every final state to v, [states], under the weights w, [N], and lets a decision that is free
	// learn from them.
	costs(v, w []float64)
	// losses writes ℓ of every instance to dst, [N], for the flow q, [states].
	losses(dst, q []float64)
	// best writes the value of every final state under the best decision there may be.
	best(v, w []float64)
	// average adds weight times the decisions under the flow q to their average, and decided is the rule that it makes.
	average(weight float64, q []float64)
	decided() game.Decider
}

// fixed is the end of games whose decision is a given rule.
type fixed struct{ *Set }

func (f fixed) costs(v, w []float64)       { f.Costs(v, w) }
func (f fixed) best(v, w []float64)        { f.Costs(v, w) }
func (f fixed) losses(dst, q []float64)    { f.Losses(dst, q) }
func (f fixed) average(float64, []float64) {}
func (f fixed) decided() game.Decider      { return nil }

// free is the end of games whose decision is the asker's own: a learner over the hypotheses in every final state.
type free struct {
	g      *Game
	like   *mat.Dense // L_θ(s), [final, N]
	cost   *mat.Dense // what recommending each hypothesis costs, [N, |Z|]
	learn  *learners
	tilted *mat.Dense // w_θ·cost, [N, |Z|]
	value  *mat.Dense // Σ_θ w_θ L_θ(s)·cost, [final, |Z|]
	spread *mat.Dense // the flow over the decisions, [final, |Z|]
	lost   *mat.Dense // [N, |Z|]
	sum    []float64  // Σ_t weight_t·q(s)·D_t(s), [final, |Z|]
}

func (g *Game) newFree(loss game.Loss, all []game.Drawn) *free {
	final, n, hyps := len(g.final), len(all), g.P.Hypotheses()
	f := &free{
		g: g, like: mat.NewDense(final, n, nil), cost: mat.NewDense(n, hyps, nil), learn: newLearners(final, hyps),
		tilted: mat.NewDense(n, hyps, nil), value: mat.NewDense(final, hyps, nil), spread: mat.NewDense(final, hyps, nil),
		lost: mat.NewDense(n, hyps, nil), sum: make([]float64, final*hyps),
	}
	in := new(game.Instance)
	for k := range all {
		fill(in, g.P, &all[k])
		like := g.likelihood(all[k].Theta)
		for at, s := range g.final {
			f.like.Set(at, k, like.of(g.row(s)))
		}
		for z := range hyps {
			f.cost.Set(k, z, loss.Cost(in, z))
		}
	}
	return f
}

// values fills value for the weights w.
func (f *free) values(w []float64) {
	for k, weight := range w {
		floats.ScaleTo(f.tilted.RawRowView(k), weight, f.cost.RawRowView(k))
	}
	f.value.Mul(f.like, f.tilted)
}

func (f *free) costs(v, w []float64) {
	f.values(w)
	for at, s := range f.g.final {
		row := f.value.RawRowView(at)
		v[s] = floats.Dot(row, f.learn.row(at))
		f.learn.learn(at, row, -1)
	}
}

func (f *free) best(v, w []float64) {
	f.values(w)
	for at, s := range f.g.final {
		v[s] = floats.Min(f.value.RawRowView(at))
	}
}

func (f *free) losses(dst, q []float64) {
	for at, s := range f.g.final {
		floats.ScaleTo(f.spread.RawRowView(at), q[s], f.learn.row(at))
	}
	f.lost.Mul(f.like.T(), f.spread)
	for k := range dst {
		dst[k] = floats.Dot(f.lost.RawRowView(k), f.cost.RawRowView(k))
	}
}

func (f *free) average(weight float64, q []float64) {
	n := f.g.P.Hypotheses()
	for at, s := range f.g.final {
		floats.AddScaled(f.sum[at*n:(at+1)*n], weight*q[s], f.learn.row(at))
	}
}

func (f *free) decided() game.Decider {
	n := f.g.P.Hypotheses()
	choice := make([]float32, len(f.sum))
	for s := range len(f.sum) / n {
		row := f.sum[s*n : (s+1)*n]
		if floats.Sum(row) <= 0 {
			row = f.learn.row(s)
		}
		for z, v := range row {
			choice[s*n+z] = float32(v / floats.Sum(row))
		}
	}
	return lookup{f.g, choice}
}

// lookup decides by a table over the states in which games end.
type lookup struct {
	g      *Game
	choice []float32 // [final, |Z|]
}

// Decide panics at a state that is not the end of a game.
func (l lookup) Decide(dst []float32, s game.States) {
	d, n := l.g.P.Queries(), l.g.P.Hypotheses()
	row := make([]uint8, 2*d)
	for b := range s.Len(d) {
		state := l.g.find(l.g.tally(row, s, b), row)
		if state < 0 || !l.g.Ends(state) {
			panic("exact: the decision is asked about a state that is not the end of a game")
		}
		at := int(l.g.place[state])
		copy(dst[b*n:(b+1)*n], l.choice[at*n:(at+1)*n])
	}
}
