package nn

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"mapo/difficulty"
	"mapo/game"
	"mapo/record"
)

// Formats of policy files. The second is for a policy of what the first cannot hold: hypotheses that are rows of shares, or a
// decision other than least squares, a rule of stopping, or a difficulty other than ρ̃. So are Gaussian answers, labels of a pool, and
// queries that are vectors. Any other policy has the first.
const (
	Format     = "mapo policy 1"
	FormatRows = "mapo policy 2"
)

// format returns the one that c needs.
func (c *Contract) format() string {
	if c.Problem != nil && c.Problem.Form() > 1 || c.Decision != "" || c.Stopping != "" {
		return FormatRows
	}
	return Format
}

// What an answer "don't know" costs. Either way the query is not asked again.
const (
	DontKnowFree   = "free"   // nothing: the game still ends after as many answers as the budget says; so where none is given
	DontKnowSpends = "spends" // one of the budget's answers
)

// Contract is the JSON document in a policy file's metadata: with the tensors, enough to play, serve and
// evaluate the policy with nothing else beside it.
//
// A policy is one .safetensors file. The tensors are the weights, and its metadata has this
// document as contract, with the problem, its known instances and texts under problem. Format 2
// also has the shares, weights and unknown cells of rows, a difficulty other than ρ̃, Gaussian
// answers, vectors, the labels of a pool, and the names of the decision and of the rule of
// stopping. A policy with none of these is of format 1. Where games end early, levels and averages
// have the number of questions. A corrupt or cut file is refused with the reason.
type Contract struct {
	Format   string            `json:"format"`              // Format or FormatRows; set by Encode
	Name     string            `json:"name"`                // the policy's name in its run: mapo, pi-3, …
	Arch     string            `json:"arch"`                // Net.Arch; set by Encode
	Problem  *game.Problem     `json:"-"`                   // queries, hypotheses, budget, ask-once; "problem" in the file
	Loss     string            `json:"loss"`                // best-identification or simple-regret
	Rule     string            `json:"rule"`                // the decision rule, in words
	Decision string            `json:"decision,omitempty"`  // how it recommends, by its name in package decision; "": by least squares
	Stopping string            `json:"stop,omitempty"`      // the rule by which games end early, by its name in package stopping; "": they have all their answers
	DontKnow string            `json:"dont_know,omitempty"` // whether "don't know" uses up an answer: DontKnowFree ("") or DontKnowSpends
	Levels   []Level           `json:"levels"`              // what the judge found, one a level
	Averages []Average         `json:"averages,omitempty"`  // of a policy of rows: how often it is wrong on average
	Seed     uint64            `json:"seed"`                // of the run
	Version  string            `json:"version"`             // of the program that wrote the file
	Trained  map[string]string `json:"trained,omitempty"`   // how: preset, iterations, kernel, …
	Notes    []string          `json:"notes,omitempty"`     // what a reader should know
	Warnings []string          `json:"warnings,omitempty"`  // what a reader should worry about
	Hash     string            `json:"hash"`                // 64 hex digits; set by Encode
}

// Level is the judged worst case at one difficulty beside what it is measured by. The file holds the part of
// the worst case that [levelJSON] names.
type Level struct {
	record.Worst
	Benchmark float64 // b^(r)
	Covers    float64 // the share of a table's rows whose answers are of difficulty at most r; 0 where hypotheses are not rows
}

// Average is the share of games that end wrong over a prior.
type Average struct {
	Prior string  `json:"prior"` // such as table+flip:0.1
	Wrong float64 `json:"wrong"`
	Lo    float64 `json:"lo"` // 95 % interval of that estimate
	Hi    float64 `json:"hi"` //
	Games int     `json:"games"`

	Questions *Questions `json:"questions,omitempty"` // of a game; nil: games have all their answers
}

// Questions is the expected number of questions of games that may end early, with its 95 % interval.
type Questions struct {
	Mean float64 `json:"mean"`
	Lo   float64 `json:"lo"`
	Hi   float64 `json:"hi"`
}

