// Package serve puts trained policies to work: a game in the terminal, an HTTP
// API with a web page, labelling sessions that survive anything, and an MCP
// server.
//
// A guided tour:
//
//   - [Policy] (policy.go) is a policy file in use, and [Set] (set.go) those in
//     service, which a reload replaces. [play.Game.At] is what the answers so
//     far make of a game: what would be asked, what recommended. All else is made of
//     these.
//   - [Terminal] (terminal.go) is mapo play.
//   - [Policy.Next] (next.go) is the stateless core: a policy is a pure function of
//     the state, so the game so far comes with the request.
//   - [Sessions] (sessions.go, turn.go, view.go, export.go) keep games as turns in a
//     [Store] (record.go), whose SQL is SQLite's and PostgreSQL's alike (sqlstore.go).
//   - [Server] (server.go) is the HTTP API: guard.go, access.go and limit.go are what
//     every request must pass, body.go and bounds.go what its body must; web/ is the page.
//   - [NewMCP] (mcp.go) is the same for agents.
package serve
