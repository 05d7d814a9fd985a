package game

import (
	"fmt"
	"strconv"
	"strings"
)

// Classes is an answer that is one of several classes.
type Classes struct{ Class []string }

// Check finds nothing: the labels are checked.
func (Classes) Check(*Problem) error { return nil }

// Names returns the classes.
func (c Classes) Names() []string { return c.Class }

// Decisions returns those of yes and no.
func (Classes) Decisions() []string { return YesNo{}.Decisions() }

// Noun returns "classes".
func (Classes) Noun() string { return "classes" }

// Counts says ±1.
func (Classes) Counts() string { return YesNo{}.Counts() }

// Unit returns 1.
func (Classes) Unit() float64 { return 1 }

// Variance returns 1 − θ².
func (Classes) Variance(theta float64) float64 { return 1 - theta*theta }

// LogLikelihood returns that of yes and no, for one column.
func (Classes) LogLikelihood(theta, times, sum float64) float64 {
	return YesNo{}.LogLikelihood(theta, times, sum)
}

// AddScore: an item's class is k_i times that of column i, of probability p_i = (1+θ_i)/2, and k₀ times none of them:
//
//	∂ log P/∂θ_i = (k_i/p_i − k₀/p₀)/2
//
// Where the p_i of a question sum to 1, it is projected onto what leaves that sum. At p_i = 0 it is biased (reading 2).
func (Classes) AddScore(dst, theta []float64, n, s []float32, q Questions, weight float64) {
	if q.Len() == len(theta) {
		addScore(YesNo{}, dst, theta, n, s, weight)
		return
	}
	for c := range q.Len() {
		lo, hi := q.Columns(c)
		if n[lo] == 0 {
			continue
		}
		rest, none, sum := 1.0, float64(n[lo]), 0.0
		for i := lo; i < hi; i++ {
			share, times := (1+theta[i])/2, float64(n[i]+s[i])/2
			rest, none = rest-share, none-times
			if times > 0 && share > 0 {
				sum += times / share
			}
		}
		common := sum / float64(hi-lo) // what the projection takes off
		if !q.All(c) {
			common = 0
			if none > 0 && rest > 0 {
				common = none / rest
			}
		}
		for i := lo; i < hi; i++ {
			score := -common
			if share, times := (1+theta[i])/2, float64(n[i]+s[i])/2; times > 0 && share > 0 {
				score += times / share
			}
			dst[i] += weight * score / 2
		}
	}
}

// Draw picks a column by (1+θ)/2, or none. Rounding falls on the last column where there is one for each class.
func (Classes) Draw(dst []float32, theta []float64, all bool, u float64) {
	came := -1
	for j, v := range theta {
		dst[j] = -1
		if share := (1 + v) / 2; came < 0 {
			if u < share {
				came = j
			}
			u -= share
		}
	}
	if came < 0 && all {
		came = len(theta) - 1
	}
	if came >= 0 {
		dst[came] = 1
	}
}

// Chance returns that of yes and no, for a question of one column.
func (Classes) Chance() Chance { return YesNo{} }

// Reach returns that of yes and no.
func (Classes) Reach() float64 { return YesNo{}.Reach() }

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
