package web

import (
	"container/list"
	"context"
	"net"
	"net/http"
	"net/netip"
	"sync"
)

// connections bounds the open connections of a server, all together and those of one client. Where
// a bound is reached, the connection that has been idle longest gives way to the new one. A
// connection is idle while no request on it has reached the handler: one that has sent nothing, or
// half a header, is idle, too.
type connections struct {
	most, each int
	proxies    proxies

	mu      sync.Mutex
	fewer   sync.Cond // on mu: one ended or became idle, or the listener was closed
	closed  bool
	open    int
	idle    list.List      // of *connection, the longest idle first
	clients map[string]int // connections, and requests that came through trusted proxies
}

func newConnections(most, each int, trusted proxies) *connections {
	s := &connections{most: most, each: each, proxies: trusted, clients: map[string]int{}}
	s.fewer.L = &s.mu
	return s
}

// capped returns the name under which a client's connections are counted, "" for one without a cap:
// this machine, and a trusted proxy, which speaks for many clients.
func (s *connections) capped(a netip.Addr) string {
	if a.IsLoopback() || s.proxies.has(a) {
		return ""
	}
	return clientKey(a)
}

// enter counts a request that came through a trusted proxy as a connection of its client's. It
// reports false where the client has too many; where it reports true, leave ends the request.
func (s *connections) enter(r *http.Request) (leave func(), ok bool) {
	client := ""
	if s.proxies.has(peer(r)) {
		client = s.capped(s.proxies.client(r))
	}
	if client == "" {
		return func() {}, true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.clients[client] >= s.each {
		return nil, false
	}
	s.clients[client]++
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.forget(client)
	}, true
}

// forget takes one from a client's count. mu is held.
func (s *connections) forget(client string) {
	if s.clients[client]--; s.clients[client] <= 0 {
		delete(s.clients, client)
	}
}

// admit returns c with a place among the open connections, for which it waits if need be; nil, with
// c closed, where its client has too many, none of them idle, or where the listener was closed.
func (s *connections) admit(c net.Conn) *connection {
	n := &connection{Conn: c, all: s, client: s.capped(addressOf(c.RemoteAddr().String()))}
	s.mu.Lock()
	defer s.mu.Unlock()
	if n.client != "" && s.clients[n.client] >= s.each && !s.evict(n.client) {
		_ = c.Close() // without a reply: nothing was read from it
		return nil
	}
	for s.open >= s.most && !s.evict("") {
		if s.closed {
			_ = c.Close()
			return nil
		}
		s.fewer.Wait()
	}
	s.open++
	s.clients[n.client]++
	n.place = s.idle.PushBack(n)
	return n
}

// evict closes the connection that has been idle longest, of one client or ("") of all, and reports
// whether there was one. mu is held.
func (s *connections) evict(client string) bool {
	for e := s.idle.Front(); e != nil; e = e.Next() {
		if n := e.Value.(*connection); client == "" || n.client == client {
			s.drop(n)
			_ = n.Conn.Close() // its reader gets an error
			return true
		}
	}
	return false
}

// drop gives up n's place. mu is held.
func (s *connections) drop(n *connection) {
	if n.gone {
		return
	}
	n.gone = true
	s.setBusy(n)
	s.open--
	s.forget(n.client)
	s.fewer.Broadcast()
}

// setBusy takes n out of the idle connections. mu is held.
func (s *connections) setBusy(n *connection) {
	if n.place != nil {
		s.idle.Remove(n.place)
		n.place = nil
	}
}

// connectionKey is where a request's context holds its connection.
type connectionKey struct{}

// busy returns h with the connection of each request marked as busy first.
func (s *connections) busy(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if n, ok := r.Context().Value(connectionKey{}).(*connection); ok {
			s.mu.Lock()
			s.setBusy(n)
			s.mu.Unlock()
		}
		h.ServeHTTP(w, r)
	})
}

// watch makes server, which serves a limitedListener of s, tell s which connections are busy and
// which are idle.
func (s *connections) watch(server *http.Server) {
	server.Handler = s.busy(server.Handler)
	server.ConnContext = func(ctx context.Context, c net.Conn) context.Context {
		return context.WithValue(ctx, connectionKey{}, c)
	}
	server.ConnState = func(c net.Conn, state http.ConnState) {
		n, ok := c.(*connection)
		if !ok || state != http.StateIdle {
			return
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		if !n.gone && n.place == nil {
			n.place = s.idle.PushBack(n)
			s.fewer.Broadcast()
		}
	}
}

// limitedListener is a listener within the bounds of all.
type limitedListener struct {
	net.Listener
	all *connections
}

func (l *limitedListener) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if n := l.all.admit(c); n != nil {
			return n, nil
		}
	}
}

func (l *limitedListener) Close() error {
	l.all.mu.Lock()
	l.all.closed = true
	l.all.mu.Unlock()
	l.all.fewer.Broadcast()
	return l.Listener.Close()
}

// connection is one of a server's.
type connection struct {
	net.Conn
	all    *connections
	client string        // see capped
	place  *list.Element // among the idle ones; nil: it is busy. all.mu guards it and gone
	gone   bool          // its place is given up
}

func (n *connection) Close() error {
	n.all.mu.Lock()
	n.all.drop(n)
	n.all.mu.Unlock()
	return n.Conn.Close()
}
