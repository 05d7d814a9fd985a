package web

import (
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"mapo/serve/policies"
	"mapo/serve/sessions"
	"mapo/serve/wire"
)

// Tags of the API's operations.
const (
	tagPolicies = "policies"
	tagSessions = "sessions"
	tagAdmin    = "administration"
)

// tagOf returns the tag of the operations at a path: the part after the version.
func tagOf(path string) string { return strings.Split(path, "/")[2] }

// security returns what an operation asks for: a token of that role, or, where the server has none, nothing or a
// token.
func (s *Server) security(role string) []map[string][]string {
	token := map[string][]string{"token": {role}}
	if s.access.needed() {
		return []map[string][]string{token}
	}
	return []map[string][]string{{}, token}
}

// describe fills in what the description says of the whole API.
func (s *Server) describe(doc *huma.OpenAPI) {
	doc.Info.Description = "Asks the questions of trained policies, and of tables without training. Indices count from 0. " +
		"A confidence is the probability that a hypothesis is right if answers follow the table; trained policies have none. Errors are problem+json (RFC 9457)."
	doc.Tags = []*huma.Tag{
		{Name: tagPolicies, Description: "The policies in service, and games that the caller keeps."},
	}
	if s.sessions != nil {
		doc.Tags = append(doc.Tags, &huma.Tag{Name: tagSessions, Description: "Games that the server keeps."},
			&huma.Tag{Name: tagAdmin, Description: "For those who run the server."})
	}
	tokens := "This server has no tokens: every client may do everything."
	if s.access.needed() {
		tokens = "This server has tokens: nothing is readable without one."
	}
	doc.Components.SecuritySchemes = map[string]*huma.SecurityScheme{"token": {
		Type: "http", Scheme: "bearer",
		Description: tokens + " A token has the role ask, to play and label, or admin, also to list and delete sessions and to review proposals. " +
			"A server without tokens ignores them.",
	}}
	doc.Security = s.security("ask")
}

// exportResponse describes the two forms of an export.
func exportResponse(types huma.Registry) map[string]*huma.Response {
	row := types.Schema(reflect.TypeFor[wire.ExportRow](), true, "")
	name := row.Ref[strings.LastIndex(row.Ref, "/")+1:]
	return map[string]*huma.Response{"200": {
		Description: "A file: CSV, or JSON lines where format is jsonl.",
		Content: map[string]*huma.MediaType{
			sessions.TypeCSV:   {Schema: &huma.Schema{Type: huma.TypeString, Description: "a header, " + strings.Join(sessions.ExportHeader, ",") + ", and a turn a row"}},
			sessions.TypeJSONL: {Schema: &huma.Schema{Type: huma.TypeString, Description: "an object a line, each of the type " + name}},
		},
	}}
}

// exemplify gives every request an example that works: of the first policy in service.
func (s *Server) exemplify(doc *huma.OpenAPI) {
	p := s.set.All()[0]
	bodies := map[string]any{
		"next":           example(p),
		"create-session": map[string]any{"policy": p.ID, "title": "A first session", "guess": true},
		"answer":         map[string]any{"step": 1, "answer": p.Form().Example()},
		"guess":          map[string]any{"step": 2, "right": true},
		"undo":           map[string]any{"step": 2},
		"session-next":   map[string]any{"mask": []int{0}},

		"truth":            map[string]any{"truth": p.Problem().Names[0]},
		"submit-game":      map[string]any{"truth": p.Problem().Names[0], "recommendation": p.Problem().Names[0], "history": []any{map[string]any{"query": 0, "answer": p.Form().Example()}}},
		"propose-question": map[string]any{"text": "Is it often seen at night?"},
		"decide":           map[string]any{"proposal": 1, "decision": "reject"},
	}
	for path, item := range doc.Paths {
		for _, op := range []*huma.Operation{item.Get, item.Post, item.Delete} {
			if op == nil {
				continue
			}
			if body, ok := bodies[op.OperationID]; ok {
				op.RequestBody.Content["application/json"].Example = body
			}
			for _, in := range op.Parameters {
				switch {
				case in.Name == "id" && strings.HasPrefix(path, "/v1/policies/{id}"):
					in.Example = p.ID
				case in.Name == "key", in.Name == "Idempotency-Key":
					in.Example = "6f1ed002ab5595859014ebf0951522d9"
				}
			}
		}
	}
}

// example returns a request of Next: one answer by text and one by index, as far as there are that many.
func example(p *policies.Policy) map[string]any {
	type entry struct {
		Query  any `json:"query"`
		Answer any `json:"answer"`
	}
	history := []entry{}
	if p.Problem().T > 0 {
		history = append(history, entry{reference(p, 0), p.Form().Example()})
	}
	if p.Problem().T > 1 && p.Game.Questions() > 1 {
		history = append(history, entry{1, nil})
	}
	body := map[string]any{"history": history, "seed": 7, "top": 3}
	if p.Game.Rows != nil {
		body["stop"], body["guess"] = 0.9, true
	}
	return body
}

// reference returns query i as a request names it: by its text, where that is the text of no other.
func reference(p *policies.Policy, i int) any {
	text := p.Questions()[i]
	if _, err := p.Query(text); err != nil {
		return i
	}
	return text
}
