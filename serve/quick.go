package serve

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strconv"

	"mapo/game/play"
)

// quickMux is a mux whose handler of some patterns is asked first what a quicker way
// can do.
type quickMux struct {
	*http.ServeMux
	quick map[string]func(w http.ResponseWriter, r *http.Request) bool // by pattern; false: nothing was done
}

// HandleFunc does as ServeMux's.
func (m quickMux) HandleFunc(pattern string, slow func(http.ResponseWriter, *http.Request)) {
	if quick := m.quick[pattern]; quick != nil {
		m.ServeMux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			if !quick(w, r) {
				slow(w, r)
			}
		})
		return
	}
	m.ServeMux.HandleFunc(pattern, slow)
}

// nextPattern is the route of [Policy.Next].
const nextPattern = "POST /v1/policies/{id}/next"

// quickNext answers a sound request as huma does, without its three passes over the
// body: two that decode it and one that checks it against a schema. It leaves all
// others to huma, which says what is wrong with them.
func (s *Server) quickNext(w http.ResponseWriter, r *http.Request) bool {
	body, ok := r.Body.(*readOnce)
	p := s.set.Get(r.PathValue("id"))
	if !ok || p == nil {
		return false
	}
	c := cursor{data: body.data}
	in := c.nextRequest()
	if c.bad || c.at != len(c.data) {
		return false
	}
	reply, err := p.Next(in)
	if o := outageOf(err); o != nil { // asked again, the program would fail again
		w.Header().Set("Retry-After", o.retry)
		refuse(w, o.status, "%s", o.reason)
		return true
	}
	if err != nil {
		return false
	}
	w.Header().Set("Content-Type", "application/json")
	_ = jsonFormat.Marshal(w, reply) // a client that left needs no answer
	return true
}

// cursor reads JSON that [screen] has passed. It knows what requests look like, and is
// bad where they do not.
type cursor struct {
	data []byte
	at   int
	bad  bool
}

// nextRequest reads a whole request.
func (c *cursor) nextRequest() *NextRequest {
	in := new(NextRequest)
	c.object(func(key string) {
		switch key {
		case "history":
			c.list(func() { in.History = append(in.History, c.entry()) })
		case "mask":
			in.Mask = c.indices()
		case "ruled_out":
			in.RuledOut = c.indices()
		case "guess":
			word := string(c.word())
			in.Guess = word == "true"
			c.bad = c.bad || !in.Guess && word != "false"
		case "stop":
			word := c.word()
			stop, err := strconv.ParseFloat(string(word), 64)
			in.Stop, c.bad = &stop, c.bad || err != nil || !json.Valid(word)
		case "seed":
			seed := c.number(play.MaxSeed)
			in.Seed = &seed
		case "top":
			top := int(c.number(mostTop))
			in.Top = &top
		default:
			c.bad = true
		}
	})
	return in
}

const mostIndex = 1 << 30

// indices reads a list of them.
func (c *cursor) indices() (list []int) {
	c.list(func() { list = append(list, int(c.number(mostIndex))) })
	return list
}

// entry reads one answer of a history.
func (c *cursor) entry() (e HistoryEntry) {
	var query, answer bool
	c.object(func(key string) {
		switch {
		case key == "query" && c.peek() == '"':
			e.Query, query = Ref{Text: c.text(), ByText: true}, true
		case key == "query":
			e.Query, query = Ref{Index: int(c.number(mostIndex))}, true
		case key == "answer":
			answer = e.Answer.UnmarshalJSON(c.value()) == nil
		default:
			c.bad = true
		}
	})
	c.bad = c.bad || !query || !answer
	return e
}

// peek returns the next character, 0 at the end.
func (c *cursor) peek() byte {
	if c.at < len(c.data) {
		return c.data[c.at]
	}
	return 0
}

// skip passes the next character if it is b.
func (c *cursor) skip(b byte) bool {
	if c.peek() != b {
		return false
	}
	c.at++
	return true
}

// object reads an object, member reading the value of each key.
func (c *cursor) object(member func(key string)) {
	c.items('{', '}', func() {
		key := c.text()
		c.bad = c.bad || !c.skip(':')
		if !c.bad {
			member(key)
		}
	})
}

// list reads a list, item reading each of its values.
func (c *cursor) list(item func()) { c.items('[', ']', item) }

func (c *cursor) items(open, end byte, item func()) {
	if !c.skip(open) {
		c.bad = true
		return
	}
	if c.skip(end) {
		return
	}
	for !c.bad {
		item()
		if c.skip(end) {
			return
		}
		c.bad = c.bad || !c.skip(',')
	}
}

// text reads a text without escapes.
func (c *cursor) text() string {
	if !c.skip('"') {
		c.bad = true
		return ""
	}
	n := bytes.IndexByte(c.data[c.at:], '"')
	if n < 0 {
		c.bad = true
		return ""
	}
	text := c.data[c.at : c.at+n]
	for _, b := range text {
		c.bad = c.bad || b == '\\' || b < ' '
	}
	c.at += n + 1
	return string(text)
}

// value reads a text without escapes, as it stands, or a word.
func (c *cursor) value() []byte {
	if from := c.at; c.peek() == '"' {
		c.text()
		return c.data[from:c.at]
	}
	return c.word()
}

// word reads a number or the like.
func (c *cursor) word() []byte {
	from := c.at
	for b := c.peek(); b == '-' || b == '.' || '0' <= b && b <= '9' || 'a' <= b && b <= 'z'; b = c.peek() {
		c.at++
	}
	return c.data[from:c.at]
}

// number reads a whole number from 0 to most.
func (c *cursor) number(most uint64) (n uint64) {
	digits := c.word()
	if len(digits) == 0 || len(digits) > 16 || digits[0] == '0' && len(digits) > 1 {
		c.bad = true
		return 0
	}
	for _, b := range digits {
		if b < '0' || b > '9' {
			c.bad = true
			return 0
		}
		n = 10*n + uint64(b-'0')
	}
	c.bad = c.bad || n > most
	return n
}
