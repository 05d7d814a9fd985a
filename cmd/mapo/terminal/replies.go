package terminal

import (
	"fmt"
	"strings"

	"mapo/game/play"
	"mapo/serve/wire"
)

// Replies that are not answers to a question.
const (
	takeBack = "undo"
	quit     = "quit"
	dontKnow = "don't know"
)

// command returns the name of a reply of yes and no, or of one that is not an answer; "": it is neither.
func command(text string) string {
	switch strings.ToLower(strings.TrimSpace(text)) {
	case "y", "yes":
		return "yes"
	case "n", "no":
		return "no"
	case "+", "probably":
		return "probably"
	case "-", "−", "probably not":
		return "probably not"
	case "?", dontKnow, "dont know":
		return dontKnow
	case "u", takeBack:
		return takeBack
	case "q", quit:
		return quit
	}
	return ""
}

// means says the mean answers of the leading arms where answers are numbers, after indent.
func (g *Game) means(at *play.Position, now play.Standing, indent string) {
	if !g.asks.measured || now.Recommendation == nil {
		return
	}
	var list []string
	say := func(arm play.Text) {
		if mean, n := at.Measured(arm.Index); n > 0 {
			list = append(list, fmt.Sprintf("%s %.4g (of %d)", wire.Plain(arm.Text), mean, n))
		}
	}
	say(*now.Recommendation)
	for _, r := range now.RunnersUp {
		say(r.Text)
	}
	if list != nil {
		g.say("%sMean answers: %s\n", indent, strings.Join(list, ", "))
	}
}

// Labels returns those that the player has given, without those that were given beforehand.
func (g *Game) Labels() (list []wire.Label) {
	for _, m := range g.moves {
		if m.Answer != play.DontKnow {
			list = append(list, wire.Label{Item: g.Policy.Questions()[m.Query], Class: g.Policy.Class(m.Answer), Propensity: float64(m.probability)})
		}
	}
	return list
}
