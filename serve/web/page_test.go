package web

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"mapo/game"
	"mapo/internal/suite"
	"mapo/policy/nn"
	"mapo/serve/servetest"
	"mapo/serve/wire"
)

// TestPlayInBrowser plays a whole game of animals by mouse and one by keyboard,
// with an undo, a don't know and a reload on the way.
func TestPlayInBrowser(t *testing.T) {
	t.Parallel()
	browser, origin := chromium(t), site(t)
	says := guesser(t, "penguin")
	for _, keyboard := range []bool{false, true} {
		t.Run(map[bool]string{false: "mouse", true: "keyboard"}[keyboard], func(t *testing.T) {
			b := newTab(t, browser, origin)
			b.look(1200, keyboard)
			b.open("/play/animals")
			b.wait(`document.getElementById("question")`)
			b.axe("the first question")
			b.shot("first")
			n := 0
			answer := func() {
				key := "n"
				if says(b.text("question")) {
					key = "y"
				}
				n++
				b.turn(keyboard, key, n)
			}
			answer()
			answer()
			before := b.text("question")
			answer()
			n--
			b.turn(keyboard, "u", n)
			if got := b.text("question"); got != before {
				t.Errorf("after undo it asks %q, want %q", got, before)
			}
			n++
			b.turn(keyboard, "?", n)
			if got := b.text("count"); got != "Question 3 of 20" {
				t.Errorf("after don't know: %s", got)
			}
			for n < 11 {
				answer()
			}
			b.axe("the middle")
			b.shot("middle")
			b.reload("question")
			for n < 21 {
				answer()
			}
			b.wait(`document.getElementById("guess")`)
			b.axe("the guess")
			key := "n"
			if b.text("guess") == "Is it penguin?" {
				key = "y"
			}
			b.turn(keyboard, key, 22)
			b.wait(`document.getElementById("result")`) // after the last answer there is one guess
			b.axe("the end")
			b.shot("end")
			b.clean()
		})
	}
}

// TestTwoTabsPlay: two games at once do not disturb each other.
func TestTwoTabsPlay(t *testing.T) {
	suite.Long(t, "one more game in a browser")
	t.Parallel()
	browser, origin := chromium(t), site(t)
	tabs := []*tab{newTab(t, browser, origin), newTab(t, browser, origin)}
	for _, b := range tabs {
		b.open("/play/animals")
		b.wait(`document.getElementById("question")`)
	}
	for n := 1; n <= 20; n++ {
		for i, b := range tabs {
			b.turn(n%2 == 0, []string{"y", "n"}[i], n)
		}
	}
	for i, b := range tabs {
		b.wait(`document.getElementById("guess")`)
		wrong := js[int](b, fmt.Sprintf(`[...document.querySelectorAll("#answers td:last-child")].filter((c) => c.textContent !== %q).length`, []string{"yes", "no"}[i]))
		if wrong != 0 {
			t.Errorf("tab %d has %d answers of another game", i, wrong)
		}
		b.clean()
	}
}

