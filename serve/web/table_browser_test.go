package web

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"mapo/data/dataset"
	"mapo/data/table"
	"mapo/game"
	"mapo/internal/suite"
	"mapo/policy/rival"
	"mapo/serve/policies"
	"mapo/serve/servetest"
	"mapo/serve/sessions"
	"mapo/serve/wire"
)

// rows opens tables as they are played without training: NAME=PATH, where NAME.csv is made by how.
func rows(how map[string]func() (*game.Problem, error)) policies.Opener {
	return func(name string) (*policies.Policy, error) {
		p, err := how[name]()
		if err != nil {
			return nil, err
		}
		policy, err := rival.Parse(p, game.BestIdentification, "information:0.03")
		if err != nil {
			return nil, err
		}
		return policies.Untrained(name, p, policy, policies.Rules{Stop: 0.95, Version: "test"})
	}
}

// animalRows is examples/animals.csv with its rows as hypotheses.
func animalRows() (*game.Problem, error) {
	t, err := table.Read("../../examples/animals.csv", table.Options{})
	if err != nil {
		return nil, err
	}
	p, _, err := dataset.Rows(t, dataset.RowOptions{Options: dataset.Options{Name: "animals", T: 20, AskOnce: true}})
	return p, err
}

// keyRows is a key of four couplets for fifteen species, whose answers are exact: yes four times is none of them.
func keyRows() (*game.Problem, error) { return keyOr(0) }

// keyOrNone is keyRows with the hypothesis that it is none of them.
func keyOrNone() (*game.Problem, error) { return keyOr(0.05) }

func keyOr(other float64) (*game.Problem, error) {
	var text strings.Builder
	text.WriteString("object,couplet 1,couplet 2,couplet 3,couplet 4\n")
	for k := range 15 {
		fmt.Fprintf(&text, "species %d,%d,%d,%d,%d\n", k+1, k&1, k>>1&1, k>>2&1, k>>3&1)
	}
	t, err := table.Parse(strings.NewReader(text.String()), "key.csv", table.Options{})
	if err != nil {
		return nil, err
	}
	p, _, err := dataset.Rows(t, dataset.RowOptions{Options: dataset.Options{Name: "key", T: 4, AskOnce: true}, Wrong: new(float64), Other: other})
	return p, err
}

// tables serves them without training, with sessions; it returns the origin.
func tables(t *testing.T) string {
	t.Helper()
	set, err := policies.NewSet([]string{"animals", "key", "none"}, rows(map[string]func() (*game.Problem, error){"animals": animalRows, "key": keyRows, "none": keyOrNone}))
	must(t, err)
	s, err := sessions.New(t.Context(), set, servetest.Opened(t, servetest.Stores["sqlite"](t)), sessions.Options{})
	must(t, err)
	return "http://" + listen(t, New(set, s, Options{Version: "test"}))
}

// start begins a session over HTTP and returns its id.
func start(t *testing.T, origin, request string) string {
	t.Helper()
	res, err := http.Post(origin+"/v1/sessions", "application/json", strings.NewReader(request))
	must(t, err)
	defer res.Body.Close()
	var session wire.View
	must(t, json.NewDecoder(res.Body).Decode(&session))
	return session.ID
}

// percents fails the test unless the leading hypotheses have probabilities in order, of which none that is short of
// certain is 100 %.
func (b *tab) percents(when string, n int) {
	b.t.Helper()
	bars := js[[]string](b, `[...document.querySelectorAll("#leading .n")].map((e) => e.textContent)`)
	if len(bars) != n {
		b.t.Errorf("%s: the bars are %q, want %d", when, bars, n)
	}
	for _, bar := range bars {
		if !strings.HasSuffix(bar, "\u00a0%") || strings.HasPrefix(bar, "100") {
			b.t.Errorf("%s: a bar says %q", when, bar)
		}
	}
}

// looks keeps pictures of the page at both widths, and fails the test where it is wider than a phone.
func (b *tab) looks(name string) {
	b.t.Helper()
	for _, width := range []int64{375, 1000} {
		b.look(width, false)
		b.axe(name)
		b.whole(name)
		b.shot(fmt.Sprintf("%s-%d", name, width))
		if wide := js[int64](b, `document.documentElement.scrollWidth`); wide > width {
			b.t.Errorf("%s is %d wide, want %d", name, wide, width)
		}
	}
}

