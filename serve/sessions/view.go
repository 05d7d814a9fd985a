package sessions

import (
	"context"
	"net/http"

	"mapo/game/play"
	"mapo/serve/database"
	"mapo/serve/policies"
	"mapo/serve/wire"
)

// View returns a session with its history.
func (s *Sessions) View(ctx context.Context, id string) (*wire.View, error) {
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
func (s *Sessions) view(g *loaded) (*wire.View, error) {
	t := g.open()
	v := &wire.View{
		ID: g.ID, Title: g.Title, Policy: wire.PolicyRef{ID: g.Policy, Hash: t.Hash}, Seed: g.Seed, StopMargin: g.StopMargin,
		Created: g.Created, Expires: s.expires(g), State: wire.StateStale, Step: t.Step, Said: wire.Said{RunnersUp: []play.Ranked{}}, Stop: g.Stop,
		Learning: s.learnsFrom(g.Policy, g.Labelling),
	}
	if g.policy == nil {
		if g.Truth != "" {
			v.Truth = &wire.TruthView{Text: g.Truth, Known: s.tables.Knows(g.Policy, g.Truth)}
		}
		return v, nil
	}
	at, err := g.policy.Game.At(g.record(nil))
	if err != nil {
		return nil, wire.Refuse(http.StatusConflict, "the session does not fit its policy: %v", err)
	}
	now := at.Standing(g.key(t.Step), policies.DefaultTop)
	v.Policy.Hash = g.policy.Hash()
	v.Said, v.Margin = policies.SaidOf(at, now, g.key(t.Step), at.Over() || g.solved()), now.Margin
	v.Remaining, v.Answers, v.State = at.Remaining(), at.Answers(), wire.StateOpen
	g.policy.Form().Show(v, at.Problem.AskOnce)
	if g.Truth != "" {
		truth := truthView(at, g.key(t.Step), g.policy, g.Truth, s.tables.Knows(g.Policy, g.Truth))
		v.State, v.Truth = wire.StateDone, &truth
		return v, nil
	}
	switch {
	case t.Guess != database.None:
		v.State, v.Guess = wire.StateGuess, &play.Text{Index: t.Guess, Text: t.Text}
	case t.Query != database.None:
		v.Query, v.Probability = &play.Text{Index: t.Query, Text: t.Text}, t.Probability
	case at.Over() || g.solved() || g.won(at, now.Margin):
		v.State = wire.StateDone
	}
	return v, nil
}

// entries returns every closed turn.
func (g *loaded) entries() []wire.TurnEntry {
	var list []wire.TurnEntry
	for i := range g.turns {
		if g.turns[i].Outcome != "" {
			list = append(list, entryOf(&g.turns[i]))
		}
	}
	return list
}

// entryOf returns a turn as a client sees it.
func entryOf(t *database.Turn) wire.TurnEntry {
	e := wire.TurnEntry{
		Step: t.Step, Outcome: t.Outcome, Answer: wire.Reply{Answer: t.Answer, Class: t.Class}, Probability: t.Probability, Policy: t.Hash,
		Annotator: t.Annotator, Asked: t.Asked, Answered: t.Answered, Undone: t.Undone,
	}
	if t.Guess != database.None {
		e.Guess = &play.Text{Index: t.Guess, Text: t.Text}
	}
	if t.Query != database.None {
		e.Query = &play.Text{Index: t.Query, Text: t.Text}
	}
	return e
}
