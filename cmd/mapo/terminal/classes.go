package terminal

import (
	"strconv"
	"strings"

	"mapo/game/play"
	"mapo/internal/names"
	"mapo/serve/policies"
	"mapo/serve/wire"
)

// typedClass returns the class that a player types and that is not its name: its number from 1 where no class is called by a
// number, or the beginning of one name alone.
func typedClass(p *policies.Policy, text string) (play.Answer, bool) {
	classes := p.Labels().Classes
	if n, err := strconv.Atoi(text); err == nil {
		return play.Class(n - 1), numbered(p) && n >= 1 && n <= len(classes)
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
func numbered(p *policies.Policy) bool {
	for _, name := range p.Labels().Classes {
		if _, err := strconv.Atoi(name); err == nil {
			return false
		}
	}
	return true
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
