package sessions

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"mapo/data/table"
	"mapo/game/play"
	"mapo/rng"
	"mapo/serve/database"
	"mapo/serve/policies"
	"mapo/serve/wire"
)

// loaded is a session with its turns: what is kept of it and the policy to go on with.
type loaded struct {
	database.Session
	turns  []database.Turn  // by step, from 1; the last one is open
	policy *policies.Policy // nil where no policy plays this game any more
	pruned bool             // whether policy is nil because the store does not keep the version any more
}

func (g *loaded) open() *database.Turn { return &g.turns[len(g.turns)-1] }

// answered reports whether the session has an answer, or had one that was taken back.
func (g *loaded) answered() bool { return len(g.turns) > 1 }

// record returns what has happened that counts, with the queries of mask not to be asked now.
func (g *loaded) record(mask []int) play.Record {
	r := play.Record{Mask: mask, Stop: g.Stop}
	for i := range g.turns {
		switch t := &g.turns[i]; {
		case !t.Counts() || t.Outcome == database.OutcomeRight:
		case t.Outcome == database.OutcomeWrong:
			r.Out, r.Guessed = append(r.Out, t.Guess), true
		default:
			r.History, r.Guessed = append(r.History, play.Answered{Query: t.Query, Answer: t.Answer}), false
		}
	}
	return r
}

// solved reports whether a guess was right.
func (g *loaded) solved() bool {
	last := g.last()
	return last != nil && last.Outcome == database.OutcomeRight
}

// last returns the newest turn that counts, nil where none does.
func (g *loaded) last() *database.Turn {
	for i := range slices.Backward(g.turns) {
		if g.turns[i].Counts() {
			return &g.turns[i]
		}
	}
	return nil
}

// playable refuses a game that can only be read.
func (g *loaded) playable() error {
	if g.pruned {
		return wire.Refuse(http.StatusConflict, "version %d of the learned table %q, which this session was begun with, is not kept any more: the session can be exported, and not go on", g.Version, g.Policy)
	}
	if g.policy == nil {
		return wire.Refuse(http.StatusConflict, "the policy %q of this session now plays another game, or none: the session can be exported, and not go on", g.Policy)
	}
	return nil
}

// going refuses to go on with a game that can only be read, or whose truth was told.
func (g *loaded) going() error {
	if err := g.playable(); err != nil || g.Truth == "" {
		return err
	}
	return wire.Refuse(http.StatusConflict, "the session is over, its truth was told (%s); undo takes that back", table.Quote(g.Truth))
}

// key names the draws of a step: a retried request draws the same query.
func (g *loaded) key(step int) rng.Key { return rng.New(g.Seed).At(step) }

// won reports whether the lead is as large as the session wants it to be.
func (g *loaded) won(at *play.Position, lead float32) bool {
	return g.StopMargin > 0 && at.Answers() > 0 && float64(lead) >= g.StopMargin
}

// draw returns an open turn: the query that the policy asks after the answers so far, a guess, or neither.
func (g *loaded) draw(step int, mask []int, now time.Time) (database.Turn, error) {
	t := database.Turn{Step: step, Query: database.None, Guess: database.None, Hash: g.policy.Hash(), Asked: now}
	var err error
	if t.Mask, err = g.policy.Masked(mask); err != nil {
		return t, err
	}
	at, err := g.policy.Game.At(g.record(mask))
	if err != nil {
		return t, err
	}
	if g.solved() {
		return t, nil
	}
	if guess, ok := at.Guess(g.key(step)); ok && g.Guess {
		t.Guess, t.Text = guess.Index, guess.Text
		return t, nil
	}
	if g.StopMargin > 0 && g.won(at, at.Standing(g.key(step), 1).Margin) {
		return t, nil
	}
	probs, err := at.Probabilities()
	if probs != nil {
		t.Query = play.Draw(probs, policies.DrawKey(mask, g.key(step)))
		t.Text, t.Probability = at.Query(t.Query).Text, float64(probs[t.Query])
	}
	return t, err
}

// outcomeOf returns what the request, with that answer, makes of a turn.
func outcomeOf(in *wire.AnswerRequest, answer play.Answer) string {
	switch {
	case in.Skip:
		return database.OutcomeSkip
	case answer == play.DontKnow:
		return database.OutcomeDontKnow
	}
	return database.OutcomeAnswer
}

// attempts bounds how often a request is tried again because another one of the
// same session was faster.
const attempts = 10