// TestLabelInBrowser begins a session on the page and labels it in two tabs: each
// step is answered once, what one answers the other sees, and a reload loses
// nothing.
func TestLabelInBrowser(t *testing.T) {
	t.Parallel()
	browser, origin := chromium(t), site(t)
	a := newTab(t, browser, origin)
	a.look(1200, false)
	a.open("/")
	a.wait(`document.querySelector("details")`)
	a.axe("the list")
	a.shot("list")
	a.do(chromedp.Click(chromedp.CSS("details > summary")), chromedp.SendKeys(chromedp.CSS("input[name=title]"), "Bird <watch>"), chromedp.Click(chromedp.CSS("form button")))
	a.wait(`location.pathname.startsWith("/label/") && document.getElementById("question")`)
	url := a.address()
	b := newTab(t, browser, origin)
	b.open(strings.TrimPrefix(url, origin))
	b.wait(`document.getElementById("question")`)
	if x, y := a.text("question"), b.text("question"); x != y {
		t.Fatalf("the tabs ask %q and %q", x, y)
	}
	rows := func(n int) string { return fmt.Sprintf(`document.querySelectorAll("#answers tr").length === %d`, n) }
	a.do(chromedp.SendKeys(chromedp.CSS("#annotator"), "Zoë yn"+kb.Tab))
	if n := a.text("count"); n != "20 answers to go" {
		t.Errorf("typing a name has answered: %s", n)
	}
	a.press(true, "y")
	a.wait(rows(1))
	b.wait(rows(1)) // by itself
	b.press(false, "?")
	b.wait(rows(2))
	a.wait(rows(2))
	b.press(true, "s")
	b.wait(rows(3))
	a.press(false, "n") // on the question that the other has passed over, or on the next one
	a.wait(`document.querySelectorAll("#answers tr").length >= 3`)
	a.wait(`document.getElementById("question")`)
	a.press(false, "u")
	a.wait(`document.querySelectorAll("#answers tr").length >= 4`)
	a.axe("a session")
	a.shot("session")
	a.reload("count")
	for range 30 {
		if js[bool](a, `!!document.getElementById("done")`) {
			break
		}
		was := a.text("count")
		a.press(true, "y")
		a.wait(fmt.Sprintf(`document.getElementById("done") || document.getElementById("count").textContent !== %q`, was))
	}
	a.shot("done")
	if got := a.text("done"); got != "Nothing is left to ask." {
		t.Errorf("at the end: %q", got)
	}
	a.clean("409")
	b.clean("409")
}

// TestLabelWhileNaming: while a name is being typed the page stays as it is, and
// what is answered is the query that it shows; when the field is left the page
// shows what another has answered.
func TestLabelWhileNaming(t *testing.T) {
	suite.Long(t, "one more game in a browser")
	t.Parallel()
	browser, origin := chromium(t), site(t)
	var session wire.View
	must(t, json.Unmarshal([]byte(newSessionOver(t, origin)), &session))
	a, b := newTab(t, browser, origin), newTab(t, browser, origin)
	for _, tab := range []*tab{a, b} {
		tab.open("/label/" + session.ID)
		tab.wait(`document.getElementById("question")`)
	}
	first := a.text("question")
	a.do(chromedp.SendKeys(chromedp.CSS("#annotator"), "Zoë"))
	b.press(true, "n")
	b.wait(`document.querySelectorAll("#answers tr").length === 1`)
	second := b.text("question")
	polls := `performance.getEntriesByType("resource").filter((r) => r.initiatorType === "fetch").length`
	a.wait(fmt.Sprintf(`%s >= %d`, polls, js[int](a, polls)+2)) // the first may have been on its way
	if got := a.text("question"); got != first {
		t.Errorf("while a name is being typed it asks %q, want %q", got, first)
	}
	js[int](a, `document.getElementById("yes").click(), 0`) // leaves the focus in the field
	a.wait(`document.getElementById("fault")?.textContent.includes("step 1 was closed before")`)
	a.do(chromedp.KeyEvent(kb.Tab))
	a.wait(fmt.Sprintf(`document.getElementById("question").textContent === %q`, second))
	a.press(true, "y")
	a.wait(`document.querySelectorAll("#answers tr").length === 2`)
	want := fmt.Sprintf("2,%s,yes,Zoë 1,%s,no,", second, first)
	if got := js[string](a, `[...document.querySelectorAll("#answers tr")].map((r) => [...r.cells].slice(0, 4).map((c) => c.textContent).join()).join(" ")`); got != want {
		t.Errorf("the answers are %q, want %q", got, want)
	}
	a.clean("409")
	b.clean()
}

