// Package learning has the tables of policies without training learn from games whose truth was
// told. The model is package learn's.
//
// A version is built by one server and followed by all ([Tables.Teach]). A session goes on with
// the version that it was begun with ([Tables.ForPlay]).
//
//   - In: counts and games of a database ([database.Snapshot]), and word that they changed
//     ([Tables.Taught]).
//   - Out: versions of tables, installed in the set of policies in service; the objects and questions
//     that people mean ([Lexicon]).
//   - It never: changes what was told, or lets a request wait for a version that is built.
package learning
