package web

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"

	"mapo/cmd/mapo/terminal"
	"mapo/game"
	"mapo/game/play"
	"mapo/internal/console"
	"mapo/serve/database"
	"mapo/serve/policies"
	"mapo/serve/servetest"
	"mapo/serve/sessions"
	"mapo/serve/wire"
)

// TestNUL: no character in a path, a query or a body is a fault of the server's, whichever database
// keeps the sessions, and a policy whose texts a database could not keep is refused.
func TestNUL(t *testing.T) {
	servetest.EachStore(t, func(t *testing.T, open func() (database.Store, error)) {
		s, set := servetest.Keeping(t, servetest.Opened(t, open), sessions.Options{}, nil, servetest.Write(t, t.TempDir(), "t", servetest.Wheels(), nil))
		h := New(set, s, Options{}).Handler()
		v := servetest.Begin(t, s, wire.NewSession{Policy: "t"})
		for _, bad := range []string{"%00", "a%00", "%ff", "%ed%a0%80", "%c3%28", strings.Repeat("%00", 26)} {
			for path, methods := range map[string]string{
				"/v1/sessions?after=" + bad: "GET", "/v1/sessions?limit=" + bad: "GET", "/v1/sessions/" + bad: "GET DELETE", "/v1/sessions/" + bad + "/export": "GET",
				"/v1/sessions/" + bad + "/answers": "POST", "/v1/sessions/" + bad + "/undo": "POST", "/v1/sessions/" + bad + "/next": "POST",
				"/v1/sessions/" + v.ID + "/export?format=" + bad: "GET", "/v1/policies/" + bad: "GET", "/v1/policies/" + bad + "/next": "POST",
			} {
				for method := range strings.SplitSeq(methods, " ") {
					if code, body := status(h, request(method, path, `{"step": 1, "answer": 1}`)); code < 400 || code >= 500 {
						t.Errorf("%s %s: %d %s", method, path, code, body)
					}
				}
			}
		}
		for path, body := range map[string]string{
			"/v1/sessions": `{"policy": "t", "title": %q}`, "/v1/sessions?": `{"policy": %q}`, "/v1/sessions/" + v.ID + "/answers": `{"step": 1, "answer": 1, "annotator": %q}`,
			"/v1/sessions/" + v.ID + "/answers?": `{"step": 1, "answer": 1, "query": %q}`, "/v1/policies/t/next": `{"history": [{"query": %q, "answer": 1}]}`,
		} {
			text := strings.Replace(fmt.Sprintf(body, "a?b"), "?", `\u0000`, 1)
			if code, reply := status(h, request("POST", path, text)); code < 400 || code >= 500 {
				t.Errorf("%s %s: %d %s", path, text, code, reply)
			}
		}
		for after, n := range map[string]int{"": 1, v.ID: 0, strings.Repeat("z", 27): 0} {
			var list wire.SessionList
			if code := get(t, h, "/v1/sessions?after="+after, &list); code != 200 || len(list.Sessions) != n {
				t.Errorf("after %q: %d, %d sessions, want %d", after, code, len(list.Sessions), n)
			}
		}
	})
	for what, change := range map[string]func(p *game.Problem){
		"name": func(p *game.Problem) { p.Name = placeholder }, "query": func(p *game.Problem) { p.X[1] = placeholder }, "hypothesis": func(p *game.Problem) { p.Names[2] = placeholder },
	} {
		p := servetest.Wheels()
		change(p)
		path := servetest.Write(t, t.TempDir(), "t", p, nil)
		_, err := policies.Open(path)
		must(t, err)
		withNUL(t, path)
		if _, err := policies.Open(path); err == nil || !strings.Contains(err.Error(), "NUL") || strings.Contains(err.Error(), "\x00") {
			t.Errorf("a policy with a NUL in a %s: %v", what, err)
		}
	}
}

// placeholder is as long as a NUL is in a policy file.
const placeholder = "NULNUL!"

// withNUL puts a NUL in the placeholder's place, and the hash right.
func withNUL(t *testing.T, path string) {
	t.Helper()
	data, err := os.ReadFile(path)
	must(t, err)
	const before, digits = `\"hash\":\"`, 2 * sha256.Size
	at := bytes.Index(data, []byte(before)) + len(before)
	if at < len(before) || bytes.Count(data, []byte(placeholder)) != 1 {
		t.Fatal("no hash, or no placeholder")
	}
	data = bytes.Replace(data, []byte(placeholder), []byte(`\\u0000`), 1)
	copy(data[at:], strings.Repeat("0", digits))
	sum := sha256.Sum256(data)
	copy(data[at:], hex.EncodeToString(sum[:]))
	must(t, os.WriteFile(path, data, 0o600))
}

// TestTitles: what people write is a title; what would spoil a list is not.
func TestTitles(t *testing.T) {
	servetest.EachStore(t, func(t *testing.T, open func() (database.Store, error)) {
		s, set := servetest.Keeping(t, servetest.Opened(t, open), sessions.Options{}, nil, servetest.Write(t, t.TempDir(), "t", servetest.Wheels(), nil))
		h := New(set, s, Options{}).Handler()
		for _, title := range []string{"می\u200cخواهم", "👩\u200d🌾 ❤\ufe0f", "नमस्\u200dते", "Qui\u202fest\u00a0là ?", "鳥\u3000観察", "🏴\U000e0067\U000e0062\U000e007f"} {
			var v wire.View
			if code := servetest.Post(t, h, "/v1/sessions", fmt.Sprintf(`{"policy": "t", "title": "%s"}`, title), &v); code != http.StatusCreated || v.Title != title {
				t.Errorf("%+q: %d, and %+q is kept", title, code, v.Title)
			}
			v, want := *servetest.Tell(t, s, &v, play.Yes), title
			if _, err := s.Answer(t.Context(), v.ID, &wire.AnswerRequest{Step: v.Step, Answer: wire.Reply{Answer: play.Yes}, Annotator: want}); err != nil {
				t.Errorf("%+q as an annotator: %v", want, err)
			}
		}
		for _, r := range []rune{0, '\n', 0x1b, 0x7f, 0x9b, 0x61c, 0x200e, 0x200f, 0x202a, 0x202e, 0x2028, 0x2066, 0x2069} {
			_, err := s.Create(t.Context(), &wire.NewSession{Policy: "t", Title: "a" + string(r)})
			servetest.Faulty(t, err, http.StatusUnprocessableEntity, fmt.Sprintf("the title has the character %U", r))
		}
	})
}

// TestTerminalTexts: a table's texts neither steer the terminal nor reorder what it shows.
func TestTerminalTexts(t *testing.T) {
	p := servetest.Wheels()
	p.Name = "a\u202eb\x1b[31m"
	for i := range p.X {
		p.X[i] = fmt.Sprintf("\u2066%d\u200f?\u061c می\u200cخ", i)
	}
	for k := range p.Names {
		p.Names[k] = fmt.Sprintf("\u202e%d\u2028", k)
	}
	var out strings.Builder
	g := terminal.Game{Policy: servetest.Policy(t, "t", p, nil), Out: &out, Read: terminal.Lines(strings.NewReader("y\nn\nq\n"))}
	must(t, g.Play(t.Context()))
	for _, r := range out.String() {
		if r != '\n' && !console.Showable(r) {
			t.Errorf("the terminal gets %U", r)
		}
	}
	if !strings.Contains(out.String(), "می\u200cخ") {
		t.Errorf("a joiner is lost: %s", out.String())
	}
}
