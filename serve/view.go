package serve

import (
	"context"
	"net/http"

	"mapo/game/play"
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
			v.Truth = &TruthView{Text: g.Truth, Known: s.tables.Knows(g.Policy, g.Truth)}
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
		truth := truthView(at, g.key(t.Step), g.policy, g.Truth, s.tables.Knows(g.Policy, g.Truth))
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
			list = append(list, entryOf(&g.turns[i]))
		}
	}
	return list
}

// entryOf returns a turn as a client sees it.
func entryOf(t *Turn) TurnEntry {
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
