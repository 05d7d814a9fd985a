package play

import (
	"math"

	"mapo/game"
)

// Answer is a reply to a question: a number, or the zero value [DontKnow], which counts for nothing and has its question not
// asked again. Answers are compared with ==.
type Answer struct {
	bits uint64 // the complement of the number's: 0 is that of no finite number
}

// The answers to questions of yes and no. Half answers are allowed in ask-once games only.
var (
	Yes         = Number(1)
	Probably    = Number(0.5)
	DontKnow    = Answer{}
	ProbablyNot = Number(-0.5)
	No          = Number(-1)
)

// Number returns the answer y, in the units of [game.Answers]. In a game of yes and no only those of [Yes], [No] and half
// answers are answers.
func Number(y float64) Answer {
	if y == 0 {
		y = 0 // −0 is the same answer
	}
	return Answer{^math.Float64bits(y)}
}

// Class returns the answer that an item is of class c, counted from 0.
func Class(c int) Answer { return Number(float64(c)) }

// Class returns the class that the answer names, where it is that of an item and not [DontKnow].
func (a Answer) Class() int { return int(a.Value()) }

// Value returns y: ±1 for yes and no, ±½ for probably and probably not, 0 for don't know.
func (a Answer) Value() float64 {
	if a == DontKnow {
		return 0
	}
	return math.Float64frombits(^a.bits)
}

// IsHalf reports whether a is probably or probably not.
func (a Answer) IsHalf() bool { return a == Probably || a == ProbablyNot }

// IsYesNo reports whether a is an answer in games of yes and no: yes, no, half of one, or don't know.
func (a Answer) IsYesNo() bool {
	return a == DontKnow || a == Yes || a == No || a.IsHalf()
}

// Halves returns an answer of yes and no in halves of one, so that sums are whole numbers: 2 for yes, −2 for no.
func (a Answer) Halves() int64 { return int64(2 * a.Value()) }

// OfHalves returns the answer whose [Answer.Halves] are n: 0 is don't know.
func OfHalves(n int64) Answer {
	if n == 0 {
		return DontKnow
	}
	return Number(float64(n) / 2)
}

// Fits reports why a cannot answer a question of p. The caller says which answer it is.
func Fits(p *game.Problem, a Answer) error {
	if a == DontKnow {
		return nil
	}
	return p.Answer().Fit(a.Value(), p.AskOnce)
}
