package web

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"mapo/internal/suite"
	"mapo/serve/dbtest"
	"mapo/serve/servetest"
	"mapo/serve/sessions"
)

// nginx runs nginx with the servers of a configuration until the test ends. Where it is absent the
// test is skipped, and fails where MAPO_CI is set.
func nginx(t *testing.T, servers string) {
	t.Helper()
	path, err := exec.LookPath("nginx")
	if err != nil {
		path = "/usr/sbin/nginx"
		if _, err := os.Stat(path); err != nil { // not in every user's PATH
			absent(t, "nginx is not installed (Debian: apt-get install nginx)")
		}
	}
	dir := t.TempDir()
	config := filepath.Join(dir, "nginx.conf")
	text := fmt.Sprintf("daemon off; master_process off; pid %[1]s/pid; error_log stderr;\nevents {}\nhttp {\naccess_log off; client_body_temp_path %[1]s/body; proxy_temp_path %[1]s/proxy;"+
		" fastcgi_temp_path %[1]s/fastcgi; uwsgi_temp_path %[1]s/uwsgi; scgi_temp_path %[1]s/scgi;\n%[2]s}\n", dir, servers)
	must(t, os.WriteFile(config, []byte(text), 0o600))
	cmd := exec.Command(path, "-p", dir, "-c", config, "-e", "stderr")
	said := new(bytes.Buffer)
	cmd.Stderr = said
	must(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGQUIT)
		_ = cmd.Wait()
		if t.Failed() {
			t.Logf("nginx: %s", said)
		}
	})
	suite.Await(t, func() bool {
		data, err := os.ReadFile(filepath.Join(dir, "pid"))
		return err == nil && len(data) > 0 // it listens by then
	}, func() string { return "nginx does not start" })
}

// behind starts nginx before s with some lines beside proxy_pass, and returns its port.
func behind(t *testing.T, s *Server, lines string) int {
	t.Helper()
	port, err := dbtest.FreePort()
	must(t, err)
	nginx(t, fmt.Sprintf("server { listen 127.0.0.1:%d; location / { proxy_pass http://%s; %s } }", port, listen(t, s), lines))
	return port
}

// sent is the status of a request to a port of this machine, with headers by twos.
func sent(t *testing.T, port int, method, path, body string, headers ...string) int {
	t.Helper()
	r, err := http.NewRequest(method, fmt.Sprintf("http://127.0.0.1:%d%s", port, path), strings.NewReader(body))
	must(t, err)
	h := request(method, path, body, headers...)
	r.Header, r.Host = h.Header, h.Host
	res, err := http.DefaultClient.Do(r)
	must(t, err)
	must(t, res.Body.Close())
	return res.StatusCode
}

const (
	proxyBare = "" // nginx sends the address in proxy_pass as Host
	proxyHost = "proxy_set_header Host $host;"
)

