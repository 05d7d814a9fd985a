package serve

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"mapo/game/play"
)

// Ref names a query in a request: by its index, or by its very text.
type Ref struct {
	Index  int
	Text   string
	ByText bool
}

// UnmarshalJSON reads a whole number or a string.
func (r *Ref) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && data[0] == '"' {
		r.ByText = true
		return json.Unmarshal(data, &r.Text)
	}
	if json.Unmarshal(data, &r.Index) != nil {
		return errors.New("a query is its index, a whole number, or its exact text")
	}
	return nil
}

// MarshalJSON writes what UnmarshalJSON reads.
func (r Ref) MarshalJSON() ([]byte, error) {
	if r.ByText {
		return json.Marshal(r.Text)
	}
	return json.Marshal(r.Index)
}

// Schema is a Ref's in OpenAPI.
func (r Ref) Schema(huma.Registry) *huma.Schema {
	least := 0.
	return (&huma.Schema{
		Description: "a query: its index, counting from 0, or its exact text",
		OneOf:       []*huma.Schema{{Type: huma.TypeInteger, Minimum: &least}, {Type: huma.TypeString}},
	})
}

// of is the query of p that r names.
func (r Ref) of(p *Policy) (int, error) {
	if r.ByText {
		return p.Query(r.Text)
	}
	if d := p.problem.Queries(); r.Index < 0 || r.Index >= d {
		return 0, fmt.Errorf("there is no query %d; there are queries 0 to %d", r.Index, d-1)
	}
	return r.Index, nil
}

// Reply is an answer: in a request 1 or true for yes, −1 or false for no, ±½ for probably and probably not, null for
// don't know. A reply of the
// server has the numbers.
type Reply play.Answer

// UnmarshalJSON reads 1, −1, 0.5, −0.5, null, true or false.
func (r *Reply) UnmarshalJSON(data []byte) error {
	switch string(data) {
	case "0.5":
		*r = Reply(play.Probably)
	case "-0.5":
		*r = Reply(play.ProbablyNot)
	case "1", "true":
		*r = Reply(play.Yes)
	case "-1", "false":
		*r = Reply(play.No)
	case "null":
		*r = Reply(play.DontKnow)
	default:
		return fmt.Errorf("an answer is %s; want 1 or true (yes), -1 or false (no), 0.5 (probably), -0.5 (probably not), or null (don't know)", shortened(string(data)))
	}
	return nil
}

// MarshalJSON writes what UnmarshalJSON reads.
func (r Reply) MarshalJSON() ([]byte, error) {
	if play.Answer(r) == play.DontKnow {
		return []byte("null"), nil
	}
	return json.Marshal(play.Answer(r).Value())
}

// String returns the answer in words.
func (r Reply) String() string { return replied(play.Answer(r)) }

// Schema is a Reply's in OpenAPI. Any type passes huma's check of types, so that a string is told the values that
// are possible, not that it should be a number.
func (r Reply) Schema(huma.Registry) *huma.Schema {
	s := &huma.Schema{
		Nullable: true, Enum: []any{1., -1., .5, -.5, null{}, true, false},
		Extensions:  map[string]any{"type": []string{huma.TypeNumber, huma.TypeBoolean, "null"}},
		Description: "1 or true: yes, -1 or false: no, 0.5: probably, -0.5: probably not (both only where no query is asked twice), null: don't know; replies have the numbers",
	}
	s.PrecomputeMessages()
	return s
}

// null is JSON's, in the list of a schema's values and in messages.
type null struct{}

func (null) MarshalJSON() ([]byte, error) { return []byte("null"), nil }
func (null) String() string               { return "null" }

// jsonFormat is huma's. Of what is wrong with a request it tells a little: huma repeats a
// whole object for each of its unknown keys.
var jsonFormat = huma.Format{
	Marshal: func(w io.Writer, v any) error {
		if e, ok := v.(*huma.ErrorModel); ok {
			v = brief(e)
		}
		return huma.DefaultJSONFormat.Marshal(w, v)
	},
	Unmarshal: huma.DefaultJSONFormat.Unmarshal,
}

const (
	mostFaults = 10  // of a request that are told
	mostEcho   = 500 // bytes of each text, which may repeat a part of the request
)

// brief is e with its first faults, and none of the objects and lists they were found in.
func brief(e *huma.ErrorModel) *huma.ErrorModel {
	short := *e
	short.Detail, short.Errors = shortened(e.Detail), nil
	for _, d := range e.Errors[:min(len(e.Errors), mostFaults)] {
		d := huma.ErrorDetail{Message: shortened(d.Message), Location: shortened(d.Location), Value: d.Value}
		switch v := d.Value.(type) {
		case string:
			d.Value = shortened(v)
		case bool, float64, nil:
		default:
			d.Value = nil
		}
		short.Errors = append(short.Errors, &d)
	}
	if more := len(e.Errors) - len(short.Errors); more > 0 {
		short.Errors = append(short.Errors, &huma.ErrorDetail{Message: fmt.Sprintf("and %d more", more)})
	}
	return &short
}

// shortened is as much of a text as is told.
func shortened(text string) string {
	if len(text) <= mostEcho {
		return text
	}
	return strings.ToValidUTF8(text[:mostEcho], "") + "…"
}
