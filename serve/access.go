package serve

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
)

// right is what a request may do.
type right uint8

const (
	rightNone  right = iota
	rightAsk         // play and label
	rightAdmin       // also list and delete sessions, and read metrics
)

// access knows the tokens, by their digests.
type access struct {
	keys []accessKey
}

type accessKey struct {
	right  right
	token  [sha256.Size]byte // digest of the token
	cookie [sha256.Size]byte // digest of the cookie that stands for it
}

const (
	cookieName = "mapo"
	loginPath  = "/login"
	leastToken = 16 // bytes
)

// CheckToken says what is wrong with a token, so that none can be guessed.
func CheckToken(token string) error {
	if len(token) < leastToken {
		return fmt.Errorf("a token of %d characters can be guessed; want at least %d, as from: openssl rand -hex 16", len(token), leastToken)
	}
	if strings.ContainsAny(token, " \t\r\n\"\\;,") {
		return errors.New("a token has a character that a header or cookie cannot carry: make one by openssl rand -hex 16")
	}
	return nil
}

func newAccess(ask, admin []string) *access {
	a := new(access)
	add := func(tokens []string, r right) {
		for _, token := range tokens {
			a.keys = append(a.keys, accessKey{r, sha256.Sum256([]byte(token)), sha256.Sum256([]byte(cookieOf(token)))})
		}
	}
	add(ask, rightAsk)
	add(admin, rightAdmin)
	return a
}

// cookieOf is what a browser keeps in a token's place.
func cookieOf(token string) string {
	mac := hmac.New(sha256.New, []byte(token))
	mac.Write([]byte("mapo cookie"))
	return hex.EncodeToString(mac.Sum(nil))
}

// needed reports whether there are tokens at all.
func (a *access) needed() bool { return len(a.keys) > 0 }

// of is the right that r carries: in its Authorization header, or in the cookie
// that the login page sets. Every token is compared in constant time.
func (a *access) of(r *http.Request) right {
	if !a.needed() {
		return rightAdmin
	}
	if token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok {
		return a.match(token, func(k *accessKey) []byte { return k.token[:] })
	}
	if c, err := r.Cookie(cookieName); err == nil {
		return a.match(c.Value, func(k *accessKey) []byte { return k.cookie[:] })
	}
	return rightNone
}

func (a *access) match(text string, digest func(*accessKey) []byte) right {
	sum, best := sha256.Sum256([]byte(text)), rightNone
	for i := range a.keys {
		if subtle.ConstantTimeCompare(sum[:], digest(&a.keys[i])) == 1 {
			best = max(best, a.keys[i].right)
		}
	}
	return best
}

// needs is the right that a request must carry. What is not named needs the right
// to ask.
func needs(r *http.Request) right {
	switch path := r.URL.Path; {
	case path == "/healthz", path == loginPath:
		return rightNone
	case path == "/metrics",
		path == "/v1/sessions" && r.Method != http.MethodPost, // the mux answers HEAD by GET's handler
		r.Method == http.MethodDelete:
		return rightAdmin
	}
	return rightAsk
}

// login exchanges a token for a cookie, for browsers.
func (s *Server) login(w http.ResponseWriter, r *http.Request) {
	token := r.PostFormValue("token")
	if s.access.needed() && s.access.match(token, func(k *accessKey) []byte { return k.token[:] }) == rightNone {
		s.loginPage(w, "No such token.")
		return
	}
	encrypted := strings.HasPrefix(r.Header.Get("Origin"), "https://") // between the browser and a proxy
	http.SetCookie(w, &http.Cookie{
		Name: cookieName, Value: cookieOf(token), Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: encrypted,
		MaxAge: 30 * 24 * 3600,
	})
	http.Redirect(w, r, "/", http.StatusSeeOther)
}

// loginStyle is the style sheet inside the login page, which can ask for nothing
// else, and the policy that lets it apply.
var loginStyle = sync.OnceValues(func() (css, csp string) {
	data, err := web.ReadFile("web/style.css")
	if err != nil {
		panic(err) // it is embedded
	}
	sum := sha256.Sum256(data)
	return string(data), strings.Replace(policyCSP, "style-src 'self'", "style-src 'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"'", 1)
})

// loginPage is all that a browser without a token is shown.
func (s *Server) loginPage(w http.ResponseWriter, remark string) {
	css, csp := loginStyle()
	w.Header().Set("Content-Security-Policy", csp)
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("WWW-Authenticate", `Bearer realm="mapo"`)
	w.WriteHeader(http.StatusUnauthorized)
	_, _ = fmt.Fprintf(w, `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark"><title>mapo: token</title>
<link rel="icon" href="data:,"><style>%s</style></head>
<body><main><section class="card" aria-label="Token"><h1>A token is needed</h1><p role="alert">%s</p>
<form method="post" action="%s"><label>Token<input type="password" name="token" required autocomplete="current-password" autofocus></label><button class="primary">Go on</button></form></section></main></body></html>
`, css, remark, loginPath) // a client that left needs no answer
}
