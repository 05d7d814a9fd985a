package sessions_test

import (
	"testing"
	"time"

	"mapo/game/play"
	"mapo/serve/database"
	"mapo/serve/servetest"
)

func someSession(id string) (database.Session, database.Turn) {
	s := database.Session{ID: id, Policy: "p", Play: "play", Title: "ä ' \" ; -- \\", Seed: play.MaxSeed, StopMargin: 1.25, Created: servetest.SomeTime, Touched: servetest.SomeTime}
	return s, database.Turn{Step: 1, Query: 3, Text: "'); DROP TABLE mapo_turns; --", Probability: .25, Hash: "h", Mask: []int{1, 2}, Asked: servetest.SomeTime}
}

// step is the advance from an open turn by one answer.
func step(session string, open database.Turn, answer play.Answer) database.Advance {
	closed := open
	closed.Outcome, closed.Answer, closed.Annotator, closed.Answered = database.OutcomeAnswer, answer, "Zoë", servetest.SomeTime.Add(time.Second)
	return database.Advance{Session: session, Closed: closed, Next: database.Turn{Step: open.Step + 1, Query: open.Query + 1, Text: "next", Hash: "h2", Asked: servetest.SomeTime.Add(time.Second)}}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
