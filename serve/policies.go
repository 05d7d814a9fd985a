package serve

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"mapo/policy/nn"
)

// PolicyList is the policies in service.
type PolicyList struct {
	Policies []PolicySummary `json:"policies" nullable:"false"`
}

// PolicySummary is one line of the list of policies.
type PolicySummary struct {
	PolicyRef
	Traits
	Problem    string  `json:"problem"`
	Queries    int     `json:"queries"`
	Hypotheses int     `json:"hypotheses"`
	Budget     int     `json:"budget"`
	AskOnce    bool    `json:"ask_once"`
	DontKnow   string  `json:"dont_know" enum:"free,spends" doc:"whether don't know uses up an answer"`
	Loss       string  `json:"loss"`
	Levels     []Worst `json:"levels" nullable:"false" doc:"what the contract states, one a level"`
}

// Traits are how a policy's games go, beyond its problem.
type Traits struct {
	Answers   *Gaussian `json:"answers,omitempty" doc:"what answers are where they are numbers; absent: yes and no"`
	Labels    *Pool     `json:"labels,omitempty" doc:"of a policy that asks for the classes of items: the pool; absent: it asks queries"`
	Trained   bool      `json:"trained" doc:"whether it was trained; the worst case of one that was not is not measured"`
	Posterior bool      `json:"posterior" doc:"whether replies have the probability of what is recommended"`
	Learning  bool      `json:"learning" doc:"whether its table learns from games whose truth is told"`
	Version   int       `json:"version" doc:"of the learned table; 0: nothing was learned yet" minimum:"0"`
	Gives     []Gives   `json:"gives" nullable:"false" doc:"how well it does on average and in the worst case: none where nothing was measured"`
	Stop      float64   `json:"stop" doc:"the probability of the recommendation at which its games end unless a request says otherwise; 0: never" minimum:"0" maximum:"1"`
}

// Gaussian says that answers are numbers: a mean and Gaussian noise.
type Gaussian struct {
	Gaussian float64 `json:"gaussian" doc:"the standard deviation of answers"`
	Bound    float64 `json:"bound" doc:"how large a mean may be, either way"`
}

// Pool is what there is to label. Queries are then items, and hypotheses models.
type Pool struct {
	Classes []string `json:"classes" nullable:"false" doc:"the answers that there are"`
	Items   int      `json:"items" doc:"how many items may be asked"`
	Explore float64  `json:"explore" doc:"the share of the items that are drawn uniformly from the open ones" minimum:"0" maximum:"1"`
}

// Worst is what a contract states at one level: the part of its record.Worst that the API promises, under the names and
// with the texts of the OpenAPI document, which is made from this type.
type Worst struct {
	R     float64 `json:"r" doc:"the difficulty up to which instances were searched"`
	Worst float64 `json:"worst" doc:"the loss on the worst instance found"`
	Lo    float64 `json:"lo"`
	Hi    float64 `json:"hi"`
}

// PolicyPage is a policy with its whole contract.
type PolicyPage struct {
	PolicyRef
	Traits
	Contract document `json:"contract"`
}

// document is JSON as it stands in a policy file.
type document struct{ json.RawMessage }

// Schema returns the schema of any object.
func (document) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeObject, AdditionalProperties: true, Description: "as in the policy file"}
}

func (p *Policy) summary() PolicySummary {
	c := p.Contract
	s := PolicySummary{
		PolicyRef: p.ref(), Traits: p.traits(), Problem: p.problem.Name, Queries: p.game.Questions(), Hypotheses: p.problem.Hypotheses(),
		Budget: p.problem.T, AskOnce: p.problem.AskOnce, DontKnow: nn.DontKnowFree, Loss: c.Loss, Levels: []Worst{},
	}
	if p.spends() {
		s.DontKnow = nn.DontKnowSpends
	}
	for _, l := range c.Levels {
		s.Levels = append(s.Levels, Worst{l.Level, l.Mean, l.Lo, l.Hi})
	}
	return s
}

// traits returns how p's games go.
func (p *Policy) traits() Traits {
	t := Traits{Trained: !p.untrained, Posterior: p.game.Rows != nil, Learning: p.learning, Version: p.version, Gives: givenOf(p.gives()), Stop: p.stop}
	if a := p.problem.Answers; a.Gaussian() {
		t.Answers = &Gaussian{a.Sigma, a.Bound}
	}
	if l := p.labels(); l != nil {
		t.Labels = &Pool{l.Classes, len(l.Items), p.game.Explore}
	}
	return t
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
	op := s.operation(http.MethodGet, "/v1/policies/{id}", "policy", "A policy's contract",
		"Its problem, texts, budget, loss, rule, averages, and the worst instances found. Asked for again with If-None-Match, it is sent only if it has changed.")
	page := api.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[PolicyPage](), true, "PolicyPage")
	op.Responses = map[string]*huma.Response{
		"200": {Content: map[string]*huma.MediaType{"application/json": {Schema: page}}},
		"304": {Description: "It has not changed"},
	}
	huma.Register(api, op, func(_ context.Context, in *pageInput) (*pageOutput, error) {
		p, err := s.set.find(in.ID)
		if err != nil {
			return nil, s.problem(err)
		}
		page, err := p.page()
		if err != nil {
			return nil, s.problem(err)
		}
		out := &pageOutput{Status: http.StatusNotModified, Tag: page.tag, Cache: "private, no-cache"}
		if in.Match != page.tag {
			out.Status, out.ContentType, out.Body = http.StatusOK, "application/json", page.data
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

// encoded is a reply as it is sent, and its ETag.
type encoded struct {
	data []byte
	tag  string
}

// encode makes the reply that has p's contract, which may be several megabytes.
func (p *Policy) encode() (encoded, error) {
	contract, err := json.Marshal(p.Contract)
	if err != nil {
		return encoded{}, err
	}
	data, err := json.Marshal(PolicyPage{p.ref(), p.traits(), document{contract}})
	sum := sha256.Sum256(data)
	return encoded{data, `"` + hex.EncodeToString(sum[:8]) + `"`}, err
}
