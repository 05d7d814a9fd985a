package sim

import (
	"context"

	"mapo/game"
	"mapo/record"
	"mapo/rng"
)

// Identify estimates P(recommendation ≠ the hypothesis that was drawn) over games of one fresh draw of prior each:
// how often the policy, with its own rule of decision ([game.DeciderOf]), is wrong about a row of a table. It differs
// from the average best-identification loss, which counts the best hypothesis of the drawn θ as right. Draw m
// reads key.Name("theta").At(m), its game key.Name("games"), so policies given the same key meet the same draws. It
// panics where prior draws no hypotheses. The result does not depend on Workers.
func (p Play) Identify(ctx context.Context, prior game.Prior, games int, key rng.Key) (record.Estimate, error) {
	var all Sum
	decider := game.DeciderOf(p.P, p.Policy)
	blocks := (games + blockGames - 1) / blockGames
	err := Each(ctx, blocks, p.Workers, func() *identifier {
		return &identifier{p: p, decider: decider, b: Block{P: p.P, L: 1}}
	}, func(w *identifier, block int) {
		w.play(prior, block*blockGames, min(blockGames, games-block*blockGames), key)
	}, func(w *identifier, _ int) {
		all.Merge(w.sum)
	})
	return all.Estimate(1), err
}

// identifier is one worker's part of Identify.
type identifier struct {
	p       Play
	decider game.Decider
	b       Block
	gen     rng.Generator
	drawn   []int     // the hypothesis of each game
	decided []float32 // [games, |Z|]
	sum     Sum       // of the block
}

// play leaves the losses of games first, first+1, … in sum.
func (w *identifier) play(prior game.Prior, first, games int, key rng.Key) {
	d, n := w.p.P.Queries(), w.p.P.Hypotheses()
	w.b.Theta, w.drawn = sized(w.b.Theta, games*d), sized(w.drawn, games)
	for g := range games {
		w.drawn[g] = prior.Draw(w.b.Theta[g*d:(g+1)*d], w.gen.Of(key.Name("theta").At(first+g)))
		if w.drawn[g] < 0 {
			panic("sim: Identify over a prior that draws no hypotheses")
		}
	}
	PlayBlock(&w.b, key.Name("games"), first, func(_ int, probs []float32, s game.States) { w.p.Policy.Probs(probs, s) })
	w.decided = sized(w.decided, games*n)
	w.decider.Decide(w.decided, game.States{N: w.b.N, S: w.b.S})
	w.sum = Sum{}
	for g, k := range w.drawn {
		w.sum.Add(1 - float64(w.decided[g*n+k]))
	}
}
