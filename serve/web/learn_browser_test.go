package web

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"mapo/data/dataset"
	"mapo/data/table"
	"mapo/game"
	"mapo/game/play"
	"mapo/internal/suite"
	"mapo/policy/rival"
	"mapo/serve/database"
	"mapo/serve/learning"
	"mapo/serve/policies"
	"mapo/serve/servetest"
	"mapo/serve/sessions"
	"mapo/serve/wire"
)

// learnable opens a table as a policy of 20 questions that can learn.
func learnable(path string) (*policies.Policy, error) {
	t, err := table.Read(path, table.Options{})
	if err != nil {
		return nil, err
	}
	return onTable(t)
}

func onTable(t *table.Table) (*policies.Policy, error) {
	p, _, err := dataset.Rows(t, dataset.RowOptions{Options: dataset.Options{Name: "animals", T: 20, AskOnce: true}})
	if err != nil {
		return nil, err
	}
	policy, err := rival.Parse(p, game.BestIdentification, "information:0.03")
	if err != nil {
		return nil, err
	}
	return policies.Untrained("animals", p, policy, policies.Rules{Stop: 0.95, Version: "test", Table: t, OnTable: onTable})
}

// pupils serves the animals with sessions, and has their table learn from each truth once it is taught; it returns the
// origin.
func pupils(t *testing.T) (s *sessions.Sessions, store database.Store, origin string) {
	t.Helper()
	store = servetest.Opened(t, servetest.Stores["sqlite"](t))
	s, set := servetest.Keeping(t, store, sessions.Options{Learn: learning.Options{On: true, Every: 1}}, learnable, "../../examples/animals.csv")
	return s, store, "http://" + listen(t, New(set, s, Options{Version: "test"}))
}

// noes answers every question and guess of a game with no, by the keyboard, until it ends.
func (b *tab) noes() {
	b.t.Helper()
	for n := 1; !js[bool](b, `!!document.getElementById("result")`); n++ {
		b.turn(true, "n", n)
	}
}

// down presses a key as a keyboard does where a page takes it for itself: no character follows.
func (b *tab) down(key string, code int64) {
	b.t.Helper()
	for _, kind := range []input.DispatchKeyEventType{"rawKeyDown", "keyUp"} {
		call(b, input.DispatchKeyEvent, input.DispatchKeyEventParams{Type: kind, Key: key, Code: key, WindowsVirtualKeyCode: code})
	}
}

// completes types the start of a name into a field, and chooses the first that is offered.
func (b *tab) completes(field, typed, name string) {
	b.t.Helper()
	b.do(chromedp.SendKeys(chromedp.CSS("#"+field), typed))
	b.wait(fmt.Sprintf(`document.querySelector("#%s-names li")?.textContent === %q`, field, name))
	b.down("ArrowDown", 40)
	if got := js[string](b, fmt.Sprintf(`document.getElementById(document.getElementById(%q).getAttribute("aria-activedescendant")).textContent`, field)); got != name {
		b.t.Errorf("the first name offered for %q is %q, want %q", typed, got, name)
	}
	b.looks("completing")
	b.down("Enter", 13)
}

// games is how many games have a truth.
func games(t *testing.T, store database.Store) int {
	t.Helper()
	n := 0
	must(t, store.EachGame(t.Context(), "animals", func(database.Told) error {
		n++
		return nil
	}))
	return n
}

