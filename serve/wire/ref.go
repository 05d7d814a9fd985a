package wire

import (
	"encoding/json"
	"errors"

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
