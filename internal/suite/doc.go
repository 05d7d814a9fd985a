// Package suite is for tests only: it keeps runs without MAPO_CI short.
//
//   - In: a test.
//   - Out: whether it runs now (MAPO_CI), how long it may wait, and temporary folders in memory.
//   - It never: is imported by the program, or makes an assertion weaker.
package suite
