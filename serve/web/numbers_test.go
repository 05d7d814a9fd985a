package web

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"mapo/cmd/mapo/terminal"
	"mapo/game/play"
	"mapo/internal/suite"
	"mapo/serve/database"
	"mapo/serve/policies"
	"mapo/serve/servetest"
	"mapo/serve/sessions"
	"mapo/serve/wire"
)

// someNumbers are answers that a float64 of fewer digits, a yes, or a don't know would be taken for.
var someNumbers = []float64{0, 1, -1, 0.1 + 0.2, -math.Pi * 1e5, 5e-324, 1e9, 0.5}

// TestNumberSession: a session keeps numbers exactly, 0 and don't know apart, in both stores. The same answer again
// changes nothing and another one is a conflict. Exports have the numbers.
func TestNumberSession(t *testing.T) {
	servetest.EachStore(t, func(t *testing.T, open func() (database.Store, error)) {
		store := servetest.Opened(t, open)
		s, set := servetest.Keeping(t, store, sessions.Options{}, nil, servetest.Write(t, t.TempDir(), "arms", servetest.Rewards(t), nil))
		h, other := New(set, s, Options{}).Handler(), New(set, servetest.Holding(t, set, store, sessions.Options{}), Options{}).Handler()
		seed := uint64(3)
		v := servetest.Begin(t, s, wire.NewSession{Policy: "arms", Seed: &seed, Guess: true})
		if !v.Numbers || v.Halves {
			t.Errorf("a session of numbers is %+v", v)
		}
		v = servetest.Tell(t, s, v, play.DontKnow)
		sums, counts := map[int]float64{}, map[int]float64{}
		for k, y := range someNumbers {
			sums[v.Query.Index] += y
			counts[v.Query.Index]++
			body := fmt.Sprintf(`{"step": %d, "answer": %s, "annotator": "a"}`, v.Step, wire.Number(y))
			answers := "/v1/sessions/" + v.ID + "/answers"
			next := new(wire.View)
			for range 2 {
				if code := servetest.Post(t, h, answers, body, next); code != 200 {
					t.Fatalf("%s: %d", body, code)
				}
			}
			if next.Step != v.Step+1 {
				t.Errorf("answer %d, sent twice, leads from step %d to %d", k, v.Step, next.Step)
			}
			for _, text := range []string{wire.Number(y + max(1, math.Abs(y)/2)), "null"} { // to a server that has not answered the step
				if code := servetest.Post(t, other, answers, fmt.Sprintf(`{"step": %d, "answer": %s, "annotator": "a"}`, v.Step, text), new(any)); code != 409 && code != 422 {
					t.Errorf("%s after %v: %d", text, y, code)
				}
			}
			v = next
		}
		if v.State != wire.StateDone || v.Guess != nil || v.Recommendation == nil || v.Confidence != nil {
			t.Errorf("at the end: %+v", v)
		}
		if best := v.Recommendation.Index; counts[best] == 0 || v.Margin < 0 {
			t.Errorf("recommended is %+v with the margin %v", v.Recommendation, v.Margin)
		}
		full, err := s.View(t.Context(), v.ID)
		must(t, err)
		if full.History[0].Answer.Answer != play.DontKnow || full.History[0].Outcome != database.OutcomeDontKnow {
			t.Errorf("don't know is kept as %+v", full.History[0])
		}
		for k, y := range someNumbers {
			if e := full.History[k+1]; e.Answer.Answer != play.Number(y) || e.Outcome != database.OutcomeAnswer {
				t.Errorf("%v is kept as %v, %s", y, e.Answer, e.Outcome)
			}
		}
		checkNumberExports(t, s, v.ID)
		back, err := s.Undo(t.Context(), v.ID, &wire.UndoRequest{Step: v.Step})
		must(t, err)
		if back.State != wire.StateOpen || back.Answers != len(someNumbers)-1 {
			t.Errorf("after undo: %+v", back)
		}
	})
}

// checkNumberExports: both forms have a number as it was sent, 0 too, and nothing for don't know.
func checkNumberExports(t *testing.T, s *sessions.Sessions, id string) {
	t.Helper()
	text, err := s.CSV(t.Context(), id)
	must(t, err)
	rows, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	must(t, err)
	lines, err := s.JSONL(t.Context(), id)
	must(t, err)
	objects := strings.Split(strings.TrimSpace(string(lines)), "\n")
	if rows[1][6] != "" || !strings.Contains(objects[0], `"answer":null`) {
		t.Errorf("don't know is exported as %q and %s", rows[1][6], objects[0])
	}
	for k, y := range someNumbers {
		got, err := strconv.ParseFloat(rows[k+2][6], 64)
		var row wire.ExportRow
		must(t, json.Unmarshal([]byte(objects[k+1]), &row))
		if err != nil || got != y || row.Answer.Answer != play.Number(y) {
			t.Errorf("%v is exported as %q and %v", y, rows[k+2][6], row.Answer)
		}
	}
}

