// Package policies puts policy files, and policies without training, to work.
//
// A policy is a pure function of the state: [play.Game.At] is what the answers so far make of a
// game, and all else is made of that. [Set] has the policies in service. A reload or a learned
// version replaces one, and sessions that were begun with it still find it ([Set.ForPlay]): its
// fingerprint and hash cover all that its games depend on.
//
//   - In: policy files ([Open]), problems ([Untrained]), and games that come with a request.
//   - Out: what to ask, what is recommended ([Policy.Next]), and how large a request can be
//     ([Set.Bounds]).
//   - It never: remembers a game, reads a database, or knows a client.
package policies
