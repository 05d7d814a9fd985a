package terminal

import (
	"fmt"
	"strings"

	"mapo/game/play"
	"mapo/serve/wire"
)

// Replies that are not answers.
const (
	takeBack = "undo"
	quit     = "quit"
)

// help lists the replies there are.
func (g *Game) help() string {
	if l := g.Policy.Labels(); l != nil {
		return g.classHelp(l.Classes)
	}
	if g.Policy.Numbers() {
		return "Answer with " + g.Policy.AnswersAre() + " (?), u (undo the last answer) or q (quit)."
	}
	half := ""
	if g.Policy.Problem().AskOnce {
		half = ", + (probably), - (probably not)"
	}
	return "Answer y (yes), n (no)" + half + ", ? (don't know), u (undo the last answer) or q (quit)."
}

// parse returns a reply by its name and the answer that it is, if it is one; "": it is none that there is.
func (g *Game) parse(text string) (reply string, answer play.Answer, isAnswer bool) {
	reply = parseReply(text)
	if g.Policy.Labels() != nil {
		return g.parseClass(strings.TrimSpace(text), reply)
	}
	if !g.Policy.Numbers() {
		answer, isAnswer = wire.Answers[reply]
		return reply, answer, isAnswer
	}
	if reply == takeBack || reply == quit {
		return reply, answer, false
	}
	if reply != "don't know" {
		reply = strings.TrimSpace(text)
	}
	if answer, isAnswer = g.Policy.AnswerOf(reply); !isAnswer {
		return "", answer, false
	}
	return g.Policy.Says(answer), answer, true
}

func parseReply(text string) string {
	switch strings.ToLower(strings.TrimSpace(text)) {
	case "y", "yes":
		return "yes"
	case "n", "no":
		return "no"
	case "+", "probably":
		return "probably"
	case "-", "−", "probably not":
		return "probably not"
	case "?", "don't know", "dont know":
		return "don't know"
	case "u", takeBack:
		return takeBack
	case "q", quit:
		return quit
	}
	return ""
}

// parseClass parses a text as parse does, where answers are classes; reply is what the text means
// otherwise. A class takes precedence over a command of the same name.
func (g *Game) parseClass(text, reply string) (string, play.Answer, bool) {
	if answer, known := g.Policy.ClassOf(text); known {
		return g.Policy.Class(answer), answer, true
	}
	switch reply {
	case takeBack, quit:
		return reply, play.DontKnow, false
	case "don't know":
		return reply, play.DontKnow, true
	}
	answer, known := typedClass(g.Policy, text)
	return g.Policy.Class(answer), answer, known
}

// classHelp lists the replies where answers are classes.
func (g *Game) classHelp(classes []string) string {
	how := "its name or the beginning of it"
	list := make([]string, len(classes))
	for i, name := range classes {
		if list[i] = wire.Plain(name); numbered(g.Policy) {
			list[i] = fmt.Sprintf("%d %s", i+1, wire.Plain(name))
		}
	}
	if numbered(g.Policy) {
		how = "its name, the beginning of it, or its number"
	}
	return "Answer with a class: " + strings.Join(list, ", ") + " (" + how + "), ? (don't know), u (undo the last answer) or q (quit)."
}

// gap writes how far a hypothesis is ahead of another.
func (g *Game) gap(margin float32) string {
	if g.Policy.Labels() != nil {
		unit := "labels"
		if margin == 1 {
			unit = "label"
		}
		return fmt.Sprintf("%.4g %s", margin, unit)
	}
	if g.Policy.Numbers() { // of any size
		return fmt.Sprintf("%.4g", margin)
	}
	return fmt.Sprintf("%.2f", margin)
}

// means says the mean answers of the leading arms where answers are numbers, after indent.
func (g *Game) means(at *play.Position, now play.Standing, indent string) {
	if !g.Policy.Numbers() || !at.Problem.IsArms() || now.Recommendation == nil {
		return
	}
	var list []string
	say := func(arm play.Text) {
		if mean, n := at.Mean(arm.Index); n > 0 {
			list = append(list, fmt.Sprintf("%s %.4g (of %d)", wire.Plain(arm.Text), mean, n))
		}
	}
	say(*now.Recommendation)
	for _, r := range now.RunnersUp {
		say(r.Text)
	}
	g.say("%sMean answers: %s\n", indent, strings.Join(list, ", "))
}
