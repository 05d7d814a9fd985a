// Package sessions keeps games step by step, and what they were about.
//
// A step is answered once: the same request again gets the session as it is, another one for the
// same step is a conflict. [Sessions.Tell] keeps a truth, [Sessions.Submit] a game that was played
// elsewhere; [Sessions.Review] and [Sessions.Decide] are an operator's. What is held in memory
// (held.go) is believed only where the database agrees.
//
//   - In: requests of clients, each naming the step that it is for, such as [wire.AnswerRequest]. Who
//     asks is in the context ([WithRequester]).
//   - Out: the session as a client sees it ([wire.View]), an export, or a [wire.Fault].
//   - It never: speaks HTTP, or confirms what the database does not have.
package sessions
