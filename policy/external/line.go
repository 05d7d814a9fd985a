package external

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"mapo/game"
)

// What is spoken, for programs that speak more: on majorities, on rows of shares, and where queries are vectors.
const (
	protocol        = "policy over lines 1"
	protocolRows    = "policy over lines 2"
	protocolVectors = "policy over lines 3"
)

// offSum is how far from 1 a row may sum: probabilities may be written with a few digits.
const offSum = 1e-3

// replyLimit returns more bytes than a reply of so many numbers can have.
func replyLimit(numbers int) int { return 64*numbers + 1<<16 }

// hello is the first line.
type hello struct {
	Mapo       string  `json:"mapo"`
	Queries    int     `json:"queries"`
	Hypotheses int     `json:"hypotheses"`
	Budget     int     `json:"budget"`
	AskOnce    bool    `json:"ask_once"`
	Truth      string  `json:"truth,omitempty"`    // version 2: rows
	Decision   string  `json:"decision,omitempty"` // version 2
	Answers    *normal `json:"answers,omitempty"`  // nil: ±1
	Problem    problem `json:"problem"`
}

// normal is game.Answers that are Gaussian, in the units of answers. Sums in the states are of answers divided by the bound.
type normal struct {
	Gaussian float64 `json:"gaussian"`
	Bound    float64 `json:"bound"`
}

// problem is a game.Problem in the first line. Z is a list of texts of 0 and 1 in version 1, a matrix in the others: [|Z|, |X|] in
// version 2, [|Z|, Dim] in version 3, which has X, too. What follows them is of version 2.
type problem struct {
	Name       string      `json:"name"`
	Queries    []string    `json:"queries"`
	Hypotheses []string    `json:"hypotheses"`
	X          [][]float64 `json:"x,omitempty"`
	Z          any         `json:"z"`
	Offsets    []float32   `json:"offsets,omitempty"`
	Weights    []float64   `json:"weights,omitempty"`
	Unknown    []string    `json:"unknown,omitempty"`
	Wrong      *float64    `json:"wrong_answers,omitempty"`
	Other      bool        `json:"other,omitempty"`
}

// greeting appends the first line. The error is that of a problem that programs cannot be asked about.
func greeting(dst []byte, p *game.Problem, by string) ([]byte, error) {
	h := hello{
		Mapo: protocol, Queries: p.Queries(), Hypotheses: p.Hypotheses(), Budget: p.T, AskOnce: p.AskOnce,
		Problem: problem{Name: p.Name, Queries: p.X, Hypotheses: p.Names},
	}
	switch goal := p.Goal().(type) {
	case *game.Labels:
		return nil, errors.New("programs cannot be asked about the items of a pool yet: name another policy")
	case *game.Vectors:
		h.Mapo = protocolVectors
		h.Problem.vectors(p, goal)
	case *game.Shares:
		h.Mapo, h.Truth, h.Decision = protocolRows, "rows", by
		h.Problem.rows(p, goal)
	default:
		var z []string
		for k := range p.Hypotheses() {
			z = append(z, p.Digits(k))
		}
		h.Problem.Z = z
	}
	if a := p.Answer(); len(a.Names()) == 0 { // any number
		sigma := math.Sqrt(a.Variance(0)) * a.Unit()
		sigma, _ = strconv.ParseFloat(strconv.FormatFloat(sigma, 'g', 15, 64), 64) // without what rounding has added
		h.Answers = &normal{sigma, a.Unit()}
	}
	line, err := json.Marshal(h)
	if err != nil {
		panic("external: a problem has no JSON: " + err.Error()) // texts and numbers always have
	}
	return append(append(dst, line...), '\n'), nil
}

// rows fills in what version 2 says of the hypotheses.
func (q *problem) rows(p *game.Problem, s *game.Shares) {
	d := p.Queries()
	q.Z = slices.Collect(slices.Chunk(p.Z, d))
	q.Offsets, q.Weights, q.Wrong, q.Other = p.Offsets(), s.Weight, s.Wrong, s.Other
	for row := range slices.Chunk(s.Unknown, d) {
		q.Unknown = append(q.Unknown, string(digits(nil, row)))
	}
}

// vectors fills in what version 3 says of the queries and hypotheses: their vectors.
func (q *problem) vectors(p *game.Problem, v *game.Vectors) {
	q.X = slices.Collect(slices.Chunk(v.X, v.Dim))
	var all [][]float64
	for k := range p.Hypotheses() {
		z := make([]float64, v.Dim)
		for c := range z {
			z[c] = entry(p.Row(k), q.X, c)
		}
		all = append(all, z)
	}
	q.Z = all
}

// entry returns entry c of the hypothesis that the problem keeps as weights on the vectors x, with the decimals that float32 leaves.
func entry(weights []float32, x [][]float64, c int) float64 {
	const rounding = 1.0 / (1 << 23) // of a weight, twice
	var sum, off float64
	for i, weight := range weights {
		sum += float64(weight) * x[i][c]
		off += math.Abs(float64(weight)*x[i][c]) * rounding
	}
	if math.Abs(sum) <= off { // 0, of either sign
		return 0
	}
	unit := math.Pow10(int(math.Floor(-math.Log10(off))))
	return math.Round(sum*unit) / unit
}

