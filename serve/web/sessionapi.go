package web

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"mapo/serve/sessions"
	"mapo/serve/wire"
)

// SessionInput names a session in a path.
type SessionInput struct {
	ID string `path:"id" doc:"the session's id" maxLength:"64"`
}

type viewOutput struct{ Body *wire.View }

// registerSessions makes the routes of sessions.
func (s *Server) registerSessions() {
	type create struct{ Body wire.NewSession }
	op := s.operation(http.MethodPost, "/v1/sessions", "create-session", "Begin a session", "Its id is all that is needed to go on with it.")
	op.DefaultStatus = http.StatusCreated
	stored(s, rightAsk, op, func(ctx context.Context, in *create) (*viewOutput, error) {
		return s.viewed(s.sessions.Create(ctx, &in.Body))
	})
	stored(s, rightAsk, s.operation(http.MethodGet, "/v1/sessions/{id}", "session", "A session with its history", ""),
		func(ctx context.Context, in *SessionInput) (*viewOutput, error) {
			return s.viewed(s.sessions.View(ctx, in.ID))
		})
	registerChange(s, s.conflicting("/v1/sessions/{id}/answers", "answer", "Answer a step",
		"An answer is kept for good when this returns. The same request again changes nothing; another answer to the same step is a conflict."), s.sessions.Answer)
	registerChange(s, s.conflicting("/v1/sessions/{id}/guess", "guess", "Say whether a guess is right",
		"A right guess ends the session. A wrong one uses an answer, and the hypothesis is not guessed again."), s.sessions.Guess)
	registerChange(s, s.conflicting("/v1/sessions/{id}/undo", "undo", "Take the last answer back",
		"Its query is asked again, as a new step."), s.sessions.Undo)
	registerChange(s, s.conflicting("/v1/sessions/{id}/next", "session-next", "What to ask now",
		"The query of the current step. It stays the same until it is answered, unless the mask forbids it: then another is drawn."),
		func(ctx context.Context, id string, in *wire.MaskRequest) (*wire.View, error) {
			return s.sessions.Next(ctx, id, in.Mask)
		})
	s.registerTruths()
	s.registerExport()
	s.registerLabels()
	s.registerAdmin()
}

// registerChange makes a route that changes a session by a request and returns it.
func registerChange[B any](s *Server, op huma.Operation, change func(ctx context.Context, id string, in *B) (*wire.View, error)) {
	type input struct {
		SessionInput
		Body B
	}
	stored(s, rightAsk, op, func(ctx context.Context, in *input) (*viewOutput, error) {
		return s.viewed(change(ctx, in.ID, &in.Body))
	})
}

func (s *Server) viewed(v *wire.View, err error) (*viewOutput, error) {
	if err != nil {
		return nil, s.problem(err)
	}
	return &viewOutput{v}, nil
}

// conflicting returns a POST that may not fit what others did meanwhile.
func (s *Server) conflicting(path, id, summary, doc string) huma.Operation {
	op := s.operation(http.MethodPost, path, id, summary, doc)
	op.Errors = append(op.Errors, http.StatusConflict)
	return op
}

func (s *Server) registerLabels() {
	type output struct {
		ContentType string `header:"Content-Type" hidden:"true"`
		Disposition string `header:"Content-Disposition"`
		Body        []byte
	}
	op := s.operation(http.MethodGet, "/v1/sessions/{id}/labels.csv", "labels", "The labels of a session, with the probability that each item had to be asked",
		"A row a label that counts, in order: item, class, propensity. For mapo recommend.")
	op.Errors = append(op.Errors, http.StatusConflict)
	op.Responses = map[string]*huma.Response{"200": {Description: "The labels", Content: map[string]*huma.MediaType{sessions.TypeCSV: {Schema: &huma.Schema{Type: huma.TypeString}}}}}
	stored(s, rightAsk, op, func(ctx context.Context, in *SessionInput) (*output, error) {
		data, err := s.sessions.Labels(ctx, in.ID)
		if err != nil {
			return nil, s.problem(err)
		}
		return &output{sessions.TypeCSV + "; charset=utf-8", `attachment; filename="` + in.ID + `-labels.csv"`, data}, nil
	})
}

func (s *Server) registerExport() {
	type input struct {
		SessionInput
		Format string `query:"format" enum:"csv,jsonl" default:"csv"`
	}
	type output struct {
		ContentType string `header:"Content-Type" hidden:"true"`
		Disposition string `header:"Content-Disposition"`
		Body        []byte
	}
	op := s.operation(http.MethodGet, "/v1/sessions/{id}/export", "export", "Every turn of a session, with the probability its query had", "")
	op.Responses = exportResponse(s.api.OpenAPI().Components.Schemas)
	stored(s, rightAsk, op,
		func(ctx context.Context, in *input) (*output, error) {
			export, kind := s.sessions.CSV, sessions.TypeCSV+"; charset=utf-8"
			if in.Format == "jsonl" {
				export, kind = s.sessions.JSONL, sessions.TypeJSONL
			}
			data, err := export(ctx, in.ID)
			if err != nil {
				return nil, s.problem(err)
			}
			return &output{kind, `attachment; filename="` + in.ID + `.` + in.Format + `"`, data}, nil
		})
}

func (s *Server) registerAdmin() {
	type query struct {
		After string `query:"after" maxLength:"64" pattern:"^[a-z2-7]*$" doc:"the last id of the page before"`
		Limit int    `query:"limit" minimum:"1" maximum:"1000" default:"100"`
	}
	type list struct{ Body wire.SessionList }
	stored(s, rightAdmin, s.operation(http.MethodGet, "/v1/sessions", "sessions", "All sessions", ""),
		func(ctx context.Context, in *query) (*list, error) {
			found, err := s.sessions.List(ctx, in.After, in.Limit)
			if err != nil {
				return nil, s.problem(err)
			}
			out := &list{wire.SessionList{Sessions: []wire.SessionSummary{}}}
			for _, n := range found {
				out.Body.Sessions = append(out.Body.Sessions, wire.SessionSummary{ID: n.ID, Policy: n.Policy, Title: n.Title, Created: n.Created, Touched: n.Touched})
			}
			return out, nil
		})
	stored(s, rightAdmin, s.operation(http.MethodDelete, "/v1/sessions/{id}", "delete-session", "Forget a session", ""),
		func(ctx context.Context, in *SessionInput) (*struct{}, error) {
			return nil, s.problem(s.sessions.Delete(ctx, in.ID))
		})
}
