package serve

import (
	"fmt"
	"strconv"
	"strings"

	"mapo/game"
	"mapo/game/play"
)

// answered returns the answer to a question of p, nil for any policy, that a request gives. at says where it stands there.
func (p *Policy) answered(r Reply, at string) (play.Answer, error) {
	numbers := p.numbers()
	switch {
	case p.labels() != nil:
		return p.label(r, at)
	case p == nil && r.class != "":
		return noClass, nil
	case p == nil:
		numbers = !r.word && r.text != ""
	}
	if numbers {
		return p.measured(r, at)
	}
	return r.yesNo(at)
}

// noClass stands for a class where it is not known which there are.
var noClass = play.Class(-1)

// measured returns the answer that a request gives where answers are numbers.
func (p *Policy) measured(r Reply, at string) (play.Answer, error) {
	largest := float64(game.MostNumber)
	if p != nil {
		largest = p.problem.Answers.Largest()
	}
	if y := r.Answer.Value(); r.word || r.Answer == play.DontKnow && r.text != "" || !(-largest <= y && y <= largest) {
		return r.Answer, r.fault(at, fmt.Sprintf("an answer is %s; the answers of this policy are numbers: send one from %g to %g, or null (don't know)", r.text, -largest, largest))
	}
	return r.Answer, nil
}

// referred returns the query that a request names.
func (p *Policy) referred(r Ref) (int, error) {
	if r.ByText {
		return p.Query(r.Text)
	}
	if d := p.game.Questions(); r.Index < 0 || r.Index >= d {
		one, many := p.noun()
		return 0, fmt.Errorf("there is no %s %d; there are %s 0 to %d", one, r.Index, many, d-1)
	}
	return r.Index, nil
}

// numbers reports whether answers are numbers.
func (p *Policy) numbers() bool { return p != nil && p.problem.Answers.Gaussian() }

// says returns an answer to a question of p for people.
func (p *Policy) says(a play.Answer) string {
	if class := p.class(a); class != "" {
		return class
	}
	if p.numbers() && a != play.DontKnow {
		return number(a.Value())
	}
	return replied(a)
}

// answerOf returns the answer to a question of p that a text names: a word such as "probably not", or a number.
func (p *Policy) answerOf(text string) (play.Answer, bool) {
	if p.labels() != nil {
		if answer, known := p.classOf(text); known {
			return answer, true
		}
		word, known := answers[strings.ToLower(text)]
		return play.DontKnow, known && word == play.DontKnow
	}
	text = strings.ToLower(text)
	word, known := answers[strings.ReplaceAll(text, "’", "'")]
	if known && (word == play.DontKnow || !p.numbers()) {
		return word, true
	}
	y, err := strconv.ParseFloat(text, 64)
	answer := play.Number(y)
	if p.numbers() {
		return answer, err == nil && play.Fits(p.problem, answer) == nil
	}
	return answer, err == nil && answer.IsYesNo()
}

// answersAre says in words which texts are answers to questions of p.
func (p *Policy) answersAre() string {
	if p.labels() != nil {
		return "a class (" + p.classList() + ") or don't know"
	}
	if !p.numbers() {
		return "yes, no, probably, probably not, don't know, 1, 0.5, -0.5 or -1"
	}
	largest := p.problem.Answers.Largest()
	return fmt.Sprintf("a number from %g to %g, or don't know", -largest, largest)
}