// TestLearnInBrowser: a wrong guess, what it was typed with completion, a new object and a question proposed, both
// accepted by the operator on the page, and the next game finds the object.
func TestLearnInBrowser(t *testing.T) {
	t.Parallel()
	browser := chromium(t)
	s, store, origin := pupils(t)
	go s.Tables().Teach(t.Context())
	b := newTab(t, browser, origin)
	b.look(1000, false)
	b.open("/play/animals#seed=1")
	b.wait(`document.getElementById("question")`)
	if got := b.text("used"); !strings.Contains(got, "Answers are used") || !strings.Contains(got, "Table version 0.") {
		t.Errorf("before the game the page says %q", got)
	}
	b.looks("before")
	b.noes()
	b.completes("was", "peng", "penguin")
	b.press(true, kb.Enter)
	b.wait(`document.getElementById("thanks")`)
	if got := b.text("place"); !strings.HasPrefix(got, "It is in place ") || !strings.Contains(b.text("thanks"), "next version") || games(t, store) != 1 {
		t.Errorf("told: %q, %q, %d games", got, b.text("thanks"), games(t, store))
	}
	b.do(chromedp.Click(chromedp.CSS("#take-back")))
	b.wait(`document.activeElement.id === "was"`)
	if got := games(t, store); got != 0 {
		t.Errorf("%d games have a truth after it was taken back", got)
	}
	js[int](b, `document.getElementById("was").select(), 0`)
	b.do(chromedp.SendKeys(chromedp.CSS("#was"), "a <b>virus"+kb.Enter))
	b.wait(`document.getElementById("propose")`)
	b.looks("unknown")
	b.do(chromedp.Click(chromedp.CSS("#propose")))
	b.wait(`document.getElementById("thanks")?.textContent.includes("An operator decides")`)
	b.do(chromedp.Click(chromedp.CSS("#helped-summary")), chromedp.SendKeys(chromedp.CSS("#helping"), "Is it alive?"))
	js[int](b, `document.getElementById("helping-answer").value = "-1", 0`)
	b.looks("question")
	b.do(chromedp.Click(chromedp.CSS("#helping-send")))
	b.wait(`document.getElementById("helping-done").textContent.startsWith("Thank you")`)

	b.open("/policies/animals")
	b.wait(`document.getElementById("review")`)
	b.do(chromedp.Click(chromedp.CSS("#review")))
	b.wait(`document.querySelectorAll("#proposals > ul > li").length === 2`)
	if got := b.text("proposals"); !strings.Contains(got, "Object: a <b>virus") || !strings.Contains(got, "proposed in 1 game;") || !strings.Contains(got, "no for a <b>virus") {
		t.Errorf("the operator's page says %q", got)
	}
	object, question := 1, 2
	b.do(chromedp.SendKeys(chromedp.CSS(fmt.Sprintf("#as-%d", object)), "virus"))
	js[int](b, fmt.Sprintf(`(document.getElementById("as-%d").value = "virus", document.getElementById("accept-as-%d").click(), 0)`, object, object))
	b.wait(`document.querySelectorAll("#proposals > ul > li").length === 1`)
	b.completes(fmt.Sprintf("yes-%d", question), "peng", "penguin")
	b.do(chromedp.SendKeys(chromedp.CSS(fmt.Sprintf("#no-%d", question)), "virus"), chromedp.Click(chromedp.CSS(fmt.Sprintf("#accept-%d", question))))
	b.wait(`document.getElementById("proposals").textContent.includes("No proposal is open.")`)
	b.wait(`fetch("/v1/policies/animals").then((r) => r.json()).then((p) => p.contract.problem.hypotheses.includes("virus") && p.contract.problem.queries.includes("Is it alive?"))`)

	b.open("/play/animals#seed=9")
	b.wait(`location.hash.startsWith("#seed=9") && document.getElementById("question")`)
	for n := 1; !js[bool](b, `!!document.getElementById("guess")`); n++ {
		b.turn(true, "n", n)
	}
	if got := b.text("guess"); got != "Is it virus?" {
		t.Errorf("the next game guesses %q", got)
	}
	b.press(false, "y")
	b.wait(`document.getElementById("thanks")`)
	b.looks("found")
	before := b.address()
	b.do(chromedp.Reload())
	b.wait(`document.getElementById("thanks")`)
	if got := b.text("result"); got != "virus" || b.address() != before || games(t, store) != 2 {
		t.Errorf("after a reload: %q at %s, before at %s; %d games have a truth", got, b.address(), before, games(t, store))
	}
	b.press(true, "u")
	b.wait(`!document.getElementById("thanks")`)
	if got := games(t, store); got != 1 {
		t.Errorf("%d games have a truth after an undo", got)
	}
	b.clean("422")
}

