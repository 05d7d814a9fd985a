package sessions

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"mapo/data/table"
	"mapo/game/play"
	"mapo/serve/database"
	"mapo/serve/wire"
)

// propose keeps a proposal.
func (s *Sessions) propose(ctx context.Context, p database.Proposal) (database.Proposal, error) {
	kept, err := s.store.Propose(ctx, p)
	if errors.Is(err, database.ErrTooMany) {
		err = wire.Refuse(http.StatusTooManyRequests, "%d proposals of this client wait for review, and no more are allowed until some are decided", database.MostProposals)
	}
	return kept, err
}

// ProposeQuestion keeps a question that would have helped, for an operator to accept.
func (s *Sessions) ProposeQuestion(ctx context.Context, policy string, in *wire.QuestionRequest) (int64, error) {
	text := strings.Join(strings.Fields(in.Text), " ")
	if text == "" {
		return 0, wire.Refuse(http.StatusUnprocessableEntity, "the question is empty; send its text")
	}
	if err := printable("question", text, wire.MostProposed); err != nil {
		return 0, err
	}
	answer, err := in.Answer.YesNo("answer")
	if err != nil {
		return 0, err
	}
	p, err := s.set.Find(policy)
	if err != nil {
		return 0, err
	}
	l, err := s.tables.Lexicon(ctx, p)
	if err != nil {
		return 0, err
	}
	if _, ok := l.QuestionOf[table.Fold(text)]; ok {
		return 0, wire.Refuse(http.StatusConflict, "%s is a question of the table already", table.Quote(text))
	}
	if in.Game != "" {
		g, err := s.store.Game(ctx, in.Game)
		if err == nil && g.Policy != policy {
			err = database.ErrNoGame
		}
		if errors.Is(err, database.ErrNoGame) {
			return 0, wire.Refuse(http.StatusNotFound, "no game %s of this policy has a truth; tell its truth first, or leave game out", table.Quote(in.Game))
		}
		if err != nil {
			return 0, err
		}
	} else if answer != play.DontKnow {
		return 0, wire.Refuse(http.StatusUnprocessableEntity, "an answer is for the truth of a game; send game, too")
	}
	c, err := s.client(ctx)
	if err != nil {
		return 0, err
	}
	kept, err := s.propose(ctx, database.Proposal{Policy: policy, Kind: database.KindQuestion, Text: text, Client: c.ID, Game: in.Game, Answer: answer, Created: s.now()})
	return kept.ID, err
}

// Objects completes the name of an object: up to limit names that like may be the beginning of.
func (s *Sessions) Objects(_ context.Context, policy, like string, limit int) ([]string, error) {
	p, err := s.set.Find(policy)
	if err != nil {
		return nil, err
	}
	return p.Finder().Complete(like, limit), nil
}
