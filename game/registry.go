package game

import (
	"encoding/json"
	"fmt"
)

// Registered is a goal or an answer of another package, so that JSON of problems and policy files hold it: Kind is the name it
// is registered by, and its own JSON says the rest.
type Registered interface{ Kind() string }

// kinds makes the empty goal or answer of each kind of another package.
var kinds = map[string]func() Registered{}

// Register makes a kind known by its name; empty returns a pointer to one that JSON fills in. It is called before any problem is
// read.
func Register(kind string, empty func() Registered) { kinds[kind] = empty }

// registered is one in JSON.
type registered struct {
	Kind string          `json:"kind"`
	Data json.RawMessage `json:"data"`
}

// written returns what JSON holds of a goal or an answer; nil where that is nothing more than its fields.
func written(of any) (*registered, error) {
	r, is := of.(Registered)
	if !is {
		return nil, nil
	}
	data, err := json.Marshal(r)
	return &registered{r.Kind(), data}, err
}

// fill enters what r describes into a field of a problem; of nil, nothing.
func fill[K any](into *K, r *registered) error {
	if r == nil {
		return nil
	}
	empty := kinds[r.Kind]
	if empty == nil {
		return fmt.Errorf("the problem is of kind %q, which this program does not know", r.Kind)
	}
	of := empty()
	if err := json.Unmarshal(r.Data, of); err != nil {
		return fmt.Errorf("kind %q: %w", r.Kind, err)
	}
	kind, is := of.(K)
	if !is {
		return fmt.Errorf("kind %q is not what is looked for", r.Kind)
	}
	*into = kind
	return nil
}
