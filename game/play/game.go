package play

import (
	"fmt"
	"slices"

	"mapo/game"
	"mapo/policy/posterior"
	"mapo/rng"
)

// MaxSeed is the largest seed, 2⁵³ − 1: any reader of JSON keeps it whole.
const MaxSeed = 1<<53 - 1

// MostGuesses is how many guesses a game has.
const MostGuesses = 3

// Game is a policy with the rules it is played by. Read-only once made; it may be used concurrently.
type Game struct {
	Problem *game.Problem
	Policy  game.Policy
	Rows    *posterior.Rows // what the answers say of the hypotheses, for problems with shares; nil: only scores do
	Decider game.Decider    // what recommends: the policy's own decision; nil: the score does
	Spends  bool            // whether "don't know" uses up an answer
	// Knows is whether a player knows which hypothesis is right; only then is one guessed. Where answers are measured, of arms,
	// vectors and pools, it is what is to be found out.
	Knows   bool
	Explore float64 // of a pool of items: the share of questions that are drawn uniformly from the open items

	asks  game.Questions
	alone bool         // whether hypothesis k is query k alone
	items func() *pool // those of a pool; nil: questions are queries
}

// New returns the game of a policy on p, with a posterior where p has shares.
func New(p *game.Problem, policy game.Policy, spends bool) *Game {
	g := &Game{Problem: p, Policy: policy, Spends: spends, asks: p.Questions()}
	_, g.Knows = p.Answer().Read("yes", func(text string) string { return text })
	switch goal := p.Goal().(type) {
	case *game.Shares:
		g.Decider = game.DeciderOf(p, policy)
		if own, ok := g.Decider.(believer); ok {
			g.Rows = own.On(p)
		} else {
			g.Rows = posterior.NewRows(p)
		}
		return g
	case *game.Labels:
		g.Decider, g.items, g.Knows = game.DeciderOf(p, policy), func() *pool { return newPool(goal) }, false
		return g
	case game.Arms:
		g.Knows, g.alone = false, true
	case *game.Vectors:
		g.Knows = false
	}
	g.Decider, _ = policy.(game.Decider)
	return g
}

// Questions returns how many questions there are: the items of a pool, else the queries.
func (g *Game) Questions() int { return len(g.Problem.Texts()) }

// ExploreItems sets the share of the items of a pool, in [0, 1], that are drawn uniformly from the open ones. It reports whether
// questions are items; others are not drawn so. It must not be called once games are played.
func (g *Game) ExploreItems(share float64) bool {
	if g.items != nil {
		g.Explore = share
	}
	return g.items != nil
}

// Once reports whether no question is asked twice: it is an item, or the rules say so.
func (g *Game) Once() bool { return g.Problem.AskOnce || g.items != nil }

// noun returns what one question is called, and what several are.
func (g *Game) noun() (one, many string) {
	w := g.Problem.Goal().Words()
	return w.Asked, w.AskedMany
}

// Answered is one question with its answer.
type Answered struct {
	Query  int // the question: a query, or an item where the problem has labels
	Answer Answer
}

// Record is all that has happened in a game.
type Record struct {
	History []Answered
	Out     []int   // hypotheses guessed and wrong; each used an answer
	Mask    []int   // questions that may not be asked now
	Stop    float64 // the probability of the recommendation at which the game ends; 0: never
	Guessed bool    // whether the last thing that happened was a wrong guess
}

// Position is a game in the middle.
type Position struct {
	*Game
	n, s      []float32 // answers to each query and their sum, [|X|]
	mask      []bool    // queries that may not be asked now, [|X|]
	pool      *pool     // the items that may be asked now; nil: questions are queries
	out       []bool    // wrong guesses, [|Z|]; nil: none
	given     int       // answers used up
	steps     int       // replies and guesses
	guesses   int
	overdrawn bool    // whether the last guess came after the last answer
	guessed   bool    // Record's
	remaining int     // answers left, counting the questions that are left
	stop      float64 // the probability at which the game ends; 0: never
	belief    *posterior.Belief
}

