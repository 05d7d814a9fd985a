package spec

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// What a spec's text may be: a page or two, and no deeper than a map of maps of
// lists. The parser recurses, so depth is bounded before it runs.
const (
	mostBytes = 64 << 10
	mostDepth = 16
)

// source is a parsed spec: its root map and where each of its values stands.
type source struct {
	name  string // for messages
	root  ast.Node
	lines map[string]int // by path, such as "evaluate.rivals[2]"
}

// fault returns an error at a line of the file.
func (s *source) fault(line int, format string, a ...any) error {
	return fmt.Errorf("%s:%d: %s", s.name, max(line, 1), fmt.Sprintf(format, a...))
}

// at returns an error at the value with that path, or at the nearest thing around it. A table without a spec has no lines that
// say such values.
func (s *source) at(path, format string, a ...any) error {
	if len(s.lines) == 0 {
		return fmt.Errorf("%s: %s", s.name, fmt.Sprintf(format, a...))
	}
	for {
		if line, ok := s.lines[path]; ok {
			return s.fault(line, format, a...)
		}
		cut := strings.LastIndexAny(path, ".[")
		if cut < 0 {
			return s.fault(1, format, a...)
		}
		path = path[:cut]
	}
}

// parse reads text as one YAML map without anchors, aliases, tags or merges:
// they would let a page unfold into gigabytes, and a spec needs none.
func parse(name string, text []byte) (*source, error) {
	s := &source{name: name, lines: make(map[string]int)}
	text = bytes.TrimPrefix(text, []byte("\ufeff")) // Windows' editors put it first
	switch {
	case len(text) > mostBytes:
		return nil, s.fault(1, "the spec is longer than %d KiB: is this a spec?", mostBytes>>10)
	case !utf8.Valid(text) || strings.ContainsRune(string(text), 0):
		return nil, s.fault(1, "this is not a text: a spec is a YAML file or a table (.csv, .csv.gz)")
	case tooDeep(string(text)):
		return nil, s.fault(1, "the spec is nested more than %d deep", mostDepth)
	}
	file, err := parseYAML(text)
	if err != nil {
		return nil, s.syntax(err)
	}
	for _, doc := range file.Docs {
		switch {
		case doc.Body == nil:
		case s.root != nil:
			return nil, s.fault(line(doc.Body), "a second document starts here: a spec is one")
		default:
			s.root = doc.Body
		}
	}
	if s.root == nil {
		return nil, s.fault(1, "the spec is empty: name a table or thresholds under problem:")
	}
	if _, ok := entries(s.root); !ok {
		return nil, s.fault(line(s.root), "the spec has no keys: write problem:, budget: and so on; if it is a table, let its name end in .csv or .tsv")
	}
	return s, s.plain(s.root)
}

// parseYAML returns the parser with its panics as errors: it is not ours, and a
// spec's text is anybody's.
func parseYAML(text []byte) (file *ast.File, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the parser gave up: %v", p)
		}
	}()
	return parser.ParseBytes(text, 0)
}

// syntax returns the parser's error as one line with its place.
func (s *source) syntax(err error) error {
	at, text := 1, err.Error()
	var y yaml.Error
	if errors.As(err, &y) {
		text = y.GetMessage()
		if tk := y.GetToken(); tk != nil && tk.Position != nil {
			at = tk.Position.Line
		}
	}
	text, _, _ = strings.Cut(text, "\n")
	return s.fault(at, "not YAML: %s", text)
}

// tooDeep counts how many brackets, dashes or steps of indentation nest; it may
// overcount, in quoted text say, but not in any sensible spec.
func tooDeep(text string) bool {
	depth := 0
	for _, row := range strings.Split(text, "\n") {
		inner := strings.TrimLeft(row, " ")
		opens := strings.Count(inner, "- ") + strings.Count(inner, "? ") + strings.Count(inner, ": ")
		if (len(row)-len(inner)) > 4*mostDepth || opens > 64*mostDepth {
			return true
		}
		for _, c := range inner {
			switch c {
			case '[', '{':
				if depth++; depth > mostDepth {
					return true
				}
			case ']', '}':
				depth = max(0, depth-1)
			}
		}
	}
	return false
}

// plain refuses what a spec does not need.
func (s *source) plain(n ast.Node) error {
	if list, ok := entries(n); ok {
		first := make(map[string]int, len(list))
		for _, e := range list {
			if _, ok := e.Key.(*ast.StringNode); !ok {
				return s.fault(line(e.Key), "%q is not a key: keys are plain words", e.Key.String())
			}
			// The parser finds most of these, but not "a" beside a.
			key := e.Key.GetToken().Value
			if at, ok := first[key]; ok {
				return s.fault(line(e.Key), "key %q stands on line %d too: keep one", key, at)
			}
			first[key] = line(e.Key)
			if err := s.plain(e.Value); err != nil {
				return err
			}
		}
		return nil
	}
	switch n := n.(type) {
	case *ast.SequenceNode:
		for _, v := range n.Values {
			if err := s.plain(v); err != nil {
				return err
			}
		}
		return nil
	case *ast.StringNode, *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.NullNode, *ast.InfinityNode, *ast.NanNode:
		return nil
	}
	return s.fault(line(n), "anchors, aliases, tags and blocks of text are not read here: write the value out")
}

// entries returns a map's keys and values in order; false where n is not a map.
func entries(n ast.Node) ([]*ast.MappingValueNode, bool) {
	switch n := n.(type) {
	case *ast.MappingNode:
		return n.Values, true
	case *ast.MappingValueNode:
		return []*ast.MappingValueNode{n}, true
	}
	return nil, false
}

// line returns where a node starts; some have no token.
func line(n ast.Node) int {
	if n != nil {
		if tk := n.GetToken(); tk != nil && tk.Position != nil {
			return tk.Position.Line
		}
	}
	return 1
}