// digits appends 1 for true and 0 for false.
func digits(dst []byte, list []bool) []byte {
	for _, is := range list {
		if is {
			dst = append(dst, '1')
		} else {
			dst = append(dst, '0')
		}
	}
	return dst
}

// request appends the line that asks about s.
func request(dst []byte, p *game.Problem, s game.States) []byte {
	d := p.Queries()
	ask := struct {
		N     [][]float32 `json:"n"`
		S     [][]float32 `json:"s"`
		Left  []float32   `json:"left"`
		Level []float32   `json:"level"`
		Mask  [][]int     `json:"mask"`
	}{N: slices.Collect(slices.Chunk(s.N, d)), S: slices.Collect(slices.Chunk(s.S, d)), Level: s.Level}
	for b := range s.Len(d) {
		ask.Left = append(ask.Left, p.LeftOf(s, b))
	}
	for list := range slices.Chunk(s.Mask, d) {
		row := make([]int, d)
		for i, masked := range list {
			if masked {
				row[i] = 1
			}
		}
		ask.Mask = append(ask.Mask, row)
	}
	line, err := json.Marshal(ask)
	if err != nil {
		panic("external: states have no JSON: " + err.Error()) // counts and sums always have
	}
	return append(append(dst, line...), '\n')
}

// parse puts a reply's probabilities in dst, [B, |X|], or says what is wrong with them.
func parse(dst []float32, line []byte, s game.States, d int) error {
	var reply struct {
		Probs [][]float64 `json:"probs"`
		Error *string     `json:"error"`
	}
	if err := json.Unmarshal(line, &reply); err != nil {
		return fmt.Errorf(`want one line {"probs": [[…], …]} of numbers: %w`, err)
	}
	switch {
	case reply.Error != nil:
		return fmt.Errorf("it gives up: %s", excerpt([]byte(*reply.Error)))
	case reply.Probs == nil:
		return errors.New(`the reply has no "probs"`)
	case len(reply.Probs) != s.Len(d):
		return fmt.Errorf("the reply has %d rows of probabilities for %d states", len(reply.Probs), s.Len(d))
	}
	if bytes.Contains(line, []byte("null")) {
		if b, i, has := null(line); has {
			return fmt.Errorf("row %d of %d: the probability of query %d is null", b, len(reply.Probs), i)
		}
	}
	for b, row := range reply.Probs {
		if err := fill(dst[b*d:(b+1)*d], row, s.Row(b, d).Mask); err != nil {
			return fmt.Errorf("row %d of %d: %w", b, len(reply.Probs), err)
		}
	}
	return nil
}

// null returns where a reply has null for a probability, as JavaScript writes NaN. A list of numbers reads it as 0.
func null(line []byte) (row, query int, has bool) {
	var reply struct {
		Probs [][]*float64 `json:"probs"`
	}
	_ = json.Unmarshal(line, &reply) // it was read before
	for b, list := range reply.Probs {
		if i := slices.Index(list, nil); i >= 0 {
			return b, i, true
		}
	}
	return 0, 0, false
}

// fill puts one row of a reply in dst, divided by its sum, or says what is wrong with it.
func fill(dst []float32, row []float64, mask []bool) error {
	if len(row) != len(dst) {
		return fmt.Errorf("%d probabilities for %d queries", len(row), len(dst))
	}
	sum := 0.
	for i, p := range row {
		switch {
		case !(p >= 0) || math.IsInf(p, 0):
			return fmt.Errorf("the probability of query %d is %g", i, p)
		case p > 0 && mask != nil && mask[i]:
			return fmt.Errorf("query %d may not be asked (its mask is 1) and has the probability %g", i, p)
		}
		sum += p
	}
	if math.Abs(sum-1) > offSum {
		return fmt.Errorf("the probabilities sum to %g", sum)
	}
	for i, p := range row {
		dst[i] = float32(p / sum)
	}
	return nil
}

// split cuts a command into words at blanks. Between quotes of either kind blanks stand for themselves.
func split(command string) ([]string, error) {
	var words []string
	var word strings.Builder
	quote, begun := rune(0), false
	for _, r := range command {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote == 0 && (r == '\'' || r == '"'):
			quote, begun = r, true
		case quote == 0 && (r == ' ' || r == '\t' || r == '\n'):
			if begun {
				words = append(words, word.String())
			}
			word.Reset()
			begun = false
		default:
			word.WriteRune(r)
			begun = true
		}
	}
	if quote != 0 {
		return nil, fmt.Errorf("a quote %c is not closed", quote)
	}
	if begun {
		words = append(words, word.String())
	}
	if len(words) == 0 {
		return nil, errors.New("name the command to run, such as cmd:python3 my_policy.py")
	}
	return words, nil
}
