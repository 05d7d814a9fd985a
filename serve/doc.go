// Package serve puts trained policies to work: a game in the terminal, an HTTP
// API with a web page, labelling sessions that survive anything, and an MCP
// server.
//
// A guided tour:
//
//   - [Policy] (policy.go): a policy file in use; [Policy.At] (game.go): what the
//     answers so far make of a game, what would be asked and recommended. All
//     else is made of these.
//   - [Terminal] (terminal.go): mapo play.
package serve
