package sessions

import "context"

// Requester is the client of a request, by what the server knows of it.
type Requester struct {
	Admin    bool   // whether it may do what needs an admin's token: it has one or, where the server has no tokens, is on this machine
	Token    string // the digest of its token; "": it has none
	Address  string // of the connection, or the one that a trusted proxy forwards, as clients are counted
	Loopback bool   // on this machine, and no proxy says that it forwards the request
}

type requesterKey struct{}

// WithRequester returns a context of requests of r.
func WithRequester(ctx context.Context, r *Requester) context.Context {
	return context.WithValue(ctx, requesterKey{}, r)
}

// RequesterOf returns the client whose request ctx is of. Where it is of none, as in a terminal or over standard input, the
// client is on this machine and may do everything.
func RequesterOf(ctx context.Context) *Requester {
	if r, ok := ctx.Value(requesterKey{}).(*Requester); ok {
		return r
	}
	return &Requester{Admin: true, Loopback: true}
}
