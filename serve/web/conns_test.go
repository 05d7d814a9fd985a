package web

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	"mapo/internal/suite"
	"mapo/serve/servetest"
)

// claimed is a listener whose connections come from the address that their first line gives.
type claimed struct{ net.Listener }

type claimedConn struct {
	net.Conn
	from net.Addr
}

func (c *claimedConn) RemoteAddr() net.Addr { return c.from }

func (l claimed) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	var line []byte // a client that ends before its address is complete is no test's
	for b := make([]byte, 1); b[0] != '\n'; {
		if _, err := io.ReadFull(c, b); err != nil {
			return nil, err
		}
		line = append(line, b[0])
	}
	return &claimedConn{c, net.TCPAddrFromAddrPort(netip.AddrPortFrom(netip.MustParseAddr(strings.TrimSpace(string(line))), 1))}, nil
}

// listenAnywhere is listen for clients with addresses of their own; dial connects as one.
func listenAnywhere(t *testing.T, s *Server) (dial func(from string) net.Conn) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- s.Serve(ctx, claimed{ln}) }()
	t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return func(from string) net.Conn {
		t.Helper()
		c, err := net.Dial("tcp", ln.Addr().String())
		must(t, err)
		t.Cleanup(func() { _ = c.Close() })
		_, err = fmt.Fprintln(c, from)
		must(t, err)
		return c
	}
}

// talk sends a request over c and returns the status line, "" where the server has closed c.
func talk(t *testing.T, c net.Conn, path string, headers ...string) string {
	t.Helper()
	must(t, c.SetDeadline(time.Now().Add(suite.Patience)))
	if _, err := fmt.Fprintf(c, "GET %s HTTP/1.1\r\nHost: localhost\r\n%s\r\n", path, strings.Join(append(headers, ""), "\r\n")); err != nil {
		return ""
	}
	res, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		return ""
	}
	defer func() { _ = res.Body.Close() }() // it is read to its end
	_, _ = io.Copy(io.Discard, res.Body)
	return res.Status
}

// closed reports whether the server closes c, which nothing was asked over, before it is too old, which it is not within
// the test.
func closed(t *testing.T, c net.Conn) bool {
	t.Helper()
	must(t, c.SetReadDeadline(time.Now().Add(suite.Patience)))
	_, err := c.Read(make([]byte, 1))
	var late net.Error
	return !errors.As(err, &late) || !late.Timeout()
}

// Bounds of the servers of crowded.
const (
	mostCrowd = 24
	eachCrowd = 4
)

// crowded starts a server for few connections. dial connects as a client; get wants a request over c answered.
func crowded(t *testing.T) (s *Server, dial func(from string) net.Conn, get func(c net.Conn, who string)) {
	t.Helper()
	path := servetest.Write(t, t.TempDir(), "t", servetest.Wheels(), nil)
	s = server(t, Options{MaxConns: mostCrowd, ClientConns: eachCrowd, AskTokens: []string{askToken}}, path)
	s.headerTime = 2 * suite.Patience
	return s, listenAnywhere(t, s), func(c net.Conn, who string) {
		t.Helper()
		if got := talk(t, c, "/v1/policies", "Authorization: Bearer "+askToken); got != "200 OK" {
			t.Errorf("%s is answered %q", who, got)
		}
	}
}

// TestIdleOfOneClient: the idle connections of one client elsewhere, or of one network of IPv6, are capped.
func TestIdleOfOneClient(t *testing.T) {
	_, dial, get := crowded(t)
	var conns []net.Conn
	for range 3 * mostCrowd {
		conns = append(conns, dial("192.0.2.1"))
	}
	get(dial("192.0.2.2"), "another client")
	get(conns[len(conns)-1], "the newest connection")
	if !closed(t, conns[0]) || !closed(t, conns[len(conns)-1-eachCrowd]) {
		t.Error("the oldest are still open")
	}
	conns = nil
	for i := range 2 * eachCrowd {
		conns = append(conns, dial(fmt.Sprintf("2001:db8::%x", i+1)))
	}
	get(conns[len(conns)-1], "the newest connection of a network")
	if !closed(t, conns[0]) {
		t.Error("the oldest of a network is still open")
	}
}

