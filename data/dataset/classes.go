package dataset

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"mapo/data/table"
	"mapo/internal/names"
)

// classes are the names of classes as a reader meets them.
type classes struct {
	names []string
	given bool             // they are all there are
	ids   map[string]int32 // by the text of a cell
}

// newClasses knows the given ones, or none yet. Fewer than two, an empty name and one that stands twice are errors.
func newClasses(given []string) (classes, error) {
	c := classes{ids: map[string]int32{}, given: given != nil}
	if c.given && len(given) < 2 || len(given) > mostListed {
		return c, fmt.Errorf("classes lists %d; there must be from 2 to %d", len(given), mostListed)
	}
	for i, name := range given {
		name = plainClass(name)
		switch _, twice := c.ids[name]; {
		case name == "":
			return c, fmt.Errorf("class %d of the list is empty; a class has a name", i+1)
		case twice:
			return c, fmt.Errorf("class %s stands twice in the list: remove one", table.Quote(name))
		}
		c.ids[name] = int32(i)
		c.names = append(c.names, name)
	}
	return c, nil
}

// plainClass brings a class's name into one form: 1.0 is 1, as programs write whole numbers either way.
func plainClass(cell string) string {
	cell = table.Fold(table.Clean(cell))
	if whole, ok := strings.CutSuffix(cell, ".0"); ok {
		if _, err := strconv.Atoi(whole); err == nil {
			return whole
		}
	}
	return cell
}

// of returns the class of a cell, which is not missing.
func (c *classes) of(cell string) (int32, error) {
	if id, ok := c.ids[cell]; ok {
		return id, nil
	}
	name := plainClass(cell)
	id, ok := c.ids[name]
	switch {
	case ok:
	case c.given:
		return 0, fmt.Errorf("%s is not one of the %d classes%s; list it in classes, or correct it", table.Quote(cell), len(c.names), Near(name, c.names))
	case len(c.names) == mostClasses:
		return 0, fmt.Errorf("%s is class number %d; a prediction is a class, not a probability. So many classes? List them in classes", table.Quote(cell), mostClasses+1)
	default:
		id = int32(len(c.names))
		c.names = append(c.names, name)
		c.ids[name] = id
	}
	c.ids[cell] = id
	return id, nil
}

// knows reports whether a cell is a class that was met.
func (c *classes) knows(cell string) bool {
	_, ok := c.ids[plainClass(cell)]
	return ok
}

// shortest is the length from which a name may be another's, misspelt.
const shortest = 3

// Near names the class nearest to one that is not known, " (nearest: cat)", or "" where none is near.
func Near(name string, known []string) string {
	if len(name) < shortest {
		return "" // letters are not slips of each other
	}
	if list := names.New(known).Nearest(name, 1); len(list) > 0 {
		return fmt.Sprintf(" (nearest: %s)", list[0])
	}
	return ""
}

// sorted returns the names, found ones in order, numbers by their size, and brings of, in place, to their new indices. Missing
// predictions, -1, stay.
func (c *classes) sorted(of []int32) []string {
	if c.given {
		return c.names
	}
	order := upTo(len(c.names))
	slices.SortFunc(order, func(a, b int) int { return compareClasses(c.names[a], c.names[b]) })
	out, to := make([]string, len(order)), make([]int32, len(order))
	for at, from := range order {
		out[at], to[from] = c.names[from], int32(at)
	}
	for i, id := range of {
		if id >= 0 {
			of[i] = to[id]
		}
	}
	return out
}

// compareClasses orders numbers before other texts.
func compareClasses(a, b string) int {
	x, errX := strconv.Atoi(a)
	y, errY := strconv.Atoi(b)
	switch {
	case errX == nil && errY == nil:
		return cmp.Or(cmp.Compare(x, y), cmp.Compare(a, b))
	case errX == nil:
		return -1
	case errY == nil:
		return 1
	}
	return cmp.Compare(a, b)
}
