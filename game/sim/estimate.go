package sim

import (
	"context"
	"math"

	"mapo/game"
	"mapo/internal/num"
	"mapo/record"
	"mapo/rng"
)

// Confidence is that of every interval the project prints, two-sided.
const Confidence = 0.95

// normal95 is the two-sided quantile of the normal distribution for it.
const normal95 = 1.959963984540054

// Sum collects losses in a fixed order.
type Sum struct {
	N     int
	X, XX float64 // Σx, Σx²
}

// Add takes one loss in.
func (s *Sum) Add(x float64) {
	s.N++
	s.X += x
	s.XX += x * x
}

// Merge takes in what another sum has collected.
func (s *Sum) Merge(o Sum) {
	s.N += o.N
	s.X += o.X
	s.XX += o.XX
}

// Mean of what was added; NaN of nothing.
func (s *Sum) Mean() float64 { return s.X / float64(s.N) }

// Estimate returns the mean with a 95 % interval for losses in [0, top]. With n losses of mean m
// and variance v, and z the normal quantile, the ends are
//
//	m + r + √(z²v/n + r²) with r = z²(top − m)/2n,
//	m − r − √(z²v/n + r²) with r = z²m/2n.
//
// The part z√(v/n) is the normal interval. The rest allows for losses too rare to be among the n:
// with no loss seen the upper end is 3.84·top/n, and for losses of 0 and top it is close to the upper
// end of Wilson's score interval. It vanishes against z√(v/n) as n grows. top must bound the losses
// that may occur, not those that were seen ([game.Loss.Most], [game.Loss.MostOf]); a smaller bound makes a
// shorter interval.
func (s *Sum) Estimate(top float64) record.Estimate {
	n, mean := float64(s.N), s.Mean()
	e := record.Estimate{Mean: mean, Confidence: Confidence, Games: s.N}
	if s.N == 0 {
		e.Warnings = append(e.Warnings, "no games")
		e.Mean, e.Lo, e.Hi = math.NaN(), 0, top
		return e
	}
	const z2 = normal95 * normal95
	noise := z2 * max(0, s.XX/n-mean*mean) / n
	reach := func(room float64) float64 {
		r := z2 * max(0, room) / (2 * n)
		return r + math.Sqrt(noise+r*r)
	}
	e.Lo, e.Hi = max(0, mean-reach(mean)), max(mean, min(top, mean+reach(top-mean)))
	return e
}

// Wilson returns the 95 % score interval (Wilson 1927) of a probability of which n trials show the
// share mean, in [0, 1]. At mean 0 or 1 rounding may leave mean outside. Of a rare event it covers
// less than 95 %: of 0.17 expected ones, 84 %.
func Wilson(mean, n float64) (lo, hi float64) {
	const z2 = normal95 * normal95
	mid := (mean + z2/(2*n)) / (1 + z2/n)
	half := normal95 / (1 + z2/n) * math.Sqrt(max(0, mean*(1-mean))/n+z2/(4*n*n))
	return mid - half, mid + half
}

// Play is how losses are measured: a policy on a problem.
type Play struct {
	P       *game.Problem
	Policy  game.Policy
	Workers int    // 0: as many as the machine runs at once
	Ledger  Ledger // nil: none
	Same    bool   // all instances meet the same draws (Block.Same)
	// Items plays games as people label the items of a pool: a cell of n items gives their n labels without replacement
	// (Block.Items). An instance that is not of whole items is rounded to one that is, anew in each game, and judged as that.
	// Where queries are not items it changes nothing.
	Items bool

	Tell func(games int) // where not nil, is told after every block how many games it had, one block at a time
}

// Ledger remembers what blocks of games came to. A caller that has one plays the same
// batches in the same order whenever he begins again, and none twice.
type Ledger interface {
	// Recall fills in the next block's sums, [losses, instances], and those of questions where games stop, if it was played before.
	Recall(sums []Sum) bool
	// Note is told of every block that was played, in their order, one at a time.
	Note(sums []Sum)
}

// blockGames is how many games a worker plays in step: enough for the kernels,
// small enough for its cache.
const blockGames = 256

// sameGames is how many games of an instance a block holds where all instances meet the
// same draws: few, so that many instances are together that may ask the policy the same.
const sameGames = 4