// change does what to a session: to the game that is held, if the store agrees,
// without reading it, else as retry does.
func (s *Sessions) change(ctx context.Context, id string, what func(*loaded) (done bool, err error)) (*wire.View, error) {
	if g := s.held.take(id); g != nil && !s.expired(g) {
		err := s.findPolicy(ctx, g)
		steps := len(g.turns)
		if err == nil {
			_, err = what(g)
		}
		if err == nil && len(g.turns) > steps {
			return s.shown(g)
		}
	}
	return s.retry(ctx, id, what)
}

// shown returns g as a client sees it. g is held, and no longer the caller's.
func (s *Sessions) shown(g *loaded) (*wire.View, error) {
	v, err := s.view(g)
	s.held.keep(g)
	return v, err
}

// retry does what until it is not overtaken.
func (s *Sessions) retry(ctx context.Context, id string, what func(*loaded) (done bool, err error)) (*wire.View, error) {
	for range attempts {
		g, err := s.load(ctx, id)
		if err != nil {
			return nil, err
		}
		done, err := what(g)
		switch {
		case errors.Is(err, database.ErrNoSession):
			return nil, noSession()
		case err != nil:
			return nil, err
		case done:
			return s.shown(g)
		}
	}
	return nil, wire.Refuse(http.StatusConflict, "too many requests for this session at once; send it again")
}

// Answer answers a step and draws the next query. Repeated, it changes nothing and
// returns the session as it is.
func (s *Sessions) Answer(ctx context.Context, id string, in *wire.AnswerRequest) (*wire.View, error) {
	if in.Skip && in.Answer != (wire.Reply{}) {
		return nil, wire.Refuse(http.StatusUnprocessableEntity, "a skip has no answer: send null")
	}
	if err := printable("annotator", in.Annotator, mostAnnotator); err != nil {
		return nil, err
	}
	return s.change(ctx, id, func(g *loaded) (bool, error) {
		answer, err := g.policy.Form().Read(in.Answer, "answer")
		if err != nil {
			return false, err
		}
		repeated, err := g.repeats(in, answer)
		if err != nil || repeated {
			return repeated, err
		}
		closed := *g.open()
		closed.Outcome, closed.Answer, closed.Annotator, closed.Answered = outcomeOf(in, answer), answer, in.Annotator, s.now()
		closed.Class = g.policy.Class(answer)
		return s.advance(ctx, g, closed, retold{}, func(g *loaded) (database.Turn, error) { return g.draw(closed.Step+1, in.Mask, s.now()) })
	})
}

// Guess answers the guess of a step. A right one ends the session, a wrong one uses an answer and rules the hypothesis
// out. Repeated, it changes nothing and returns the session as it is.
func (s *Sessions) Guess(ctx context.Context, id string, in *wire.GuessRequest) (*wire.View, error) {
	outcome := database.OutcomeWrong
	if in.Right {
		outcome = database.OutcomeRight
	}
	return s.change(ctx, id, func(g *loaded) (bool, error) {
		t, err := g.turn(in.Step)
		switch {
		case err != nil:
			return false, err
		case t.Guess == database.None:
			return false, wire.Refuse(http.StatusConflict, "nothing is guessed at step %d; the session is at step %d", t.Step, g.open().Step)
		case t.Outcome == outcome:
			return true, nil
		case t.Outcome != "":
			return false, wire.Refuse(http.StatusConflict, "step %d was closed before, as %s; the session is at step %d", t.Step, t.Outcome, g.open().Step)
		}
		if err := g.going(); err != nil {
			return false, err
		}
		var truth retold
		if in.Right {
			if truth.told, err = s.guessed(ctx, g, t); err != nil {
				return false, err
			}
		}
		closed := *t
		closed.Outcome, closed.Answered = outcome, s.now()
		return s.advance(ctx, g, closed, truth, func(g *loaded) (database.Turn, error) { return g.draw(closed.Step+1, in.Mask, s.now()) })
	})
}

// retold is what a step does to a session's truth.
type retold struct {
	told      *database.Told // it is told; nil: it is not
	withdrawn bool
}

