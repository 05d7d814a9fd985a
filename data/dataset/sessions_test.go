package dataset

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// exportHead is the header of a server's export.
const exportHead = "session,policy,step,query,text,outcome,answer,probability,policy_hash,annotator,asked,answered,undone,title,recommendation,recommendation_text,tied,confidence,guess,truth\n"

// exported is an export of a session: a query that begins as a formula, an answer that was taken back, a guess, and a
// query that was passed over.
func exported(session, truth, annotator, first string) string {
	row := func(step int, text, outcome, answer, undone string) string {
		return fmt.Sprintf("%s,p,%d,0,%s,%s,%s,0.25,h,%s,t,t,%s,a title,1,B,1,0.8,,%s\n", session, step, text, outcome, answer, annotator, undone, truth)
	}
	return exportHead +
		row(1, "'=cmd|x?", "answer", first, "") +
		row(2, `"Red, or blue?"`, "answer", "1", "3") +
		row(3, `"Red, or blue?"`, "undo", "", "") +
		row(4, `"Red, or blue?"`, "answer", "-0.5", "") +
		row(5, "C", "wrong", "", "") +
		row(6, "Sure?", "skip", "", "")
}

// exportedJSON is a turn of an export with one JSON object a line.
const exportedJSON = `{"session":"s","policy":"p","step":1,"query":{"index":1,"text":"=cmd|x?"},"outcome":"answer","answer":-1,"probability":0.25,"policy_hash":"h","annotator":"ann","asked":"t","answered":"t","recommendation":{"index":1,"text":"B"},"tied":1,"confidence":0.8,"truth":"B"}
{"session":"s","policy":"p","step":2,"query":{"index":0,"text":"Red?"},"outcome":"answer","answer":0.5,"probability":1,"undone":3,"recommendation":null,"truth":"B"}

{"session":"s","policy":"p","step":4,"query":{"index":0,"text":"Red?"},"outcome":"dont-know","answer":null,"probability":1,"recommendation":null,"truth":"B"}
{"session":"s","policy":"p","step":5,"query":null,"guess":{"index":2,"text":"C"},"outcome":"right","answer":null,"probability":0,"truth":"B"}
`