// QuestionsOf returns an estimate's; nil where games have all their answers.
func QuestionsOf(e record.Estimate) *Questions {
	if e.Questions == (record.Questions{}) {
		return nil
	}
	q := Questions(e.Questions)
	return &q
}

// levelJSON is a Level as the file holds it.
type levelJSON struct {
	R         float64   `json:"r"`               // Θ^(r)
	Worst     float64   `json:"worst"`           // ℓ(π, Θ^(r)), estimated on fresh games at the worst θ found
	Lo        float64   `json:"lo"`              // 95 % interval of that estimate
	Hi        float64   `json:"hi"`              //
	Benchmark float64   `json:"benchmark"`       // b^(r)
	Games     int       `json:"games"`           // behind the estimate
	Theta     []float64 `json:"theta,omitempty"` // the worst θ found, [|X|]
	Covers    float64   `json:"covers,omitempty"`

	Questions *Questions `json:"questions,omitempty"` // of a game on the worst θ found; nil: games have all their answers
}

// MarshalJSON implements [json.Marshaler].
func (l Level) MarshalJSON() ([]byte, error) {
	return json.Marshal(levelJSON{l.Level, l.Mean, l.Lo, l.Hi, l.Benchmark, l.Games, l.Theta, l.Covers, QuestionsOf(l.Estimate)})
}

// UnmarshalJSON implements [json.Unmarshaler].
func (l *Level) UnmarshalJSON(data []byte) error {
	var f levelJSON
	if err := json.Unmarshal(data, &f); err != nil {
		return err
	}
	l.Level, l.Theta, l.Benchmark, l.Covers = f.R, f.Theta, f.Benchmark, f.Covers
	l.Mean, l.Lo, l.Hi, l.Games = f.Worst, f.Lo, f.Hi, f.Games
	if f.Questions != nil {
		l.Questions = record.Questions(*f.Questions)
	}
	return nil
}

// plainContract is Contract without its methods.
type plainContract Contract

// MarshalJSON writes the contract with its problem; the same contract gives the same bytes.
func (c Contract) MarshalJSON() ([]byte, error) {
	if c.Problem == nil {
		return nil, errors.New("nn: contract has no problem")
	}
	f, err := c.Problem.Document()
	if err != nil {
		return nil, fmt.Errorf("nn: %w", err)
	}
	return json.Marshal(struct {
		plainContract
		Problem *game.Document `json:"problem"`
	}{plainContract(c), f})
}

// UnmarshalJSON reads what MarshalJSON writes and checks that the problem is one.
func (c *Contract) UnmarshalJSON(data []byte) error {
	var f struct {
		plainContract
		Problem game.Document `json:"problem"`
	}
	if err := json.Unmarshal(data, &f); err != nil {
		return err
	}
	p, err := f.Problem.Problem()
	if err != nil {
		return err
	}
	if err := p.Check(); err != nil {
		return err
	}
	if _, err := difficulty.Named(p, p.Difficulty); err != nil {
		return err
	}
	*c = Contract(f.plainContract)
	c.Problem = p
	return c.check()
}

// check finds what JSON's grammar allows and a contract does not.
func (c *Contract) check() error {
	if c.DontKnow != "" && c.DontKnow != DontKnowFree && c.DontKnow != DontKnowSpends {
		return fmt.Errorf("dont_know is %q; it must be %s or %s", c.DontKnow, DontKnowFree, DontKnowSpends)
	}
	if _, err := game.ParseLoss(c.Loss); err != nil {
		return err
	}
	for _, l := range c.Levels {
		if !(l.Level > 0 && l.Mean >= 0) {
			return fmt.Errorf("the worst case at r = %g is %g; r must be above 0 and the worst case at least 0", l.Level, l.Mean)
		}
		if l.Theta != nil && len(l.Theta) != c.Problem.Queries() {
			return fmt.Errorf("worst instance at r = %g has %d entries for %d queries", l.Level, len(l.Theta), c.Problem.Queries())
		}
		for _, theta := range l.Theta {
			if !(math.Abs(theta) <= 1) {
				return fmt.Errorf("worst instance at r = %g has an entry %g; it must be in [-1, 1]", l.Level, theta)
			}
		}
	}
	return nil
}
