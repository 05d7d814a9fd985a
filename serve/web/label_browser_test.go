package web

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"mapo/internal/suite"
)

// TestLabelTable: a session of a table does not stop and does not guess; it takes half answers and shows probabilities.
func TestLabelTable(t *testing.T) {
	suite.Long(t, "one more game in a browser")
	t.Parallel()
	browser, origin := chromium(t), tables(t)
	says := guesser(t, "penguin")
	b := newTab(t, browser, origin)
	b.look(1000, false)
	b.open("/")
	b.wait(`document.querySelector("details")`)
	b.looks("list")
	if got := js[string](b, `document.querySelector(".cards .card").textContent`); !strings.Contains(got, "was not trained on this problem, and its worst case is not measured") {
		t.Errorf("of the policy the list says %q", got)
	}
	b.do(chromedp.Click(chromedp.CSS("details > summary")), chromedp.Click(chromedp.CSS("form button")))
	b.wait(`location.pathname.startsWith("/label/") && document.getElementById("question")`)
	for n := 1; n <= 20; n++ {
		key := "n"
		if says(b.text("question")) {
			key = "y"
		}
		if n == 2 {
			key = map[string]string{"n": "-", "y": "+"}[key]
		}
		b.press(n%2 == 0, key)
		b.wait(fmt.Sprintf(`document.querySelectorAll("#answers tr").length === %d`, n))
		b.percents(fmt.Sprintf("after answer %d", n), 5)
	}
	if got := b.text("done"); got != "Nothing is left to ask." || b.text("recommendation") != "penguin" || !strings.HasSuffix(b.text("sure"), "if answers follow the table.") {
		t.Errorf("after 20 answers: %q, %s, %s", got, b.text("recommendation"), b.text("sure"))
	}
	b.looks("label")
	b.open("/policies/animals")
	b.wait(`document.getElementById("unmeasured")`)
	b.looks("policy")
	if got := b.all(); !strings.Contains(got, "worst case is not measured") || !strings.Contains(got, "95\u00a0%") || !strings.Contains(got, "largest posterior") {
		t.Errorf("the policy's page says %s", got)
	}
	b.clean()
}

// TestContradictionOnLabel: a session's page lists the closest rows where no row gives the answers.
func TestContradictionOnLabel(t *testing.T) {
	suite.Long(t, "one more game in a browser")
	t.Parallel()
	browser, origin := chromium(t), tables(t)
	b := newTab(t, browser, origin)
	b.open("/label/" + start(t, origin, `{"policy": "key", "stop": 0}`))
	b.wait(`document.getElementById("question")`)
	for n := 1; n <= 4; n++ {
		b.press(true, "y")
		b.wait(fmt.Sprintf(`document.querySelectorAll("#answers tr").length === %d`, n))
	}
	if got := js[int](b, `document.querySelectorAll("#contradiction > ul > li").length`); got != 3 || !strings.HasSuffix(b.text("contradiction"), " yes") {
		t.Errorf("%d close rows: %q", got, b.text("contradiction"))
	}
	b.looks("contradiction")
	b.clean()
}

// TestGuessOnLabel: the page of a session that was begun with guesses asks them, too.
func TestGuessOnLabel(t *testing.T) {
	suite.Long(t, "one more game in a browser")
	t.Parallel()
	browser, origin := chromium(t), tables(t)
	b := newTab(t, browser, origin)
	b.open("/label/" + start(t, origin, `{"policy": "key", "guess": true}`))
	b.wait(`document.getElementById("question")`)
	for n := 1; n <= 3; n++ {
		b.press(true, "y")
		b.wait(fmt.Sprintf(`document.querySelectorAll("#answers tr").length === %d`, n))
	}
	guess := b.text("guess") // of the row that has three times yes
	if !strings.HasPrefix(guess, "Is it species ") {
		t.Errorf("the guess is %q", guess)
	}
	b.looks("label-guess")
	b.press(false, "n")
	b.wait(`document.querySelectorAll("#answers tr").length === 4`)
	b.press(false, "u")
	b.wait(fmt.Sprintf(`document.getElementById("guess")?.textContent === %q`, guess))
	b.press(true, "y")
	b.wait(`document.getElementById("done")`)
	if got, want := js[string](b, `[...document.querySelector("#answers tr").cells].slice(1, 3).map((c) => c.textContent).join()`), guess+",yes"; got != want {
		t.Errorf("the last turn is %q, want %q", got, want)
	}
	b.clean()
}
