package play

import (
	"cmp"
	"math"
	"slices"

	"mapo/game"
	"mapo/policy/posterior"
	"mapo/rng"
)

// Text is a query or a hypothesis with its index in the problem.
type Text struct {
	Index int    `json:"index" doc:"counts from 0" minimum:"0"`
	Text  string `json:"text"`
}

// Query returns question i with its text.
func (g *Game) Query(i int) Text { return Text{i, g.Problem.Texts()[i]} }

// Hypothesis returns hypothesis k with its name.
func (g *Game) Hypothesis(k int) Text { return Text{k, g.Problem.Names[k]} }

// Ranked is a hypothesis and how far it is behind the recommendation.
type Ranked struct {
	Text
	Confidence *float64 `json:"confidence" doc:"the probability that it is right, if answers follow the table; null where there is no posterior" minimum:"0" maximum:"1"`
	Margin     float32  `json:"margin" doc:"how far it is behind the recommendation: in the logarithm of the posterior where there is one, of a pool in labels predicted, else in the score ⟨z, θ̂⟩, with the mean answers θ̂ in the units of answers" minimum:"0"`
	Agreed     *int     `json:"agreed,omitempty" doc:"of a pool: how many of the labels so far the model predicts" minimum:"0"`
}

// Standing is what the answers so far say.
type Standing struct {
	Recommendation *Text    // nil while all hypotheses tie and answers are left
	Confidence     *float64 // the recommendation's probability; nil where there is no posterior or nothing is recommended
	Tied           int      // how many share the lead, at least 1
	Margin         float32  // how far the recommendation leads; 0 in a tie
	RunnersUp      []Ranked // the next best, the best first; none where nothing is recommended
}

// Standing returns the recommendation with up to top runners-up. The policy's decision recommends. Runners-up are ranked by
// their posterior where the problem has shares, by the labels that they predict where it has labels, else by the score ⟨z, θ̂⟩; those that were guessed and wrong come last. key
// draws one of those that share the lead (reading 4). While all hypotheses tie and answers are left, nothing is recommended.
func (at *Position) Standing(key rng.Key, top int) Standing {
	value, lead := at.values()
	now := Standing{Tied: len(lead), RunnersUp: []Ranked{}}
	if len(lead) == len(value) && !at.Over() {
		return now
	}
	stream := key.Name("tie").Stream()
	first := lead[stream.Uint64()%uint64(len(lead))]
	order := best(value, lead, first, max(1, top)+1)
	text := at.Hypothesis(first)
	now.Recommendation, now.Confidence = &text, at.confidence(first)
	for _, k := range order[1:] {
		r := Ranked{at.Hypothesis(k), at.confidence(k), 0, at.Agreed(k)}
		if !slices.Contains(lead, k) {
			r.Margin = at.behind(value[first], value[k])
		}
		now.RunnersUp = append(now.RunnersUp, r)
	}
	if len(now.RunnersUp) > 0 {
		now.Margin = now.RunnersUp[0].Margin
	}
	now.RunnersUp = now.RunnersUp[:min(top, len(now.RunnersUp))]
	return now
}

// values returns what hypotheses are ranked by, [|Z|], and those that share the lead.
func (at *Position) values() (value []float64, lead []int) {
	if at.Rows != nil {
		value = at.posterior().Weight
		if _, same := at.Decider.(believer); same {
			return value, posterior.Leaders(nil, value)
		}
		return value, at.decided()
	}
	scores := make([]float32, at.Problem.Hypotheses())
	if at.pool != nil {
		at.agreements(scores)
	} else {
		at.Problem.Scores(scores, at.n, at.s)
	}
	for k := range scores {
		if at.out != nil && at.out[k] {
			scores[k] = float32(math.Inf(-1))
		}
	}
	value = make([]float64, len(scores))
	for k, v := range scores {
		value[k] = float64(v)
	}
	if at.Decider != nil {
		return value, at.decided()
	}
	return value, game.Recommend(nil, scores) // as least squares decides
}

// believer decides by the posterior that the standing shows: what it would recommend is known already.
type believer interface {
	On(p *game.Problem) *posterior.Rows
}

// decided lists the hypotheses that the policy's decision recommends.
func (at *Position) decided() (lead []int) {
	share := make([]float32, at.Problem.Hypotheses())
	at.Decider.Decide(share, game.States{N: at.n, S: at.s, Out: at.out})
	for k, v := range share {
		if v > 0 {
			lead = append(lead, k)
		}
	}
	return lead
}

// confidence returns the posterior of hypothesis k, nil where there is none.
func (at *Position) confidence(k int) *float64 {
	if at.Rows == nil {
		return nil
	}
	v := at.posterior().Weight[k]
	return &v
}

// mostMargin stands in for an infinite margin, which JSON cannot hold.
const mostMargin = 1000

