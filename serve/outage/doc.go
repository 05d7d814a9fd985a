// Package outage says which errors show that a database, a disk or a program cannot be used at the
// moment.
//
//   - In: the error of a request: of SQLite, PostgreSQL, the network, a context or a policy's program.
//   - Out: an [Outage]: the status of HTTP, when to send the same request again, and a sentence for
//     clients; nil for a fault of the server's own.
//   - It never: logs, or repeats what an error says, which may hold an address or a password.
package outage