// TestNginx: behind nginx's defaults, and behind what many write instead, the server's own pages
// work, under localhost and under a name; pages of others do not.
func TestNginx(t *testing.T) {
	path := servetest.Write(t, t.TempDir(), "t", servetest.Wheels(), nil)
	const next, all = "/v1/policies/t/next", "/v1/policies"
	named := Options{Hosts: []string{"labels.example"}, AskTokens: []string{askToken}}
	for _, c := range []struct {
		what, lines string
		o           Options
		name        string // in the browser's address
		fetch       bool   // whether the browser sends Sec-Fetch-Site, as it does to localhost and over TLS
		status      int
	}{
		{"localhost", proxyBare, Options{}, "localhost", true, 200},
		{"localhost, $host", proxyHost, Options{}, "localhost", true, 200},
		{"a name over plain HTTP", proxyBare, named, "labels.example", false, 200},
		{"a name over plain HTTP, $host", proxyHost, named, "labels.example", false, 200},
		{"a name over plain HTTP, $http_host", "proxy_set_header Host $http_host;", named, "labels.example", false, 200},
		{"a rebound page", proxyBare, Options{}, "evil.example", false, 403},
		{"a rebound page, $host", proxyHost, Options{}, "evil.example", false, 421},
		{"a rebound page, a server with a name", proxyBare, named, "evil.example", false, 403},
	} {
		t.Run(c.what, func(t *testing.T) {
			port := behind(t, server(t, c.o, path), c.lines)
			at := fmt.Sprintf("%s:%d", c.name, port)
			headers := []string{"Host", at, "Origin", "http://" + at, "Authorization", "Bearer " + askToken}
			if c.fetch {
				headers = append(headers, "Sec-Fetch-Site", "same-origin", "Sec-Fetch-Mode", "cors")
			}
			if got := sent(t, port, "POST", next, "{}", headers...); got != c.status {
				t.Errorf("a post of its page: %d, want %d", got, c.status)
			}
			if got := sent(t, port, "GET", all, "", headers...); got != c.status {
				t.Errorf("its page's script: %d, want %d", got, c.status)
			}
			if got := sent(t, port, "POST", "/login", url.Values{"token": {askToken}}.Encode(), append(headers, "Content-Type", "application/x-www-form-urlencoded")...); (got == 403 || got == 421) != (c.status != 200) {
				t.Errorf("a form of its page: %d", got)
			}
			if got := sent(t, port, "POST", next, "{}", "Host", at, "Origin", "http://another.example", "Authorization", "Bearer "+askToken); got != 403 && got != 421 {
				t.Errorf("a post of another page: %d", got)
			}
		})
	}
	t.Run("a rebound page, directly", func(t *testing.T) {
		_, port, err := net.SplitHostPort(listen(t, server(t, Options{}, path)))
		must(t, err)
		at := "evil.example:" + port
		n := 0
		_, err = fmt.Sscan(port, &n)
		must(t, err)
		for _, method := range []string{"GET", "POST", "DELETE"} {
			if got := sent(t, n, method, all, "{}", "Host", at, "Origin", "http://"+at); got != 421 {
				t.Errorf("%s: %d, want 421", method, got)
			}
		}
	})
	t.Run("X-Forwarded-For", func(t *testing.T) {
		const forward = "proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;"
		if got := sent(t, behind(t, server(t, Options{}, path), forward), "GET", all, ""); got != 403 {
			t.Errorf("no tokens: %d, want 403", got)
		}
		port := behind(t, allowing(server(t, Options{Proxies: trusted(t, "127.0.0.1"), Rate: 1}, path), 2), forward)
		var a, b []int
		for range 3 {
			a = append(a, sentFrom(t, "127.0.0.2", port))
			b = append(b, sentFrom(t, "127.0.0.3", port))
		}
		if want := fmt.Sprint([]int{200, 200, 429}); fmt.Sprint(a) != want || fmt.Sprint(b) != want {
			t.Errorf("two clients are answered %v and %v, want %s each", a, b, want)
		}
	})
}

// sentFrom is the status of a request from an address of this machine, which claims to be forwarded
// for another.
func sentFrom(t *testing.T, from string, port int) int {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true, DialContext: (&net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}).DialContext}}
	r, err := http.NewRequest(http.MethodGet, fmt.Sprintf("http://127.0.0.1:%d/v1/policies", port), nil)
	must(t, err)
	r.Header.Set("X-Forwarded-For", fmt.Sprintf("192.0.2.%d", time.Now().UnixNano()%250))
	res, err := client.Do(r)
	must(t, err)
	must(t, res.Body.Close())
	return res.StatusCode
}

// TestNginxInBrowser: a session is begun and labelled behind nginx's default, on localhost and
// under a name over plain HTTP; a page that came to this address under a name of its own can post
// nothing.
func TestNginxInBrowser(t *testing.T) {
	suite.Long(t, "one more game in a browser")
	t.Parallel()
	browser := chromium(t, chromedp.Flag("host-resolver-rules", "MAP *.example 127.0.0.1"))
	path := servetest.Write(t, t.TempDir(), "animals", servetest.Animals(t), nil)
	play := func(t *testing.T, b *tab) {
		t.Helper()
		b.wait(`document.querySelector("details")`)
		b.do(chromedp.Click(chromedp.CSS("details > summary")), chromedp.Click(chromedp.CSS("main form button")))
		b.wait(`location.pathname.startsWith("/label/") && document.getElementById("question")`)
		b.press(true, "y")
		b.wait(`document.querySelectorAll("#answers tr").length === 1`)
	}
	t.Run("localhost", func(t *testing.T) {
		s, set := servetest.Keeping(t, servetest.Opened(t, servetest.Stores["sqlite"](t)), sessions.Options{}, nil, path)
		port := behind(t, New(set, s, Options{}), proxyBare)
		b := newTab(t, browser, fmt.Sprintf("http://localhost:%d", port))
		b.open("/")
		play(t, b)
		b.clean()
		b = newTab(t, browser, fmt.Sprintf("http://evil.example:%d", port))
		b.open("/")
		b.wait(`document.querySelector("main h1")`) // its scripts are refused
		if got := js[int](b, `fetch("/v1/sessions", {method: "POST", headers: {"Content-Type": "application/json"}, body: '{"policy": "animals"}'}).then((r) => r.status)`, chromedp.EvalAwaitPromise); got != 403 {
			t.Errorf("a rebound page's post: %d, want 403", got)
		}
	})
	t.Run("a name", func(t *testing.T) {
		s, set := servetest.Keeping(t, servetest.Opened(t, servetest.Stores["sqlite"](t)), sessions.Options{}, nil, path)
		port := behind(t, New(set, s, Options{Hosts: []string{"labels.example"}, AskTokens: []string{askToken}}), proxyBare)
		b := newTab(t, browser, fmt.Sprintf("http://labels.example:%d", port))
		b.open("/")
		b.wait(`document.querySelector("input[name=token]")`)
		b.do(chromedp.SendKeys(chromedp.CSS("input[name=token]"), askToken), chromedp.Click(chromedp.CSS("button")))
		play(t, b)
		b.clean("401", "Cross-Origin-Opener-Policy") // which a browser ignores over plain HTTP, and says so
	})
}

