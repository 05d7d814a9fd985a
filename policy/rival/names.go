package rival

import (
	"fmt"
	"maps"
	"slices"

	"mapo/internal/names"
)

// numbers are what may follow the kinds that take a number, in examples; "" is for a kind that has one of its own.
var numbers = map[string][]string{
	"information":    {"", ":0.03"},
	"gain":           {":1"},
	"instant":        {":0", ":0.7"},
	"sgbs":           {":0.1"},
	"lin-gap-e":      {":1"},
	"model-selector": {":0.46"},
}

// Names returns the names of policies that [Parse] takes, sorted, with an example where a name has a number.
func Names() []string {
	var all []string
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		examples := numbers[kind]
		if examples == nil {
			examples = []string{""}
		}
		for _, number := range examples {
			all = append(all, kind+number)
		}
	}
	return all
}

// numberless returns the fault of a name with a number where its kind takes none.
func numberless(name, kind string) error {
	return fmt.Errorf("policy %q: %s takes no number: write %s", name, kind, kind)
}

// unknown returns the fault of a name that is not a policy's, with the nearest that is.
func unknown(name string) error {
	if near, ok := names.Near(name, Names()); ok && near != name {
		return fmt.Errorf("%w %q; did you mean %q?", ErrUnknown, name, near)
	}
	return fmt.Errorf("%w %q; known are %s", ErrUnknown, name, Known)
}