// TestTruthSentAgain: a truth whose reply was lost is sent again when the page is loaded, and counts once.
func TestTruthSentAgain(t *testing.T) {
	suite.Long(t, "one more game in a browser")
	t.Parallel()
	browser := chromium(t)
	s, store, origin := pupils(t)
	go s.Tables().Teach(t.Context()) // then the likeliest may be another one when it is sent again
	b := newTab(t, browser, origin)
	b.open("/play/animals#seed=1")
	b.wait(`document.getElementById("question")`)
	b.noes()
	js[int](b, `(window.real = window.fetch, window.fetch = async (path, options) => {
		const reply = await window.real(path, options);
		if (path.endsWith("/games")) throw new TypeError("the reply is lost");
		return reply;
	}, 0)`)
	b.do(chromedp.SendKeys(chromedp.CSS("#was"), "penguin"+kb.Enter))
	b.wait(`document.getElementById("fault")`)
	if got := js[string](b, `location.hash`); !strings.Contains(got, "&truth=penguin&best=") || !strings.Contains(got, "&key=") || games(t, store) != 1 {
		t.Errorf("the address is %s, and %d games have a truth", got, games(t, store))
	}
	b.do(chromedp.Reload())
	b.wait(`document.getElementById("thanks") && location.hash.includes("&told=")`)
	if got := games(t, store); got != 1 {
		t.Errorf("%d games have a truth after a repetition", got)
	}
	js[int](b, `(window.real = window.fetch, window.fetch = () => Promise.reject(new TypeError("offline")), 0)`)
	b.do(chromedp.Click(chromedp.CSS("#take-back")))
	b.wait(`document.getElementById("fault")`)
	js[int](b, `(window.fetch = window.real, 0)`)
	if got := games(t, store); got != 1 || !js[bool](b, `!!document.getElementById("thanks")`) {
		t.Errorf("%d games have a truth, and the page shows %s", got, b.all())
	}
	b.do(chromedp.Click(chromedp.CSS("#take-back")))
	b.wait(`document.getElementById("was")`)
	if got := games(t, store); got != 0 {
		t.Errorf("%d games have a truth after it was taken back", got)
	}
	b.clean()
}

// TestLeftOut: who leaves his games out is asked what it was, and the server is told nothing.
func TestLeftOut(t *testing.T) {
	suite.Long(t, "one more game in a browser")
	t.Parallel()
	browser := chromium(t)
	_, store, origin := pupils(t)
	b := newTab(t, browser, origin)
	b.open("/play/animals#seed=1")
	b.wait(`document.getElementById("left-out")`)
	b.do(chromedp.Click(chromedp.CSS("#left-out")))
	b.noes()
	b.do(chromedp.SendKeys(chromedp.CSS("#was"), "toad"+kb.Enter))
	b.wait(`document.getElementById("place")`)
	if got := games(t, store); got != 0 || js[bool](b, `!!document.getElementById("truth")`) {
		t.Errorf("%d games have a truth; the page shows %s", got, b.all())
	}
	b.open("/play/animals#seed=2")
	b.wait(`document.getElementById("left-out")?.checked`)
	b.clean()
}

