package servetest

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"

	"mapo/serve/mcp"
	"mapo/serve/sessions"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Agent returns a client of an MCP server over sessions.
func Agent(t *testing.T, s *sessions.Sessions) *sdk.ClientSession {
	t.Helper()
	here, there := sdk.NewInMemoryTransports()
	server, err := mcp.New(s, "test").Connect(t.Context(), there, nil)
	must(t, err)
	t.Cleanup(func() { _ = server.Close() })
	client, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), here, nil)
	must(t, err)
	t.Cleanup(func() { _ = client.Close() })
	return client
}

// Verb calls a tool; a fault is returned as text.
func Verb(t *testing.T, c *sdk.ClientSession, name string, in map[string]any) (v mcp.View, fault string) {
	t.Helper()
	got, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: name, Arguments: in})
	if err != nil {
		return v, err.Error()
	}
	if got.IsError {
		return v, got.Content[0].(*sdk.TextContent).Text
	}
	data, err := json.Marshal(got.StructuredContent)
	must(t, err)
	must(t, json.Unmarshal(data, &v))
	return v, ""
}

const Hello = `{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
`

func Ping(id int) string { return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"ping"}`, id) }

// Spoken returns what a server says to an agent who sends these lines after his hello, until ping last is answered.
func Spoken(t *testing.T, s *sessions.Sessions, lines string, last int) string {
	t.Helper()
	in, w := io.Pipe()
	out := &Replies{Last: fmt.Sprintf(`"id":%d,`, last), Seen: func() { _ = w.Close() }}
	go func() { _, _ = io.WriteString(w, Hello+lines+"\n"+Ping(last)+"\n") }()
	must(t, mcp.Serve(t.Context(), s, "test", in, out))
	return out.String()
}

// Replies is what a server has said; seen is called when it says last.
type Replies struct {
	strings.Builder
	Last string
	Seen func()
}

func (r *Replies) Write(p []byte) (int, error) {
	if strings.Contains(string(p), r.Last) {
		defer r.Seen()
	}
	return r.Builder.Write(p)
}

func (*Replies) Close() error { return nil }
