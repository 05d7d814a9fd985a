package serve

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"mapo/data/table"
	"mapo/game"
	"mapo/game/play"
)

// labels returns those of the pool whose items the policy asks about; nil: it asks queries.
func (p *Policy) labels() *game.Labels {
	if p == nil {
		return nil
	}
	return p.problem.Labels
}

// questions returns the texts of what the policy can ask: its items or its queries. It must not be changed.
func (p *Policy) questions() []string {
	if l := p.labels(); l != nil {
		return l.Items
	}
	return p.problem.X
}

// noun returns what a question is called.
func (p *Policy) noun() (one, many string) {
	if p.labels() != nil {
		return "item", "items"
	}
	return "query", "queries"
}

// Explore sets the share of the items, in [0, 1], that are drawn uniformly from the open ones. It
// reports whether the policy asks about the items of a pool; others do not draw any. It must not be
// called once games are played.
func (p *Policy) Explore(share float64) bool {
	if p.labels() == nil {
		return false
	}
	p.game.Explore = share
	return true
}

// class returns the name of the class that an answer is, "" where it is none.
func (p *Policy) class(a play.Answer) string {
	l := p.labels()
	if l == nil || a == play.DontKnow || play.Fits(p.problem, a) != nil {
		return ""
	}
	return l.Classes[a.Class()]
}

// classOf returns the class of that name; spellings that Unicode's NFC makes one are one.
func (p *Policy) classOf(name string) (play.Answer, bool) {
	for c, text := range p.labels().Classes {
		if table.Fold(text) == table.Fold(name) {
			return play.Class(c), true
		}
	}
	return play.DontKnow, false
}

// reply returns an answer as it is sent: a class by its name.
func (p *Policy) reply(a play.Answer) Reply { return Reply{Answer: a, class: p.class(a)} }

// label returns the class that a reply names, by its name or its number.
func (p *Policy) label(r Reply, at string) (play.Answer, error) {
	switch answer, known := p.classOf(r.class); {
	case r.class != "" && known:
		return answer, nil
	case r.Answer == play.DontKnow && r.text == "":
		return r.Answer, nil
	case r.class == "" && !r.word && r.Answer != play.DontKnow && play.Fits(p.problem, r.Answer) == nil:
		return r.Answer, nil
	}
	told := r.text
	if told == "" {
		told = number(r.Answer.Value())
	}
	return r.Answer, r.fault(at, fmt.Sprintf("an answer is %s; want a class (%s), its number from 0 to %d, or null (don't know)", told, p.classList(), len(p.labels().Classes)-1))
}

// mostListed is how many classes a message lists.
const mostListed = 12

// classList returns the names of the classes for a message.
func (p *Policy) classList() string {
	list := p.labels().Classes
	more := ""
	if len(list) > mostListed {
		more = fmt.Sprintf(" and %d more", len(list)-mostListed)
		list = list[:mostListed]
	}
	quoted := make([]string, len(list))
	for i, name := range list {
		quoted[i] = strconv.Quote(plain(name))
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
