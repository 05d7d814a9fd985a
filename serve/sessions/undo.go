package sessions

import (
	"context"
	"net/http"
	"slices"

	"mapo/serve/database"
	"mapo/serve/wire"
)

// freeSteps is how many steps a session may have beyond those of the longest game
// before no more answers can be taken back: what a step costs grows with their number.
const freeSteps = 1000

// mostUndo returns the last step at which an answer can be taken back.
func (g *loaded) mostUndo() int {
	return freeSteps + g.policy.Problem().T + g.policy.Game.Questions()
}

// Undo takes the last answer that counts back and asks its query again, under a
// new step, unless the mask forbids it. Repeated, it changes nothing.
func (s *Sessions) Undo(ctx context.Context, id string, in *wire.UndoRequest) (*wire.View, error) {
	return s.change(ctx, id, func(g *loaded) (bool, error) {
		t, err := g.turn(in.Step)
		if err != nil {
			return false, err
		}
		if t.Outcome == database.OutcomeUndo {
			return true, nil
		}
		if t.Outcome != "" {
			return false, wire.Refuse(http.StatusConflict, "step %d is answered; the session is at step %d, undo there", t.Step, g.open().Step)
		}
		if err := g.playable(); err != nil {
			return false, err
		}
		if most := g.mostUndo(); t.Step > most {
			return false, wire.Refuse(http.StatusConflict, "the session is at step %d, and answers can be taken back up to step %d: answer on, or begin another session", t.Step, most)
		}
		last := g.last()
		if last == nil {
			return false, wire.Refuse(http.StatusConflict, "there is no answer to undo")
		}
		if err := s.correctable(ctx, g, ""); err != nil {
			return false, err
		}
		closed := *t
		closed.Outcome, closed.Answered = database.OutcomeUndo, s.now()
		last.Undone = closed.Step
		return s.advance(ctx, g, closed, retold{withdrawn: g.Truth != ""}, func(g *loaded) (database.Turn, error) {
			again := *last
			if again.Query != database.None && slices.Contains(in.Mask, again.Query) {
				return g.draw(closed.Step+1, in.Mask, s.now())
			}
			mask, err := g.policy.Masked(in.Mask)
			return database.Turn{Step: closed.Step + 1, Query: again.Query, Guess: again.Guess, Text: again.Text, Probability: again.Probability, Hash: again.Hash, Mask: mask, Asked: s.now()}, err
		})
	})
}
