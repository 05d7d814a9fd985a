package web

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"mapo/internal/suite"
	"mapo/serve/servetest"
	"mapo/serve/wire"
)

// focused fails the test unless the element id has the focus.
func (b *tab) focused(id, when string) {
	b.t.Helper()
	if got := js[string](b, `document.activeElement.id`); got != id {
		b.t.Errorf("%s: the focus is on %q, want %q", when, got, id)
	}
}

// TestPlayByEnter plays a game by Enter on Yes: the button keeps the focus from question to question, and at the end
// the guess gets it, not a button that a further Enter would press. Before the first answer nothing is recommended.
func TestPlayByEnter(t *testing.T) {
	suite.Long(t, "one more game in a browser")
	t.Parallel()
	browser, origin := chromium(t), site(t)
	b := newTab(t, browser, origin)
	b.open("/play/animals")
	b.wait(`document.getElementById("question")`)
	if got, n := b.text("sure"), len(servetest.Animals(t).Names); got != fmt.Sprintf("All %d tie; nothing is recommended yet.", n) {
		t.Errorf("before an answer: %q", got)
	}
	if js[bool](b, `!!document.querySelector(".dot.best, .rank")`) {
		t.Error("before an answer the picture ranks hypotheses")
	}
	b.do(chromedp.Focus(chromedp.CSS("#yes")))
	for n := 1; n <= 20; n++ {
		if n == 3 { // the list of all hypotheses stays unfolded
			js[int](b, `document.getElementById("all").open = true, 0`)
		}
		b.turn(true, kb.Enter, n)
		if n < 20 {
			b.focused("yes", fmt.Sprintf("after answer %d", n))
		}
	}
	if !js[bool](b, `document.getElementById("all").open`) {
		t.Error("an answer has folded the list of hypotheses")
	}
	b.focused("guess", "at the end")
	b.press(true, kb.Enter) // does nothing
	b.do(chromedp.KeyEvent(kb.Tab))
	b.focused("right", "after Tab")
	b.turn(true, kb.Enter, 21)
	b.focused("result", "after the guess")
	b.press(true, kb.Enter) // does nothing
	b.do(chromedp.KeyEvent(kb.Tab))
	b.focused("again", "after Tab")
	b.press(true, kb.Enter)
	b.wait(`document.getElementById("count")?.textContent === "Question 1 of 20"`)
	b.focused("question", "in a new game")
	b.do(chromedp.KeyEvent(kb.Tab))
	b.focused("yes", "after Tab in a new game")
	b.turn(true, kb.Enter, 1)
	b.do(chromedp.Focus(chromedp.CSS("#undo")), chromedp.KeyEvent(kb.Enter))
	b.wait(`document.getElementById("undo").disabled`)
	b.focused("question", "after undoing the only answer")
	b.clean()
}

// TestLabelByEnter: the same in a session, where another's answers are shown by themselves, too.
func TestLabelByEnter(t *testing.T) {
	suite.Long(t, "one more game in a browser")
	t.Parallel()
	browser, origin := chromium(t), site(t)
	var session wire.View
	must(t, json.Unmarshal([]byte(newSessionOver(t, origin)), &session))
	b := newTab(t, browser, origin)
	b.open("/label/" + session.ID)
	b.wait(`document.getElementById("question")`)
	if got := b.text("recommendation"); got != fmt.Sprintf("All %d hypotheses tie; nothing is recommended yet.", session.Tied) {
		t.Errorf("before an answer: %q", got)
	}
	b.do(chromedp.Focus(chromedp.CSS("#no")))
	for n := 1; n <= 3; n++ {
		b.press(true, kb.Enter)
		b.wait(fmt.Sprintf(`document.querySelectorAll("#answers tr").length === %d`, n))
		b.focused("no", fmt.Sprintf("after answer %d", n))
	}
	b.do(chromedp.Focus(chromedp.CSS("#csv")))
	other := newTab(t, browser, origin)
	other.open("/label/" + session.ID)
	other.wait(`document.getElementById("question")`)
	other.press(true, "y")
	b.wait(`document.querySelectorAll("#answers tr").length === 4`)
	b.focused("csv", "after another's answer")
	b.clean()
	other.clean()
}
