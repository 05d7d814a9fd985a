package policies

import (
	"fmt"
	"strconv"
	"strings"

	"mapo/game"
	"mapo/game/play"
	"mapo/serve/wire"
)

// Answered returns the answer to a question of p, nil for any policy, that a request gives. at says where it stands there.
func (p *Policy) Answered(r wire.Reply, at string) (play.Answer, error) {
	numbers := p.Numbers()
	switch {
	case p.Labels() != nil:
		return p.label(r, at)
	case p == nil && r.Class != "":
		return noClass, nil
	case p == nil:
		numbers = !r.Word && r.Text != ""
	}
	if numbers {
		return p.measured(r, at)
	}
	return r.YesNo(at)
}

// noClass stands for a class where it is not known which there are.
var noClass = play.Class(-1)

// measured returns the answer that a request gives where answers are numbers.
func (p *Policy) measured(r wire.Reply, at string) (play.Answer, error) {
	largest := float64(game.MostNumber)
	if p != nil {
		largest = p.problem.Answers.Largest()
	}
	if y := r.Answer.Value(); r.Word || r.Answer == play.DontKnow && r.Text != "" || !(-largest <= y && y <= largest) {
		return r.Answer, r.Fault(at, fmt.Sprintf("an answer is %s; the answers of this policy are numbers: send one from %g to %g, or null (don't know)", r.Text, -largest, largest))
	}
	return r.Answer, nil
}

// referred returns the query that a request names.
func (p *Policy) referred(r wire.Ref) (int, error) {
	if r.ByText {
		return p.Query(r.Text)
	}
	if d := p.Game.Questions(); r.Index < 0 || r.Index >= d {
		one, many := p.noun()
		return 0, fmt.Errorf("there is no %s %d; there are %s 0 to %d", one, r.Index, many, d-1)
	}
	return r.Index, nil
}

// Numbers reports whether answers are numbers.
func (p *Policy) Numbers() bool { return p != nil && p.problem.Answers.Gaussian() }

// Says returns an answer to a question of p for people.
func (p *Policy) Says(a play.Answer) string {
	if class := p.Class(a); class != "" {
		return class
	}
	if p.Numbers() && a != play.DontKnow {
		return wire.Number(a.Value())
	}
	return wire.InWords(a)
}

// AnswerOf returns the answer to a question of p that a text names: a word such as "probably not", or a number.
func (p *Policy) AnswerOf(text string) (play.Answer, bool) {
	if p.Labels() != nil {
		if answer, known := p.ClassOf(text); known {
			return answer, true
		}
		word, known := wire.Answers[strings.ToLower(text)]
		return play.DontKnow, known && word == play.DontKnow
	}
	text = strings.ToLower(text)
	word, known := wire.Answers[strings.ReplaceAll(text, "’", "'")]
	if known && (word == play.DontKnow || !p.Numbers()) {
		return word, true
	}
	y, err := strconv.ParseFloat(text, 64)
	answer := play.Number(y)
	if p.Numbers() {
		return answer, err == nil && play.Fits(p.problem, answer) == nil
	}
	return answer, err == nil && answer.IsYesNo()
}

// AnswersAre says in words which texts are answers to questions of p.
func (p *Policy) AnswersAre() string {
	if p.Labels() != nil {
		return "a class (" + p.classList() + ") or don't know"
	}
	if !p.Numbers() {
		return "yes, no, probably, probably not, don't know, 1, 0.5, -0.5 or -1"
	}
	largest := p.problem.Answers.Largest()
	return fmt.Sprintf("a number from %g to %g, or don't know", -largest, largest)
}
