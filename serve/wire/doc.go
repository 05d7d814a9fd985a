// Package wire has the requests and replies of the API, as they are in JSON and in the OpenAPI
// document, and [Fault], which refuses a request with a status and a reason. [Plain] keeps
// what a terminal would obey out of texts.
//
//   - In: JSON: a query by index or text ([Ref]), an answer as a number, a word or a class ([Reply]).
//   - Out: what the server, an agent or a file of labels shows.
//   - It never: decides whether an answer fits a game, which its policy knows, or reads a database.
package wire
