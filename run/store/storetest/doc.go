// Package storetest is the conformance suite of store.Store: every implementation runs it from its
// own tests, and a caller may rely on what it checks and on nothing else.
//
//   - In: a way to make empty stores.
//   - Out: failed tests.
//   - It never: is imported by the program.
package storetest
