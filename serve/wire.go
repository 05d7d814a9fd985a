package serve

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/danielgtaylor/huma/v2"
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

// Schema returns the schema of a Ref in OpenAPI.
func (r Ref) Schema(huma.Registry) *huma.Schema {
	least := 0.
	return (&huma.Schema{
		Description: "a query: its index, counting from 0, or its exact text",
		OneOf:       []*huma.Schema{{Type: huma.TypeInteger, Minimum: &least}, {Type: huma.TypeString}},
	})
}

// of returns the query of p that r names.
func (r Ref) of(p *Policy) (int, error) {
	if r.ByText {
		return p.Query(r.Text)
	}
	if d := p.game.Questions(); r.Index < 0 || r.Index >= d {
		one, many := p.noun()
		return 0, fmt.Errorf("there is no %s %d; there are %s 0 to %d", one, r.Index, many, d-1)
	}
	return r.Index, nil
}

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

// brief returns a copy of e with its first faults, without the objects and lists they
// were found in.
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

// shortened returns a text, cut after mostEcho bytes.
func shortened(text string) string {
	if len(text) <= mostEcho {
		return text
	}
	return strings.ToValidUTF8(text[:mostEcho], "") + "…"
}
