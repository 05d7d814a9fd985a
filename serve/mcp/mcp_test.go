package mcp_test

import (
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"

	"mapo/serve/mcp"
	"mapo/serve/policies"
	"mapo/serve/servetest"
	"mapo/serve/sessions"
	"mapo/serve/wire"
)

// TestMCP plays a game by the verbs, with an undo and a don't know.
func TestMCP(t *testing.T) {
	s := servetest.Sessions(t, servetest.Stores["sqlite"](t), sessions.Options{}, servetest.Write(t, t.TempDir(), "t", servetest.Wheels(), nil))
	c := servetest.Agent(t, s)
	tools, err := c.ListTools(t.Context(), nil)
	must(t, err)
	var names []string
	for _, tool := range tools.Tools {
		names = append(names, tool.Name)
	}
	if got := strings.Join(names, " "); got != "answer guess next recommend truth" {
		t.Errorf("tools %s", got)
	}
	v, fault := servetest.Verb(t, c, "next", map[string]any{"mask": []int{0}})
	if fault != "" || v.Query == nil || v.Query.Index == 0 || v.Step != 1 || v.Remaining != 6 {
		t.Fatalf("%+v %s", v, fault)
	}
	first := *v.Query
	for _, answer := range []string{"yes", "undo", "no", "don't know", "skip", "probably", "probably not"} {
		v, fault = servetest.Verb(t, c, "answer", map[string]any{"session": v.ID, "step": v.Step, "answer": answer, "by": "me"})
		if fault != "" || (answer == "undo" && *v.Query != first) {
			t.Fatalf("%s: %+v %s", answer, v, fault)
		}
	}
	for v.State == wire.StateOpen {
		if v, fault = servetest.Verb(t, c, "answer", map[string]any{"session": v.ID, "step": v.Step, "answer": "yes"}); fault != "" {
			t.Fatal(fault)
		}
	}
	r, fault := servetest.Verb(t, c, "recommend", map[string]any{"session": v.ID})
	if fault != "" || r.Recommendation == nil || len(r.RunnersUp) == 0 || len(r.Contract) != 2 || r.Query != nil || r.Confidence != nil || r.Guess != nil {
		t.Errorf("%+v %s", r, fault)
	}
	for why, c2 := range map[string]struct {
		tool string
		in   map[string]any
		want string
	}{
		"after the end":  {"answer", map[string]any{"session": v.ID, "step": v.Step, "answer": "yes"}, "the session is over"},
		"another answer": {"answer", map[string]any{"session": v.ID, "step": v.Step, "answer": "maybe"}, "want yes, no"},
		"no guess":       {"guess", map[string]any{"session": v.ID, "step": v.Step, "right": true}, "nothing is guessed at step"},
		"a level":        {"next", map[string]any{"stop": 0.9}, "stop needs a posterior"},
		"no session":     {"recommend", map[string]any{"session": "none"}, "no such session"},
		"no policy":      {"next", map[string]any{"policy": "none"}, "no policy is called"},
		"no step":        {"answer", map[string]any{"session": v.ID, "answer": "yes"}, "step"},
	} {
		if _, fault := servetest.Verb(t, c, c2.tool, c2.in); !strings.Contains(fault, c2.want) {
			t.Errorf("%s: %q, want %q", why, fault, c2.want)
		}
	}
}

// TestMCPTable plays a table with guesses to its end: half answers, confidence, a wrong guess and its undo, and the
// reasons.
func TestMCPTable(t *testing.T) {
	s := servetest.SessionsOn(t, servetest.Stores["sqlite"](t), sessions.Options{}, servetest.OpenTable(-1, 0.95), "table.csv")
	c := servetest.Agent(t, s)
	v, fault := servetest.Verb(t, c, "next", map[string]any{"guess": true, "stop": 0.6})
	if fault != "" || v.State != wire.StateOpen || v.Confidence != nil {
		t.Fatalf("%+v %s", v, fault)
	}
	act := func(verbs string, in map[string]any) {
		t.Helper()
		in["session"], in["step"] = v.ID, v.Step
		if v, fault = servetest.Verb(t, c, verbs, in); fault != "" {
			t.Fatal(fault)
		}
	}
	for _, answer := range []string{"probably", "probably not", "no", "yes"} {
		if v.State == wire.StateOpen {
			act("answer", map[string]any{"answer": answer})
		}
		if v.Confidence == nil || *v.Confidence <= 0 || *v.Confidence > 1 || v.RunnersUp[0].Confidence == nil {
			t.Errorf("after %s: %+v", answer, v)
		}
	}
	for v.State == wire.StateOpen {
		act("answer", map[string]any{"answer": "yes"})
	}
	guess := servetest.Name(v.Guess)
	if v.State != wire.StateGuess || guess == "" || guess != servetest.Name(v.Recommendation) || v.Query != nil {
		t.Fatalf("at the end %+v, want a guess", v)
	}
	if len(v.Pro)+len(v.Contra) == 0 || v.Pro[0].Query.Text == "" || v.Pro[0].Answer == 0 {
		t.Errorf("the reasons are %+v and %+v", v.Pro, v.Contra)
	}
	if _, fault := servetest.Verb(t, c, "answer", map[string]any{"session": v.ID, "step": v.Step, "answer": "yes"}); !strings.Contains(fault, "it guesses") {
		t.Errorf("an answer to a guess: %q", fault)
	}
	act("guess", map[string]any{"right": false})
	if servetest.Name(v.Guess) == guess {
		t.Errorf("%q was wrong and is guessed again", guess)
	}
	act("answer", map[string]any{"answer": mcp.Undo})
	if v.State != wire.StateGuess || servetest.Name(v.Guess) != guess {
		t.Errorf("after an undo %+v", v)
	}
	act("guess", map[string]any{"right": true})
	r, fault := servetest.Verb(t, c, "recommend", map[string]any{"session": v.ID})
	if fault != "" || r.State != wire.StateDone || servetest.Name(r.Recommendation) != guess || fmt.Sprint(r.Contract) != "["+policies.UntrainedNote+"]" {
		t.Errorf("%+v %s", r, fault)
	}
}

