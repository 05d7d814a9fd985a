package sim

import (
	"context"
	"fmt"
	"math"
	"slices"

	"mapo/game"
	"mapo/internal/num"
	"mapo/rng"
)

// Block is M instances × L rollouts, G = M·L games that are played in step.
// Game g plays instance g / L. It is scratch of one worker: it is played
// again and again without allocating once it has grown.
type Block struct {
	P     *game.Problem
	L     int
	Theta []float64 // [M, |X|]
	Drawn []int     // the hypothesis that each was drawn with and that alone is right, -1: its best ones, [M]; nil: all -1
	Same  bool      // every instance meets the same draws
	Items bool      // each instance is of whole items ([game.Problem.IsItems]), and their labels are drawn without replacement

	Decider game.Decider    // what recommends; nil: [game.LeastSquares]
	Stopper game.Stopper    // ends games early; nil: they have all their answers
	Variate *ControlVariate // nil: not worked out

	Turn   int         // the step under way, counted from 0
	States game.States // the U different ones that games are in at this step, in the order of the first game in each
	Probs  []float32   // for the player to fill: the distribution over queries in each of them, [U, |X|]

	N, S     []float32 // counts and sums, final after the last Answer, [G, |X|]
	Asked    []int32   // the query of each step, −1 where the game is over, [T, G]
	Yes      []bool    // whether the answer was above 0, [T, G]
	Quantile []float64 // what in [0, 1) each answer was drawn from, [T, G]
	Came     []int32   // the column of the question that was answered to which that answer added, −1 for none, [T, G]
	Row      []int32   // which of its step's states each game was in, −1 where it is over, [T, G]
	Length   []int32   // how many answers each game has, [G]
	Loss     []float64 // L_T of the loss that Judge was last called with, [G]

	probs  []float32
	stream []rng.Stream
	states shared
	in     game.Instance
	asks   game.Questions
	answer game.Answer
	added  []float32 // what an answer adds to the sums of its question's columns, at most [|X|]
	rest   []float64 // the means of the items without a label, at most [|X|]
	over   []bool    // whether each game has stopped, [G]; empty without a Stopper
	stop   []bool    // whether games end in each of a step's states, [U]
	final  []int32   // which of the different final states each game is in, [G]
	choice []float32 // what is recommended there, [states, |Z|]; empty: not decided yet
}

// Games returns the number of games, G.
func (b *Block) Games() int { return len(b.Theta) / b.P.Queries() * b.L }

// Begin readies every game of b for its first step. Game (m, l) reads the stream
// key.At(m0+m).At(l) and nothing else, m0 being the number of the block's first
// instance: how a batch is cut into blocks changes no game. With b.Same it reads
// key.At(0).At(l), so that games of instances that are much alike take the same course:
// what they lose is easily compared, and they ask the policy much less.
func (b *Block) Begin(key rng.Key, m0 int) {
	d, games := b.P.Queries(), b.Games()
	if len(b.Theta)%d != 0 || b.L < 1 {
		panic(fmt.Sprintf("sim: a block of %d entries of theta and %d rollouts, want a multiple of %d and at least 1", len(b.Theta), b.L, d))
	}
	b.reset(games, d)
	for g := range games {
		m := m0 + g/b.L
		if b.Same {
			m = 0
		}
		b.stream[g] = key.At(m).At(g % b.L).Stream()
	}
	if b.Variate != nil {
		b.Variate.begin(b)
	}
}

// Ask leaves the states of the step under way in b.States, and room for the distributions over
// queries in b.Probs: games that have met the same answers so far are one question to a policy. Both
// are good until Answer. It returns false once no game is left.
//
// Before each step b.Stopper is asked about the states of the games that are not over yet. Those that
// it stops ask nothing more. The others go on as without it. Left counts to T for them all.
func (b *Block) Ask() bool {
	for games := b.Games(); b.Turn < b.P.T; b.Turn++ {
		row := b.Row[b.Turn*games : (b.Turn+1)*games]
		b.States = b.gather(row, float32(b.P.T-b.Turn), b.over)
		if b.Stopper != nil {
			b.States = b.end(row, b.States)
		}
		if n := len(b.States.N); n > 0 {
			b.Probs = b.probs[:n]
			return true
		}
		for g := range games {
			b.skip(b.Turn, g)
		}
	}
	return false
}

// Answer draws each game's query from b.Probs and its answer from θ, and ends the step.
func (b *Block) Answer() {
	t, games := b.Turn, b.Games()
	if b.Variate != nil {
		b.Variate.foresee(t, b.Probs, b.States)
	}
	for g, row := range b.Row[t*games : (t+1)*games] {
		if row < 0 {
			b.skip(t, g)
			continue
		}
		b.step(t*games+g, g, int(row))
		b.Length[g]++
		if b.Variate != nil {
			b.Variate.settle(b, t, g, b.States)
		}
	}
	b.Turn++
}

// Play plays every game by a policy, from Begin on. Where ctx ends it returns its error in the midst
// of the games, which then count for nothing.
func (b *Block) Play(ctx context.Context, policy game.Policy, key rng.Key, m0 int) error {
	for b.Begin(key, m0); ctx.Err() == nil && b.Ask(); b.Answer() {
		policy.Probs(b.Probs, b.States)
	}
	return ctx.Err()
}

