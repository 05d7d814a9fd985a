package wire

import (
	"encoding/json"

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
	Contract Document `json:"contract"`
}

// Document is JSON as it stands in a policy file.
type Document struct{ json.RawMessage }

// Schema returns the schema of any object.
func (Document) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeObject, AdditionalProperties: true, Description: "as in the policy file"}
}

// Gives is how well a policy does where answers are of one kind, as its file states it: an average or a worst case, with its
// 95 % interval. The texts are those of reports ([judge.Given]).
type Gives struct {
	Answers   string        `json:"answers" doc:"what the answers are: the table's own, with one in ten wrong, another source's, or those of the worst case found"`
	Prior     string        `json:"prior,omitempty" doc:"of an average: its name in results"`
	R         float64       `json:"r,omitempty" doc:"of a worst case: the difficulty up to which instances were searched"`
	Covers    float64       `json:"covers,omitempty" doc:"of a worst case: the share of the table's rows whose answers are as difficult at most" minimum:"0" maximum:"1"`
	Loss      float64       `json:"loss" doc:"the share of games that end wrong, or the regret"`
	Lo        float64       `json:"lo"`
	Hi        float64       `json:"hi"`
	Questions *nn.Questions `json:"questions,omitempty" doc:"how many a game has, where games end early"`
	Amount    string        `json:"amount" doc:"the share of games that end right, or the regret, with its interval"`
	Text      string        `json:"text" doc:"all of it, as a sentence without its full stop"`
}
