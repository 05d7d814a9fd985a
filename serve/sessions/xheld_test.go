package sessions

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"weak"

	"mapo/policy/nn"
	"mapo/serve/database"
	"mapo/serve/policies"
)

// TestHeldIsBounded: what was not used for long is forgotten, by its size.
func TestHeldIsBounded(t *testing.T) {
	var h held
	const n = 3 * heldBytes / (gameBytes + turnBytes)
	for i := range n {
		h.keep(&loaded{Session: database.Session{ID: fmt.Sprint(i)}, turns: make([]database.Turn, 1)})
		h.keep(&loaded{Session: database.Session{ID: "same"}, turns: make([]database.Turn, 7)})
	}
	for _, games := range []map[string]*loaded{h.new, h.old} {
		size := 0
		for _, g := range games {
			size += g.size()
		}
		if size > heldBytes || len(games) == 0 {
			t.Errorf("%d bytes are held", size)
		}
	}
	left := 0
	for _, g := range h.new {
		left += g.size()
	}
	if left != h.size {
		t.Errorf("%d bytes are held, counted as %d", left, h.size)
	}
	if h.take("0") != nil || h.take("same") == nil || h.take("same") != nil || h.take(fmt.Sprint(n-1)) == nil {
		t.Error("the wrong games are held")
	}
	long := &loaded{Session: database.Session{ID: "long"}, turns: make([]database.Turn, 1)}
	long.turns[0].Text = strings.Repeat("a", heldBytes)
	h.keep(long)
	h.keep(&loaded{Session: database.Session{ID: "next"}})
	if h.new["long"] != nil || h.old["long"] == nil {
		t.Error("a long game leaves no room and stays")
	}
}

// TestHeldPolicy: a game that is held does not keep its policy in memory once that is out of service.
func TestHeldPolicy(t *testing.T) {
	var h held
	policy := &policies.Policy{ID: "t", Contract: &nn.Contract{}}
	gone := weak.Make(policy)
	h.keep(&loaded{Session: database.Session{ID: "a"}, turns: make([]database.Turn, 1), policy: policy})
	runtime.GC()
	if gone.Value() != nil {
		t.Error("the policy stays in memory")
	}
	if h.take("a") == nil {
		t.Error("the game is not held")
	}
}