// TestMCPJunk gives the server invalid lines between messages: it answers the messages and logs the lines that it skips.
func TestMCPJunk(t *testing.T) {
	var said strings.Builder
	s := servetest.Sessions(t, servetest.Stores["sqlite"](t), sessions.Options{Log: slog.New(slog.NewTextHandler(&said, nil))}, servetest.Write(t, t.TempDir(), "t", servetest.Wheels(), nil))
	pings := map[int]bool{5: true, 6: true, 7: true}
	lines := []struct {
		text string
		junk bool
	}{
		{"hello", true}, {"", false}, {"{", true}, {"5", true}, {"null", true}, {`"text"`, true}, {"{}", true},
		{`{"jsonrpc":"1.0","id":2,"method":"ping"}`, true}, {`{"jsonrpc":"2.0","id":{},"method":"ping"}`, true}, {servetest.Ping(3) + " " + servetest.Ping(4), true},
		{"\x00\xff", true}, {"[]", true}, {"[5]", true}, {"[" + servetest.Ping(5) + "," + servetest.Ping(6) + "]", false}, {strings.Repeat("9", mcp.MostMessage+5), true}, {strings.Repeat(" ", mcp.MostMessage) + servetest.Ping(2), true}, {servetest.Ping(7) + "\r", false},
	}
	var all []string
	for _, line := range lines {
		all = append(all, line.text)
	}
	out := servetest.Spoken(t, s, strings.Join(all, "\n"), 8)
	for id := range 8 {
		if got := strings.Contains(out, fmt.Sprintf(`"id":%d,`, id)); got != pings[id] {
			t.Errorf("message %d answered: %v, want %v", id, got, pings[id])
		}
	}
	for i, line := range lines {
		if got := strings.Contains(said.String(), fmt.Sprintf("line=%d ", i+3)); got != line.junk {
			t.Errorf("line %d, %.40q, left out: %v, want %v", i+3, line.text, got, line.junk)
		}
	}
}

// TestMCPEnd: all that was asked before the input ends is answered.
func TestMCPEnd(t *testing.T) {
	s := servetest.Sessions(t, servetest.Stores["sqlite"](t), sessions.Options{}, servetest.Write(t, t.TempDir(), "t", servetest.Wheels(), nil))
	const asked = 20
	lines := servetest.Hello
	for id := range asked {
		lines += fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"next","arguments":{}}}`+"\n", id)
	}
	out := &servetest.Replies{Last: "none", Seen: func() {}}
	must(t, mcp.Serve(t.Context(), s, "test", io.NopCloser(strings.NewReader(lines)), out))
	for id := range asked {
		if !strings.Contains(out.String(), fmt.Sprintf(`"id":%d,"result"`, id)) {
			t.Errorf("request %d is not answered", id)
		}
	}
}

// TestMCPTruth: an agent tells what it was, also what the table does not have, and a right guess tells it.
func TestMCPTruth(t *testing.T) {
	s, _ := servetest.Learning(t, servetest.Opened(t, servetest.Stores["sqlite"](t)), sessions.Options{}, servetest.WriteTable(t, servetest.Pets))
	c := servetest.Agent(t, s)
	begun := func(in map[string]any) mcp.View {
		t.Helper()
		v, fault := servetest.Verb(t, c, "next", in)
		for fault == "" && v.State == wire.StateOpen && v.Step < 4 {
			v, fault = servetest.Verb(t, c, "answer", map[string]any{"session": v.ID, "step": v.Step, "answer": wire.InWords(servetest.AnswerFor("cat", v.Query.Text))})
		}
		if fault != "" {
			t.Fatal(fault)
		}
		return v
	}
	v := begun(map[string]any{})
	if _, fault := servetest.Verb(t, c, "truth", map[string]any{"session": v.ID, "truth": "catt"}); !strings.Contains(fault, `did you mean "cat"`) {
		t.Errorf("an unknown name: %q", fault)
	}
	for truth, more := range map[string]bool{"cat": false, "lynx": true} {
		v, fault := servetest.Verb(t, c, "truth", map[string]any{"session": v.ID, "truth": truth, "new": more})
		if fault != "" || v.State != wire.StateDone || v.Truth.Text != truth || v.Truth.Known == more {
			t.Errorf("%s: %+v %s", truth, v, fault)
		}
	}
	v = begun(map[string]any{"guess": true, "stop": 0.6})
	if servetest.Name(v.Guess) != "cat" {
		t.Fatalf("%+v, want the guess cat", v)
	}
	if v, fault := servetest.Verb(t, c, "guess", map[string]any{"session": v.ID, "step": v.Step, "right": true}); fault != "" || v.Truth.Text != "cat" || !v.Truth.Known {
		t.Errorf("after a right guess %+v %s", v, fault)
	}
}
