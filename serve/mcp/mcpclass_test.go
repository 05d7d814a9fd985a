package mcp_test

import (
	"strings"
	"testing"

	"mapo/game"
	"mapo/serve/servetest"
)

// TestMCPClassNames: a class takes precedence over a command of an agent's that has the same name.
func TestMCPClassNames(t *testing.T) {
	for _, name := range []string{"skip", "undo", "don't know", "yes"} {
		p := servetest.Mails()
		p.Seek.(*game.Labels).Classes = []string{"keep", name}
		s, _ := servetest.PoolSessions(t, servetest.Stores["sqlite"](t), p, 0)
		c := servetest.Agent(t, s)
		v, fault := servetest.Verb(t, c, "next", map[string]any{})
		for _, answer := range []string{"keep", name} {
			if fault != "" {
				t.Fatal(fault)
			}
			v, fault = servetest.Verb(t, c, "answer", map[string]any{"session": v.ID, "step": v.Step, "answer": answer})
		}
		data, err := s.Labels(t.Context(), v.ID)
		must(t, err)
		if fault != "" || strings.Count(string(data), "\n") != 3 || !strings.Contains(string(data), ","+name+",") {
			t.Errorf("%q: %s labels are\n%s", name, fault, data)
		}
	}
}
