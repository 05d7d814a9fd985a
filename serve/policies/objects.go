package policies

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"mapo/data/table"
	"mapo/internal/names"
	"mapo/serve/wire"
)

// MostSimilar is how many names are listed that may have been meant.
const MostSimilar = 3

// Objects finds objects by what a person types. It is read-only and may be used concurrently.
type Objects struct {
	names []string
	index *names.Index
	at    map[string]int // by [names.Fold]; ambiguous where two names fold to one
}

func NewObjects(list []string) *Objects {
	o := &Objects{names: list, index: names.New(list), at: make(map[string]int, len(list))}
	for i, name := range list {
		folded := names.Fold(name)
		if _, twice := o.at[folded]; twice {
			i = ambiguous
		}
		o.at[folded] = i
	}
	return o
}

// Find returns the object of that name or, of "A or B", both: the name of objects with equal shares. Names are compared
// without case and marks, unless two then read the same.
func (o *Objects) Find(text string) ([]int, bool) {
	if i, ok := o.one(text); ok {
		return []int{i}, true
	}
	var all []int
	for part := range strings.SplitSeq(text, " or ") {
		i, ok := o.one(part)
		if !ok {
			return nil, false
		}
		if !slices.Contains(all, i) {
			all = append(all, i)
		}
	}
	return all, true
}

func (o *Objects) one(text string) (int, bool) {
	i, ok := o.at[names.Fold(text)]
	if ok && i == ambiguous {
		i = slices.Index(o.names, text)
	}
	return i, ok && i >= 0
}

// Complete returns up to most names that text may be the beginning of.
func (o *Objects) Complete(text string, most int) []string { return o.index.Complete(text, most) }

// Unknown returns the fault that no object has that name, with the nearest ones and the remedy.
func (o *Objects) Unknown(text, remedy string) error {
	return &wire.Fault{
		Status:  http.StatusUnprocessableEntity,
		Nearest: append([]string{}, o.index.Nearest(text, MostSimilar)...),
		Reason:  fmt.Sprintf("%q is not an object of the table%s %s", wire.Shortened(text), o.Meant(text), remedy),
	}
}

// Meant returns the end of the sentence that text is not an object: a stop, or the nearest names.
func (o *Objects) Meant(text string) string {
	near := o.index.Nearest(text, MostSimilar)
	if len(near) == 0 {
		return "."
	}
	return "; did you mean " + quoted(near) + "?"
}

// quoted returns names as a list in words.
func quoted(list []string) string {
	all := make([]string, len(list))
	for i, name := range list {
		all[i] = fmt.Sprintf("%q", name)
	}
	return table.Either(all)
}

// Indices returns the objects of those names.
func (o *Objects) Indices(what string, list []string) ([]int, error) {
	var all []int
	for _, text := range list {
		found, ok := o.Find(text)
		if !ok {
			return nil, o.Unknown(text, "Each name under "+what+" must be an object.")
		}
		for _, i := range found {
			if !slices.Contains(all, i) {
				all = append(all, i)
			}
		}
	}
	return all, nil
}
