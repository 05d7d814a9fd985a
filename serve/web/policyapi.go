package web

import (
	"context"
	"net/http"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"mapo/serve/wire"
)

func (s *Server) registerPolicies() {
	type list struct{ Body wire.PolicyList }
	route(s, rightAsk, s.operation(http.MethodGet, "/v1/policies", "policies", "The policies in service", ""),
		func(context.Context, *struct{}) (*list, error) {
			out := &list{wire.PolicyList{Policies: []wire.PolicySummary{}}}
			for _, p := range s.set.All() {
				out.Body.Policies = append(out.Body.Policies, p.Summary())
			}
			return out, nil
		})
	op := s.operation(http.MethodGet, "/v1/policies/{id}", "policy", "A policy's contract",
		"Its problem, texts, budget, loss, rule, averages, and the worst instances found. Asked for again with If-None-Match, it is sent only if it has changed.")
	page := s.api.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[wire.PolicyPage](), true, "PolicyPage")
	op.Responses = map[string]*huma.Response{
		"200": {Content: map[string]*huma.MediaType{"application/json": {Schema: page}}},
		"304": {Description: "It has not changed"},
	}
	route(s, rightAsk, op, func(_ context.Context, in *pageInput) (*pageOutput, error) {
		p, err := s.set.Find(in.ID)
		if err != nil {
			return nil, s.problem(err)
		}
		page, err := p.Page()
		if err != nil {
			return nil, s.problem(err)
		}
		out := &pageOutput{Status: http.StatusNotModified, Tag: page.Tag, Cache: "private, no-cache"}
		if in.Match != page.Tag {
			out.Status, out.ContentType, out.Body = http.StatusOK, "application/json", page.Data
		}
		return out, nil
	})
}

type pageInput struct {
	ID    string `path:"id"`
	Match string `header:"If-None-Match" doc:"the ETag of an earlier reply"`
}

type pageOutput struct {
	Status      int
	ContentType string `header:"Content-Type" hidden:"true"`
	Tag         string `header:"ETag"`
	Cache       string `header:"Cache-Control" hidden:"true"`
	Body        []byte
}
