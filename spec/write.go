package spec

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"

	"mapo/difficulty"
	"mapo/game"
	"mapo/policy/decision"
)

// DecodeTrain sets the keys under train: on dst, a pointer to a struct with yaml
// tags that holds the preset's numbers, and leaves the others. Unknown keys and
// wrong values are errors with their line; so is what dst's own Check finds, where
// it has one, at the line of the key that the error names by a method Key.
func (s *Spec) DecodeTrain(dst any) error {
	if err := s.src.fields("train", s.train, reflect.ValueOf(dst).Elem(), "preset"); err != nil {
		return err
	}
	checked, ok := dst.(interface{ Check() error })
	if !ok {
		return nil
	}
	if err := checked.Check(); err != nil {
		return s.TrainFault(err)
	}
	return nil
}

// TrainFault returns a training's error at the line of the key under train: that it names by a
// method Key, else at train: itself.
func (s *Spec) TrainFault(err error) error {
	at := "train"
	var keyed interface{ Key() string }
	if errors.As(err, &keyed) {
		at += "." + keyed.Key()
	}
	return s.src.at(at, "%v", err)
}

// HasTrain reports whether the spec says anything of a key under train:.
func (s *Spec) HasTrain(key string) bool {
	return slices.ContainsFunc(s.train, func(e *ast.MappingValueNode) bool { return e.Key.GetToken().Value == key })
}

// Says reports whether the spec as written has a key at its top.
func (s *Spec) Says(key string) bool {
	_, ok := s.src.lines[key]
	return ok
}

// DropTrain takes keys out of train:, so that the preset's numbers stand. A key of a block is written block.key. It returns
// those that were there as `key: value`, in the spec's order.
func (s *Spec) DropTrain(keys []string) (dropped []string) {
	s.train = slices.DeleteFunc(slices.Clone(s.train), func(e *ast.MappingValueNode) bool {
		key := e.Key.GetToken().Value
		if slices.Contains(keys, key) {
			dropped = append(dropped, key+": "+inline(e.Value))
			return true
		}
		block, ok := e.Value.(*ast.MappingNode)
		if ok {
			block.Values = slices.DeleteFunc(block.Values, func(in *ast.MappingValueNode) bool {
				at := key + "." + in.Key.GetToken().Value
				if !slices.Contains(keys, at) {
					return false
				}
				dropped = append(dropped, at+": "+inline(in.Value))
				return true
			})
		}
		return false
	})
	return dropped
}

// FixTrain writes every number of the training into the spec, so that a later
// change of a preset does not change what the resolved spec means.
func (s *Spec) FixTrain(cfg any) error {
	text, err := yaml.Marshal(cfg)
	if err != nil {
		return fmt.Errorf("spec: train as YAML: %w", err)
	}
	src, err := parse(s.src.name, text)
	if err != nil {
		return err
	}
	s.train, _ = entries(src.root)
	return nil
}

// Resolved returns the spec as YAML with nothing left to defaults: the same spec
// whenever and wherever it is loaded, as long as its files are where they are.
func (s *Spec) Resolved() []byte {
	var b strings.Builder
	put := func(format string, a ...any) { fmt.Fprintf(&b, format+"\n", a...) }
	put("name: %s", word(s.Name))
	put("problem:")
	b.WriteString(s.origin)
	b.WriteString(s.settings())
	put("evaluate:")
	put("  rivals: %s", words(s.Rivals))
	put("  priors: %s", words(s.priorNames()))
	if s.answers != "" {
		put("  answers: %s", word(s.answers))
	}
	if s.Games > 0 {
		put("  games: %d", s.Games)
	}
	if s.Unmarked {
		put("  yardstick: false")
	}
	if s.instances != "" {
		put("instances: %s", word(s.instances))
	}
	return []byte(b.String())
}

// settings returns the lines between the problem and evaluate.
func (s *Spec) settings() string {
	var b strings.Builder
	if s.Pool == nil {
		fmt.Fprintf(&b, "ask-once: %v\n", s.Problem.AskOnce)
	}
	fmt.Fprintf(&b, "budget: %d\nloss: %v\n", s.Problem.T, s.Loss)
	if s.Decision != "" || s.Pool != nil && s.Says("decision") { // mapo recommend tells least squares from nothing said
		fmt.Fprintf(&b, "decision: %s\n", cmp.Or(s.Decision, decision.LeastSquares))
	}
	if s.DontKnow != "" {
		fmt.Fprintf(&b, "dont-know: %s\n", s.DontKnow)
	}
	if s.Weights != "" {
		fmt.Fprintf(&b, "weights: %s\n", word(s.Weights))
	}
	if s.IsTable() {
		fmt.Fprintf(&b, "truth: %s\n", s.Truth)
	}
	if s.Table != nil {
		if s.rules.Wrong != nil {
			fmt.Fprintf(&b, "wrong-answers: %g\n", *s.rules.Wrong)
		}
		if s.Problem.Drawn() < s.Problem.Hypotheses() {
			fmt.Fprintf(&b, "other: %g\n", s.rules.Other)
		}
		if rule, at, found := strings.Cut(s.Stopping, ":"); found {
			fmt.Fprintf(&b, "stop: {%s: %s}\n", rule, at)
		} else if s.Stopping != "" {
			fmt.Fprintf(&b, "stop: %s\n", s.Stopping)
		}
	}
	if o := s.Objective; o.Average != nil {
		fmt.Fprintf(&b, "objective: {average: %s, weight: %g}\n", word(o.Average.Name()), o.Weight)
	}
	b.WriteString(s.noise)
	if s.Problem.Difficulty != "" || s.kind.difficulty != "" {
		fmt.Fprintf(&b, "difficulty: %s\n", difficulty.MeasureOf(s.Problem).Name)
	}
	if s.Levels != nil {
		var list []string
		for _, r := range s.Levels {
			list = append(list, fmt.Sprintf("%g", r))
		}
		fmt.Fprintf(&b, "levels: [%s]\n", strings.Join(list, ", "))
	}
	fmt.Fprintf(&b, "seed: %d\ntrain:\n  preset: %s\n", s.Seed, s.Scale)
	for _, e := range s.train {
		fmt.Fprintf(&b, "  %s: %s\n", word(e.Key.GetToken().Value), inline(e.Value))
	}
	return b.String()
}

