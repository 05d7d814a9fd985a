package serve

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"mapo/nn"
)

// PolicyList is the policies in service.
type PolicyList struct {
	Policies []PolicySummary `json:"policies" nullable:"false"`
}

// PolicySummary is one line of the list of policies.
type PolicySummary struct {
	PolicyRef
	Problem    string  `json:"problem"`
	Queries    int     `json:"queries"`
	Hypotheses int     `json:"hypotheses"`
	Budget     int     `json:"budget"`
	AskOnce    bool    `json:"ask_once"`
	DontKnow   string  `json:"dont_know" enum:"free,spends" doc:"whether don't know uses up an answer"`
	Loss       string  `json:"loss"`
	Levels     []Worst `json:"levels" nullable:"false" doc:"what the contract states, one a level"`
}

// Worst is what a contract states at one level.
type Worst struct {
	R     float64 `json:"r" doc:"the difficulty up to which instances were searched"`
	Worst float64 `json:"worst" doc:"the loss on the worst instance found"`
	Lo    float64 `json:"lo"`
	Hi    float64 `json:"hi"`
}

// PolicyPage is a policy with its whole contract.
type PolicyPage struct {
	PolicyRef
	Contract document `json:"contract"`
}

// document is JSON as it stands in a policy file.
type document struct{ json.RawMessage }

// Schema is any object.
func (document) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeObject, AdditionalProperties: true, Description: "as in the policy file"}
}

func (p *Policy) summary() PolicySummary {
	c := p.Contract
	s := PolicySummary{
		PolicyRef: p.ref(), Problem: p.problem.Name, Queries: p.problem.Queries(), Hypotheses: p.problem.Hypotheses(),
		Budget: p.problem.T, AskOnce: p.problem.AskOnce, DontKnow: nn.DontKnowFree, Loss: c.Loss, Levels: []Worst{},
	}
	if p.spends() {
		s.DontKnow = nn.DontKnowSpends
	}
	for _, l := range c.Levels {
		s.Levels = append(s.Levels, Worst{l.R, l.Worst, l.Lo, l.Hi})
	}
	return s
}

func (s *Server) registerPolicies(api huma.API) {
	type list struct{ Body PolicyList }
	huma.Register(api, s.operation(http.MethodGet, "/v1/policies", "policies", "The policies in service", ""),
		func(context.Context, *struct{}) (*list, error) {
			out := &list{PolicyList{[]PolicySummary{}}}
			for _, p := range s.set.All() {
				out.Body.Policies = append(out.Body.Policies, p.summary())
			}
			return out, nil
		})
	type input struct {
		ID string `path:"id"`
	}
	type one struct{ Body PolicyPage }
	huma.Register(api, s.operation(http.MethodGet, "/v1/policies/{id}", "policy", "A policy's contract",
		"Its problem, texts, budget, loss, rule, and the worst instances found."),
		func(_ context.Context, in *input) (*one, error) {
			p, err := s.policy(in.ID)
			if err != nil {
				return nil, s.problem(err)
			}
			data, err := json.Marshal(p.Contract)
			if err != nil {
				return nil, s.problem(err)
			}
			return &one{PolicyPage{p.ref(), document{data}}}, nil
		})
}
