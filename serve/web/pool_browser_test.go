package web

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"mapo/game"
	"mapo/internal/suite"
	"mapo/serve/servetest"
)

// gallery serves the pool of photos; it returns the origin.
func gallery(t *testing.T) string {
	t.Helper()
	p := servetest.Photos()
	p.Seek.(*game.Labels).Items[3] = "<img src=x onerror=alert(1)> photo 03"
	s, set := servetest.PoolSessions(t, servetest.Stores["sqlite"](t), p, 0.1)
	return "http://" + listen(t, New(set, s, Options{Version: "test"}))
}

// truthOf is the class of an item that a page shows.
func truthOf(text string) int {
	class := classOf(text[strings.Index(text, "photo"):])
	return slices.Index(servetest.Photos().Seek.(*game.Labels).Classes, class)
}

// TestLabelItems: a whole session of labelling on the page, by mouse and by keyboard, to the recommended model and the file of
// its labels. A reload goes on, an item that got don't know or was skipped is not asked again, and undo asks an item again.
func TestLabelItems(t *testing.T) {
	t.Parallel()
	browser, origin := chromium(t), gallery(t)
	b := newTab(t, browser, origin)
	b.look(1000, false)
	b.open("/")
	b.wait(`document.querySelector("details")`)
	if got := js[string](b, `document.querySelector(".cards .card .soft").textContent`); got != "3 models, 12 items, 4 classes, 8 labels" {
		t.Errorf("the list says %q", got)
	}
	b.looks("pools")
	b.do(chromedp.Click(chromedp.CSS("details > summary")), chromedp.SendKeys(chromedp.CSS("input[name=title]"), "Which tagger?"), chromedp.Click(chromedp.CSS("form button")))
	b.wait(`location.pathname.startsWith("/label/") && document.getElementById("question")`)
	if got := js[[]string](b, `[...document.querySelectorAll("#classes button")].map((x) => x.firstChild.textContent)`); !slices.Equal(got, servetest.Photos().Seek.(*game.Labels).Classes) {
		t.Errorf("the buttons are %q", got)
	}
	if got := b.text("recommendation"); got != "All 3 models tie; nothing is recommended yet." {
		t.Errorf("before the first label: %q", got)
	}
	seen := map[string]bool{}
	turns := 0
	next := func(act func(item string)) string {
		item := b.text("question")
		act(item)
		turns++
		b.wait(fmt.Sprintf(`document.querySelectorAll("#answers tr").length === %d`, turns))
		return item
	}
	label := func(keyboard bool) func(string) {
		return func(item string) {
			if seen[item] {
				t.Errorf("%s is asked again", item)
			}
			seen[item] = true
			if class := truthOf(item); keyboard {
				b.press(true, fmt.Sprint(class+1))
			} else {
				b.do(chromedp.Click(chromedp.CSS(fmt.Sprintf("#class-%d", class))))
			}
		}
	}
	seen[next(func(string) { b.press(true, "?") })] = true
	seen[next(func(string) { b.press(false, "s") })] = true
	for n := range 7 {
		next(label(n%2 == 0))
	}
	b.press(true, "7") // no class has this key
	b.looks("pool")
	b.reload("count")
	if got := b.text("count"); got != "1 label to go" {
		t.Errorf("after seven labels: %q", got)
	}
	last := next(label(false))
	b.wait(`document.getElementById("done")`)
	next(func(string) { b.press(true, "u") })
	b.wait(fmt.Sprintf(`document.getElementById("question")?.textContent === %q`, last))
	delete(seen, last)
	next(label(true))
	b.wait(`document.getElementById("result")`)
	if got := b.text("result"); got != "good" || b.text("recommendation") != "good" || !strings.HasSuffix(b.text("sure"), "It predicts 8 of 8 labels.") {
		t.Errorf("at the end: %q, %q", got, b.text("sure"))
	}
	if got := js[string](b, `document.querySelector("#answers tr").cells[2].textContent`); got != servetest.Photos().Seek.(*game.Labels).Classes[truthOf(last)] {
		t.Errorf("the last label is shown as %q", got)
	}
	b.looks("pool-done")
	b.look(1000, true)
	b.axe("in the dark")
	b.shot("pool-dark")
	reply, err := http.Get(js[string](b, `document.getElementById("labels").href`))
	must(t, err)
	defer reply.Body.Close()
	text, err := io.ReadAll(reply.Body)
	must(t, err)
	if n := strings.Count(string(text), "\n"); n != 9 || !strings.HasPrefix(string(text), "item,class,propensity\n") {
		t.Errorf("the labels are\n%s", text)
	}
	b.open("/policies/photos")
	b.wait(`document.querySelector("dl")`)
	if got := b.all(); !strings.Contains(got, "cat, dog, bird, cow") || !strings.Contains(got, "12 items, in 11 cells") || !strings.Contains(got, "10\u00a0% of the items are drawn uniformly") {
		t.Errorf("the policy's page says %s", got)
	}
	b.looks("pool-policy")
	b.clean()
}

// TestPlayItems: the page that keeps a game in its address labels items, too.
func TestPlayItems(t *testing.T) {
	suite.Long(t, "one more game in a browser")
	t.Parallel()
	browser, origin := chromium(t), gallery(t)
	b := newTab(t, browser, origin)
	b.look(1000, false)
	b.open("/play/photos#seed=4")
	b.wait(`document.getElementById("question")`)
	b.looks("pool-play-first")
	for n := range 8 {
		class := truthOf(b.text("question"))
		if n%2 == 0 {
			b.press(true, fmt.Sprint(class+1))
		} else {
			b.do(chromedp.Click(chromedp.CSS(fmt.Sprintf("#class-%d", class))))
		}
		b.wait(fmt.Sprintf(`document.querySelectorAll("#answers tr").length === %d`, n+1))
		if n == 4 {
			b.looks("pool-play")
			b.reload("count")
		}
	}
	if got := b.text("result"); got != "good" || !strings.Contains(b.all(), "Recommended after 8 labels") || strings.Contains(b.all(), "What was it?") {
		t.Errorf("at the end: %q: %s", got, b.all())
	}
	b.looks("pool-play-done")
	b.clean()
}

// TestClassKeys: where classes are called by digits, their keys are these and not their places; without an answer no key acts.
func TestClassKeys(t *testing.T) {
	suite.Long(t, "one more game in a browser")
	t.Parallel()
	browser := chromium(t)
	p := servetest.Photos()
	p.Seek.(*game.Labels).Classes = []string{"1", "0", "10", "7"}
	_, set := servetest.PoolSessions(t, servetest.Stores["sqlite"](t), p, 0)
	origin := "http://" + listen(t, New(set, nil, Options{}))
	b := newTab(t, browser, origin)
	b.open("/play/photos#seed=4")
	b.wait(`document.getElementById("question")`)
	if got := js[[]string](b, `[...document.querySelectorAll("#classes kbd")].map((x) => x.textContent)`); !slices.Equal(got, []string{"1", "0", "7"}) {
		t.Errorf("the keys are %q", got)
	}
	for n, key := range []string{"1", "0", "7"} {
		b.press(true, "2")
		b.press(true, key)
		b.wait(fmt.Sprintf(`document.querySelectorAll("#answers tr").length === %d`, n+1))
		if got := js[string](b, `document.querySelector("#answers tr").cells[1].textContent`); got != key {
			t.Errorf("key %s answers %s", key, got)
		}
	}
	b.clean()
}