// Instances plays each θ, [M, |X|], L times and returns one sum of losses per
// instance and per loss asked for: [len(losses)][M]. Where the policy is a [game.Stopper] the games' numbers of
// questions follow, one sum per instance more. Game (m, l) reads
// key.At(l/256).At(m).At(l%256), with p.Same key.At(l/4).At(0).At(l%4): an instance's
// games may span several blocks. Those that p.Ledger recalls are not played.
func (p Play) Instances(ctx context.Context, theta []float64, l int, key rng.Key, losses ...game.Loss) ([][]Sum, error) {
	return p.instances(ctx, batch{theta: theta}, l, key, losses)
}

// columns returns how many sums an instance has: one a loss, and one of questions where games stop.
func (p Play) columns(losses []game.Loss) int {
	if game.StopperOf(p.Policy) != nil {
		return len(losses) + 1
	}
	return len(losses)
}

// batch is some instances, the first-th and following of a larger whole, first a multiple of what a block holds.
type batch struct {
	theta []float64 // [M, |X|]
	drawn []int     // Block.Drawn; nil: none
	first int
	alone bool // each instance has one game, which reads key.At(m).At(0)
}

// instances plays a batch as Instances does.
func (p Play) instances(ctx context.Context, of batch, l int, key rng.Key, losses []game.Loss) ([][]Sum, error) {
	theta, decider, stopper := of.theta, game.DeciderOf(p.P, p.Policy), game.StopperOf(p.Policy)
	cut := p.layout(len(theta)/p.P.Queries(), l)
	columns := p.columns(losses)
	sums := make([][]Sum, columns)
	for i := range sums {
		sums[i] = make([]Sum, cut.m)
	}
	merge := func(block int, part []Sum) {
		lo, hi, _ := cut.span(block)
		for i, s := range part {
			sums[i/(hi-lo)][lo+i%(hi-lo)].Merge(s)
		}
	}
	from := 0
	for p.Ledger != nil && from < cut.blocks() {
		lo, hi, _ := cut.span(from)
		part := make([]Sum, columns*(hi-lo))
		if !p.Ledger.Recall(part) {
			break
		}
		merge(from, part)
		from++
	}
	err := Each(ctx, cut.blocks()-from, p.Workers, func() *player {
		return &player{p: p, cut: cut, b: Block{P: p.P, Same: p.Same, Decider: decider, Stopper: stopper}}
	}, func(w *player, block int) {
		w.play(ctx, of, from+block, key, losses)
	}, func(w *player, block int) {
		merge(from+block, w.sums)
		if p.Ledger != nil {
			p.Ledger.Note(w.sums)
		}
		if p.Tell != nil {
			lo, hi, games := cut.span(from + block)
			p.Tell((hi - lo) * games)
		}
	})
	return sums, err
}

// layout is how the l games of each of m instances are cut into blocks.
type layout struct {
	m, l  int
	games int // of an instance in a block, at most
	per   int // instances in a block
	parts int // an instance with more games than that has several
}

func (p Play) layout(m, l int) layout {
	games := blockGames
	if p.Same {
		games = sameGames
	}
	return layout{m, l, games, max(1, blockGames/max(1, min(l, games))), max(1, (l+games-1)/games)}
}

func (y layout) blocks() int { return (y.m + y.per - 1) / y.per * y.parts }

// span returns a block's instances lo … hi−1 and how many games of each it holds.
func (y layout) span(block int) (lo, hi, games int) {
	lo = block / y.parts * y.per
	return lo, min(lo+y.per, y.m), min(y.games, y.l-block%y.parts*y.games)
}

// player is one worker's part of Instances.
type player struct {
	p     Play
	cut   layout
	b     Block
	theta []float64 // of games whose instances were rounded, [G, |X|]
	sums  []Sum     // of the block, [losses, instances], and behind them the questions where games stop
}

// play leaves a block's losses in sums. To a block a part of an instance is an instance of its own, with a key of
// its own.
func (w *player) play(ctx context.Context, of batch, block int, key rng.Key, losses []game.Loss) {
	lo, hi, games := w.cut.span(block)
	d := w.p.P.Queries()
	w.b.L, w.b.Theta = games, of.theta[lo*d:hi*d]
	if of.drawn != nil {
		w.b.Drawn = of.drawn[lo:hi]
	}
	if !of.alone {
		key = key.At(block % w.cut.parts)
	}
	m0 := of.first + lo
	if w.b.Items = w.p.Items; w.b.Items {
		m0 = w.round(key, m0)
	}
	if w.b.Play(ctx, w.p.Policy, key, m0) != nil {
		return
	}
	w.sums = zeroed(w.sums, len(losses)*(hi-lo))
	for i, loss := range losses {
		w.b.Judge(loss, nil)
		for g, x := range w.b.Loss {
			w.sums[i*(hi-lo)+g/games].Add(x)
		}
	}
	if w.b.Stopper != nil {
		w.sums = append(w.sums, make([]Sum, hi-lo)...)
		for g, n := range w.b.Length {
			w.sums[len(losses)*(hi-lo)+g/games].Add(float64(n))
		}
	}
}