// TestTableInBrowser plays a served table by mouse and by keyboard: half answers, a guess that is denied, an undo of
// it, a reload, and on to the end, where the game does not know.
func TestTableInBrowser(t *testing.T) {
	t.Parallel()
	browser, origin := chromium(t), tables(t)
	says := guesser(t, "penguin")
	for _, keyboard := range []bool{false, true} {
		t.Run(map[bool]string{false: "mouse", true: "keyboard"}[keyboard], func(t *testing.T) {
			b := newTab(t, browser, origin)
			b.open("/play/animals#seed=3")
			b.wait(`document.getElementById("question")`)
			if got := b.text("untrained"); !strings.Contains(got, "was not trained") || !strings.Contains(got, "not measured") {
				t.Errorf("of its training the page says %q", got)
			}
			b.looks("first")
			n := 0
			answer := func() {
				key := "n"
				if says(b.text("question")) {
					key = "y"
				}
				if n == 1 || n == 2 {
					key = map[string]string{"n": "-", "y": "+"}[key]
				}
				n++
				b.turn(keyboard, key, n)
			}
			open := func(id string) bool { return js[bool](b, fmt.Sprintf(`!!document.getElementById(%q)`, id)) }
			for !open("guess") {
				answer()
				b.percents(fmt.Sprintf("after answer %d", n), 5)
				if got := b.text("sure"); !strings.Contains(got, "%") || !strings.HasSuffix(got, "if answers follow the table.") {
					t.Errorf("after answer %d: %q", n, got)
				}
				if n == 3 {
					b.looks("half")
					if got := js[int](b, `[...document.querySelectorAll("#answers td:last-child")].filter((c) => c.textContent.startsWith("probably")).length`); got != 2 {
						t.Errorf("%d half answers are listed, want 2", got)
					}
					b.reload("sure")
				}
			}
			guess := b.text("guess")
			if guess != "Is it penguin?" {
				t.Errorf("after %d answers of a penguin: %s", n, guess)
			}
			b.looks("guess")
			b.do(chromedp.Reload())
			b.wait(`document.getElementById("guess")`)
			n++
			b.turn(keyboard, "n", n)
			if got := js[string](b, `document.querySelector("#answers tr").textContent`); got != guess+"no" {
				t.Errorf("the denied guess is listed as %q", got)
			}
			n--
			b.turn(keyboard, "u", n)
			if got := b.text("guess"); got != guess {
				t.Errorf("after the undo of a guess: %q", got)
			}
			n++
			b.turn(keyboard, "n", n)
			b.looks("denied")
			guesses := 1
			for !open("result") {
				if open("guess") {
					if guesses++; b.text("guess") == guess {
						t.Error("what was denied is guessed again")
					}
					n++
					b.turn(keyboard, "n", n)
				} else {
					answer()
				}
			}
			if got := b.text("result"); guesses > 3 || got != "The game does not know what it is." {
				t.Errorf("after %d wrong guesses: %q", guesses, got)
			}
			if !open("pro") {
				t.Error("the end gives no reasons")
			}
			b.looks("end")
			b.do(chromedp.SendKeys(chromedp.CSS("#was"), "toad"+kb.Enter))
			b.wait(`document.getElementById("place")`)
			if !strings.Contains(b.all(), "Spoke most against toad") || !strings.HasPrefix(b.text("place"), "It is in place ") {
				t.Errorf("of what it was the page says %q", b.text("place"))
			}
			b.looks("was")
			b.do(chromedp.Reload())
			b.wait(`document.getElementById("place")`)
			b.clean()
		})
	}
}

// TestFoundByEnter: the last answer by Enter does not answer the guess, too; a right guess ends the game with the
// reasons for it, and can be taken back.
func TestFoundByEnter(t *testing.T) {
	suite.Long(t, "one more game in a browser")
	t.Parallel()
	browser, origin := chromium(t), tables(t)
	says := guesser(t, "penguin")
	b := newTab(t, browser, origin)
	b.open("/play/animals#seed=1")
	b.wait(`document.getElementById("question")`)
	n := 0
	for ; !js[bool](b, `!!document.getElementById("guess")`); n++ {
		button := "no"
		if says(b.text("question")) {
			button = "yes"
		}
		b.do(chromedp.Focus(chromedp.CSS("#" + button)))
		b.turn(true, kb.Enter, n+1)
	}
	b.focused("guess", "at the guess")
	b.press(true, kb.Enter) // does nothing
	b.do(chromedp.KeyEvent(kb.Tab))
	b.focused("right", "after Tab")
	b.turn(true, kb.Enter, n+1)
	b.focused("result", "at the end")
	if got, list := b.text("result"), js[int](b, `document.querySelectorAll("#pro li").length`); got != "penguin" || list != 3 {
		t.Errorf("found is %q with %d reasons", got, list)
	}
	b.press(true, "y") // there is nothing to answer
	b.looks("found")
	b.do(chromedp.Reload())
	b.wait(`document.getElementById("result")?.textContent === "penguin"`)
	b.turn(true, "u", n)
	if got := b.text("guess"); got != "Is it penguin?" {
		t.Errorf("after an undo of the end: %q", got)
	}
	b.clean()
}

