package nn

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"

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
	if c.Problem != nil && (c.Problem.Shares != nil || c.Problem.Difficulty != "" || c.Problem.Answers.Gaussian() || c.Problem.Labels != nil || c.Problem.Vectors != nil) || c.Decision != "" || c.Stop != "" {
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
	Stop     string            `json:"stop,omitempty"`      // the rule by which games end early, by its name in package stopping; "": they have all their answers
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

// problemJSON is a game.Problem as the file holds it, a hypothesis a string of 0 and 1.
type problemJSON struct {
	Name       string       `json:"name"`
	Queries    []string     `json:"queries"`
	Hypotheses []string     `json:"hypotheses"`
	Z          []string     `json:"z"`
	Budget     int          `json:"budget"`
	AskOnce    bool         `json:"ask_once"`
	Difficulty string       `json:"difficulty,omitempty"` // what the levels are by, by its name in package difficulty; "": ρ̃
	Answers    *answersJSON `json:"answers,omitempty"`    // nil: ±1

	Known   [][]float32  `json:"known,omitempty"`   // instances, a row each; left out where there are shares
	Shares  *sharesJSON  `json:"shares,omitempty"`  // what a posterior is made of
	Labels  *labelsJSON  `json:"labels,omitempty"`  // of a pool of items; z is then what the models predict
	Vectors *vectorsJSON `json:"vectors,omitempty"` // nil: queries are the standard basis
}

// answersJSON is game.Answers that are Gaussian, in the user's units.
type answersJSON struct {
	Gaussian float64 `json:"gaussian"` // their standard deviation
	Bound    float64 `json:"bound"`    // how large a mean may be
}

// sharesJSON is a problem's shares. Z, offsets and majorities follow from them ([game.Problem.Grade]).
type sharesJSON struct {
	Yes     [][]float64 `json:"yes"`                     // P(yes), a row a hypothesis
	Unknown []string    `json:"unknown,omitempty"`       // 1 where yes stands in for a missing cell
	Weights []float64   `json:"weights"`                 // the probability of each hypothesis before the game
	Wrong   *float64    `json:"wrong_answers,omitempty"` // the share of wrong answers where it is fixed
	Other   bool        `json:"other,omitempty"`         // whether the last hypothesis is "none of these"
}

// vectorsJSON is a problem's vectors.
type vectorsJSON struct {
	Queries    [][]float64 `json:"queries"`    // 𝒳, a row a query
	Hypotheses [][]float32 `json:"hypotheses"` // the weights on queries that make up each hypothesis, a row each
}

// vectorsOf returns p's vectors; nil where it has none.
func vectorsOf(p *game.Problem) *vectorsJSON {
	if p.Vectors == nil {
		return nil
	}
	out := new(vectorsJSON)
	for row := range slices.Chunk(p.Vectors.X, p.Vectors.Dim) {
		out.Queries = append(out.Queries, row)
	}
	for k := range p.Names {
		out.Hypotheses = append(out.Hypotheses, p.Row(k))
	}
	return out
}

// read makes the vectors of p and what follows from them; of nil, nothing.
func (v *vectorsJSON) read(p *game.Problem) error {
	if v == nil {
		return nil
	}
	if len(v.Queries) != len(p.X) || len(v.Hypotheses) != len(p.Names) || len(p.X) == 0 {
		return fmt.Errorf("problem has %d vectors for %d queries and %d for %d hypotheses", len(v.Queries), len(p.X), len(v.Hypotheses), len(p.Names))
	}
	p.Vectors, p.Z = &game.Vectors{Dim: len(v.Queries[0])}, nil
	for i, row := range v.Queries {
		if len(row) != p.Vectors.Dim || len(row) == 0 {
			return fmt.Errorf("query %d has %d entries, the first %d", i, len(row), p.Vectors.Dim)
		}
		p.Vectors.X = append(p.Vectors.X, row...)
	}
	for k, row := range v.Hypotheses {
		if len(row) != len(p.X) {
			return fmt.Errorf("hypothesis %d has weights on %d of %d queries", k, len(row), len(p.X))
		}
		p.Z = append(p.Z, row...)
	}
	p.Expect()
	return nil
}

// MostShares is how many shares a contract holds at most; of a larger problem it has none.
const MostShares = 1_000_000

// sharesOf returns p's shares; nil where it has none, or too many.
func sharesOf(p *game.Problem) *sharesJSON {
	s, d := p.Shares, p.Queries()
	if s == nil || len(s.Yes) > MostShares {
		return nil
	}
	out := &sharesJSON{Weights: s.Weight, Wrong: s.Wrong, Other: s.Other}
	for row := range slices.Chunk(s.Yes, d) {
		out.Yes = append(out.Yes, row)
	}
	for row := range slices.Chunk(s.Unknown, d) {
		digits := bytes.Repeat([]byte{'0'}, d)
		for i, unknown := range row {
			if unknown {
				digits[i] = '1'
			}
		}
		out.Unknown = append(out.Unknown, string(digits))
	}
	return out
}

// read makes the shares of p and what follows from them; of nil, nothing.
func (s *sharesJSON) read(p *game.Problem) error {
	if s == nil {
		return nil
	}
	shares := &game.Shares{Weight: s.Weights, Wrong: s.Wrong, Other: s.Other}
	if len(s.Yes) != len(p.Names) || s.Unknown != nil && len(s.Unknown) != len(p.Names) {
		return fmt.Errorf("problem has %d rows of shares and %d of unknown cells for %d hypotheses", len(s.Yes), len(s.Unknown), len(p.Names))
	}
	for k, row := range s.Yes {
		if len(row) != len(p.X) {
			return fmt.Errorf("hypothesis %d has %d shares for %d queries", k, len(row), len(p.X))
		}
		shares.Yes = append(shares.Yes, row...)
	}
	for k, row := range s.Unknown {
		if len(row) != len(p.X) {
			return fmt.Errorf("hypothesis %d says of %d cells whether they are unknown, for %d queries", k, len(row), len(p.X))
		}
		for _, b := range []byte(row) {
			shares.Unknown = append(shares.Unknown, b == '1')
		}
	}
	p.Shares = shares
	p.Grade()
	return nil
}

// plainContract is Contract without its methods.
type plainContract Contract

// MarshalJSON writes the contract with its problem; the same contract gives the same bytes.
func (c Contract) MarshalJSON() ([]byte, error) {
	if c.Problem == nil {
		return nil, errors.New("nn: contract has no problem")
	}
	p := c.Problem
	f := problemJSON{Name: p.Name, Queries: p.X, Hypotheses: p.Names, Budget: p.T, AskOnce: p.AskOnce, Difficulty: p.Difficulty}
	if len(p.Z) != len(p.Names)*len(p.X) {
		return nil, fmt.Errorf("nn: problem has %d entries in 𝒵, want %d×%d", len(p.Z), len(p.Names), len(p.X))
	}
	for k := range p.Hypotheses() {
		f.Z = append(f.Z, p.Digits(k))
	}
	if p.Shares == nil {
		for row := range slices.Chunk(p.Known, p.Queries()) {
			f.Known = append(f.Known, row)
		}
	}
	f.Shares, f.Labels, f.Vectors = sharesOf(p), labelsOf(p), vectorsOf(p)
	if a := p.Answers; a.Gaussian() {
		f.Answers = &answersJSON{a.Sigma, a.Bound}
	}
	return json.Marshal(struct {
		plainContract
		Problem problemJSON `json:"problem"`
	}{plainContract(c), f})
}

// UnmarshalJSON reads what MarshalJSON writes and checks that the problem is one.
func (c *Contract) UnmarshalJSON(data []byte) error {
	var f struct {
		plainContract
		Problem problemJSON `json:"problem"`
	}
	if err := json.Unmarshal(data, &f); err != nil {
		return err
	}
	p := &game.Problem{Name: f.Problem.Name, X: f.Problem.Queries, Names: f.Problem.Hypotheses, T: f.Problem.Budget, AskOnce: f.Problem.AskOnce, Difficulty: f.Problem.Difficulty}
	if len(f.Problem.Z) != len(p.Names) {
		return fmt.Errorf("problem has %d rows for %d hypotheses", len(f.Problem.Z), len(p.Names))
	}
	for k, row := range f.Problem.Z {
		if len(row) != len(p.X) {
			return fmt.Errorf("hypothesis %d has %d entries for %d queries", k, len(row), len(p.X))
		}
		for _, b := range []byte(row) {
			if b != '0' && b != '1' {
				return fmt.Errorf("hypothesis %d has an entry %q; it must be 0 or 1", k, b)
			}
			p.Z = append(p.Z, float32(b-'0'))
		}
	}
	if a := f.Problem.Answers; a != nil {
		p.Answers = game.Answers{Sigma: a.Gaussian, Bound: a.Bound}
	}
	if err := errors.Join(f.Problem.Shares.read(p), f.Problem.Vectors.read(p)); err != nil {
		return err
	}
	if err := f.Problem.Labels.read(p); err != nil {
		return err
	}
	for j, row := range f.Problem.Known {
		if len(row) != len(p.X) {
			return fmt.Errorf("known instance %d has %d entries for %d queries", j, len(row), len(p.X))
		}
		p.Known = append(p.Known, row...)
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
