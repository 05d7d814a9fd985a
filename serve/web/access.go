package web

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"strings"
	"sync"
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
	logoutPath = "/logout"
	leastToken = 16 // bytes
)

// CheckToken says what is wrong with a token, so that none can be guessed.
func CheckToken(token string) error {
	if len(token) < leastToken {
		return fmt.Errorf("a token of %d characters can be guessed; want at least %d, as from: openssl rand -hex 16", len(token), leastToken)
	}
	if why := pattern(token); why != "" {
		return fmt.Errorf("a token can be guessed: %s; want a random one, as from: openssl rand -hex 16", why)
	}
	if strings.ContainsAny(token, " \t\r\n\"\\;,") {
		return errors.New("a token has a character that a header or cookie cannot carry: make one by openssl rand -hex 16")
	}
	return nil
}

// leastDistinct is how many different characters a token has at least. Of 16 random hexadecimal
// digits, 3 in 100,000 have fewer.
const leastDistinct = 6

// pattern says what makes a token predictable, "" for nothing that is looked for.
func pattern(token string) string {
	distinct := map[byte]bool{}
	steps := 0 // characters that repeat the one before, or come next to it as in 123 or cba
	for i := range len(token) {
		distinct[token[i]] = true
		if i > 0 && max(token[i], token[i-1])-min(token[i], token[i-1]) <= 1 {
			steps++
		}
	}
	switch {
	case len(distinct) < leastDistinct:
		return fmt.Sprintf("it has too few different characters (%d, want at least %d)", len(distinct), leastDistinct)
	case steps > len(token)*3/4:
		return "its characters follow each other, as in 1234 or abcd"
	}
	for period := 1; period < leastToken && period <= len(token)/2; period++ {
		if token[period:] == token[:len(token)-period] {
			return fmt.Sprintf("it repeats its first %d characters", period)
		}
	}
	return ""
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

// cookieOf returns what a browser keeps in a token's place.
func cookieOf(token string) string {
	mac := hmac.New(sha256.New, []byte(token))
	mac.Write([]byte("mapo cookie"))
	return hex.EncodeToString(mac.Sum(nil))
}

// needed reports whether there are tokens at all.
func (a *access) needed() bool { return len(a.keys) > 0 }

// of returns the right that r carries, and the digest of its token: in its Authorization header, or in the cookie
// that the login page sets. Every token is compared in constant time. Without tokens every request has all rights.
func (a *access) of(r *http.Request) (right, string) {
	if !a.needed() {
		return rightAdmin, ""
	}
	if scheme, token, ok := strings.Cut(r.Header.Get("Authorization"), " "); ok && strings.EqualFold(scheme, "Bearer") {
		return a.match(strings.TrimLeft(token, " "), func(k *accessKey) []byte { return k.token[:] })
	}
	if c, err := r.Cookie(cookieName); err == nil {
		return a.match(c.Value, func(k *accessKey) []byte { return k.cookie[:] })
	}
	return rightNone, ""
}

// match returns the right of the token whose digest, or whose cookie's, is text's, and the digest of the token.
func (a *access) match(text string, digest func(*accessKey) []byte) (right, string) {
	sum, best := sha256.Sum256([]byte(text)), accessKey{right: rightNone}
	for i := range a.keys {
		if subtle.ConstantTimeCompare(sum[:], digest(&a.keys[i])) == 1 && a.keys[i].right > best.right {
			best = a.keys[i]
		}
	}
	if best.right == rightNone {
		return rightNone, ""
	}
	return best.right, string(best.token[:])
}

// login exchanges a token for a cookie, for browsers, and goes on to the page that was asked for.
func (s *Server) login(w http.ResponseWriter, r *http.Request) {
	token, to := r.PostFormValue("token"), ownPath(r.PostFormValue("to"))
	if have, _ := s.access.match(token, func(k *accessKey) []byte { return k.token[:] }); s.access.needed() && have == rightNone {
		s.loginPage(w, "No such token.", to)
		return
	}
	setCookie(w, r, cookieOf(token), 30*24*3600)
	http.Redirect(w, r, to, http.StatusSeeOther)
}

// logout takes the cookie from a browser.
func (s *Server) logout(w http.ResponseWriter, r *http.Request) {
	setCookie(w, r, "", -1)
	http.Redirect(w, r, "/", http.StatusSeeOther)
}

// setCookie keeps a cookie for so many seconds; fewer than 0 remove it. A link on another site
// brings it along (SameSite=Lax); a script or a form there does not.
func setCookie(w http.ResponseWriter, r *http.Request, value string, seconds int) {
	encrypted := strings.HasPrefix(r.Header.Get("Origin"), "https://") // between the browser and a proxy
	http.SetCookie(w, &http.Cookie{
		Name: cookieName, Value: value, Path: "/", HttpOnly: true, SameSite: http.SameSiteLaxMode, Secure: encrypted, MaxAge: seconds,
	})
}

// ownPath returns text where that is a path on this server, else "/". A browser reads a backslash as a
// slash and skips tabs and line breaks, so "/\\host" and "/\t/host" are addresses of another
// server.
func ownPath(text string) string {
	u, err := url.Parse(text) // refuses control characters
	if err != nil || u.IsAbs() || u.Host != "" || !strings.HasPrefix(text, "/") || strings.HasPrefix(text, "//") || strings.Contains(text, `\`) {
		return "/"
	}
	return text
}

// loginScript keeps what the address has after "#": the redirect after the login inherits it from
// the form's.
const loginScript = `document.forms[0].action += location.hash;`

// loginStyle is the style sheet inside the login page, which can ask for nothing else, and the
// policy that lets it and the script apply.
var loginStyle = sync.OnceValues(func() (css, csp string) {
	data := embedded("style.css")
	hash := func(text []byte) string {
		sum := sha256.Sum256(text)
		return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	return string(data), strings.NewReplacer("style-src 'self'", "style-src "+hash(data), "script-src 'self'", "script-src "+hash([]byte(loginScript))).Replace(policyCSP)
})

// loginPage writes all that a browser without a token is shown; to is the path it asked for.
func (s *Server) loginPage(w http.ResponseWriter, remark, to string) {
	css, csp := loginStyle()
	w.Header().Set("Content-Security-Policy", csp)
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("WWW-Authenticate", `Bearer realm="mapo"`)
	w.WriteHeader(http.StatusUnauthorized)
	_, _ = fmt.Fprintf(w, `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark"><title>mapo: token</title>
<link rel="icon" href="data:,"><style>%s</style></head>
<body><main><section class="card" aria-label="Token"><h1>A token is needed</h1><p role="alert">%s</p>
<form method="post" action="%s"><input type="hidden" name="to" value="%s"><label>Token<input type="password" name="token" required autocomplete="current-password" autofocus></label><button class="primary">Go on</button></form></section></main>
<script>%s</script></body></html>
`, css, remark, loginPath, html.EscapeString(to), loginScript) // a client that left needs no answer
}
