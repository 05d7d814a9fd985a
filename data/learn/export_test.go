package learn

import (
	"fmt"
	"strings"
	"testing"
)

// sessions is an export of three sessions, whose rows are mixed.
const sessions = `session,policy,step,text,outcome,answer,policy_hash,undone,recommendation_text,truth
s,p,1,Does it fly?,answer,1,h,2,owl,owl
r,p,1,Does it fly?,answer,-1,h,,owl,cow
s,p,2,Does it fly?,undo,,h,,owl,owl
s,p,3,Does it fly?,answer,0.5,h,,owl,owl
r,p,2,Is it big?,dont-know,,h,,owl,cow
r,p,3,owl,wrong,,h,,owl,cow
q,p,1,Does it fly?,answer,1,h,,owl,
`

// TestExportedGames: an export of sessions is a file of games.
func TestExportedGames(t *testing.T) {
	got := ""
	err := FromFile(strings.NewReader("\ufeff"+sessions), "e.csv")(func(g *Game) error {
		got += fmt.Sprintf("%s %s %s %q", g.Session, g.Truth, g.Guess, g.Policy)
		for _, a := range g.History {
			got += " " + a.Query
			if a.Answer != nil {
				got += fmt.Sprint(*a.Answer)
			}
		}
		got += fmt.Sprintln(g.Guessed != nil)
		return nil
	})
	const want = "r cow owl \"p h\" Does it fly?-1 Is it big?true\ns owl owl \"p h\" Does it fly?0.5false\nq  owl \"p h\" Does it fly?1false\n"
	if err != nil || got != want {
		t.Errorf("%v\n got %s\nwant %s", err, got, want)
	}
	line := `{"session":"s","policy":"p","step":1,"query":{"index":0,"text":"Does it fly?"},"outcome":"answer","answer":-1,"recommendation":{"index":0,"text":"owl"},"truth":"cow"}` + "\n"
	err = FromFile(strings.NewReader(line), "e.jsonl")(func(g *Game) error {
		if g.Truth != "cow" || g.Guess != "owl" || len(g.History) != 1 || *g.History[0].Answer != -1 {
			t.Errorf("%+v", g)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	for text, want := range map[string]string{
		strings.Replace(sessions, "0.5", "cat", 1): `e.csv:5: the answer is "cat"; tables learn from answers 1, 0.5, -0.5 and -1`,
		sessions + "x\n": "e.csv:9: the row has 1 cells, the header 10: export the session again",
	} {
		if err := FromFile(strings.NewReader(text), "e.csv")(func(*Game) error { return nil }); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	err = FromFile(strings.NewReader(sessions), "e.csv")(func(g *Game) error {
		if g.Session == "r" {
			return fmt.Errorf("no")
		}
		return nil
	})
	if err == nil || err.Error() != "e.csv:3: no" {
		t.Error(err)
	}
}