// At returns the game after record. The error names the entry that does not fit: a question or hypothesis that does not
// exist, more answers than the budget, a second answer or half an answer where the rules forbid it.
func (g *Game) At(record Record) (*Position, error) {
	d := g.Problem.Queries()
	sums := make([]float32, 2*d)
	at := &Position{Game: g, n: sums[:d:d], s: sums[d:], mask: make([]bool, d), steps: len(record.History) + len(record.Out), stop: record.Stop, guessed: record.Guessed}
	if g.items != nil {
		at.pool = g.items()
	}
	for step, a := range record.History {
		if err := at.check(step, a); err != nil {
			return nil, err
		}
		at.add(a)
	}
	if err := at.ruleOut(record.Out); err != nil {
		return nil, err
	}
	at.remaining = at.left()
	for _, i := range record.Mask {
		if questions := g.Questions(); i < 0 || i >= questions {
			one, many := g.noun()
			return nil, fmt.Errorf("the mask names %s %d; there are %s 0 to %d", one, i, many, questions-1)
		}
		at.shut(i)
	}
	return at, nil
}

// check reports why an answer cannot be the next one.
func (at *Position) check(step int, a Answered) error {
	p := at.Problem
	one, many := at.noun()
	switch questions := at.Questions(); {
	case a.Query < 0 || a.Query >= questions:
		return fmt.Errorf("answer %d is to %s %d; there are %s 0 to %d", step, one, a.Query, many, questions-1)
	case at.given == p.T:
		return fmt.Errorf("answer %d is beyond the budget of %d", step, p.T)
	case at.pool != nil && at.pool.labelled[a.Query]:
		return fmt.Errorf("answer %d is to item %d, %q, which has a label already", step, a.Query, p.Texts()[a.Query])
	case at.pool != nil:
	case p.AskOnce && at.n[a.Query] > 0:
		return fmt.Errorf("answer %d is to query %d, %q, which was answered before, and none may be asked twice", step, a.Query, p.X[a.Query])
	}
	if err := Fits(p, a.Answer); err != nil {
		return fmt.Errorf("answer %d %w", step, err)
	}
	return nil
}

// add counts one answer.
func (at *Position) add(a Answered) {
	if a.Answer == DontKnow {
		at.shut(a.Query)
		if at.Spends {
			at.given++
		}
		return
	}
	if at.pool != nil {
		at.label(a.Query, a.Answer.Class())
		return
	}
	at.n[a.Query]++
	at.s[a.Query] += float32(a.Answer.Value() / at.unit())
	at.given++
	if at.Problem.AskOnce {
		at.mask[a.Query] = true
	}
}

// shut keeps a question from being asked from now on.
func (at *Position) shut(i int) {
	if at.pool == nil {
		at.mask[i] = true
	} else if cell, left := at.pool.shut(i); !left {
		lo, hi := at.asks.Columns(cell)
		for q := lo; q < hi; q++ {
			at.mask[q] = true
		}
	}
}

// unit returns the answer that the game counts as 1.
func (at *Position) unit() float64 { return at.Problem.Answer().Unit() }

// Mean returns the mean answer to query i in the units of answers, and how many there are; 0 and 0 before the first.
func (at *Position) Mean(i int) (mean float64, answers int) {
	if at.n[i] == 0 {
		return 0, 0
	}
	return float64(at.s[i]/at.n[i]) * at.unit(), int(at.n[i])
}

// Measured returns [Position.Mean] of what hypothesis k is; 0 and 0 where it is not one query.
func (at *Position) Measured(k int) (mean float64, answers int) {
	if !at.alone {
		return 0, 0
	}
	return at.Mean(k)
}

// ruleOut counts wrong guesses. The one after the last answer is free.
func (at *Position) ruleOut(out []int) error {
	n := at.Problem.Hypotheses()
	for _, k := range out {
		switch {
		case k < 0 || k >= n:
			return fmt.Errorf("ruled_out names hypothesis %d; there are hypotheses 0 to %d", k, n-1)
		case at.out != nil && at.out[k]:
			return fmt.Errorf("ruled_out names hypothesis %d, %q, twice", k, at.Problem.Names[k])
		case at.given+at.guesses > at.Problem.T:
			return fmt.Errorf("ruled_out has more wrong guesses than the budget of %d answers leaves; each uses one", at.Problem.T)
		}
		if at.out == nil {
			at.out = make([]bool, n)
		}
		at.out[k] = true
		at.guesses++
	}
	at.overdrawn = at.given+at.guesses > at.Problem.T
	at.given = min(at.given+at.guesses, at.Problem.T)
	return nil
}