// TestTruthOnLabel: a session for labelling is told what it was, also corrected, and does not teach.
func TestTruthOnLabel(t *testing.T) {
	suite.Long(t, "one more game in a browser")
	t.Parallel()
	browser := chromium(t)
	_, store, origin := pupils(t)
	b := newTab(t, browser, origin)
	b.look(1000, false)
	b.open("/label/" + start(t, origin, `{"policy": "animals", "stop": 0, "labelling": true}`))
	b.wait(`document.getElementById("question")`)
	if got := b.text("teaches"); got != "Labelling does not teach the table." {
		t.Errorf("of learning the page says %q", got)
	}
	for n := 1; n <= 20; n++ {
		b.press(true, "n")
		b.wait(fmt.Sprintf(`document.querySelectorAll("#answers tr").length === %d`, n))
	}
	b.looks("label")
	b.do(chromedp.SendKeys(chromedp.CSS("#was"), "virus"+kb.Enter))
	b.wait(`document.getElementById("propose")`)
	b.looks("label-unknown")
	b.do(chromedp.Click(chromedp.CSS("#nearest button, #propose")))
	b.wait(`document.getElementById("thanks")`)
	b.do(chromedp.Click(chromedp.CSS("#take-back")))
	b.wait(`document.activeElement.id === "was"`)
	js[int](b, `document.getElementById("was").select(), 0`)
	b.do(chromedp.SendKeys(chromedp.CSS("#was"), "penguin"+kb.Enter))
	b.wait(`document.querySelector("#truth h2")?.textContent === "It was penguin"`)
	b.looks("label-told")
	var told []database.Told
	must(t, store.EachGame(t.Context(), "animals", func(g database.Told) error {
		told = append(told, g)
		return nil
	}))
	if len(told) != 1 || told[0].Truth != "penguin" || told[0].Learn {
		t.Errorf("kept is %+v", told)
	}
	b.press(false, "u")
	b.wait(`document.getElementById("question")`)
	if got := games(t, store); got != 0 {
		t.Errorf("%d games have a truth after an undo", got)
	}
	b.clean("422")
}

// TestReviewPage: its empty states, a proposal as one that the table has, a rejection, a fault in one line, and a client
// restored.
func TestReviewPage(t *testing.T) {
	suite.Long(t, "one more game in a browser")
	t.Parallel()
	browser := chromium(t)
	s, store, origin := pupils(t)
	b := newTab(t, browser, origin)
	b.open("/review/animals")
	b.wait(`document.getElementById("proposals")`)
	if got := b.all(); !strings.Contains(got, "No proposal is open.") || !strings.Contains(got, "No client is set aside.") {
		t.Errorf("the empty page says %s", got)
	}
	b.looks("empty")
	for i, text := range []string{"pengwin", "<img src=x onerror=alert(1)>"} {
		_, _, err := s.Submit(t.Context(), "animals", fmt.Sprintf("0123456789abcdef-%d", i), &wire.GameRequest{TruthRequest: wire.TruthRequest{Truth: text, New: true}, History: []wire.HistoryEntry{{Query: wire.Ref{Index: i}, Answer: wire.Reply{Answer: play.Yes}}}})
		must(t, err)
	}
	_, err := store.Exclusive(t.Context(), "animals", func(write func(database.VersionWrite) error) error {
		return write(database.VersionWrite{VersionInfo: database.VersionInfo{Version: 1, Base: "b", Built: time.Now().UTC().Truncate(time.Millisecond), Games: 12}, Aside: []database.Aside{{Client: "a:0123456789abcdef01234567", Version: 1, Games: 12, Median: -19.31, Quantile: -14.2, Since: time.Now().UTC().Truncate(time.Millisecond)}}})
	})
	must(t, err)
	b.do(chromedp.Reload())
	b.wait(`document.querySelectorAll("#aside li").length === 1`)
	b.looks("review")
	b.look(1000, true)
	b.shot("review-dark")
	b.axe("review in dark")
	js[int](b, `document.getElementById("accept-as-1").click(), document.getElementById("reject-2").click(), 0`) // the second does nothing
	b.wait(`document.querySelectorAll("#proposals > ul > li").length === 1`)
	b.do(chromedp.SendKeys(chromedp.CSS("#as-2"), strings.Repeat("x", 200)))
	js[int](b, `document.getElementById("as-2").value = "\u202e", document.getElementById("accept-as-2").click(), 0`)
	b.wait(`document.getElementById("fault")`)
	b.do(chromedp.Click(chromedp.CSS("#reject-2")))
	b.wait(`document.querySelectorAll("#proposals > ul > li").length === 0 && !document.getElementById("fault")`)
	b.do(chromedp.Click(chromedp.CSS("#aside button")))
	b.wait(`document.getElementById("aside").textContent.includes("No client is set aside.")`)
	list, err := store.Proposals(t.Context(), "animals", "", 0, 10)
	must(t, err)
	if len(list) != 2 || list[0].State != database.ProposalAccepted || list[1].State != database.ProposalRejected {
		t.Errorf("the proposals are %+v", list)
	}
	b.clean("422")
}