// TestEachTurn: what was undone is passed over, texts are as they were, and exports may follow each other.
func TestEachTurn(t *testing.T) {
	for text, want := range map[string]string{
		exported("s", "'+1", "'@ann", "1"): `=cmd|x? "1" true @ann +1 B; Red, or blue? "-0.5" true @ann +1 B; C "" false @ann +1 B; Sure? "" true @ann +1 B; `,
		exportedJSON:                       `=cmd|x? "-1" true ann B B; Red? "" true  B ; C "" false  B ; `,
		"\ufeff" + strings.ReplaceAll(exportHead, ",", ";") + "s;p;1;0;a,b?;answer;1;0,5;h;;t;t;;;1;B;1;0,8;;B\n": `a,b? "1" true  B B; `,
	} {
		got := ""
		err := EachTurn(strings.NewReader(text), "e.csv", func(t *Turn) error {
			got += fmt.Sprintf("%s %q %v %s %s %s; ", t.Text, t.Answer, t.Guessed == nil, t.Annotator, t.Truth, t.Recommendation)
			return nil
		})
		if err != nil || got != want {
			t.Errorf("%v\n got %s\nwant %s", err, got, want)
		}
	}
	for text, want := range map[string]string{
		"":                                    "e.csv:1: the file is empty",
		"object,query,answer\n":               "e.csv:1: the file is not an export of sessions, whose header has the columns session,step,text,outcome,answer",
		exported("s", "B", "", "1") + "s,p\n": "e.csv:8: the row has 2 cells, the header 20",
		strings.Replace(exported("s", "B", "", "1"), "skip", "odd", 1):          `e.csv:7: the outcome is "odd"; it is answer, dont-know`,
		strings.Replace(exported("s", "B", "", "1"), ",,t,t,3,", ",,t,t,x,", 1): `e.csv:3: undone is "x"`,
		exported("s", "B", "", ""): "e.csv:2: the turn is an answer, and the cell of the answer is empty",
		exportedJSON + "{\n":       "e.csv:6: the line is not a turn of an export as JSON",
	} {
		err := EachTurn(strings.NewReader(text), "e.csv", func(*Turn) error { return nil })
		if err == nil || !strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// TestInert: a spreadsheet runs nothing of an export, and every text is read back as it was.
func TestInert(t *testing.T) {
	for text, want := range map[string]string{
		"=1+1": "'=1+1", "+1": "'+1", "-1": "'-1", "@x": "'@x", "\tx": "'\tx", "\rx": "'\rx", "a=1": "a=1", "": "", "é": "é",
		"'=1": "''=1", "''=1": "'''=1", "'tis": "'tis", "'": "'",
	} {
		if got := Inert(text); got != want || active(got) != text {
			t.Errorf("%q becomes %q, want %q, and is read as %q", text, got, want, active(got))
		}
	}
}

// TestTabulateExports: the truth is the object; what was undone, guesses and sessions without a truth do not count.
func TestTabulateExports(t *testing.T) {
	text := exported("s", "A", "", "1") + exported("r", "B", "x", "-1") + exported("q", "", "", "1")
	got := tabulate(t, text, TabulateOptions{})
	if s := fmt.Sprintf("%v %q %d %d %d %d %d %d", got.Objects, got.Queries, got.Rows, got.Yes, got.No, got.Half, got.Unknown, got.Untold); s != `[A B] ["=cmd|x?" "Red, or blue?" "Sure?"] 6 1 1 2 2 3` {
		t.Error(s)
	}
	if len(got.Annotators) != 1 || got.Annotators[0].Name != "x" || got.Annotators[0].Answers != 3 {
		t.Errorf("annotators %+v", got.Annotators)
	}
	var b strings.Builder
	if err := got.Report(&b); err != nil || !strings.Contains(b.String(), "\nleft out: 3 answers of sessions whose truth was not told\n") {
		t.Errorf("%v, %s", err, b.String())
	}
	two := exportedJSON + strings.ReplaceAll(strings.ReplaceAll(exportedJSON, `"B"`, `"A"`), `"s"`, `"r"`)
	if got := tabulate(t, two, TabulateOptions{}); fmt.Sprint(got.Objects, got.Rows, got.No, got.Unknown) != "[B A] 4 2 2" {
		t.Errorf("%+v", got)
	}
	for text, want := range map[string]string{
		exported("q", "", "", "1"):    "a.csv: none of its 3 answers is of a session whose truth was told",
		exported("q", "A", "", "cat"): `a.csv:2: the answer is "cat"; it must be yes`,
		exported("q", "A", "", "1"):   `all answers are about one object, "A"`,
		exportHead:                    "a.csv:1: the file has a header and no answers",
	} {
		if _, err := Tabulate(write(t, "a.csv", text), TabulateOptions{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// TestTabulateCases: files that people have.
func TestTabulateCases(t *testing.T) {
	for name, want := range map[string]string{
		"tabulate_zero.csv":      "[a b] [q] [1 0] 1",
		"tabulate_semicolon.csv": "[a b] [q] [1 0] 0",
		"session_export.csv":     "testdata/cases/session_export.csv: none of its 2 answers is of a session whose truth was told",
	} {
		got, err := Tabulate("testdata/cases/"+name, TabulateOptions{})
		text := fmt.Sprint(err)
		if err == nil {
			text = fmt.Sprint(got.Objects, got.Queries, got.P(), got.Zeros)
		}
		if !strings.HasPrefix(text, want) {
			t.Errorf("%s: %s, want %s", name, text, want)
		}
	}
	// With a truth the export is read.
	data, err := os.ReadFile("testdata/cases/session_export.csv")
	if err != nil {
		t.Fatal(err)
	}
	var told strings.Builder
	for i, line := range strings.Split(strings.TrimSpace(string(data)), "\n") {
		told.WriteString(line + "," + []string{"truth", "A", "B"}[i] + "\n")
	}
	if got := tabulate(t, told.String(), TabulateOptions{}); fmt.Sprintf("%v %q %v", got.Objects, got.Queries, got.P()) != `[A B] ["Say \"yes\"?" "Red, or blue?"] [1 0.5 0.5 0]` {
		t.Errorf("%v %q %v", got.Objects, got.Queries, got.P())
	}
}

// TestTabulateWords: yes and no in the ways that programs write them, between whatever characters.
func TestTabulateWords(t *testing.T) {
	text := "object,query,answer\n"
	for i, yes := range []string{"1", "y", "Y", "true", "TRUE", "yes", "1.0"} {
		text += fmt.Sprintf("a,q%d,%s\n", i, yes)
	}
	for i, no := range []string{"0", "n", "N", "false", "False", "no", "0.0"} {
		text += fmt.Sprintf("b,q%d,%s\n", i, no)
	}
	for _, comma := range []string{",", ";", "\t", "|"} {
		got := tabulate(t, strings.ReplaceAll(text, ",", comma), TabulateOptions{})
		if got.Yes != 7 || got.No != 7 || got.Zeros != 2 {
			t.Errorf("between %q %+v", comma, got)
		}
		var b strings.Builder
		if err := got.Report(&b); err != nil || !strings.Contains(b.String(), "\nassumed: 0 means no, as no answer is -1 (2 answers)\n") {
			t.Errorf("%v, %s", err, b.String())
		}
	}
	if got := tabulate(t, "object;query;answer\na;\"q; or r\";0,5\nb;\"q; or r\";-1\nb;q;\u22120,5\n", TabulateOptions{}); got.Half != 2 || got.No != 1 || got.Queries[0] != "q; or r" {
		t.Errorf("decimal commas: %+v", got)
	}
	for _, side := range []string{"-1", "0.5", "-0.5"} {
		for _, order := range [][2]string{{"0", side}, {side, "0"}} {
			text := fmt.Sprintf("object,query,answer\na,q,yes\na,q,%s\nb,q,%s\n", order[0], order[1])
			zero, other := 3, 4
			if order[1] == "0" {
				zero, other = 4, 3
			}
			want := fmt.Sprintf("a.csv:%d: the answer is 0, and that on line %d is %s: beside it, 0 may be no or don't know. Write yes, no, probably, probably not or unknown", zero, other, side)
			if _, err := Tabulate(write(t, "a.csv", text), TabulateOptions{}); err == nil || !strings.HasSuffix(err.Error(), want) {
				t.Errorf("%v, want %s", err, want)
			}
		}
	}
}

// TestSessionTurns: one session of a file with several is named.
func TestSessionTurns(t *testing.T) {
	path := write(t, "e.csv", exported("s", "A", "", "1")+exported("r", "B", "", "-1"))
	got, err := SessionTurns(path, "r")
	if err != nil || len(got) != 4 || got[0].Session != "r" || got[0].Answer != "-1" || got[0].Line != 9 {
		t.Errorf("%+v, %v", got, err)
	}
	for session, want := range map[string]string{
		"":  "e.csv: the answers are of 2 sessions (s, r); a game takes those of one: add --session s",
		"x": `e.csv: --session is "x", and no answer is of that session; those with answers are s, r`,
	} {
		if _, err := SessionTurns(path, session); err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if got, err := SessionTurns(write(t, "e.jsonl", exportedJSON), ""); err != nil || len(got) != 3 {
		t.Errorf("%+v, %v", got, err)
	}
	plain := write(t, "g.csv", "query,answer\n1,yes\n")
	if got, err := SessionTurns(plain, ""); err != nil || got != nil {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := SessionTurns(plain, "s"); err == nil || !strings.HasSuffix(err.Error(), `g.csv:1: --session is "s", and the file is not an export of sessions: remove --session`) {
		t.Error(err)
	}
}

// TestLabelsOfExports: the answers of a session are labels, with the probability of their items.
func TestLabelsOfExports(t *testing.T) {
	text := strings.NewReplacer("-0.5", "'-x", ",1,0.25,h,,t,t,3", ",cat,0.25,h,,t,t,3").Replace(exported("s", "", "", "cat"))
	got, err := parseItemLabels(strings.NewReader(text), "e.csv")
	if err != nil || !got.Logged || fmt.Sprint(got.List) != "[{=cmd|x? cat 0.25 2} {Red, or blue? -x 0.25 5}]" {
		t.Errorf("%+v, %v", got, err)
	}
	got, err = parseItemLabels(strings.NewReader("item;class;propensity\na;cat;0,25\n"), "l.csv")
	if err != nil || fmt.Sprint(got.List) != "[{a cat 0.25 2}]" {
		t.Errorf("between semicolons %+v, %v", got, err)
	}
}

func FuzzEachTurn(f *testing.F) {
	f.Add(exported("s", "B", "x", "1"))
	f.Add(exportedJSON)
	f.Add(strings.ReplaceAll(exportHead, ",", ";"))
	f.Fuzz(func(t *testing.T, text string) {
		_ = EachTurn(strings.NewReader(text), "e.csv", func(turn *Turn) error {
			if turn.Line < 1 || turn.Guessed != nil && turn.Answer != "" {
				t.Fatalf("%+v", turn)
			}
			return nil
		})
	})
}
