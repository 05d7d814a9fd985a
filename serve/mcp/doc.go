// Package mcp offers sessions to agents by the Model Context Protocol, over standard input and
// output ([Serve]). A line that is not a message is skipped and logged; what was asked before the
// input ends is answered.
//
//   - In: messages, one a line, of five verbs: next, answer, guess, truth, recommend.
//   - Out: what a client of the HTTP API sees of the session, and with a result what the policy's
//     contract states ([View]).
//   - It never: does what a client of the API could not do.
package mcp
