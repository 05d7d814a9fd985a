package web

import (
	"context"
	"net/http"

	"mapo/serve/wire"
)

// registerTruths makes the routes by which games are told and their table is completed.
func (s *Server) registerTruths() {
	op := s.conflicting("/v1/sessions/{id}/truth", "truth", "Tell what it was",
		"Ends a session that has an answer. A right guess does the same by itself. The same truth again changes nothing; another one corrects it, "+
			"within 24 hours and later with an admin's token. An undo and the deletion of the session withdraw it. "+
			"A name that is not an object is refused with the nearest ones; new proposes it, for an operator to accept.")
	op.Errors = append(op.Errors, http.StatusForbidden)
	registerChange(s, op, s.sessions.Tell)
	s.registerObjects()
	s.registerGames()
	s.registerReview()
}

// PolicyInput names a policy in a path.
type PolicyInput struct {
	ID string `path:"id" doc:"the policy's id"`
}

func (s *Server) registerObjects() {
	type completion struct {
		PolicyInput
		Like  string `query:"like" maxLength:"200" doc:"what a name may begin with; compared without case and marks"`
		Limit int    `query:"limit" minimum:"1" maximum:"100" default:"10"`
	}
	type list struct{ Body wire.ObjectList }
	stored(s, rightAsk, s.operation(http.MethodGet, "/v1/policies/{id}/objects", "objects", "Complete the name of an object", ""),
		func(ctx context.Context, in *completion) (*list, error) {
			found, err := s.sessions.Objects(ctx, in.ID, in.Like, in.Limit)
			if err != nil {
				return nil, s.problem(err)
			}
			return &list{wire.ObjectList{Objects: append([]string{}, found...)}}, nil
		})
}

func (s *Server) registerGames() {
	type submit struct {
		PolicyInput
		Key  string `header:"Idempotency-Key" required:"true" minLength:"16" maxLength:"128" pattern:"^[A-Za-z0-9._-]+$" doc:"names the game: random, as it is all that is needed to withdraw it"`
		Body wire.GameRequest
	}
	type told struct {
		Status int
		Body   *wire.GameReply
	}
	op := s.conflicting("/v1/policies/{id}/games", "submit-game", "Tell a game that was played elsewhere",
		"Its history and what it was, as one. The same request again under the same key changes nothing and has status 200; another game under that key is a conflict.")
	op.DefaultStatus = http.StatusCreated
	stored(s, rightAsk, op, func(ctx context.Context, in *submit) (*told, error) {
		reply, created, err := s.sessions.Submit(ctx, in.ID, in.Key, &in.Body)
		if err != nil {
			return nil, s.problem(err)
		}
		out := &told{http.StatusCreated, reply}
		if !created {
			out.Status = http.StatusOK
		}
		return out, nil
	})
	type withdraw struct {
		PolicyInput
		Key string `path:"key" minLength:"16" maxLength:"128" pattern:"^[A-Za-z0-9._-]+$" doc:"as in Idempotency-Key"`
	}
	op = s.operation(http.MethodDelete, "/v1/policies/{id}/games/{key}", "withdraw-game", "Withdraw a game that was played elsewhere", "Within 24 hours; later with an admin's token.")
	op.Errors = append(op.Errors, http.StatusForbidden)
	stored(s, rightAsk, op, func(ctx context.Context, in *withdraw) (*struct{}, error) {
		return nil, s.problem(s.sessions.WithdrawGame(ctx, in.ID, in.Key))
	})
	type question struct {
		PolicyInput
		Body wire.QuestionRequest
	}
	type proposed struct {
		Body struct {
			Proposal int64 `json:"proposal" doc:"its number"`
		}
	}
	op = s.operation(http.MethodPost, "/v1/policies/{id}/questions", "propose-question", "Propose a question that would have helped",
		"It waits for an operator's decision. A client may have 20 proposals open.")
	op.DefaultStatus = http.StatusAccepted
	stored(s, rightAsk, op, func(ctx context.Context, in *question) (*proposed, error) {
		id, err := s.sessions.ProposeQuestion(ctx, in.ID, &in.Body)
		if err != nil {
			return nil, s.problem(err)
		}
		out := &proposed{}
		out.Body.Proposal = id
		return out, nil
	})
}

func (s *Server) registerReview() {
	type review struct{ Body *wire.Review }
	reviewed := func(r *wire.Review, err error) (*review, error) {
		if err != nil {
			return nil, s.problem(err)
		}
		return &review{r}, nil
	}
	stored(s, rightAdmin, s.operation(http.MethodGet, "/v1/policies/{id}/review", "review", "What waits for a decision, and what was learned", ""),
		func(ctx context.Context, in *PolicyInput) (*review, error) {
			return reviewed(s.sessions.Review(ctx, in.ID))
		})
	type decide struct {
		PolicyInput
		Body wire.DecisionRequest
	}
	op := s.operation(http.MethodPost, "/v1/policies/{id}/review", "decide", "Accept or reject a proposal, or restore a client's games", "")
	op.Errors = append(op.Errors, http.StatusConflict)
	stored(s, rightAdmin, op, func(ctx context.Context, in *decide) (*review, error) {
		return reviewed(s.sessions.Decide(ctx, in.ID, &in.Body))
	})
}
