package game

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Answer is what an answer to a question is. There is one file for each kind: [YesNo], numbers ([Answers]) and the class of an
// item ([Classes]).
type Answer interface {
	// Names are the classes by name, in their order; nothing where an answer is any number.
	Names() []string
	// Noun is what answers are called: yes and no, numbers, classes.
	Noun() string
	// Unit is the answer that counts as 1, in the user's units.
	Unit() float64
	// Variance is that of an answer of mean theta.
	Variance(theta float64) float64
	// Fit reports why y is not an answer; the caller says which it is of. Halves of one are allowed where questions come once.
	Fit(y float64, once bool) error
	// Say writes y for people.
	Say(y float64) string
	// Read returns the answer that a text names; false where it names none. Names that fold makes equal are one.
	Read(text string, fold func(string) string) (y float64, ok bool)
	// Are says which texts [Answer.Read] takes. Names are written by quote, at most so many.
	Are(quote func(string) string, most int) string
}

// Answer returns what answers to p's questions are.
func (p *Problem) Answer() Answer {
	switch {
	case p.Labels != nil:
		return Classes{p.Labels.Classes}
	case p.Answers.Gaussian():
		return p.Answers
	}
	return YesNo{}
}

// YesNo is an answer ±1 of mean θ_i.
type YesNo struct{}

// Names returns no and yes.
func (YesNo) Names() []string { return []string{"no", "yes"} }

// Noun returns "yes and no".
func (YesNo) Noun() string { return "yes and no" }

// Unit returns 1.
func (YesNo) Unit() float64 { return 1 }

// Variance returns 1 − θ².
func (YesNo) Variance(theta float64) float64 { return 1 - theta*theta }

// yesNoAnswers are the answers of yes and no by their words.
var yesNoAnswers = []struct {
	word string
	y    float64
}{{"yes", 1}, {"probably", 0.5}, {"probably not", -0.5}, {"no", -1}}

// Fit refuses all but ±1 and, where questions come once, ±½.
func (YesNo) Fit(y float64, once bool) error {
	switch math.Abs(y) {
	case 1:
		return nil
	case 0.5:
		if !once {
			return fmt.Errorf("is half an answer; this game may ask again, so answer yes, no or don't know")
		}
		return nil
	}
	return fmt.Errorf("is %g; this game's answers are yes (1), no (-1), probably (0.5), probably not (-0.5) and don't know", y)
}

// Say returns the word for y.
func (YesNo) Say(y float64) string {
	for _, a := range yesNoAnswers {
		if a.y == y {
			return a.word
		}
	}
	panic(fmt.Sprintf("game: %v is not an answer of yes and no", y))
}

// Read takes the words and their numbers.
func (YesNo) Read(text string, _ func(string) string) (float64, bool) {
	text = strings.ReplaceAll(strings.ToLower(text), "’", "'")
	for _, a := range yesNoAnswers {
		if a.word == text {
			return a.y, true
		}
	}
	y, err := strconv.ParseFloat(text, 64)
	return y, err == nil && (math.Abs(y) == 1 || math.Abs(y) == 0.5)
}

// Are lists the words and numbers.
func (YesNo) Are(func(string) string, int) string {
	return "yes, no, probably, probably not, don't know, 1, 0.5, -0.5 or -1"
}
