// Package database keeps sessions, the truths of their games and the versions of learned tables,
// in SQLite or PostgreSQL.
//
// [OpenSQLite] shares one commit among all who wait, [OpenPostgres] lets several servers share a
// database, [OpenTemporary] forgets all in the end. The tables and statements are those of both
// databases (schema.go); what they say differently is a dialect. Counts change in the transaction
// of the games that they count. All transactions lock rows in one order (truths.go).
//
//   - In: steps of sessions ([Store]); truths, proposals and versions ([TruthStore]).
//   - Out: the same, as plain values. What a method has confirmed survives a crash of the program and
//     of the machine.
//   - It never: asks what an answer means, draws a query, knows a policy beside its id, or changes
//     tables of another version.
package database
