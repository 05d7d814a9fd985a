package game

import (
	"fmt"
	"strconv"
	"strings"
)

// Classes is an answer that is one of several classes.
type Classes struct{ Class []string }

// Names returns the classes.
func (c Classes) Names() []string { return c.Class }

// Noun returns "classes".
func (Classes) Noun() string { return "classes" }

// Unit returns 1.
func (Classes) Unit() float64 { return 1 }

// Variance returns 1 − θ².
func (Classes) Variance(theta float64) float64 { return 1 - theta*theta }

// Fit refuses all but the indices of classes.
func (c Classes) Fit(y float64, _ bool) error {
	if last := len(c.Class) - 1; y != float64(int(y)) || y < 0 || int(y) > last {
		return fmt.Errorf("is class %g; there are classes 0 to %d (%q to %q), and don't know", y, last, c.Class[0], c.Class[last])
	}
	return nil
}

// Say returns the name of class y.
func (c Classes) Say(y float64) string { return c.Class[int(y)] }

// Read takes the names of classes.
func (c Classes) Read(text string, fold func(string) string) (float64, bool) {
	for class, name := range c.Class {
		if fold(text) == fold(name) {
			return float64(class), true
		}
	}
	return 0, false
}

// Are lists the names.
func (c Classes) Are(quote func(string) string, most int) string {
	more := ""
	if n := len(c.Class); n > most {
		more = fmt.Sprintf(" and %d more", n-most)
	}
	list := make([]string, min(most, len(c.Class)))
	for i := range list {
		list[i] = strconv.Quote(quote(c.Class[i]))
	}
	return "a class (" + strings.Join(list, ", ") + more + ") or don't know"
}