// round gives every game of the block an instance of its own, where they are not of whole items. It returns the number of the first.
func (w *player) round(key rng.Key, m0 int) int {
	p, b := w.p.P, &w.b
	d, theta := p.Queries(), b.Theta
	if p.IsItems(theta) {
		return m0
	}
	w.theta = num.Sized(w.theta, b.L*len(theta))
	for g := range b.Games() {
		m := g / b.L
		p.RoundItems(w.theta[g*d:(g+1)*d], theta[m*d:(m+1)*d], key.At(m0+m).At(g%b.L).Name("items").Rand())
	}
	m0 *= b.L
	b.Theta, b.L = w.theta, 1
	return m0
}

// Drawn plays l games of each instance, judged against the hypothesis that it was drawn with. Games and sums are those of
// [Play.Instances].
func (p Play) Drawn(ctx context.Context, all []game.Drawn, l int, key rng.Key, loss game.Loss) ([][]Sum, error) {
	of := batch{drawn: make([]int, len(all))}
	for m, a := range all {
		of.theta = append(of.theta, a.Theta...)
		of.drawn[m] = a.Hypothesis
	}
	return p.instances(ctx, of, l, key, []game.Loss{loss})
}

// Loss estimates ℓ(π, θ) from l fresh games.
func (p Play) Loss(ctx context.Context, loss game.Loss, theta []float64, l int, key rng.Key) (record.Estimate, error) {
	sums, err := p.Instances(ctx, theta, l, key, loss)
	if err != nil {
		return record.Estimate{}, err
	}
	e := sums[0][0].Estimate(loss.Most(p.P.Instance(theta)))
	e.Questions = p.Questions(sums, 0)
	return e, nil
}

// Questions estimates the number of questions of a game on instance m from sums that Instances returned. It is 0 where games
// have all their answers.
func (p Play) Questions(sums [][]Sum, m int) record.Questions {
	if game.StopperOf(p.Policy) == nil {
		return record.Questions{}
	}
	return sums[len(sums)-1][m].Questions(p.P.T)
}

// Questions estimates the number of questions of a game of that budget from a sum of them.
func (s *Sum) Questions(budget int) record.Questions {
	e := s.Estimate(float64(budget))
	return record.Questions{Mean: e.Mean, Lo: e.Lo, Hi: e.Hi}
}

// Average estimates E_{θ∼prior} ℓ(π, θ) by games of one fresh instance each, one estimate a loss. Of the
// rows of a table the one that an instance was drawn with is what is right ([game.Problem.Alone]). Instance m is drawn from
// key.Name("theta").At(m). Of a pool it is then the classes of the items, each drawn by θ, and games are played with p.Items. However many games, 16,384 instances are in memory at most.
func (p Play) Average(ctx context.Context, prior game.Prior, games int, key rng.Key, losses ...game.Loss) ([]record.Estimate, error) {
	const most = 64 * blockGames
	d := p.P.Queries()
	theta, drawn := make([]float64, min(games, most)*d), make([]int, min(games, most))
	all := make([]Sum, p.columns(losses))
	p.Items = true
	for first := 0; first < games; first += most {
		n := min(most, games-first)
		for m := range n {
			r, one := key.Name("theta").At(first+m).Rand(), theta[m*d:(m+1)*d]
			drawn[m] = prior.Draw(one, r)
			p.P.DrawItems(one, r)
		}
		of := batch{theta: theta[:n*d], first: first}
		of.drawn = p.P.Alone(drawn[:n])
		of.alone = of.drawn != nil
		sums, err := p.instances(ctx, of, 1, key.Name("games"), losses)
		if err != nil {
			return nil, err
		}
		for i := range all {
			for _, one := range sums[i] {
				all[i].Merge(one)
			}
		}
	}
	out := make([]record.Estimate, len(losses))
	for i, loss := range losses {
		out[i] = all[i].Estimate(loss.MostOf(p.P, prior))
		if len(all) > len(losses) {
			out[i].Questions = all[len(losses)].Questions(p.P.T)
		}
	}
	return out, nil
}
