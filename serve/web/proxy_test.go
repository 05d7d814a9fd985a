package web

import (
	"net/netip"
	"strings"
	"testing"

	"mapo/serve/servetest"
)

func trusted(t *testing.T, networks ...string) (all []netip.Prefix) {
	t.Helper()
	for _, text := range networks {
		p, err := ParseProxy(text)
		must(t, err)
		all = append(all, p)
	}
	return all
}

func TestParseProxy(t *testing.T) {
	for text, want := range map[string]string{
		"127.0.0.1": "127.0.0.1/32", "10.0.0.7/8": "10.0.0.0/8", "::1": "::1/128", "2001:db8::1/48": "2001:db8::/48", "::ffff:10.0.0.7": "10.0.0.7/32",
		"": "is not a network", "proxy.example.org": "is not a network", "10.0.0.0/33": "is not a network", "10.0.0.1:80": "is not a network", "fe80::1%eth0": "is not a network",
		"0.0.0.0/0": "trusts every address", "::/0": "trusts every address", "::ffff:10.0.0.0/104": "write it as IPv4",
	} {
		switch p, err := ParseProxy(text); {
		case err == nil && p.String() != want:
			t.Errorf("%q is %s, want %s", text, p, want)
		case err != nil && (!strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), `"`+text+`"`)):
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// TestClient: a request is its connection's, or of the last address that is not a trusted proxy's;
// what a client puts before it counts for nothing.
func TestClient(t *testing.T) {
	known := proxies(trusted(t, "127.0.0.1", "10.0.0.0/8", "2001:db8::/32"))
	for _, c := range []struct {
		from    string
		forward []string
		want    string
	}{
		{"192.0.2.1:5", nil, "192.0.2.1"},
		{"192.0.2.1:5", []string{"203.0.113.9"}, "192.0.2.1"},
		{"[2001:bad::1]:5", []string{"203.0.113.9"}, "2001:bad::1"},
		{"127.0.0.1:5", nil, "127.0.0.1"},
		{"127.0.0.1:5", []string{"203.0.113.9"}, "203.0.113.9"},
		{"[::ffff:127.0.0.1]:5", []string{"203.0.113.9"}, "203.0.113.9"},
		{"127.0.0.1:5", []string{"198.51.100.7, 203.0.113.9"}, "203.0.113.9"},
		{"127.0.0.1:5", []string{"198.51.100.7", "203.0.113.9,10.1.2.3 , 10.9.9.9"}, "203.0.113.9"},
		{"[2001:db8::2]:5", []string{"2001:bad::7"}, "2001:bad::7"},
		{"127.0.0.1:5", []string{"203.0.113.9:4711"}, "203.0.113.9"},
		{"127.0.0.1:5", []string{"[2001:bad::7]:4711"}, "2001:bad::7"},
		{"127.0.0.1:5", []string{"10.1.1.1, 10.2.2.2"}, "10.1.1.1"},
		{"127.0.0.1:5", []string{"203.0.113.9, unknown, 10.2.2.2"}, "10.2.2.2"},
		{"127.0.0.1:5", []string{""}, "127.0.0.1"},
	} {
		r := request("GET", "/", "")
		r.RemoteAddr = c.from
		r.Header["X-Forwarded-For"] = c.forward
		if got := known.client(r).String(); got != c.want {
			t.Errorf("from %s, forwarded for %q: client %s, want %s", c.from, c.forward, got, c.want)
		}
	}
}

// TestLimitsBehindProxy: behind a trusted proxy each client has limits of its own, which it cannot
// change.
func TestLimitsBehindProxy(t *testing.T) {
	entered, release := make(chan bool, 4), make(chan bool)
	s, slow := serveAfter(t, Options{Rate: 2, ClientConns: 2, Proxies: trusted(t, "127.0.0.1")}, func() { entered <- true; <-release })
	h := allowing(s, 4).Handler()
	ask := func(path, forward string) int {
		r := request("GET", path, "", "X-Forwarded-For", forward)
		r.RemoteAddr = "127.0.0.1:5"
		code, _ := status(h, r)
		return code
	}
	for i, want := range []int{200, 200, 200, 200, 429, 429} {
		if got := ask("/v1/policies", string(rune('1'+i))+".1.1.1, 192.0.2.1"); got != want {
			t.Errorf("request %d of a client: %d, want %d", i+1, got, want)
		}
	}
	if got := ask("/v1/policies", "192.0.2.2"); got != 200 {
		t.Errorf("another client: %d", got)
	}
	done := make(chan int, 2)
	for range 2 {
		go func() { done <- ask(slow, "192.0.2.3") }()
		<-entered
	}
	if got := ask("/v1/policies", "192.0.2.3"); got != 429 {
		t.Errorf("a third request at once: %d, want 429", got)
	}
	if got := ask("/v1/policies", "192.0.2.4"); got != 200 {
		t.Errorf("another client meanwhile: %d", got)
	}
	close(release)
	for range 2 {
		if got := <-done; got != 200 {
			t.Errorf("a request under way: %d", got)
		}
	}
	if got := ask("/v1/policies", "192.0.2.3"); got != 200 {
		t.Errorf("after them: %d", got)
	}
}

// TestUnproxied: a server without tokens serves no request from a proxy that was not named, and says
// why.
func TestUnproxied(t *testing.T) {
	path := servetest.Write(t, t.TempDir(), "t", servetest.Wheels(), nil)
	for _, c := range []struct {
		why    string
		o      Options
		header string
		status int
	}{
		{"no proxy", Options{}, "X-Real-Thing", 200},
		{"X-Forwarded-For", Options{}, "X-Forwarded-For", 403},
		{"X-Forwarded-Host", Options{}, "x-forwarded-host", 403},
		{"Forwarded", Options{}, "Forwarded", 403},
		{"Via", Options{}, "Via", 403},
		{"X-Real-IP", Options{}, "X-Real-IP", 403},
		{"--insecure", Options{Insecure: true}, "Via", 200},
		{"a trusted proxy", Options{Proxies: trusted(t, "192.0.2.0/24")}, "Via", 200},
		{"another proxy", Options{Proxies: trusted(t, "198.51.100.0/24")}, "Via", 403},
		{"tokens", Options{AskTokens: []string{askToken}}, "Via", 200},
	} {
		for _, target := range []string{"/v1/policies", "/", "/healthz"} {
			code, body := status(server(t, c.o, path).Handler(), request("GET", target, "", c.header, "1.1 cache", "Authorization", "Bearer "+askToken))
			if code != c.status || code == 403 && !(strings.Contains(body, "MAPO_ASK_TOKEN") && strings.Contains(body, "--trusted-proxy 192.0.2.1")) {
				t.Errorf("%s: %s: %d %s, want %d", c.why, target, code, body, c.status)
			}
		}
	}
	if code, _ := status(server(t, Options{}, path).Handler(), request("GET", "/", "", "Via", "1.1 cache", "Host", "evil.example")); code != 421 {
		t.Errorf("another name: %d, want 421: the list of hosts comes first", code)
	}
}