// left returns how many answers the budget still has, no more than there are questions left where none may be repeated.
func (at *Position) left() int {
	open := 0
	for _, masked := range at.mask {
		if !masked {
			open++
		}
	}
	if at.pool != nil {
		open = at.pool.open
	}
	left := at.Problem.T - at.given
	if at.Problem.AskOnce || at.pool != nil || open == 0 {
		left = min(left, open)
	}
	return left
}

// Remaining returns how many answers are left in the budget.
func (at *Position) Remaining() int { return at.remaining }

// Given returns how many answers of the budget are used up.
func (at *Position) Given() int { return at.given }

// Guesses returns how many guesses were wrong.
func (at *Position) Guesses() int { return at.guesses }

// Spent reports whether no answer is left.
func (at *Position) Spent() bool { return at.remaining == 0 }

// Over reports whether nothing is left to ask: the budget is spent, or the recommendation is as sure as the game is to
// stop at.
func (at *Position) Over() bool { return at.Spent() || at.Sure() }

// Sure reports whether there is an answer and the recommendation has the probability to stop at.
func (at *Position) Sure() bool {
	if at.stop == 0 || at.Rows == nil || !posterior.Begun(at.n) {
		return false
	}
	return at.posterior().Reaches(at.stop)
}

// Answers returns how many replies were not "don't know".
func (at *Position) Answers() int {
	if at.pool != nil {
		return at.pool.labels
	}
	var n float32
	for _, v := range at.n {
		n += v
	}
	return int(n)
}

// posterior works the belief after the answers out once.
func (at *Position) posterior() *posterior.Belief {
	if at.belief == nil {
		at.belief = new(posterior.Belief)
		at.Rows.Believe(at.belief, at.n, at.s, at.out)
	}
	return at.belief
}

// Asker is a policy that may fail to answer, as a program of a user's may.
type Asker interface {
	game.Policy
	// Ask is Probs, or the reason why there is no answer.
	Ask(dst []float32, s game.States) error
}

// Probabilities returns the distribution of the next question, [Questions]: π(s) or, of a pool of items, what [Position.items]
// makes of it. It is nil where the game is over or the mask leaves no question. The error is that of a policy that is an [Asker].
func (at *Position) Probabilities() ([]float32, error) {
	if at.Over() {
		return nil, nil
	}
	return at.Beyond()
}

// Beyond returns Probabilities as if the game had an answer left.
func (at *Position) Beyond() ([]float32, error) {
	if !slices.Contains(at.mask, false) {
		return nil, nil
	}
	probs := make([]float32, at.Problem.Queries())
	left := []float32{float32(max(1, at.Problem.T-at.given))}
	state := game.States{N: at.n, S: at.s, Mask: at.mask, Left: left, Out: at.out}
	if policy, ok := at.Policy.(Asker); ok {
		if err := policy.Ask(probs, state); err != nil {
			return nil, err
		}
	} else {
		at.Policy.Probs(probs, state)
	}
	if at.pool != nil {
		return at.items(probs), nil
	}
	return probs, nil
}

// Key names the random draws of the game's current step: a repeated request draws the same.
func (at *Position) Key(seed uint64) rng.Key { return rng.New(seed).At(at.steps) }

// Draw returns the question that key draws from probs, [Questions].
func Draw(probs []float32, key rng.Key) int {
	stream := key.Name("query").Stream()
	u, last := stream.Float64(), 0
	for i, p := range probs {
		if p <= 0 {
			continue
		}
		if u -= float64(p); u < 0 {
			return i
		}
		last = i // probabilities in float32 may sum to a little less than 1
	}
	return last
}

// Likeliest returns the index of the largest probability, the first of several.
func Likeliest(probs []float32) int {
	best := 0
	for i, p := range probs {
		if p > probs[best] {
			best = i
		}
	}
	return best
}
