package serve

import (
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

// Rank is every hypothesis by its score ⟨z, θ̂⟩, the best first. Those within
// [mapo.Tie] of the best share the lead, all with margin 0; which of them is
// first, and so recommended, key draws (reading 4). The others follow by margin,
// then by index.
func (at *Position) Rank(key rng.Key) []Ranked {
	p := at.problem
	scores := make([]float32, p.Hypotheses())
	p.Scores(scores, at.n, at.s)
	tie := mapo.Recommend(nil, scores)
	stream := key.Name("tie").Stream()
	first := tie[stream.Uint64()%uint64(len(tie))]
	best := slices.Max(scores)
	ranked := make([]Ranked, len(scores))
	for k, score := range scores {
		ranked[k] = Ranked{Text{k, p.Names[k]}, 0}
		if gap := best - score; gap > mapo.Tie {
			ranked[k].Margin = gap
		}
	}
	slices.SortFunc(ranked, func(a, b Ranked) int {
		switch {
		case a.Margin != b.Margin:
			if a.Margin < b.Margin {
				return -1
			}
			return 1
		case a.Index == first:
			return -1
		case b.Index == first:
			return 1
		}
		return a.Index - b.Index
	})
	return ranked
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
	ranked := at.Rank(key)
	now := Standing{Tied: leaders(ranked), Margin: Lead(ranked), RunnersUp: []Ranked{}}
	if now.Tied < len(ranked) || at.Over() {
		now.Recommendation = &ranked[0].Text
		now.RunnersUp = ranked[1 : 1+min(max(top, 0), len(ranked)-1)]
	}
	return now
}

// leaders returns how many hypotheses share the first place.
func leaders(ranked []Ranked) int {
	n := 0
	for n < len(ranked) && ranked[n].Margin == 0 {
		n++
	}
	return n
}

// Lead is how far the first of ranked is ahead of the second.
func Lead(ranked []Ranked) float32 { return ranked[1].Margin }

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
