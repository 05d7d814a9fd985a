package web

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"mapo/internal/suite"
	"mapo/serve/database"
	"mapo/serve/servetest"
	"mapo/serve/sessions"
)

// TestLogin exchanges a token for a cookie that scripts cannot read.
func TestLogin(t *testing.T) {
	h := server(t, Options{AskTokens: []string{askToken}}, servetest.Write(t, t.TempDir(), "t", servetest.Wheels(), nil)).Handler()
	login := func(token string, headers ...string) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		r := request("POST", "/login", url.Values{"token": {token}}.Encode(), append(headers, "Content-Type", "application/x-www-form-urlencoded")...)
		h.ServeHTTP(w, r)
		return w
	}
	if w := login("wrong"); w.Code != 401 || len(w.Result().Cookies()) > 0 {
		t.Errorf("a wrong token: %d %v", w.Code, w.Result().Cookies())
	}
	if w := login(askToken, "Origin", "http://evil.example"); w.Code != 403 {
		t.Errorf("from elsewhere: %d", w.Code)
	}
	w := login(askToken)
	cookies := w.Result().Cookies()
	if w.Code != http.StatusSeeOther || len(cookies) != 1 || !cookies[0].HttpOnly || cookies[0].SameSite != http.SameSiteLaxMode || strings.Contains(cookies[0].Value, askToken) {
		t.Fatalf("%d %v", w.Code, cookies)
	}
	if code, _ := status(h, request("GET", "/v1/policies", "", "Cookie", "mapo="+cookies[0].Value)); code != 200 {
		t.Errorf("with the cookie: %d", code)
	}
	for origin, secure := range map[string]bool{"http://localhost:8080": false, "https://localhost:8080": true} {
		if c := login(askToken, "Origin", origin).Result().Cookies(); len(c) != 1 || c[0].Secure != secure {
			t.Errorf("from a page at %s: %v, want it for encrypted connections only: %v", origin, c, secure)
		}
	}
}

func TestCheckToken(t *testing.T) {
	for token, want := range map[string]string{
		"": "of 0 characters", "short": "of 5 characters", "9f86d081 884c7d65": "cannot carry", "9f86d081;884c7d65": "cannot carry",
		"aaaaaaaaaaaaaaaa": "too few different characters (1,", "abababababababab": "too few different characters (2,", "0123456789abcdef": "follow each other",
		"ABCDEFGHIJKLMNOPQRSTUVWXYZ": "follow each other", "9876543210987654": "follow each other", "aabbccddeeffgghhii": "follow each other",
		"passwordpassword": "repeats its first 8", "change-me change-me": "cannot carry", "changeme!changeme!c": "repeats its first 9",
		"9f86d081884c7d65": "", "correcthorsebatterystaple": "", askToken: "", adminToken: "",
	} {
		err := CheckToken(token)
		if (err == nil) != (want == "") || err != nil && (!strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "openssl rand -hex 16")) {
			t.Errorf("token %q: %v, want %q and the remedy", token, err, want)
		}
		if len(token) > 5 && err != nil && strings.Contains(err.Error(), token) {
			t.Errorf("%v repeats the token", err)
		}
	}
	for range 1000 {
		if err := CheckToken(database.NewID()); err != nil { // 26 random characters
			t.Error(err)
		}
	}
}

// TestOwnPath: what a browser would take for an address elsewhere is not followed.
func TestOwnPath(t *testing.T) {
	for _, path := range []string{"/", "/label/abc", "/play/%3Cb%3E?x=1", "/v1/policies?after=a%2Fb", "/a//b", "/π"} {
		if got := ownPath(path); got != path {
			t.Errorf("%q becomes %q", path, got)
		}
	}
	for _, path := range []string{
		"", "label", "//evil.example", "///evil.example", `/\evil.example`, `\/evil.example`, `/a\b`, "http://evil.example/", "https:/evil.example", "javascript:alert(1)",
		"/\t/evil.example", "/\n/evil.example", "\t//evil.example", " //evil.example", "/%zz", "/a\x00b", "@evil.example", "?x", "#x",
	} {
		if got := ownPath(path); got != "/" {
			t.Errorf("%q becomes %q", path, got)
		}
	}
}

var hiddenTo = regexp.MustCompile(`name="to" value="([^"]*)"`)