// priorNames returns the priors as they print themselves, which Load reads again, without those of
// another source's people.
func (s *Spec) priorNames() []string {
	var out []string
	for _, p := range s.Priors {
		if _, ok := p.(*game.People); ok {
			continue
		}
		out = append(out, p.Name())
	}
	return out
}

// Hash8 returns the first 8 hex digits of a hash of all that decides the result: the
// settings, and the contents of the files in place of where they are. Taken
// after [Spec.FixTrain], a spec and what it resolves to have the same.
func (s *Spec) Hash8() string {
	h := sha256.New()
	p := s.Problem
	h.Write(fmt.Appendf(nil, "%q %q %q %q\n%s%q %q %d\n", s.Name, p.Name, p.X, p.Names, s.settings(), s.Rivals, s.priorNames(), s.Games))
	if s.Unmarked {
		h.Write([]byte("yardstick false\n"))
	}
	// Floats by their bits: text would round or depend on a format.
	var word [8]byte
	number := func(v float64) {
		binary.LittleEndian.PutUint64(word[:], math.Float64bits(v))
		h.Write(word[:])
	}
	for _, z := range p.Z {
		number(float64(z))
	}
	switch goal := p.Goal().(type) {
	case *game.Vectors:
		for _, v := range goal.X {
			number(v)
		}
	case *game.Shares:
		for _, v := range slices.Concat(goal.Yes, goal.Weight) {
			number(v)
		}
		fmt.Fprint(h, goal.Unknown)
	case *game.Labels:
		fmt.Fprintf(h, "%q %q %d %d %d %g", goal.Classes, goal.Items, goal.Cell, goal.First, goal.Of, goal.Pool)
	}
	for _, prior := range s.Priors {
		if people, ok := prior.(*game.People); ok {
			fmt.Fprint(h, people.Name())
			for _, row := range people.Rows {
				fmt.Fprint(h, row.Hypothesis)
				for _, v := range row.Theta {
					number(v)
				}
			}
		}
	}
	for _, rows := range [][][]float64{s.rows, s.Instances} {
		number(float64(len(rows)))
		for _, row := range rows {
			for _, v := range row {
				number(v)
			}
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:4])
}

// inline returns a value in YAML's flow style, numbers in their shortest form.
func inline(n ast.Node) string {
	if list, ok := entries(n); ok {
		var out []string
		for _, e := range list {
			out = append(out, word(e.Key.GetToken().Value)+": "+inline(e.Value))
		}
		return "{" + strings.Join(out, ", ") + "}"
	}
	if seq, ok := n.(*ast.SequenceNode); ok {
		var out []string
		for _, v := range seq.Values {
			out = append(out, inline(v))
		}
		return "[" + strings.Join(out, ", ") + "]"
	}
	text, quoted, _ := scalarText(n)
	v, err := strconv.ParseFloat(text, 64)
	switch _, whole := strconv.ParseInt(text, 10, 64); {
	case n.Type() == ast.NullType:
		return "null"
	case !quoted && (text == "true" || text == "false" || whole == nil):
		return text
	case !quoted && err == nil && !math.IsNaN(v) && !math.IsInf(v, 0):
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	return word(text)
}

// bare is a text that YAML reads as itself without quotes.
var bare = regexp.MustCompile(`^[A-Za-z_/][A-Za-z0-9_/.-]*(:[0-9][0-9.e-]*)?$`)

// word returns s as a YAML scalar that is read back as the same text.
func word(s string) string {
	switch strings.ToLower(s) {
	case "true", "false", "null", "yes", "no", "on", "off":
		return strconv.Quote(s)
	}
	if bare.MatchString(s) {
		return s
	}
	return strconv.Quote(s)
}

// words returns a list of texts in flow style.
func words(list []string) string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = word(s)
	}
	return "[" + strings.Join(out, ", ") + "]"
}