// TestIdleOfManyClients: where the total is reached, the connection that has been idle longest is closed for a new one.
func TestIdleOfManyClients(t *testing.T) {
	s, dial, get := crowded(t)
	kept := dial("198.51.100.1") // idle after a request, so younger than those that come before it is answered
	var conns []net.Conn
	for i := range mostCrowd {
		conns = append(conns, dial(fmt.Sprintf("203.0.113.%d", i)))
		if i == mostCrowd/2 {
			settle(t, s, len(conns)+1, len(conns)+1)
			if got := talk(t, kept, "/healthz"); got != "204 No Content" {
				t.Errorf("health is %q", got)
			}
		}
	}
	for range mostCrowd / 4 {
		get(dial("127.0.0.1"), "this machine")
	}
	if !closed(t, conns[0]) {
		t.Error("the oldest is still open")
	}
	get(kept, "a younger one")
}

// TestIdleOfThisMachine: this machine's connections are not capped, and lock no client out.
func TestIdleOfThisMachine(t *testing.T) {
	_, dial, get := crowded(t)
	var conns []net.Conn
	for range mostCrowd {
		conns = append(conns, dial("127.0.0.1"))
	}
	for _, c := range conns {
		get(c, "a connection of this machine")
	}
	get(dial("192.0.2.1"), "another client")
}

// TestBusyConnections: a request under way is never cut off for a new connection, which waits; one
// client's new connections beyond its cap are closed.
func TestBusyConnections(t *testing.T) {
	entered, release := make(chan bool, 4), make(chan bool)
	s, slow := serveAfter(t, Options{MaxConns: 3, ClientConns: 2}, func() { entered <- true; <-release })
	s.headerTime = 2 * suite.Patience
	dial := listenAnywhere(t, s)
	replies := make(chan string, 4)
	for _, from := range []string{"192.0.2.1", "192.0.2.1", "192.0.2.2"} {
		c := dial(from)
		go func() { replies <- talk(t, c, slow) }()
		<-entered
	}
	if !closed(t, dial("192.0.2.1")) {
		t.Error("a third connection of a client with two requests under way is open")
	}
	waiting := dial("192.0.2.3")
	go func() { replies <- talk(t, waiting, slow) }()
	select {
	case <-entered:
		t.Error("a fourth request is under way")
	case <-time.After(100 * time.Millisecond):
	}
	close(release)
	for range 4 {
		if got := <-replies; got != "200 OK" {
			t.Errorf("a request under way is answered %q", got)
		}
	}
}

// TestConnectionsEnd: what is counted is forgotten when the connections end.
func TestConnectionsEnd(t *testing.T) {
	s := server(t, Options{ClientConns: 4}, servetest.Write(t, t.TempDir(), "t", servetest.Wheels(), nil))
	dial := listenAnywhere(t, s)
	for i := range 40 {
		c := dial(fmt.Sprintf("192.0.2.%d", i%3))
		if i%2 == 0 {
			talk(t, c, "/v1/policies")
		}
		must(t, c.Close())
	}
	settle(t, s, 0, 0)
	s.conns.mu.Lock()
	defer s.conns.mu.Unlock()
	if n := len(s.conns.clients); n != 0 {
		t.Errorf("%d clients are counted", n)
	}
}

// settle waits until so many connections are open, and so many of them idle.
func settle(t *testing.T, s *Server, open, idle int) {
	t.Helper()
	var gotOpen, gotIdle int
	suite.Await(t, func() bool {
		s.conns.mu.Lock()
		defer s.conns.mu.Unlock()
		gotOpen, gotIdle = s.conns.open, s.conns.idle.Len()
		return gotOpen == open && gotIdle == idle
	}, func() string {
		return fmt.Sprintf("%d connections are open, %d of them idle; want %d and %d", gotOpen, gotIdle, open, idle)
	})
}