// TestLoginReturns: the login leads on to the page that was asked for, wrong tokens in between, and
// to none elsewhere; logging out takes the cookie away.
func TestLoginReturns(t *testing.T) {
	h := server(t, Options{AskTokens: []string{askToken}}, servetest.Write(t, t.TempDir(), "t", servetest.Wheels(), nil)).Handler()
	send := func(r *http.Request) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w
	}
	form := func(path string, values url.Values, headers ...string) *httptest.ResponseRecorder {
		return send(request("POST", path, values.Encode(), append(headers, "Content-Type", "application/x-www-form-urlencoded")...))
	}
	to := func(w *httptest.ResponseRecorder) string {
		t.Helper()
		found := hiddenTo.FindStringSubmatch(w.Body.String())
		if w.Code != http.StatusUnauthorized || found == nil {
			t.Fatalf("%d %s", w.Code, w.Body)
		}
		return found[1]
	}
	const link = "/label/abc?x=1"
	asked := to(send(request("GET", link, "", "Accept", "text/html", "Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document")))
	again := to(form("/login", url.Values{"token": {"wrong"}, "to": {asked}}))
	if w := form("/login", url.Values{"token": {askToken}, "to": {again}}); w.Code != http.StatusSeeOther || w.Header().Get("Location") != link {
		t.Errorf("after the login: %d to %q, want %q", w.Code, w.Header().Get("Location"), link)
	}
	if w := form("/login", url.Values{"token": {askToken}, "to": {"//evil.example/"}}); w.Header().Get("Location") != "/" {
		t.Errorf("sent to %q", w.Header().Get("Location"))
	}
	if got := to(form("/login", url.Values{"token": {"wrong"}, "to": {`/"><script>alert(1)</script>`}})); strings.ContainsAny(got, "<>") {
		t.Errorf("the form holds %q", got)
	}
	w := form("/logout", nil, "Cookie", "mapo="+cookieOf(askToken), "Origin", "http://localhost:8080")
	if c := w.Result().Cookies(); w.Code != http.StatusSeeOther || len(c) != 1 || c[0].Name != cookieName || c[0].Value != "" || c[0].MaxAge >= 0 {
		t.Errorf("logging out: %d %v", w.Code, c)
	}
	if w := form("/logout", nil, "Origin", "http://evil.example"); w.Code != http.StatusForbidden || len(w.Result().Cookies()) > 0 {
		t.Errorf("logged out from elsewhere: %d", w.Code)
	}
}

// TestLoginInBrowser: with tokens set a browser is asked for one, and then shown the page that was
// asked for, with what its address has after "#". A link on another site needs no second login.
// Logging out ends it.
func TestLoginInBrowser(t *testing.T) {
	suite.Long(t, "one more game in a browser")
	t.Parallel()
	browser := chromium(t)
	s := server(t, Options{AskTokens: []string{askToken}}, servetest.Write(t, t.TempDir(), "animals", servetest.Animals(t), nil))
	b := newTab(t, browser, "http://"+listen(t, s))
	const game = "/play/animals#seed=3&h=0y,2n"
	b.open(game)
	b.wait(`document.querySelector("input[name=token]")`)
	b.axe("the login")
	b.shot("login")
	b.do(chromedp.SendKeys(chromedp.CSS("input[name=token]"), "wrong"), chromedp.Click(chromedp.CSS("button")))
	b.wait(`document.querySelector("[role=alert]")?.textContent === "No such token."`)
	b.do(chromedp.SendKeys(chromedp.CSS("input[name=token]"), askToken), chromedp.Click(chromedp.CSS("button")))
	b.wait(`document.getElementById("question")`)
	if got := strings.TrimPrefix(b.address(), b.origin); got != game {
		t.Errorf("the login leads to %s, want %s", got, game)
	}
	if cookies := js[string](b, `document.cookie`); cookies != "" {
		t.Errorf("a script can read %q", cookies)
	}
	b.axe("a page that can be logged out of")
	b.shot("logged-in")
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte(`<a id="link" href="` + b.origin + `/policies/animals">a link</a>`))
	}))
	t.Cleanup(other.Close)
	b.clean("401")
	elsewhere := strings.Replace(other.URL, "127.0.0.1", "localhost", 1) // another site than an address
	b.do(chromedp.Navigate(elsewhere), chromedp.Click(chromedp.CSS("#link")))
	b.wait(`document.querySelector("svg[role=img]")`)
	b.clean("request to "+elsewhere, elsewhere+"/favicon.ico")
	b.do(chromedp.Click(chromedp.CSS("nav form button")))
	b.wait(`document.querySelector("input[name=token]")`)
	b.open("/play/animals")
	b.wait(`document.querySelector("input[name=token]")`)
	b.clean("401")
}

// TestLogoutControl: every page has it where there are tokens, and none where there are not.
func TestLogoutControl(t *testing.T) {
	path := servetest.Write(t, t.TempDir(), "t", servetest.Wheels(), nil)
	for _, tokens := range [][]string{nil, {askToken}} {
		s, set := servetest.Keeping(t, servetest.Opened(t, servetest.Stores["sqlite"](t)), sessions.Options{}, nil, path)
		h := New(set, s, Options{AskTokens: tokens}).Handler()
		for _, page := range []string{"/", "/play/t", "/policies/t", "/label/x", "/docs"} {
			code, body := status(h, request("GET", page, "", "Authorization", "Bearer "+askToken))
			if code != 200 || strings.Contains(body, `action="/logout"`) != (tokens != nil) {
				t.Errorf("%s with %d tokens: %d %s", page, len(tokens), code, body)
			}
		}
	}
}
