// Package dbtest starts PostgreSQL and PgBouncer for the tests of whatever keeps something in a
// database, each when it is first wanted, and ends them with the tests.
//
//   - In: a test, or TestMain ([Run]).
//   - Out: addresses of new databases ([PostgresDSN], [BouncerDSN]); the test skips where a program
//     is not installed, unless MAPO_CI is set.
//   - It never: is imported by the program.
package dbtest