// behind returns the margin between two values.
func (at *Position) behind(first, value float64) float32 {
	if first == value {
		return 0 // also where both are 0 or −∞, whose difference is NaN
	}
	if at.Rows != nil {
		first, value = math.Log(first), math.Log(value)
	}
	margin := max(0, min(first-value, mostMargin)) // by another decision the recommendation may not be the likeliest
	return float32(margin * at.unit())
}

// fewBest is how many of a list are found without sorting all of it.
const fewBest = 32

// best returns the n best hypotheses: first, the others of the lead by index, then by value and index. Costs
// O(|Z| log n) for n up to [fewBest], else O(|Z| log |Z|).
func best(value []float64, lead []int, first, n int) []int {
	class := make([]int, len(value)) // 2: first, 1: in the lead
	for _, k := range lead {
		class[k] = 1
	}
	class[first] = 2
	ahead := func(a, b int) int {
		switch {
		case class[a] != class[b]:
			return class[b] - class[a]
		case class[a] == 0 && value[a] != value[b]:
			return cmp.Compare(value[b], value[a])
		}
		return a - b
	}
	if n = min(n, len(value)); n > fewBest {
		order := make([]int, len(value))
		for k := range order {
			order[k] = k
		}
		slices.SortFunc(order, ahead)
		return order[:n]
	}
	order := make([]int, 0, n+1)
	for k := range value {
		if len(order) == n && ahead(k, order[n-1]) > 0 {
			continue
		}
		place, _ := slices.BinarySearchFunc(order, k, ahead)
		order = slices.Insert(order, place, k)
		order = order[:min(len(order), n)]
	}
	return order
}

// Guess returns the hypothesis to be guessed now, and whether there is one: the recommendation, once the game is over
// or sure. "None of these" is never guessed, nor a hypothesis twice, nor any while all tie. A game has at most
// [MostGuesses]. Once no answer is left there is one more, unless the last answer went to a wrong guess. Nothing is guessed
// where answers are measured or items are labelled: no player knows what is best. key draws as for [Position.Standing].
func (at *Position) Guess(key rng.Key) (Text, bool) {
	if !at.Knows || !at.Over() || at.guesses >= MostGuesses || at.Spent() && (at.overdrawn || at.guessed) {
		return Text{}, false
	}
	now := at.Standing(key, 1)
	k := now.Recommendation.Index
	isOther := k >= at.Problem.Drawn()
	if isOther || now.Tied == at.Problem.Hypotheses() || at.out != nil && at.out[k] {
		return Text{}, false
	}
	return *now.Recommendation, true
}

// Misfits reports whether the answers do not fit the recommendation, from 8 answers on; false where there is no
// posterior or nothing is recommended. key draws as for [Position.Standing].
func (at *Position) Misfits(key rng.Key) bool {
	if at.Rows == nil {
		return false
	}
	now := at.Standing(key, 0)
	return now.Recommendation != nil && at.Rows.Misfits(now.Recommendation.Index, at.n, at.s, key)
}

// Reason is how much one answer speaks for a hypothesis.
type Reason struct {
	Query  Text    `json:"query"`
	Answer float64 `json:"answer" doc:"the mean answer: 1 for yes, -1 for no, 0.5 and -0.5 for probably and probably not"`
	Weight float64 `json:"weight" doc:"log P(answer | the hypothesis) − log P(answer | the others)"`
}

// Reasons returns the answers that speak most for hypothesis k and those that speak most against it, up to most of
// each, the strongest first. Both are nil where there is no posterior.
func (at *Position) Reasons(k, most int) (pro, contra []Reason) {
	if at.Rows == nil {
		return nil, nil
	}
	list := at.Rows.Reasons(k, at.n, at.s)
	reason := func(r posterior.Reason) Reason {
		return Reason{at.Query(r.Query), float64(at.s[r.Query] / at.n[r.Query]), r.Weight}
	}
	for _, r := range list {
		if r.Weight > 0 && len(pro) < most {
			pro = append(pro, reason(r))
		}
	}
	for _, r := range slices.Backward(list) {
		if r.Weight < 0 && len(contra) < most {
			contra = append(contra, reason(r))
		}
	}
	return pro, contra
}

// Near is a row that exact answers contradict, with the questions on which it differs.
type Near struct {
	Text
	Differs []Text `json:"differs" nullable:"false" doc:"the queries whose answers the row excludes"`
}

// Contradiction returns, where the answers exclude every row of an exact table, up to most rows that differ in the
// fewest answers; else nil.
func (at *Position) Contradiction(most int) []Near {
	if at.Rows == nil || !at.posterior().Contradicted {
		return nil
	}
	var list []Near
	for k := range at.Problem.Names {
		if at.out != nil && at.out[k] {
			continue
		}
		near := Near{at.Hypothesis(k), []Text{}}
		for _, i := range at.Rows.Excluding(k, at.n, at.s) {
			near.Differs = append(near.Differs, at.Query(i))
		}
		list = append(list, near)
	}
	slices.SortStableFunc(list, func(a, b Near) int { return len(a.Differs) - len(b.Differs) })
	return list[:min(most, len(list))]
}
