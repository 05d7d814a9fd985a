package serve

import (
	"strconv"
	"strings"

	"mapo/game/play"
	"mapo/internal/names"
)

// typedClass returns the class that a player types and that is not its name: its number from 1 where no class is called by a
// number, or the beginning of one name alone.
func typedClass(p *Policy, text string) (play.Answer, bool) {
	classes := p.labels().Classes
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
func numbered(p *Policy) bool {
	for _, name := range p.labels().Classes {
		if _, err := strconv.Atoi(name); err == nil {
			return false
		}
	}
	return true
}

// Labels returns those that the player has given, without those that were given beforehand.
func (g *Terminal) Labels() (list []Label) {
	for _, m := range g.moves {
		if m.Answer != play.DontKnow {
			list = append(list, Label{g.Policy.questions()[m.Query], g.Policy.class(m.Answer), float64(m.probability)})
		}
	}
	return list
}