// TestNumberFaults: where answers are numbers no word is one, and where they are not no number is: each is refused with
// where it stands and what may. A number may be written in several ways.
func TestNumberFaults(t *testing.T) {
	dir := t.TempDir()
	s, set := servetest.Keeping(t, servetest.Opened(t, servetest.Stores["sqlite"](t)), sessions.Options{}, nil, servetest.Write(t, dir, "arms", servetest.Rewards(t), nil), servetest.Write(t, dir, "t", servetest.Wheels(), nil))
	h := New(set, s, Options{}).Handler()
	v := servetest.Begin(t, s, wire.NewSession{Policy: "arms"})
	const numbers = "the answers of this policy are numbers: send one from -1e+09 to 1e+09, or null (don't know)"
	for _, c := range []struct{ policy, answer, want string }{
		{"arms", "true", "an answer is true; " + numbers}, {"arms", "false", numbers}, {"arms", `"yes"`, numbers}, {"arms", `"1.5"`, numbers},
		{"arms", "[1]", numbers}, {"arms", "{}", numbers}, {"arms", "1000000001", "an answer is 1000000001; " + numbers}, {"arms", "-1e300", numbers},
		{"t", "1.5", "1, -1, 0.5, -0.5, null, true, false"}, {"t", "0", "1, -1, 0.5, -0.5, null, true, false"}, {"t", "5e-1", "an answer is 5e-1; want 1 or true (yes)"},
	} {
		var out struct {
			Detail string
			Errors []struct {
				Message, Location string
				Value             any
			}
		}
		code := servetest.Post(t, h, "/v1/policies/"+c.policy+"/next", fmt.Sprintf(`{"history": [{"query": 0, "answer": null}, {"query": 1, "answer": %s}]}`, c.answer), &out)
		if code != 422 || len(out.Errors) != 1 || out.Errors[0].Location != "body.history[1].answer" || !strings.Contains(out.Errors[0].Message, c.want) {
			t.Errorf("%s of %s: %d %+v", c.answer, c.policy, code, out)
		}
		if c.policy != "arms" {
			continue
		}
		if code := servetest.Post(t, h, "/v1/sessions/"+v.ID+"/answers", fmt.Sprintf(`{"step": 1, "answer": %s}`, c.answer), &out); code != 422 || out.Errors[0].Location != "body.answer" {
			t.Errorf("%s in a session: %d %+v", c.answer, code, out)
		}
	}
	for _, c := range []struct{ one, other string }{{"1.5", "15e-1"}, {"-0", "0"}, {"0.0", "0E5"}, {"2e3", "2E+3"}, {"1", "1.0"}} {
		var replies [2]wire.NextReply
		for k, answer := range []string{c.one, c.other} {
			body := fmt.Sprintf(`{"history": [{"query": 2, "answer": %s}], "seed": 4}`, answer)
			if code := servetest.Post(t, h, "/v1/policies/arms/next", body, &replies[k]); code != 200 {
				t.Fatalf("%s: %d", body, code)
			}
		}
		if one, other := fmt.Sprintf("%+v", replies[0]), fmt.Sprintf("%+v", replies[1]); replies[0].Remaining != 7 || one[strings.Index(one, "Probab"):strings.Index(one, "Guess")] != other[strings.Index(other, "Probab"):strings.Index(other, "Guess")] {
			t.Errorf("%s: %s\n%s: %s", c.one, one, c.other, other)
		}
	}
	for _, junk := range []string{"nan", "inf", "0x1p4", "1.5.2", "-", ".5", "01"} {
		if code := servetest.Post(t, h, "/v1/policies/arms/next", fmt.Sprintf(`{"history": [{"query": 2, "answer": %s}]}`, junk), new(any)); code != 400 {
			t.Errorf("%s, which is not JSON: %d", junk, code)
		}
	}
	_, err := s.Tell(t.Context(), servetest.Tell(t, s, v, play.Number(2)).ID, &wire.TruthRequest{Truth: "red"})
	servetest.Faulty(t, err, 409, "truths are told of games of yes and no")
}

