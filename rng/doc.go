// Package rng names random streams. A [Key] is a name (run, iteration, m, l); the stream it names
// depends on nothing else, so the number of workers, retries and machines cannot change a result.
// No other package makes a generator.
//
//   - In: names: of a run, an iteration, an instance, a game.
//   - Out: a stream that depends on the name alone.
//   - It never: reads a clock, the system or a shared state.
package rng