var nginxBlock = regexp.MustCompile("(?s)```nginx\n(.*?)```")

// TestNginxDocument runs the configuration in docs/serve.md, with ports and files of the test's
// own.
func TestNginxDocument(t *testing.T) {
	doc, err := os.ReadFile("../../docs/serve.md")
	must(t, err)
	blocks := nginxBlock.FindAllSubmatch(doc, -1)
	if len(blocks) != 1 || !bytes.Contains(doc, []byte("--host labels.example.org --trusted-proxy 127.0.0.1")) {
		t.Fatalf("docs/serve.md has %d blocks of nginx, want 1 and the command to it", len(blocks))
	}
	s := server(t, Options{Hosts: []string{"labels.example.org"}, Proxies: trusted(t, "127.0.0.1"), AskTokens: []string{askToken}, Rate: 1},
		servetest.Write(t, t.TempDir(), "t", servetest.Wheels(), nil))
	allowing(s, 2)
	cert, key, pool := selfSigned(t, "labels.example.org")
	port, err := dbtest.FreePort()
	must(t, err)
	at := fmt.Sprintf("127.0.0.1:%d", port)
	config := string(blocks[0][1])
	for _, change := range [][2]string{
		{"listen 443 ssl", "listen " + at + " ssl"}, {"http://127.0.0.1:8080", "http://" + listen(t, s)},
		{"/etc/ssl/certs/labels.example.org.pem", cert}, {"/etc/ssl/private/labels.example.org.key", key},
	} {
		if strings.Count(config, change[0]) != 1 {
			t.Fatalf("the block has %q %d times", change[0], strings.Count(config, change[0]))
		}
		config = strings.Replace(config, change[0], change[1], 1)
	}
	nginx(t, config)
	// client comes from an address of this machine's.
	client := func(from string) *http.Client {
		return &http.Client{
			Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
				return (&net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}).DialContext(ctx, "tcp", at)
			}},
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		}
	}
	const origin = "https://labels.example.org"
	r, err := http.NewRequest(http.MethodPost, origin+"/login", strings.NewReader(url.Values{"token": {askToken}, "to": {"/play/t"}}.Encode()))
	must(t, err)
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Origin", origin)
	res, err := client("127.0.0.2").Do(r)
	must(t, err)
	must(t, res.Body.Close())
	cookies := res.Cookies()
	if res.StatusCode != http.StatusSeeOther || res.Header.Get("Location") != "/play/t" || len(cookies) != 1 || !cookies[0].Secure {
		t.Fatalf("the login: %d to %q, %v", res.StatusCode, res.Header.Get("Location"), cookies)
	}
	post := func(from, origin string) int {
		r, err := http.NewRequest(http.MethodPost, "https://labels.example.org/v1/policies/t/next", strings.NewReader("{}"))
		must(t, err)
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Origin", origin)
		r.AddCookie(cookies[0])
		res, err := client(from).Do(r)
		must(t, err)
		must(t, res.Body.Close())
		return res.StatusCode
	}
	if got := post("127.0.0.3", origin); got != 200 {
		t.Errorf("a post of its page: %d", got)
	}
	if got := post("127.0.0.4", "https://evil.example"); got != 403 {
		t.Errorf("a post of another page: %d", got)
	}
	if a, b, c := post("127.0.0.5", origin), post("127.0.0.5", origin), post("127.0.0.5", origin); a != 200 || b != 200 || c != 429 {
		t.Errorf("three requests of one client: %d, %d, %d; want 200, 200, 429", a, b, c)
	}
}

// selfSigned makes a certificate for a name, in files, and a pool that trusts it.
func selfSigned(t *testing.T, name string) (cert, key string, pool *x509.CertPool) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(t, err)
	made := &x509.Certificate{SerialNumber: big.NewInt(1), DNSNames: []string{name}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true}
	der, err := x509.CreateCertificate(rand.Reader, made, made, private.Public(), private)
	must(t, err)
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	must(t, err)
	dir := t.TempDir()
	cert, key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	public := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	must(t, os.WriteFile(cert, public, 0o600))
	must(t, os.WriteFile(key, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret}), 0o600))
	pool = x509.NewCertPool()
	if !pool.AppendCertsFromPEM(public) {
		t.Fatal("the certificate cannot be read")
	}
	return cert, key, pool
}
