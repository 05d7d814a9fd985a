package sessions

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"

	"mapo/game/play"
	"mapo/internal/console"
	"mapo/serve/database"
	"mapo/serve/wire"
)

// Keys of games that were played elsewhere. Who has one can withdraw the game, so it is not short.
const (
	leastKey = 16
	mostKey  = 128
)

// gameID returns the id of a game that was played elsewhere.
func gameID(policy, key string) (string, error) {
	inKey := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_.", r)
	}
	if len(key) < leastKey || len(key) > mostKey || strings.ContainsFunc(key, func(r rune) bool { return !inKey(r) }) {
		return "", wire.Refuse(http.StatusUnprocessableEntity, "the idempotency key must have %d to %d letters, digits, -, _ or ., and be made at random for each game", leastKey, mostKey)
	}
	return policy + "/" + key, nil
}

// Submit keeps a game that was played elsewhere, and reports whether it is new. The same game under the same key changes
// nothing; another one is a conflict.
func (s *Sessions) Submit(ctx context.Context, policy, key string, in *wire.GameRequest) (*wire.GameReply, bool, error) {
	id, err := gameID(policy, key)
	if err != nil {
		return nil, false, err
	}
	text, err := truthText(&in.TruthRequest)
	if err != nil {
		return nil, false, err
	}
	p, err := s.set.Find(policy)
	if err != nil {
		return nil, false, err
	}
	history, err := p.History(in.History)
	if err != nil {
		return nil, false, err
	}
	at, err := p.Game.At(play.Record{History: history})
	if err != nil {
		return nil, false, wire.Invalid(err)
	}
	t, err := s.game(ctx, id, policy, p.Version, false)
	if err != nil {
		return nil, false, err
	}
	if t.Recommended = in.Recommendation; slices.ContainsFunc([]rune(t.Recommended), func(r rune) bool { return !console.Showable(r) }) {
		return nil, false, printable("recommendation", t.Recommended, len(t.Recommended))
	}
	if err := s.answers(ctx, &t, history, func(query int) string { return p.Problem().X[query] }); err != nil {
		return nil, false, err
	}
	if err := s.means(ctx, &t, text, in.New, p); err != nil {
		return nil, false, err
	}
	if err := s.offer(ctx, &t); err != nil {
		return nil, false, err
	}
	result, err := s.store.Tell(ctx, t)
	switch {
	case err != nil:
		return nil, false, err
	case result == database.Another:
		return nil, false, wire.Refuse(http.StatusConflict, "another game was sent with this idempotency key; make a new key for each game")
	case result == database.Stale:
		return nil, false, wire.Refuse(http.StatusConflict, "the game was withdrawn at this moment; send it again")
	case result == database.TellNew && t.Learn:
		s.tables.Taught(policy)
	}
	return &wire.GameReply{ID: id, Truth: truthView(at, at.Key(0), p, t.Truth, len(t.Objects) > 0)}, result == database.TellNew, nil
}

// WithdrawGame forgets a game that was played elsewhere.
func (s *Sessions) WithdrawGame(ctx context.Context, policy, key string) error {
	id, err := gameID(policy, key)
	if err != nil {
		return err
	}
	t, err := s.store.Game(ctx, id)
	if errors.Is(err, database.ErrNoGame) {
		return wire.Refuse(http.StatusNotFound, "there is no such game; it may have been withdrawn before")
	}
	if err != nil {
		return err
	}
	if err := s.recent(ctx, t.At); err != nil {
		return err
	}
	had, err := s.store.Withdraw(ctx, id)
	if err == nil && had && t.Learn {
		s.tables.Taught(policy)
	}
	return err
}
