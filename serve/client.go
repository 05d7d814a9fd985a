package serve

import (
	"context"
	"net/http"
	"net/netip"
)

// requester is the client of a request, by what the server knows of it. [Sessions] find it by [clientOf].
type requester struct {
	right    right
	token    string     // the digest of its token; "": it has none
	address  netip.Addr // of the connection, or the one that a trusted proxy forwards
	loopback bool       // on this machine, and no proxy says that it forwards the request
	local    bool       // on loopback, and not at the address of a trusted proxy, which may have said nothing
}

// admin reports whether the client may do what needs an admin's token: it has one or, where the server has no tokens, is
// on this machine.
func (c *requester) admin() bool { return c.right == rightAdmin && (c.token != "" || c.local) }

// requester returns the client that sent r. Where tables learn and there are no tokens, only a client on this machine is an
// administrator.
func (s *Server) requester(r *http.Request) requester {
	c := requester{address: s.proxies.client(r)}
	c.right, c.token = s.access.of(r)
	c.loopback = c.address.IsLoopback() && forwarded(r.Header) == ""
	c.local = c.loopback && !s.proxies.has(peer(r))
	if s.sessions != nil && s.sessions.Learn.On && c.token == "" && !c.local {
		c.right = min(c.right, rightAsk) // a list of all sessions would let any client change what others told
	}
	return c
}

type requesterKey struct{}

// from returns a context of requests of c.
func (c *requester) from(ctx context.Context) context.Context {
	return context.WithValue(ctx, requesterKey{}, c)
}

// clientOf returns the client whose request ctx is of. Where it is of none, as in a terminal or over standard input, the
// client is on this machine and may do everything.
func clientOf(ctx context.Context) *requester {
	if c, ok := ctx.Value(requesterKey{}).(*requester); ok {
		return c
	}
	return &requester{right: rightAdmin, loopback: true, local: true}
}
