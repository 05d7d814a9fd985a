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
	// Check reports the first reason why p cannot have such answers.
	Check(p *Problem) error
	// Names are the classes by name, in their order; nothing where an answer is any number.
	Names() []string
	// Noun is what answers are called: yes and no, numbers, classes.
	Noun() string
	// Counts says what each answer adds to the sum of its column.
	Counts() string
	// Unit is the answer that counts as 1, in the user's units.
	Unit() float64
	// Variance is that of an answer of mean theta.
	Variance(theta float64) float64
	// Describe adds its part to a document.
	Describe(d *Document)
	// Decisions lists the rules that may recommend after such answers, by their names in package decision.
	Decisions() []string
	// LogLikelihood is log P of so many answers that add sum to a column, where their mean is theta, up to a constant of the answers.
	LogLikelihood(theta, times, sum float64) float64
	// AddScore adds weight · ∂ log P/∂θ to dst, [|X|], after so many answers n that sum to s, [|X|], to questions q.
	AddScore(dst, theta []float64, n, s []float32, q Questions, weight float64)
	// Draw writes to dst, one a column of the question, what the answer that u in [0, 1) picks adds to the sums of its columns,
	// theta being their means. all says that it has a column for each class.
	Draw(dst []float32, theta []float64, all bool, u float64)
	// Chance returns scratch of one caller.
	Chance() Chance
	// Reach is how far apart an answer may move two scores that count each mean once, but for what is too rare to matter.
	Reach() float64
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
	case p.Reply != nil:
		return p.Reply
	case p.Seek != nil:
		return p.Seek.Answer()
	}
	return YesNo{}
}

// Chance is what an answer to a question of one column may be, given the number that it is drawn from.
type Chance interface {
	// Of returns two answers and their probabilities: over them an expectation is a sum. own is the one that was drawn from
	// quantile, in [0, 1), where the mean is theta; of yes and no the one that came.
	Of(theta, quantile float64, yes bool) (y [2]float32, share [2]float64, own int)
}

// YesNo is an answer ±1 of mean θ_i.
type YesNo struct{}

// Check finds nothing.
func (YesNo) Check(*Problem) error { return nil }

// Names returns no and yes.
func (YesNo) Names() []string { return []string{"no", "yes"} }

// Decisions returns those of all goals.
func (YesNo) Decisions() []string { return []string{"least-squares", "posterior", "votes"} }

// Noun returns "yes and no".
func (YesNo) Noun() string { return "yes and no" }

// Counts says ±1.
func (YesNo) Counts() string { return "+1 or -1" }

// Unit returns 1.
func (YesNo) Unit() float64 { return 1 }

// Variance returns 1 − θ².
func (YesNo) Variance(theta float64) float64 { return 1 - theta*theta }

// LogLikelihood returns the logarithm of ((1+θ)/2)^yes·((1−θ)/2)^no.
func (YesNo) LogLikelihood(theta, times, sum float64) float64 {
	return log((times+sum)/2, (1+theta)/2) + log((times-sum)/2, (1-theta)/2)
}

// log returns n·log p, 0 for n = 0.
func log(n, p float64) float64 {
	if n == 0 {
		return 0
	}
	return n * math.Log(p)
}

// AddScore adds what [addScore] does.
func (a YesNo) AddScore(dst, theta []float64, n, s []float32, _ Questions, weight float64) {
	addScore(a, dst, theta, n, s, weight)
}

// addScore adds the score of questions of one column,
//
//	(S_i − N_i θ_i) / Var(θ_i)
//
// At |θ_i| = 1 of ±1 it is biased (reading 2): an impossible answer adds 0 there.
func addScore(a Answer, dst, theta []float64, n, s []float32, weight float64) {
	for i, v := range theta {
		asked := n[i]
		if asked == 0 {
			continue
		}
		if variance := a.Variance(v); variance > 0 {
			dst[i] += weight * (float64(s[i]) - float64(asked)*v) / variance
		} else {
			dst[i] += weight * float64(s[i]) / 2
		}
	}
}

// Draw draws yes where u < (1+θ)/2.
func (YesNo) Draw(dst []float32, theta []float64, _ bool, u float64) {
	dst[0] = -1
	if u < (1+theta[0])/2 {
		dst[0] = 1
	}
}

// Chance returns both answers.
func (a YesNo) Chance() Chance { return a }

// Reach returns 1, and a little for ties.
func (YesNo) Reach() float64 { return 1 + 2*Tie }

// Of returns no and yes.
func (YesNo) Of(theta, _ float64, yes bool) (y [2]float32, share [2]float64, own int) {
	if yes {
		own = 1
	}
	return [2]float32{-1, 1}, [2]float64{(1 - theta) / 2, (1 + theta) / 2}, own
}

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
