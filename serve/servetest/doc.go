// Package servetest has the tables, policies, sessions and agents that the tests below serve/ have
// in common.
//
//   - In: a test.
//   - Out: [Stores], the kinds of database, each test in its own; sessions over them ([Keeping],
//     [Learning]); an agent ([Agent]).
//   - It never: is imported by the program.
package servetest
