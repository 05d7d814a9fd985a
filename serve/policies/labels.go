package policies

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"mapo/data/table"
	"mapo/game"
	"mapo/game/play"
	"mapo/serve/wire"
)

// Labels returns those of the pool whose items the policy asks about; nil: it asks queries.
func (p *Policy) Labels() *game.Labels {
	if p == nil {
		return nil
	}
	return p.problem.Labels
}

// Questions returns the texts of what the policy can ask: its items or its queries. It must not be changed.
func (p *Policy) Questions() []string {
	if l := p.Labels(); l != nil {
		return l.Items
	}
	return p.problem.X
}

// noun returns what a question is called.
func (p *Policy) noun() (one, many string) {
	if p.Labels() != nil {
		return "item", "items"
	}
	return "query", "queries"
}

// Explore sets the share of the items, in [0, 1], that are drawn uniformly from the open ones. It
// reports whether the policy asks about the items of a pool; others do not draw any. It must not be
// called once games are played.
func (p *Policy) Explore(share float64) bool {
	if p.Labels() == nil {
		return false
	}
	p.Game.Explore = share
	return true
}

// Class returns the name of the class that an answer is, "" where it is none.
func (p *Policy) Class(a play.Answer) string {
	l := p.Labels()
	if l == nil || a == play.DontKnow || play.Fits(p.problem, a) != nil {
		return ""
	}
	return l.Classes[a.Class()]
}

// ClassOf returns the class of that name; spellings that Unicode's NFC makes one are one.
func (p *Policy) ClassOf(name string) (play.Answer, bool) {
	for c, text := range p.Labels().Classes {
		if table.Fold(text) == table.Fold(name) {
			return play.Class(c), true
		}
	}
	return play.DontKnow, false
}

// Reply returns an answer as it is sent: a class by its name.
func (p *Policy) Reply(a play.Answer) wire.Reply { return wire.Reply{Answer: a, Class: p.Class(a)} }

// label returns the class that a reply names, by its name or its number.
func (p *Policy) label(r wire.Reply, at string) (play.Answer, error) {
	switch answer, known := p.ClassOf(r.Class); {
	case r.Class != "" && known:
		return answer, nil
	case r.Answer == play.DontKnow && r.Text == "":
		return r.Answer, nil
	case r.Class == "" && !r.Word && r.Answer != play.DontKnow && play.Fits(p.problem, r.Answer) == nil:
		return r.Answer, nil
	}
	told := r.Text
	if told == "" {
		told = wire.Number(r.Answer.Value())
	}
	return r.Answer, r.Fault(at, fmt.Sprintf("an answer is %s; want a class (%s), its number from 0 to %d, or null (don't know)", told, p.classList(), len(p.Labels().Classes)-1))
}

// mostListed is how many classes a message lists.
const mostListed = 12

// classList returns the names of the classes for a message.
func (p *Policy) classList() string {
	list := p.Labels().Classes
	more := ""
	if len(list) > mostListed {
		more = fmt.Sprintf(" and %d more", len(list)-mostListed)
		list = list[:mostListed]
	}
	quoted := make([]string, len(list))
	for i, name := range list {
		quoted[i] = strconv.Quote(wire.Plain(name))
	}
	return strings.Join(quoted, ", ") + more
}

// poolOf returns what of a pool a game depends on.
func poolOf(p *game.Problem) []byte {
	var data []byte
	switch {
	case p.Labels != nil:
		data, _ = json.Marshal([]any{p.Labels, p.Z}) // texts and finite numbers
	case p.Vectors != nil:
		data, _ = json.Marshal([]any{p.Vectors, p.Z})
	}
	return data
}
