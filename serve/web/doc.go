// Package web is the HTTP API with its OpenAPI document, and the web pages.
//
// [New] makes the routes. Each declares the right that a request must carry, and one that declares
// none stops the start (routes.go). A request passes, in this order, the bound of its client's
// connections (conns.go), the rate (limit.go), the host and the origin (guard.go), the right
// (access.go), and the bounds of its body (body.go, bodycheck.go). Only then does it reach a
// handler, which asks packages policies and sessions.
//
//   - In: requests from anywhere.
//   - Out: JSON, problems as RFC 9457 has them, and pages: files of pages/ that scripts fill from the
//     API.
//   - It never: keeps a game, tells the text of an error of its own, or believes what a client says of its
//     address.
package web
