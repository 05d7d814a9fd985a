package spec

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"
)

// decode sets dst from n, strictly: an unknown key, a value of another kind, a
// null or a number that is not finite is an error with its line. What n does
// not mention keeps its value. A field's key is its yaml tag, else its name in
// lower case, as everywhere in YAML.
func (s *source) decode(path string, n ast.Node, dst reflect.Value) error {
	if n == nil || n.Type() == ast.NullType {
		return s.at(path, "%s has no value: write one or remove the key", path)
	}
	if dst.Type() == reflect.TypeFor[ast.Node]() {
		dst.Set(reflect.ValueOf(n))
		return nil
	}
	switch dst.Kind() {
	case reflect.Pointer:
		if dst.IsNil() {
			dst.Set(reflect.New(dst.Type().Elem()))
		}
		return s.decode(path, n, dst.Elem())
	case reflect.Struct:
		list, ok := entries(n)
		if !ok {
			return s.at(path, "%s is %s, want a map of keys", path, show(n))
		}
		return s.fields(path, list, dst)
	case reflect.Slice:
		return s.list(path, n, dst)
	}
	return s.scalar(path, n, dst)
}

// fields sets the fields of a struct from a map's entries; also names keys that
// the caller has dealt with, so that they are offered as near ones.
func (s *source) fields(path string, list []*ast.MappingValueNode, dst reflect.Value, also ...string) error {
	known := append(keys(dst.Type()), also...)
	for _, e := range list {
		key := e.Key.GetToken().Value
		at := key
		if path != "" {
			at = path + "." + key
		}
		s.lines[at] = line(e.Key)
		field, ok := byKey(dst, key)
		if !ok {
			if remedy := misplaced(dst.Type(), key, e.Value); remedy != "" {
				return s.fault(line(e.Key), "%s is not a key of train: write %s", at, remedy)
			}
			return s.fault(line(e.Key), "%s", Unknown("key", key, known))
		}
		if err := s.decode(at, e.Value, field); err != nil {
			return err
		}
	}
	return nil
}

// misplaced returns how a key is written that belongs into a block of its map, or whose value is the name of a block;
// "" for any other.
func misplaced(t reflect.Type, key string, value ast.Node) string {
	text, _, _ := scalarText(value)
	for i := range t.NumField() {
		f := t.Field(i)
		block := keyOf(f)
		if block == "" || f.Type.Kind() != reflect.Pointer || f.Type.Elem().Kind() != reflect.Struct {
			continue
		}
		switch {
		case text == block:
			return block + ": {}"
		case slices.Contains(keys(f.Type.Elem()), key):
			return fmt.Sprintf("%s: {%s: %s}", block, key, show(value))
		}
	}
	return ""
}

// list replaces dst by the list: a shorter one in a spec is not the end of a
// longer one of a preset.
func (s *source) list(path string, n ast.Node, dst reflect.Value) error {
	seq, ok := n.(*ast.SequenceNode)
	if !ok {
		return s.at(path, "%s is %s, want a list such as [a, b]", path, show(n))
	}
	out := reflect.MakeSlice(dst.Type(), len(seq.Values), len(seq.Values))
	for i, v := range seq.Values {
		at := fmt.Sprintf("%s[%d]", path, i)
		s.lines[at] = line(v)
		if err := s.decode(at, v, out.Index(i)); err != nil {
			return err
		}
	}
	dst.Set(out)
	return nil
}

// scalar reads the number, word or truth value as it is written: YAML 1.2 and
// its parsers disagree on whether 1e4 is a number, people do not.
func (s *source) scalar(path string, n ast.Node, dst reflect.Value) error {
	text, quoted, ok := scalarText(n)
	if !ok {
		text, ok = rejoined(n)
	}
	want := ""
	switch kind := dst.Kind(); {
	case !ok:
		want = "a single value"
	case kind == reflect.String:
		dst.SetString(text)
	case kind == reflect.Bool:
		if quoted || text != "true" && text != "false" {
			want = "true or false"
		}
		dst.SetBool(text == "true")
	case dst.CanInt():
		v, err := strconv.ParseInt(text, 10, 64)
		if quoted || err != nil || dst.OverflowInt(v) {
			want = "a whole number"
			if errors.Is(err, strconv.ErrRange) {
				want += ", and one that is not so large"
			}
		} else {
			dst.SetInt(v)
		}
	case dst.CanUint():
		v, err := strconv.ParseUint(text, 10, 64)
		if quoted || err != nil || dst.OverflowUint(v) {
			want = "a whole number of at least 0"
			if errors.Is(err, strconv.ErrRange) {
				want = "a whole number of at most 18446744073709551615"
			}
		} else {
			dst.SetUint(v)
		}
	case dst.CanFloat():
		v, err := strconv.ParseFloat(text, 64)
		if quoted || err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
			want = "a number"
		} else {
			dst.SetFloat(v)
		}
	default:
		panic(fmt.Sprintf("spec: %s is of the kind %v, which no spec can set", path, kind))
	}
	if want != "" {
		return s.at(path, "%s is %s, want %s", path, show(n), want)
	}
	return nil
}

// scalarText returns a scalar as written, without quotes; ok is false where n is not a scalar.
func scalarText(n ast.Node) (text string, quoted, ok bool) {
	if _, ok := n.(ast.ScalarNode); !ok {
		return "", false, false
	}
	tk := n.GetToken()
	quoted = tk.Type == token.SingleQuoteType || tk.Type == token.DoubleQuoteType
	return tk.Value, quoted, true
}

// rejoined returns the text that a map of one entry was before the parser cut it: sgbs:0.1 in a
// list within {…} is a text, as no blank follows the colon. ok is false for any other node.
func rejoined(n ast.Node) (text string, ok bool) {
	list, _ := entries(n)
	if len(list) != 1 {
		return "", false
	}
	value, ok := list[0].Value.(ast.ScalarNode)
	if !ok || value.Type() == ast.NullType {
		return "", false
	}
	key, after := list[0].Key.GetToken(), value.GetToken()
	if key.Position.Line != after.Position.Line || after.Position.Column != key.Position.Column+utf8.RuneCountInString(key.Value)+1 {
		return "", false
	}
	return key.Value + ":" + after.Value, true
}

// show returns a value for a message, in one short line.
func show(n ast.Node) string {
	if _, ok := entries(n); ok {
		return "a map"
	}
	if _, ok := n.(*ast.SequenceNode); ok {
		return "a list"
	}
	text, quoted, _ := scalarText(n)
	if runes := []rune(text); len(runes) > 40 {
		text = string(runes[:39]) + "…"
	}
	if quoted || strings.ContainsAny(text, "\r\n") {
		return "the text " + strconv.Quote(text)
	}
	return text
}

// keys returns what a struct's fields are called in a spec, in order.
func keys(t reflect.Type) []string {
	var out []string
	for i := range t.NumField() {
		if key := keyOf(t.Field(i)); key != "" {
			out = append(out, key)
		}
	}
	return out
}

// keyOf returns a field's key, "" where a spec may not set it.
func keyOf(f reflect.StructField) string {
	tag, _, _ := strings.Cut(f.Tag.Get("yaml"), ",")
	switch {
	case !f.IsExported() || tag == "-":
		return ""
	case tag != "":
		return tag
	}
	return strings.ToLower(f.Name)
}

// byKey returns the field that key names. Case counts: N and n could both be keys.
func byKey(v reflect.Value, key string) (reflect.Value, bool) {
	for i := range v.NumField() {
		if keyOf(v.Type().Field(i)) == key {
			return v.Field(i), true
		}
	}
	return reflect.Value{}, false
}