// advance closes the open turn as closed and opens the one that next draws.
func (s *Sessions) advance(ctx context.Context, g *loaded, closed database.Turn, truth retold, next func(*loaded) (database.Turn, error)) (bool, error) {
	*g.open() = closed
	turn, err := next(g)
	if err != nil {
		return false, wire.Invalid(err)
	}
	a := database.Advance{Session: g.ID, Closed: closed, Next: turn}
	for i := range g.turns {
		if g.turns[i].Undone == closed.Step {
			a.Undone = g.turns[i].Step
		}
	}
	var ok bool
	if truth == (retold{}) {
		ok, err = s.store.Advance(ctx, a)
	} else {
		ok, err = s.store.AdvanceTold(ctx, a, truth.told, truth.withdrawn)
	}
	if ok {
		s.retell(g, truth)
		turn.Mask = nil // it is kept, and not needed again
		g.turns = append(g.turns, turn)
		g.Touched = closed.Answered
		if closed.Step == 1 {
			s.kept.answer()
		}
		s.answered.WithLabelValues(closed.Outcome).Inc()
	}
	return ok, err
}

// repeats reports whether in, with that answer, was done before. It is an error where it does not fit
// the session.
func (g *loaded) repeats(in *wire.AnswerRequest, answer play.Answer) (bool, error) {
	t, err := g.turn(in.Step)
	if err != nil {
		return false, err
	}
	query, err := g.names(in.Query, t)
	switch {
	case err != nil:
		return false, err
	case t.Outcome == "" && t.Query == database.None:
		return false, wire.Refuse(http.StatusConflict, "nothing is asked at step %d: %s", t.Step, g.why())
	case query != t.Query:
		return false, wire.Refuse(http.StatusConflict, "step %d asks query %d, %q, not query %d", t.Step, t.Query, t.Text, query)
	case t.Outcome == "":
		return false, g.going()
	case t.Outcome == outcomeOf(in, answer) && t.Answer == answer && t.Annotator == in.Annotator:
		return true, nil
	}
	return false, wire.Refuse(http.StatusConflict, "step %d was closed before, with another answer or by another caller (%s); the session is at step %d", t.Step, t.Outcome, g.open().Step)
}

// turn returns the turn of a step that a request names.
func (g *loaded) turn(step int) (*database.Turn, error) {
	switch {
	case step > len(g.turns):
		return nil, wire.Refuse(http.StatusConflict, "step %d has not come yet; the session is at step %d", step, g.open().Step)
	case step < 1:
		return nil, wire.Refuse(http.StatusUnprocessableEntity, "steps count from 1")
	}
	return &g.turns[step-1], nil
}

// names returns the query that a request names, t's where it names none. A text need
// only be t's.
func (g *loaded) names(ref *wire.Ref, t *database.Turn) (int, error) {
	if ref == nil || (ref.ByText && table.Fold(ref.Text) == table.Fold(t.Text)) {
		return t.Query, nil
	}
	if !ref.ByText {
		return ref.Index, nil
	}
	return 0, wire.Refuse(http.StatusConflict, "step %d asks query %d, %q, and not %q", t.Step, t.Query, t.Text, ref.Text)
}

// why says why nothing is asked.
func (g *loaded) why() string {
	if g.policy == nil {
		return "its policy is gone"
	}
	at, err := g.policy.Game.At(g.record(nil))
	switch {
	case err != nil:
		return err.Error()
	case g.open().Guess != database.None:
		return fmt.Sprintf("it guesses %q; say whether that is right", g.open().Text)
	case g.solved():
		return "the session is over, its guess was right"
	case at.Spent():
		return "the session is over, its answers are used up"
	case at.Over():
		return fmt.Sprintf("the session is over, the recommendation has the probability to stop at, %g", g.Stop)
	case g.won(at, at.Standing(g.key(g.open().Step), 1).Margin):
		return fmt.Sprintf("the session is over, the recommendation leads by its stop margin of %g", g.StopMargin)
	}
	return "the mask left no query; ask for the next one with another mask"
}

// Next returns the session as it is, with another query where mask forbids the one
// that is asked, or where none was.
func (s *Sessions) Next(ctx context.Context, id string, mask []int) (*wire.View, error) {
	return s.retry(ctx, id, func(g *loaded) (bool, error) {
		if err := g.playable(); err != nil {
			return false, err
		}
		was := *g.open()
		if g.Truth != "" || was.Guess != database.None || was.Query != database.None && !slices.Contains(mask, was.Query) {
			return true, nil
		}
		turn, err := g.draw(was.Step, mask, s.now())
		if err != nil {
			return false, wire.Invalid(err)
		}
		if turn.Query == was.Query {
			return true, nil
		}
		g.Touched = turn.Asked
		done, err := s.store.Redraw(ctx, id, was.Query, turn, turn.Asked)
		turn.Mask = nil
		*g.open() = turn
		return done, err
	})
}
