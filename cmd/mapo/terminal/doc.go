// Package terminal is the game of mapo play.
//
//   - In: a policy, and a reader of replies: a person or a file.
//   - Out: questions, what the answers say so far, and the recommendation with its reasons; what was
//     played, added to files of games and labels ([KeepGames], [KeepLabels]).
//   - It never: shows what a terminal would obey.
package terminal