// TestPagesInBrowser looks at every page, narrow and wide, light and dark, with
// the texts of a hostile table: nothing runs, nothing is wider than the screen,
// axe finds nothing serious.
func TestPagesInBrowser(t *testing.T) {
	t.Parallel()
	browser, origin := chromium(t), site(t)
	b := newTab(t, browser, origin)
	must(t, chromedp.Listen(b.ctx, func(event any) {
		if e, ok := event.(*page.EventJavascriptDialogOpening); ok {
			b.fault("a text of the table ran: " + e.Message)
		}
	}))
	const hostile = "%3Cb%3Ebold%20%231"
	var session wire.View
	must(t, json.Unmarshal([]byte(newSessionOver(t, origin)), &session))
	for name, c := range map[string]struct{ path, ready string }{
		"index":          {"/", `document.querySelector(".cards")`},
		"play":           {"/play/animals", `document.getElementById("question")`},
		"play-hostile":   {"/play/" + hostile + "#seed=1&h=0y,3n", `document.getElementById("question")`},
		"policy":         {"/policies/animals", `document.querySelector("svg.none, svg[role=img]")`},
		"policy-hostile": {"/policies/" + hostile, `document.querySelector("svg[role=img]")`},
		"label":          {"/label/" + session.ID, `document.getElementById("question")`},
		"docs":           {"/docs", `document.getElementById("next")`},
		"missing":        {"/play/none", `document.getElementById("fault")`},
	} {
		for _, width := range []int64{360, 1200} {
			for _, dark := range []bool{false, true} {
				if suite.Reduced() && (width == 360) != dark {
					continue // each width in one of the schemes
				}
				if suite.Reduced() && dark && strings.HasSuffix(name, "-hostile") {
					continue // texts of a table are the same in both
				}
				what := fmt.Sprintf("%s-%d-%s", name, width, map[bool]string{false: "light", true: "dark"}[dark])
				b.look(width, dark)
				b.do(chromedp.Navigate("about:blank")) // so that the page is loaded anew
				b.open(c.path)
				b.wait(c.ready)
				js[int](b, `document.querySelectorAll("details").forEach((d) => { d.open = true; }), 0`)
				b.shot(what)
				b.axe(what)
				if wide := js[int64](b, `document.documentElement.scrollWidth`); wide > width {
					t.Errorf("%s is %d wide", what, wide)
				}
				b.whole(what)
				if name == "missing" {
					b.clean("404")
				} else {
					b.clean()
				}
			}
		}
	}
}

// whole fails the test on a table that is cut: one that must be scrolled to be seen whole.
func (b *tab) whole(what string) {
	b.t.Helper()
	for _, cut := range js[[]string](b, `[...document.querySelectorAll(".scroll")].filter((e) => e.scrollWidth > e.clientWidth).map((e) => (e.ariaLabel ?? "a table") + " is " + e.scrollWidth + " wide in " + e.clientWidth)`) {
		b.t.Errorf("%s: %s", what, cut)
	}
}

// TestPolicyNarrow: a contract with long numbers, of either loss, is seen whole on a phone.
func TestPolicyNarrow(t *testing.T) {
	suite.Long(t, "one more game in a browser")
	t.Parallel()
	browser, dir := chromium(t), t.TempDir()
	long := func(loss string) func(*nn.Contract) {
		return func(c *nn.Contract) {
			c.Loss = loss
			for i := range c.Levels {
				l := &c.Levels[i]
				l.Level, l.Mean, l.Lo, l.Hi, l.Benchmark, l.Games = l.Level*1.41421, l.Mean*1.2345, l.Lo*1.2345, l.Hi*1.2345, l.Benchmark*1.2345, 1_000_000
			}
		}
	}
	paths := []string{servetest.Write(t, dir, "identify", servetest.Wheels(), long(game.BestIdentification.String())), servetest.Write(t, dir, "regret", servetest.Wheels(), long(game.SimpleRegret.String()))}
	b := newTab(t, browser, "http://"+listen(t, server(t, Options{}, paths...)))
	for _, id := range []string{"identify", "regret"} {
		for _, width := range []int64{360, 375} {
			b.look(width, false)
			b.open("/policies/" + id)
			b.wait(`document.querySelector("svg[role=img]")`)
			b.whole(fmt.Sprintf("%s at %d", id, width))
			b.shot(fmt.Sprintf("%s-%d", id, width))
		}
	}
	b.clean()
}
