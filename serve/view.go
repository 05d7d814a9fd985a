package serve

import (
	"context"
	"net/http"
	"time"

	"mapo/game/play"
)

// View is a session as a client sees it.
type View struct {
	ID          string     `json:"id"`
	Title       string     `json:"title,omitempty"`
	Policy      PolicyRef  `json:"policy"`
	Seed        uint64     `json:"seed"`
	StopMargin  float64    `json:"stop_margin,omitempty"`
	Stop        float64    `json:"stop,omitempty" doc:"the probability of the recommendation at which the session ends; absent: it does not end early"`
	Created     time.Time  `json:"created"`
	Expires     *time.Time `json:"expires,omitempty" doc:"if nothing more happens; absent: never"`
	State       string     `json:"state" enum:"open,guess,done,stale" doc:"guess: say whether the guess is right; done: nothing is left to ask, the session is as sure as it was to be, or a guess was right; stale: its policy now plays another game, or the version of its table is not kept any more"`
	Step        int        `json:"step" doc:"to be named when answering or undoing"`
	Query       *play.Text `json:"query" doc:"to be answered now; null where there is none"`
	Probability float64    `json:"probability,omitempty" doc:"with which the query was drawn"`
	Guess       *play.Text `json:"guess" doc:"is it this? answered at /guess; null where nothing is guessed"`
	Said
	Margin    float32     `json:"margin" doc:"the recommendation's lead, as in runners_up; 0 in a tie"`
	Remaining int         `json:"remaining" doc:"answers left"`
	Answers   int         `json:"answers" doc:"answers that count, without don't know"`
	Learning  bool        `json:"learning,omitempty" doc:"whether the table learns from the session once its truth is told"`
	Halves    bool        `json:"half_answers,omitempty" doc:"whether 0.5 and -0.5 are taken"`
	Numbers   bool        `json:"number_answers,omitempty" doc:"whether answers are numbers, and not yes or no"`
	Classes   []string    `json:"classes,omitempty" nullable:"false" doc:"the answers that there are, where the session labels the items of a pool: a query is then an item, and hypotheses are models"`
	Truth     *TruthView  `json:"truth,omitempty" doc:"what it was, where that was told; the session is then done"`
	History   []TurnEntry `json:"history,omitempty" nullable:"false"`
}

// TurnEntry is a closed turn.
type TurnEntry struct {
	Step        int        `json:"step"`
	Query       *play.Text `json:"query"`
	Guess       *play.Text `json:"guess,omitempty" doc:"what was guessed"`
	Outcome     string     `json:"outcome" enum:"answer,dont-know,skip,right,wrong,undo"`
	Answer      Reply      `json:"answer"`
	Probability float64    `json:"probability" doc:"with which the query was drawn"`
	Policy      string     `json:"policy_hash" doc:"of the policy that drew it"`
	Annotator   string     `json:"annotator,omitempty"`
	Asked       time.Time  `json:"asked"`
	Answered    time.Time  `json:"answered"`
	Undone      int        `json:"undone,omitempty" doc:"the step that took the answer back"`
}

// States of a session.
const (
	stateOpen  = "open"
	stateGuess = "guess"
	stateDone  = "done"
	stateStale = "stale"
)

// View returns a session with its history.
func (s *Sessions) View(ctx context.Context, id string) (*View, error) {
	g, err := s.load(ctx, id)
	if err != nil {
		return nil, err
	}
	v, err := s.view(g)
	if err != nil {
		return nil, err
	}
	v.History = g.entries()
	return v, nil
}

// view returns g as a client sees it, without its history.
func (s *Sessions) view(g *loaded) (*View, error) {
	t := g.open()
	v := &View{
		ID: g.ID, Title: g.Title, Policy: PolicyRef{g.Policy, t.Hash}, Seed: g.Seed, StopMargin: g.StopMargin,
		Created: g.Created, Expires: s.expires(g), State: stateStale, Step: t.Step, Said: Said{RunnersUp: []play.Ranked{}}, Stop: g.Stop,
		Learning: s.learnsFrom(g.Policy, g.Labelling),
	}
	if g.policy == nil {
		if g.Truth != "" {
			v.Truth = &TruthView{Text: g.Truth, Known: s.knows(g.Policy, g.Truth)}
		}
		return v, nil
	}
	at, err := g.policy.game.At(g.record(nil))
	if err != nil {
		return nil, fault(http.StatusConflict, "the session does not fit its policy: %v", err)
	}
	now := at.Standing(g.key(t.Step), defaultTop)
	v.Policy.Hash = g.policy.Hash()
	v.Said, v.Margin = said(at, now, g.key(t.Step), at.Over() || g.solved()), now.Margin
	v.Remaining, v.Answers, v.State = at.Remaining(), at.Answers(), stateOpen
	v.Halves, v.Numbers = at.Problem.AskOnce, g.policy.numbers()
	if l := g.policy.labels(); l != nil {
		v.Halves, v.Classes = false, l.Classes
	}
	if g.Truth != "" {
		truth := truthView(at, g.key(t.Step), g.policy, g.Truth, s.knows(g.Policy, g.Truth))
		v.State, v.Truth = stateDone, &truth
		return v, nil
	}
	switch {
	case t.Guess != none:
		v.State, v.Guess = stateGuess, &play.Text{Index: t.Guess, Text: t.Text}
	case t.Query != none:
		v.Query, v.Probability = &play.Text{Index: t.Query, Text: t.Text}, t.Probability
	case at.Over() || g.solved() || g.won(at, now.Margin):
		v.State = stateDone
	}
	return v, nil
}

// entries returns every closed turn.
func (g *loaded) entries() []TurnEntry {
	var list []TurnEntry
	for i := range g.turns {
		if g.turns[i].Outcome != "" {
			list = append(list, g.turns[i].entry())
		}
	}
	return list
}

func (t *Turn) entry() TurnEntry {
	e := TurnEntry{
		Step: t.Step, Outcome: t.Outcome, Answer: Reply{Answer: t.Answer, class: t.Class}, Probability: t.Probability, Policy: t.Hash,
		Annotator: t.Annotator, Asked: t.Asked, Answered: t.Answered, Undone: t.Undone,
	}
	if t.Guess != none {
		e.Guess = &play.Text{Index: t.Guess, Text: t.Text}
	}
	if t.Query != none {
		e.Query = &play.Text{Index: t.Query, Text: t.Text}
	}
	return e
}
