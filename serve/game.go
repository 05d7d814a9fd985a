package serve

import (
	"cmp"
	"fmt"
	"slices"

	"mapo"
	"mapo/rng"
)

// Answers. What is not known counts for nothing; its query is not asked again.
const (
	Yes      int8 = 1
	No       int8 = -1
	DontKnow int8 = 0
)

// MaxSeed is the largest seed, 2⁵³ − 1: any reader of JSON keeps it whole.
const MaxSeed = 1<<53 - 1

// Answered is one query with what was answered to it.
type Answered struct {
	Query  int
	Answer int8
}

// Position is a game in the middle: a policy, and what its answers so far make
// of N, S and the mask.
type Position struct {
	*Policy
	n, s      []float32 // [|X|]
	mask      []bool    // true: may not be asked now, [|X|]
	given     int       // answers that used up some of the budget
	steps     int       // all answers
	remaining int       // answers left, counting the queries that history leaves
}

// Text is a query or a hypothesis with its index in the policy's problem.
type Text struct {
	Index int    `json:"index" doc:"counts from 0" minimum:"0"`
	Text  string `json:"text"`
}

// Ranked is a hypothesis and how far its score is behind the best one's.
type Ranked struct {
	Text
	Margin float32 `json:"margin" doc:"how far the score ⟨z, θ̂⟩ is behind the recommendation's" minimum:"0"`
}

// At is the game after history, with the queries of mask not to be asked now.
func (p *Policy) At(history []Answered, mask []int) (*Position, error) {
	d := p.problem.Queries()
	sums := make([]float32, 2*d)
	at := &Position{Policy: p, n: sums[:d:d], s: sums[d:], mask: make([]bool, d), steps: len(history)}
	for step, a := range history {
		if a.Query < 0 || a.Query >= d {
			return nil, fmt.Errorf("answer %d is to query %d; there are queries 0 to %d", step, a.Query, d-1)
		}
		if at.given == p.problem.T {
			return nil, fmt.Errorf("answer %d is beyond the budget of %d", step, p.problem.T)
		}
		if p.problem.AskOnce && at.n[a.Query] > 0 {
			return nil, fmt.Errorf("answer %d is to query %d, %q, which was answered before, and none may be asked twice", step, a.Query, p.problem.X[a.Query])
		}
		at.add(a)
	}
	at.remaining = at.left()
	for _, i := range mask {
		if i < 0 || i >= d {
			return nil, fmt.Errorf("the mask names query %d; there are queries 0 to %d", i, d-1)
		}
		at.mask[i] = true
	}
	return at, nil
}

// masked is mask in order and without repetitions, which is how it is kept.
func (p *Policy) masked(mask []int) ([]int, error) {
	d := p.problem.Queries()
	for _, i := range mask {
		if i < 0 || i >= d {
			return nil, fmt.Errorf("the mask names query %d; there are queries 0 to %d", i, d-1)
		}
	}
	return slices.Compact(slices.Sorted(slices.Values(mask))), nil
}

// add counts one answer.
func (at *Position) add(a Answered) {
	if a.Answer == DontKnow {
		at.mask[a.Query] = true
		if at.spends() {
			at.given++
		}
		return
	}
	at.n[a.Query]++
	at.s[a.Query] += float32(a.Answer)
	at.given++
	if at.problem.AskOnce {
		at.mask[a.Query] = true
	}
}

// left is how many answers the budget still has, no more than history leaves
// queries to ask where none may be repeated.
func (at *Position) left() int {
	open := 0
	for _, masked := range at.mask {
		if !masked {
			open++
		}
	}
	left := at.problem.T - at.given
	if at.problem.AskOnce || open == 0 {
		left = min(left, open)
	}
	return left
}

// Over reports whether there is nothing left to ask, now or later.
func (at *Position) Over() bool { return at.remaining == 0 }

// Answers is how many were a yes or a no.
func (at *Position) Answers() int {
	var n float32
	for _, v := range at.n {
		n += v
	}
	return int(n)
}

// Remaining is how many answers are still to come.
func (at *Position) Remaining() int { return at.remaining }