// TestReviewLink: only who may review is shown the way there.
func TestReviewLink(t *testing.T) {
	set, err := policies.NewSet([]string{"../../examples/animals.csv"}, learnable)
	must(t, err)
	s, err := sessions.New(t.Context(), set, servetest.Opened(t, servetest.Stores["sqlite"](t)), sessions.Options{})
	must(t, err)
	const ask, admin = "an-ask-token-1234567", "an-admin-token-76543"
	origin := "http://" + listen(t, New(set, s, Options{AskTokens: []string{ask}, AdminTokens: []string{admin}}))
	for token, want := range map[string]bool{ask: false, admin: true} {
		req, err := http.NewRequest(http.MethodGet, origin+"/policies/animals", nil)
		must(t, err)
		req.Header.Set("Authorization", "Bearer "+token)
		res, err := http.DefaultClient.Do(req)
		must(t, err)
		page, err := io.ReadAll(res.Body)
		must(t, err)
		must(t, res.Body.Close())
		if got := strings.Contains(string(page), "data-review"); res.StatusCode != http.StatusOK || got != want {
			t.Errorf("with %s: %d, the way to review is there: %t, want %t", token, res.StatusCode, got, want)
		}
	}
}

// TestRetrainNote: where a table learns, a trained policy's pages say that it goes on with the old one, and how it is
// trained again.
func TestRetrainNote(t *testing.T) {
	suite.Long(t, "one more game in a browser")
	t.Parallel()
	browser := chromium(t)
	set, err := policies.NewSet([]string{"../../examples/animals.csv", servetest.Write(t, t.TempDir(), "my policy", servetest.Animals(t), nil)}, func(path string) (*policies.Policy, error) {
		if strings.HasSuffix(path, ".csv") {
			return learnable(path)
		}
		return policies.Open(path)
	})
	must(t, err)
	s, err := sessions.New(t.Context(), set, servetest.Opened(t, servetest.Stores["sqlite"](t)), sessions.Options{Learn: learning.Options{On: true}})
	must(t, err)
	b := newTab(t, browser, "http://"+listen(t, New(set, s, Options{Version: "test"})))
	name := set.Get("my policy").Problem().Name
	want := fmt.Sprintf("mapo table learn %[1]s.csv --games mapo-sessions.db --policy animals -o %[1]s-learned.csv\n"+
		"mapo train %[1]s-learned.csv --init 'my policy.safetensors' --out 'my policy-learned.safetensors'", name)
	for _, path := range []string{"/policies/my%20policy", "/play/my%20policy"} {
		b.open(path)
		b.wait(`document.getElementById("retrain")`)
		if got := js[string](b, `document.querySelector("#retrain pre").textContent`); got != want || !strings.Contains(b.text("retrain"), "This policy was trained on the table of "+name+"; it goes on with it until it is trained again:") {
			t.Errorf("%s says %q and\n%s\nwant\n%s", path, b.text("retrain"), got, want)
		}
		b.looks("retrain-" + path[1:5])
	}
	b.clean()
}