// end ends the games that stop in one of the states s of a step. Their row becomes −1, and the states of the others are returned.
func (b *Block) end(row []int32, s game.States) game.States {
	d := b.P.Queries()
	states := s.Len(d)
	b.stop = num.Sized(b.stop, states)
	b.Stopper.Stop(b.stop, s)
	if !slices.Contains(b.stop, true) {
		return s
	}
	place := b.states.first[:states] // of each state among those that are left; −1: games end there
	left := 0
	for u, over := range b.stop {
		if over {
			place[u] = -1
			continue
		}
		place[u] = int32(left)
		copy(s.N[left*d:(left+1)*d], s.N[u*d:(u+1)*d])
		copy(s.S[left*d:(left+1)*d], s.S[u*d:(u+1)*d])
		if s.Mask != nil {
			copy(s.Mask[left*d:(left+1)*d], s.Mask[u*d:(u+1)*d])
		}
		left++
	}
	for g, u := range row {
		if u >= 0 {
			row[g] = place[u]
			b.over[g] = row[g] < 0
		}
	}
	return s.Slice(0, left, d)
}

// skip notes that game g is over at step t.
func (b *Block) skip(t, g int) {
	games := b.Games()
	b.Asked[t*games+g], b.Row[t*games+g] = -1, -1
	if b.Variate != nil && b.Variate.Steps != nil {
		b.Variate.Steps.skip(t, g, games)
	}
}

// step draws game g's query from its state's row of probs and the answer from θ, and notes them at the entry turn.
func (b *Block) step(turn, g, row int) {
	r, d, m := &b.stream[g], b.P.Queries(), g/b.L
	i, n, s := Draw(b.probs[row*d:(row+1)*d], r.Float32()), b.N[g*d:(g+1)*d], b.S[g*d:(g+1)*d]
	question, u := b.asks.Of(i), r.Float64()
	lo, hi := b.asks.Columns(question)
	theta := b.Theta[m*d+lo : m*d+hi]
	if b.Items {
		theta = b.asks.Left(b.rest, b.Theta[m*d:(m+1)*d], n, s, question)
	}
	added := b.added[:hi-lo]
	b.answer.Draw(added, theta, b.asks.All(question), u)
	b.Asked[turn], b.Quantile[turn], b.Came[turn] = int32(i), u, -1
	for j, y := range added {
		at := lo + j
		n[at]++
		s[at] += y
		b.states.sum[g] += word(int(math.Float32bits(y))*d + at)
		if y > 0 {
			b.Came[turn] = int32(at)
		}
	}
	b.Yes[turn] = int(b.Came[turn]) == i
}

// Draw returns the query that u ∈ [0, 1) picks from probs: the inverse of the
// distribution function; rounding at the far end falls on the last query that can be
// asked.
func Draw(probs []float32, u float32) int {
	last := 0
	for i, p := range probs {
		if p <= 0 {
			continue
		}
		if u < p {
			return i
		}
		u -= p
		last = i
	}
	return last
}

func (b *Block) reset(games, d int) {
	b.N, b.S = zeroed(b.N, games*d), zeroed(b.S, games*d)
	b.probs = num.Sized(b.probs, games*d)
	b.Asked, b.Row, b.Yes = zeroed(b.Asked, games*b.P.T), zeroed(b.Row, games*b.P.T), zeroed(b.Yes, games*b.P.T)
	b.Quantile, b.Came = zeroed(b.Quantile, games*b.P.T), zeroed(b.Came, games*b.P.T)
	b.asks, b.answer = b.P.Questions(), b.P.Answer()
	b.added, b.rest = num.Sized(b.added, d), num.Sized(b.rest, d)
	b.Length = zeroed(b.Length, games)
	if b.over = b.over[:0]; b.Stopper != nil {
		b.over = zeroed(b.over, games)
	}
	b.states.reset(games, d)
	b.stream = zeroed(b.stream, games)
	b.Loss = zeroed(b.Loss, games)
	b.choice = b.choice[:0]
	b.Turn = 0
}

// zeroed returns s with n zeros, in its own memory where that suffices.
func zeroed[E any](s []E, n int) []E {
	if cap(s) < n {
		return make([]E, n)
	}
	s = s[:n]
	clear(s)
	return s
}

// Judge fills b.Loss with the loss of every game played, the mean over the
// recommendation that is drawn (reading 4), unscaled. Where grad is not nil, [M, |X|],
// it adds the sum over a game's rollouts of ∇_θ L_T (reading 10).
func (b *Block) Judge(loss game.Loss, grad []float64) {
	d := b.P.Queries()
	for g := range b.Games() {
		m := g / b.L
		if g%b.L == 0 {
			b.fill(&b.in, m)
		}
		decision := b.Decision(g)
		b.Loss[g] = loss.Of(&b.in, decision)
		if grad != nil {
			loss.AddGrad(grad[m*d:(m+1)*d], b.P, &b.in, decision, 1)
		}
	}
}

// fill works out the block's instance m.
func (b *Block) fill(in *game.Instance, m int) {
	d := b.P.Queries()
	b.P.Fill(in, b.Theta[m*d:(m+1)*d])
	if b.Drawn != nil {
		in.Drawn = b.Drawn[m]
	}
}

// Decision returns the distribution from which game g's recommendation is drawn, [|Z|].
// It is valid until the next Begin. The first call decides in all games, once in
// each different final state.
func (b *Block) Decision(g int) []float32 {
	n := b.P.Hypotheses()
	if len(b.choice) == 0 {
		if b.Decider == nil {
			b.Decider = game.LeastSquares(b.P)
		}
		b.final = num.Sized(b.final, b.Games())
		s := b.gather(b.final, 0, nil)
		b.choice = num.Sized(b.choice, s.Len(b.P.Queries())*n)
		b.Decider.Decide(b.choice, s)
	}
	at := int(b.final[g]) * n
	return b.choice[at : at+n]
}