// Probabilities is π(s), the distribution of the next query, [|X|]; nil where the
// game is over or the mask leaves no query.
func (at *Position) Probabilities() []float32 {
	if at.Over() {
		return nil
	}
	return at.Beyond()
}

// Beyond is Probabilities as if the budget had an answer left.
func (at *Position) Beyond() []float32 {
	if !slices.Contains(at.mask, false) {
		return nil
	}
	probs := make([]float32, at.problem.Queries())
	left := []float32{float32(max(1, at.problem.T-at.given))}
	at.policy.Probs(probs, mapo.States{N: at.n, S: at.s, Mask: at.mask, Left: left})
	return probs
}

// Draw is the query that key draws from probs.
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

// Rank returns the first n hypotheses by score ⟨z, θ̂⟩, the best first, and how many
// share the lead: those within [mapo.Tie] of the best, all with margin 0. Which of
// them is first, and so recommended, key draws (reading 4). The others follow by
// margin, then by index.
func (at *Position) Rank(key rng.Key, n int) (ranked []Ranked, tied int) {
	p := at.problem
	margins := make([]float32, p.Hypotheses())
	p.Scores(margins, at.n, at.s)
	tie := mapo.Recommend(nil, margins)
	stream := key.Name("tie").Stream()
	first := tie[stream.Uint64()%uint64(len(tie))]
	best := slices.Max(margins)
	for k, score := range margins {
		margins[k] = best - score
		if margins[k] <= mapo.Tie {
			margins[k] = 0
			tied++
		}
	}
	for _, k := range least(margins, first, min(n, len(margins))) {
		ranked = append(ranked, Ranked{Text{k, p.Names[k]}, margins[k]})
	}
	return ranked, tied
}

// fewLeast is how many of a list are found without sorting all of it.
const fewLeast = 32

// least returns the indices of the n ≥ 1 least margins in order; of equal ones first comes
// first, then the lower index.
func least(margins []float32, first, n int) []int {
	order := func(a, b int) int {
		switch {
		case margins[a] != margins[b]:
			return cmp.Compare(margins[a], margins[b])
		case a == first:
			return -1
		case b == first:
			return 1
		}
		return a - b
	}
	list := make([]int, 0, max(n, fewLeast))
	if n > fewLeast {
		for k := range margins {
			list = append(list, k)
		}
		slices.SortFunc(list, order)
		return list[:n]
	}
	for k := range margins {
		if len(list) == n && order(list[n-1], k) < 0 {
			continue
		}
		place, _ := slices.BinarySearchFunc(list, k, order)
		list = slices.Insert(list[:min(len(list), n-1)], place, k)
	}
	return list
}

// Standing is what the answers so far say.
type Standing struct {
	Recommendation *Text    // nil while all hypotheses tie and answers are left
	Tied           int      // how many share the lead, at least 1
	Margin         float32  // how far the recommendation leads; 0 in a tie
	RunnersUp      []Ranked // the next best, the best first; none where nothing is recommended
}

// Standing returns the recommendation with up to top runners-up. key draws one of those that share the lead.
// While all hypotheses tie and answers are left, any choice would be a guess, so there is none.
func (at *Position) Standing(key rng.Key, top int) Standing {
	all := at.problem.Hypotheses()
	top = min(max(top, 0), all-1)
	ranked, tied := at.Rank(key, 1+max(top, 1)) // the second's margin is the lead
	now := Standing{Tied: tied, Margin: ranked[1].Margin, RunnersUp: []Ranked{}}
	if tied < all || at.Over() {
		now.Recommendation = &ranked[0].Text
		now.RunnersUp = ranked[1 : 1+top]
	}
	return now
}

// Lead returns how far the recommendation is ahead.
func (at *Position) Lead() float32 { return at.Standing(rng.Key{}, 0).Margin }

// Key names the random draws of the game's current step: a retried request draws
// the same.
func (at *Position) Key(seed uint64) rng.Key { return rng.New(seed).At(at.steps) }

// Text is query i.
func (at *Position) Text(i int) Text { return Text{i, at.problem.X[i]} }

// Likeliest is the index of the largest probability, the first of several.
func Likeliest(probs []float32) int {
	best := 0
	for i, p := range probs {
		if p > probs[best] {
			best = i
		}
	}
	return best
}