// TestNumberTraits: the list says what the answers of a policy are, and those of yes and no as ever. What answers are is in the
// hash of a policy without training, and a session goes on only where it is the same.
func TestNumberTraits(t *testing.T) {
	dir := t.TempDir()
	h := server(t, Options{}, servetest.Write(t, dir, "arms", servetest.Rewards(t), nil), servetest.Write(t, dir, "t", servetest.Wheels(), nil)).Handler()
	var list struct{ Policies []map[string]any }
	get(t, h, "/v1/policies", &list)
	if got := fmt.Sprint(list.Policies[0]["answers"], list.Policies[1]["answers"]); got != "map[bound:4 gaussian:0.5] <nil>" {
		t.Errorf("answers are %s", got)
	}
	var page struct{ Answers *wire.Gaussian }
	if get(t, h, "/v1/policies/arms", &page); page.Answers == nil || *page.Answers != (wire.Gaussian{Gaussian: 0.5, Bound: 4}) {
		t.Errorf("the policy's answers are %v", page.Answers)
	}
}

// TestNumberMCP: an agent sends numbers as text, is told that they are wanted, and no word is one.
func TestNumberMCP(t *testing.T) {
	dir := t.TempDir()
	s := servetest.Sessions(t, servetest.Stores["sqlite"](t), sessions.Options{}, servetest.Write(t, dir, "arms", servetest.Rewards(t), nil), servetest.Write(t, dir, "t", servetest.Wheels(), nil))
	c := servetest.Agent(t, s)
	v, fault := servetest.Verb(t, c, "next", map[string]any{"policy": "arms"})
	if fault != "" || !v.Numbers {
		t.Fatalf("%+v %s", v, fault)
	}
	for answer, want := range map[string]string{"yes": "an answer is yes; the answers of this policy are numbers", "probably": "are numbers", "1e10": `the answer is "1e10", want a number from -1e+09 to 1e+09, or don't know, skip or undo`, "much": "want a number", "NaN": "want a number"} {
		if _, fault := servetest.Verb(t, c, "answer", map[string]any{"session": v.ID, "step": v.Step, "answer": answer}); !strings.Contains(fault, want) {
			t.Errorf("%s: %q, want %q", answer, fault, want)
		}
	}
	for _, answer := range []string{"-2.5", "0", "don't know", "skip"} {
		next, fault := servetest.Verb(t, c, "answer", map[string]any{"session": v.ID, "step": v.Step, "answer": answer})
		if fault != "" || next.Step != v.Step+1 {
			t.Fatalf("%s: %+v %s", answer, next, fault)
		}
		v = next
	}
	if v.Remaining != 6 {
		t.Errorf("%d answers are left", v.Remaining)
	}
	v, fault = servetest.Verb(t, c, "next", map[string]any{"policy": "t"})
	if _, fault2 := servetest.Verb(t, c, "answer", map[string]any{"session": v.ID, "step": v.Step, "answer": "1"}); fault != "" || v.Numbers || !strings.Contains(fault2, "want yes, no, probably") {
		t.Errorf("a number for yes: %q %q", fault, fault2)
	}
}

