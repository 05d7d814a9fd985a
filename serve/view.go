package serve

import (
	"context"
	"net/http"
	"time"
)

// View is a session as a client sees it.
type View struct {
	ID             string      `json:"id"`
	Title          string      `json:"title,omitempty"`
	Policy         PolicyRef   `json:"policy"`
	Seed           uint64      `json:"seed"`
	StopMargin     float64     `json:"stop_margin,omitempty"`
	Created        time.Time   `json:"created"`
	Expires        *time.Time  `json:"expires,omitempty" doc:"if nothing more happens; absent: never"`
	State          string      `json:"state" enum:"open,done,stale" doc:"done: nothing is left to ask, or the stop margin is reached; stale: its policy now plays another game"`
	Step           int         `json:"step" doc:"to be named when answering or undoing"`
	Query          *Text       `json:"query" doc:"to be answered now; null where there is none"`
	Probability    float64     `json:"probability,omitempty" doc:"with which the query was drawn"`
	Recommendation *Text       `json:"recommendation" doc:"the hypothesis that fits the answers best, of several the one that the seed draws; null while all hypotheses tie and answers are left, and in a stale session"`
	Tied           int         `json:"tied" minimum:"0" doc:"how many hypotheses share the lead, the recommendation among them; 1: it leads alone; 0 in a stale session"`
	Margin         float32     `json:"margin" doc:"the recommendation's lead; 0 in a tie"`
	RunnersUp      []Ranked    `json:"runners_up" nullable:"false" doc:"the next best hypotheses, the best first; empty where nothing is recommended"`
	Remaining      int         `json:"remaining" doc:"answers left"`
	Answers        int         `json:"answers" doc:"answers that count, without don't know"`
	History        []TurnEntry `json:"history,omitempty" nullable:"false"`
}

// TurnEntry is a closed turn.
type TurnEntry struct {
	Step        int       `json:"step"`
	Query       *Text     `json:"query"`
	Outcome     string    `json:"outcome" enum:"answer,dont-know,skip,undo"`
	Answer      Reply     `json:"answer"`
	Probability float64   `json:"probability" doc:"with which the query was drawn"`
	Policy      string    `json:"policy_hash" doc:"of the policy that drew it"`
	Annotator   string    `json:"annotator,omitempty"`
	Asked       time.Time `json:"asked"`
	Answered    time.Time `json:"answered"`
	Undone      int       `json:"undone,omitempty" doc:"the step that took the answer back"`
}

// States of a session.
const (
	stateOpen  = "open"
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

// view is g as a client sees it, without its history.
func (s *Sessions) view(g *game) (*View, error) {
	t := g.open()
	v := &View{
		ID: g.ID, Title: g.Title, Policy: PolicyRef{g.Policy, t.Hash}, Seed: g.Seed, StopMargin: g.StopMargin,
		Created: g.Created, Expires: s.expires(g), State: stateStale, Step: t.Step, RunnersUp: []Ranked{},
	}
	if g.policy == nil {
		return v, nil
	}
	at, err := g.policy.At(g.history(), nil)
	if err != nil {
		return nil, fault(http.StatusConflict, "the session does not fit its policy: %v", err)
	}
	now := at.Standing(g.key(t.Step), defaultTop)
	v.Policy.Hash = g.policy.Hash()
	v.Recommendation, v.Tied, v.RunnersUp, v.Margin = now.Recommendation, now.Tied, now.RunnersUp, now.Margin
	v.Remaining, v.Answers, v.State = at.Remaining(), at.Answers(), stateOpen
	if t.Query != none {
		v.Query, v.Probability = &Text{t.Query, t.Text}, t.Probability
	} else if at.Over() || g.won(at, now.Margin) {
		v.State = stateDone
	}
	return v, nil
}

// entries is every closed turn.
func (g *game) entries() []TurnEntry {
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
		Step: t.Step, Outcome: t.Outcome, Answer: Reply(t.Answer), Probability: t.Probability, Policy: t.Hash,
		Annotator: t.Annotator, Asked: t.Asked, Answered: t.Answered, Undone: t.Undone,
	}
	if t.Query != none {
		e.Query = &Text{t.Query, t.Text}
	}
	return e
}
