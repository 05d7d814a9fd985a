package serve

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"mapo/data/table"
	"mapo/game/play"
)

// propose keeps a proposal.
func (s *Sessions) propose(ctx context.Context, p Proposal) (Proposal, error) {
	kept, err := s.store.Propose(ctx, p)
	if errors.Is(err, ErrTooMany) {
		err = fault(http.StatusTooManyRequests, "%d proposals of this client wait for review, and no more are allowed until some are decided", mostProposals)
	}
	return kept, err
}

// ProposeQuestion keeps a question that would have helped, for an operator to accept.
func (s *Sessions) ProposeQuestion(ctx context.Context, policy string, in *QuestionRequest) (int64, error) {
	text := strings.Join(strings.Fields(in.Text), " ")
	if text == "" {
		return 0, fault(http.StatusUnprocessableEntity, "the question is empty; send its text")
	}
	if err := printable("question", text, mostProposed); err != nil {
		return 0, err
	}
	answer, err := in.Answer.yesNo("answer")
	if err != nil {
		return 0, err
	}
	p, err := s.set.find(policy)
	if err != nil {
		return 0, err
	}
	l, err := s.tables.Lexicon(ctx, p)
	if err != nil {
		return 0, err
	}
	if _, ok := l.questions[table.Fold(text)]; ok {
		return 0, fault(http.StatusConflict, "%s is a question of the table already", table.Quote(text))
	}
	if in.Game != "" {
		g, err := s.store.Game(ctx, in.Game)
		if err == nil && g.Policy != policy {
			err = ErrNoGame
		}
		if errors.Is(err, ErrNoGame) {
			return 0, fault(http.StatusNotFound, "no game %s of this policy has a truth; tell its truth first, or leave game out", table.Quote(in.Game))
		}
		if err != nil {
			return 0, err
		}
	} else if answer != play.DontKnow {
		return 0, fault(http.StatusUnprocessableEntity, "an answer is for the truth of a game; send game, too")
	}
	c, err := s.client(ctx)
	if err != nil {
		return 0, err
	}
	kept, err := s.propose(ctx, Proposal{Policy: policy, Kind: KindQuestion, Text: text, Client: c.ID, Game: in.Game, Answer: answer, Created: s.now()})
	return kept.ID, err
}

// Objects completes the name of an object: up to limit names that like may be the beginning of.
func (s *Sessions) Objects(_ context.Context, policy, like string, limit int) ([]string, error) {
	p, err := s.set.find(policy)
	if err != nil {
		return nil, err
	}
	return p.finder().complete(like, limit), nil
}