// TestNumberTerminal: a game in the terminal takes numbers, those of a file too, and says the means of the arms.
func TestNumberTerminal(t *testing.T) {
	p := servetest.Policy(t, "arms", servetest.Rewards(t), nil)
	path := filepath.Join(t.TempDir(), "given.csv")
	must(t, os.WriteFile(path, []byte("query,answer\n0,1.25\nPull red: its reward?,1.35\n1,0\n2,don't know\n"), 0o666))
	given, err := policies.ReadGiven(path, "", p)
	must(t, err)
	var out strings.Builder
	terminal := terminal.Game{Policy: p, Seed: 1, Guess: true, Given: given, Out: &out, Read: terminal.Lines(strings.NewReader("yes\n-3\nu\n 7.5 \n1e10\n?\nq\n"))}
	must(t, terminal.Play(t.Context()))
	for _, want := range []string{"Find the best of 3: answer 8 times with the number", "Known  Pull red: its reward? 1.35", "Known  Pull blue: its reward? don't know", "Mean answers: red 1.3 (of 2), green 0 (of 1)",
		"Answer with a number from -1e+09 to 1e+09, or don't know (?), u (undo the last answer) or q (quit).", "its reward? -3\n", "its reward? undo\n", "its reward? 7.5\n"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is missing in\n%s", want, out.String())
		}
	}
	if strings.Contains(out.String(), "Guess") || strings.Count(out.String(), "Answer with a number") != 3 {
		t.Errorf("it guesses, or takes a word:\n%s", out.String())
	}
	for text, want := range map[string]string{"0,yes": `:2: the answer is "yes"; it must be a number from -1e+09 to 1e+09, or don't know`, "0,1e10": ":2: ", "0,inf": ":2: ", "0,probably": ":2: "} {
		must(t, os.WriteFile(path, []byte("query,answer\n"+text+"\n"), 0o666))
		if _, err := policies.ReadGiven(path, "", p); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// TestNumberInBrowser plays a game of numbers to its recommendation, by Enter and by the button, with an undo, a don't know and
// a reload, on a wide screen and a narrow one, and labels in a session.
func TestNumberInBrowser(t *testing.T) {
	suite.Long(t, "one more game in a browser")
	t.Parallel()
	browser := chromium(t)
	s, set := servetest.Keeping(t, servetest.Opened(t, servetest.Stores["sqlite"](t)), sessions.Options{}, nil, servetest.Write(t, t.TempDir(), "arms", servetest.Rewards(t), nil))
	b := newTab(t, browser, "http://"+listen(t, New(set, s, Options{Version: "test"})))
	for _, width := range []int64{1200, 390} {
		b.look(width, width < 500)
		b.open("/play/arms#seed=5")
		b.wait(`document.getElementById("number")`)
		b.whole("a game of numbers")
		b.shot(fmt.Sprintf("numbers-begin-%d", width))
		b.do(chromedp.Focus(chromedp.CSS("#number")))
		for k, text := range []string{"1.5", "-2", "0"} {
			b.do(chromedp.KeyEvent(text + kb.Enter + kb.Enter)) // the second sends nothing
			b.answers(k + 1)
		}
		if got := js[string](b, `location.hash`); !strings.Contains(got, "v1.5,") || !strings.Contains(got, "v-2,") || !strings.HasSuffix(got, "v0") {
			t.Errorf("the address has %s", got)
		}
		b.reload("answers")
		b.do(chromedp.Click(chromedp.CSS("#undo")))
		b.answers(2)
		b.do(chromedp.KeyEvent("y")) // outside of the field; no answer
		for k := range 6 {
			b.do(chromedp.SetValue(chromedp.CSS("#number"), fmt.Sprint(k)), chromedp.Click(chromedp.CSS("#send")))
			b.answers(k + 3)
			if k == 2 {
				b.axe("a game of numbers")
				b.shot(fmt.Sprintf("numbers-middle-%d", width))
			}
		}
		b.wait(`document.getElementById("result")`)
		best := b.text("result")
		if (best != "red" && best != "green" && best != "blue") || js[bool](b, `!!(document.getElementById("was") ?? document.getElementById("guess") ?? document.getElementById("number"))`) {
			t.Errorf("at the end %s shows: %s", best, b.all())
		}
		b.whole("the end of a game of numbers")
		b.axe("the end of a game of numbers")
		b.shot(fmt.Sprintf("numbers-end-%d", width))
	}
	b.open("/play/arms#seed=5&h=0vx,1v2e9")
	b.wait(`document.getElementById("fault")`)
	b.clean("422")
	v := servetest.Begin(t, s, wire.NewSession{Policy: "arms", Labelling: true})
	b.open("/label/" + v.ID)
	b.wait(`document.getElementById("number")`)
	b.do(chromedp.Focus(chromedp.CSS("#number")), chromedp.KeyEvent("2.25"+kb.Enter))
	b.wait(`document.querySelector("#answers td:nth-child(3)")?.textContent === "2.25"`)
	b.do(chromedp.Click(chromedp.CSS("#skip")))
	b.wait(`document.querySelectorAll("#answers tr").length === 2`)
	b.whole("a session of numbers")
	b.axe("a session of numbers")
	b.shot("numbers-label")
	b.open("/policies/arms")
	b.wait(`document.querySelector("dl")`)
	if text := b.all(); !strings.Contains(text, "numbers: Gaussian, of standard deviation 0.5, around means up to 4 either way") || strings.Contains(text, "yes in") {
		t.Errorf("the policy's page says %s", text)
	}
	b.shot("numbers-policy")
	b.clean()
}

// answers waits until the page shows so many answers.
func (b *tab) answers(n int) {
	b.t.Helper()
	b.wait(fmt.Sprintf(`document.querySelectorAll("#answers tr").length === %d`, n))
}
