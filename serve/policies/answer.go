package policies

import (
	"fmt"
	"strings"

	"mapo/data/table"
	"mapo/game/play"
	"mapo/serve/wire"
)

// Form returns how answers to questions of p are sent, nil being any policy.
func (p *Policy) Form() wire.Form {
	if p == nil {
		return wire.AnyForm
	}
	return p.form
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

// Questions returns the texts of what the policy can ask. It must not be changed.
func (p *Policy) Questions() []string { return p.problem.Texts() }

// noun returns what a question is called.
func (p *Policy) noun() (one, many string) {
	w := p.problem.Goal().Words()
	return w.Asked, w.AskedMany
}

// Says returns an answer to a question of p for people.
func (p *Policy) Says(a play.Answer) string {
	if a == play.DontKnow {
		return wire.InWords(a)
	}
	return p.problem.Answer().Say(a.Value())
}

// AnswerOf returns the answer to a question of p that a text names: a word such as "probably not", a class, or a number.
func (p *Policy) AnswerOf(text string) (play.Answer, bool) {
	if y, ok := p.problem.Answer().Read(text, table.Fold); ok {
		return play.Number(y), true
	}
	return play.DontKnow, strings.ReplaceAll(strings.ToLower(text), "’", "'") == wire.InWords(play.DontKnow)
}

// Class returns the name of the class that an answer is, "" where it is none.
func (p *Policy) Class(a play.Answer) string {
	if classes := p.Form().Classes(); a != play.DontKnow && a.Value() >= 0 && a.Class() < len(classes) {
		return classes[a.Class()]
	}
	return ""
}

// ClassOf returns the class of that name; spellings that Unicode's NFC makes one are one.
func (p *Policy) ClassOf(name string) (play.Answer, bool) {
	for c, text := range p.Form().Classes() {
		if table.Fold(text) == table.Fold(name) {
			return play.Class(c), true
		}
	}
	return play.DontKnow, false
}

// Reply returns an answer as it is sent: a class by its name.
func (p *Policy) Reply(a play.Answer) wire.Reply { return wire.Reply{Answer: a, Class: p.Class(a)} }
