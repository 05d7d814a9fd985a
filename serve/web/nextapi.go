package web

import (
	"context"
	"net/http"

	"mapo/serve/wire"
)

func (s *Server) registerNext() {
	type input struct {
		ID   string `path:"id" doc:"the policy's id"`
		Body wire.NextRequest
	}
	type output struct{ Body *wire.NextReply }
	op := s.operation(http.MethodPost, "/v1/policies/{id}/next", "next", "What to ask next",
		"Stateless: the game so far comes with the request and nothing of it is kept. A guess that is wrong goes into ruled_out.")
	op.Errors = append(op.Errors, http.StatusServiceUnavailable) // too many large bodies at once, or a dead program
	route(s, rightAsk, op,
		func(_ context.Context, in *input) (*output, error) {
			p, err := s.set.Find(in.ID)
			if err != nil {
				return nil, s.problem(err)
			}
			reply, err := p.Next(&in.Body)
			if err != nil {
				return nil, s.problem(err)
			}
			return &output{reply}, nil
		})
}
