package terminal

import (
	"fmt"
	"strconv"
	"strings"

	"mapo/game"
	"mapo/game/play"
	"mapo/internal/names"
	"mapo/serve/policies"
	"mapo/serve/wire"
)

// asking is how a game asks for answers of one kind, and speaks of them.
type asking struct {
	task, help string
	noun       string // what a question is called
	items      bool   // whether questions are items: many are alike, and a lead is of so many labels
	measured   bool   // whether the means of answers are shown
	gap        func(margin float32) string
	// parse returns a reply by its name and the answer that it is, if it is one; "": it is none that there is. command is what
	// the text is called among the replies of yes and no.
	parse func(text, command string) (reply string, answer play.Answer, isAnswer bool)
}

const lastReplies = "u (undo the last answer) or q (quit)."

// askingOf returns how games of a policy ask.
func askingOf(policy *policies.Policy) asking {
	p := policy.Problem()
	half, once := "", "A question may come again."
	if p.AskOnce {
		half, once = ", + (probably), - (probably not)", "No question comes twice."
	}
	a := asking{
		task: fmt.Sprintf("Find the best of %d: answer %d times. There are %d questions. %s", p.Hypotheses(), p.T, p.Queries(), once),
		help: "Answer y (yes), n (no)" + half + ", ? (don't know), " + lastReplies, noun: "question",
		gap: func(margin float32) string { return fmt.Sprintf("%.2f", margin) },
		parse: func(_, command string) (string, play.Answer, bool) {
			answer, isAnswer := wire.Answers[command]
			return command, answer, isAnswer
		},
	}
	if policy.Game.Knows {
		a.task = fmt.Sprintf("Think of one of these %d: %s.\nAnswer up to %d of %d questions about it. %s", p.Hypotheses(), some(p.Names), p.T, p.Queries(), once)
	}
	switch answer := p.Answer().(type) {
	case game.Answers:
		a.task = fmt.Sprintf("Find the best of %d: answer %d times with the number that you measure. There are %d questions. %s", p.Hypotheses(), p.T, p.Queries(), once)
		a.help, a.measured = "Answer with "+wire.AnswersAre(p)+" (?), "+lastReplies, true
		a.gap = func(margin float32) string { return fmt.Sprintf("%.4g", margin) } // of any size
		a.parse = func(text, command string) (string, play.Answer, bool) { return parseNumber(policy, text, command) }
	case game.Classes:
		a.task = fmt.Sprintf("Find the best of %d models: give the classes of %d of %d items. No item comes twice.", p.Hypotheses(), p.T, policy.Game.Questions())
		a.help, a.noun, a.items = classHelp(answer.Names()), "item", true
		a.gap = labels
		a.parse = func(text, command string) (string, play.Answer, bool) { return parseClass(policy, text, command) }
	}
	return a
}

func parseNumber(p *policies.Policy, text, command string) (string, play.Answer, bool) {
	switch command {
	case takeBack, quit:
		return command, play.DontKnow, false
	case dontKnow:
		return command, play.DontKnow, true
	}
	answer, isAnswer := p.AnswerOf(text)
	if !isAnswer {
		return "", answer, false
	}
	return p.Says(answer), answer, true
}

// parseClass takes the name of a class before a command of the same name.
func parseClass(p *policies.Policy, text, command string) (string, play.Answer, bool) {
	if answer, known := p.ClassOf(text); known {
		return p.Class(answer), answer, true
	}
	switch command {
	case takeBack, quit:
		return command, play.DontKnow, false
	case dontKnow:
		return command, play.DontKnow, true
	}
	answer, known := typedClass(p.Form().Classes(), text)
	return p.Class(answer), answer, known
}

// classHelp lists the replies where answers are classes.
func classHelp(classes []string) string {
	how := "its name or the beginning of it"
	list := make([]string, len(classes))
	for i, name := range classes {
		if list[i] = wire.Plain(name); numbered(classes) {
			list[i] = fmt.Sprintf("%d %s", i+1, wire.Plain(name))
		}
	}
	if numbered(classes) {
		how = "its name, the beginning of it, or its number"
	}
	return "Answer with a class: " + strings.Join(list, ", ") + " (" + how + "), ? (don't know), " + lastReplies
}

// labels writes a number of labels.
func labels(n float32) string {
	unit := "labels"
	if n == 1 {
		unit = "label"
	}
	return fmt.Sprintf("%.4g %s", n, unit)
}

// typedClass returns the class that a player types and that is not its name: its number from 1 where no class is called by a
// number, or the beginning of one name alone.
func typedClass(classes []string, text string) (play.Answer, bool) {
	if n, err := strconv.Atoi(text); err == nil {
		return play.Class(n - 1), numbered(classes) && n >= 1 && n <= len(classes)
	}
	folded := names.Fold(text)
	found := play.DontKnow
	for c, name := range classes {
		switch fold := names.Fold(name); {
		case folded == "" || !strings.HasPrefix(fold, folded):
		case found != play.DontKnow && fold != folded:
			return play.DontKnow, false
		default:
			found = play.Class(c)
		}
	}
	return found, found != play.DontKnow
}

// numbered reports whether classes can be answered by their numbers: none is called by one.
func numbered(classes []string) bool {
	for _, name := range classes {
		if _, err := strconv.Atoi(name); err == nil {
			return false
		}
	}
	return true
}