// TestDoubtInBrowser: random answers bring the sentence that they do not fit. In an exact table the only row that is
// left has 100 %.
func TestDoubtInBrowser(t *testing.T) {
	suite.Long(t, "one more game in a browser")
	t.Parallel()
	browser, origin := chromium(t), tables(t)
	b := newTab(t, browser, origin)
	b.open("/play/animals#seed=5")
	b.wait(`document.getElementById("question")`)
	for n := 1; n <= 20 && !js[bool](b, `!!document.getElementById("misfit")`); n++ {
		b.turn(true, []string{"y", "n", "y", "y", "n"}[n%5], n)
	}
	if got := b.text("misfit"); !strings.HasPrefix(got, "The answers do not fit ") {
		t.Errorf("after answers at random: %q; the page shows %s", got, b.all())
	}
	b.looks("misfit")
	b.open("/play/key")
	b.wait(`location.pathname === "/play/key" && document.getElementById("question")`)
	b.turn(true, "y", 1)
	b.turn(true, "y", 2)
	b.turn(true, "y", 3)
	b.wait(`document.getElementById("guess")`) // one row is left, and its fourth couplet is no
	if got := js[string](b, `document.querySelector("#leading .n").textContent`); got != "100\u00a0%" {
		t.Errorf("one row is left, with %q", got)
	}
	b.clean()
}

// TestNoneInBrowser: "none of these" is recommended and not guessed; the page then asks what it was.
func TestNoneInBrowser(t *testing.T) {
	suite.Long(t, "one more game in a browser")
	t.Parallel()
	browser, origin := chromium(t), tables(t)
	b := newTab(t, browser, origin)
	b.open("/play/none#seed=1&h=0y,1y,2y,3y")
	b.wait(`document.getElementById("result")`)
	if got := b.text("result"); got != dataset.Other || !js[bool](b, `!!document.getElementById("was")`) {
		t.Errorf("after answers of no row: %q; the page shows %s", got, b.all())
	}
	b.looks("none")
	b.clean()
}

// TestContradictionInGame: the page of a game lists the closest rows beside its guess.
func TestContradictionInGame(t *testing.T) {
	suite.Long(t, "one more game in a browser")
	t.Parallel()
	browser, origin := chromium(t), tables(t)
	b := newTab(t, browser, origin)
	b.open("/play/key#seed=1&h=0y,1y,2y,3y")
	b.wait(`document.getElementById("guess")`)
	if got := js[int](b, `document.querySelectorAll("#contradiction > ul > li").length`); got != 3 {
		t.Errorf("%d close rows; the page shows %s", got, b.all())
	}
	b.looks("contradicted")
	b.clean()
}

// TestPercent: no probability short of 1 is shown as 100 %, and none above 0 as 0 %.
func TestPercent(t *testing.T) {
	suite.Long(t, "one more game in a browser")
	t.Parallel()
	browser, origin := chromium(t), tables(t)
	b := newTab(t, browser, origin)
	b.open("/")
	b.wait(`document.querySelector("details")`)
	got := js[string](b, `import("/static/common.js").then((m) => [0, 1e-9, 0.0049, 0.005, 0.5, 0.994, 0.995, 0.9987, 0.9999, 1 - 1e-12, 1].map(m.percent).join(", "))`, chromedp.EvalAwaitPromise)
	if want := strings.ReplaceAll("0 %, <1 %, <1 %, 1 %, 50 %, 99 %, 99.5 %, 99.8 %, >99.9 %, >99.9 %, 100 %", " %", "\u00a0%"); got != want {
		t.Errorf("percent gives %s, want %s", got, want)
	}
}

// TestAbout: a game can be asked what speaks for and against any hypothesis.
func TestAbout(t *testing.T) {
	set, err := policies.NewSet([]string{"key"}, rows(map[string]func() (*game.Problem, error){"key": keyRows}))
	must(t, err)
	h := New(set, nil, Options{}).Handler()
	var out wire.NextReply
	if code := servetest.Post(t, h, "/v1/policies/key/next", `{"history": [{"query": 0, "answer": -1}, {"query": 1, "answer": 1}], "about": 1}`, &out); code != http.StatusOK || len(out.Pro) != 0 || len(out.Contra) != 2 {
		t.Errorf("species 2 has %d, %+v for it and %+v against it; want both answers against it", code, out.Pro, out.Contra)
	}
	var fault struct{ Detail string }
	if code := servetest.Post(t, h, "/v1/policies/key/next", `{"about": 15}`, &fault); code != http.StatusUnprocessableEntity || !strings.Contains(fault.Detail, "hypotheses 0 to 14") {
		t.Errorf("about 15: %d %s", code, fault.Detail)
	}
}
