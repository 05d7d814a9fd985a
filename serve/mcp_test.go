package serve

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// agent is a client of an MCP server over sessions.
func agent(t *testing.T, s *Sessions) *mcp.ClientSession {
	t.Helper()
	here, there := mcp.NewInMemoryTransports()
	server, err := NewMCP(s, "test").Connect(t.Context(), there, nil)
	must(t, err)
	t.Cleanup(func() { _ = server.Close() })
	client, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), here, nil)
	must(t, err)
	t.Cleanup(func() { _ = client.Close() })
	return client
}

// verb calls a tool; a fault is returned as text.
func verb(t *testing.T, c *mcp.ClientSession, name string, in map[string]any) (v agentView, fault string) {
	t.Helper()
	got, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: in})
	if err != nil {
		return v, err.Error()
	}
	if got.IsError {
		return v, got.Content[0].(*mcp.TextContent).Text
	}
	data, err := json.Marshal(got.StructuredContent)
	must(t, err)
	must(t, json.Unmarshal(data, &v))
	return v, ""
}

// TestMCP plays a game by the three verbs, with an undo and a don't know.
func TestMCP(t *testing.T) {
	s := sessions(t, stores["sqlite"](t), SessionOptions{}, write(t, t.TempDir(), "t", wheels(), nil))
	c := agent(t, s)
	tools, err := c.ListTools(t.Context(), nil)
	must(t, err)
	var names []string
	for _, tool := range tools.Tools {
		names = append(names, tool.Name)
	}
	if got := strings.Join(names, " "); got != "answer next recommend" {
		t.Errorf("tools %s", got)
	}
	v, fault := verb(t, c, "next", map[string]any{"mask": []int{0}})
	if fault != "" || v.Query == "" || v.QueryIndex == 0 || v.Step != 1 || v.Remaining != 6 {
		t.Fatalf("%+v %s", v, fault)
	}
	first := v.Query
	for _, answer := range []string{"yes", "undo", "no", "don't know", "skip"} {
		v, fault = verb(t, c, "answer", map[string]any{"session": v.Session, "step": v.Step, "answer": answer, "by": "me"})
		if fault != "" || (answer == "undo" && v.Query != first) {
			t.Fatalf("%s: %+v %s", answer, v, fault)
		}
	}
	for v.State == stateOpen {
		if v, fault = verb(t, c, "answer", map[string]any{"session": v.Session, "step": v.Step, "answer": "yes"}); fault != "" {
			t.Fatal(fault)
		}
	}
	r, fault := verb(t, c, "recommend", map[string]any{"session": v.Session})
	if fault != "" || r.Recommendation == "" || len(r.RunnersUp) == 0 || len(r.Contract) != 3 || r.QueryIndex != none {
		t.Errorf("%+v %s", r, fault)
	}
	for why, c2 := range map[string]struct {
		tool string
		in   map[string]any
		want string
	}{
		"after the end":  {"answer", map[string]any{"session": v.Session, "step": v.Step, "answer": "yes"}, "the session is over"},
		"another answer": {"answer", map[string]any{"session": v.Session, "step": v.Step, "answer": "maybe"}, "want yes, no"},
		"no session":     {"recommend", map[string]any{"session": "none"}, "no such session"},
		"no policy":      {"next", map[string]any{"policy": "none"}, "no policy is called"},
		"no step":        {"answer", map[string]any{"session": v.Session, "answer": "yes"}, "step"},
	} {
		if _, fault := verb(t, c, c2.tool, c2.in); !strings.Contains(fault, c2.want) {
			t.Errorf("%s: %q, want %q", why, fault, c2.want)
		}
	}
}
