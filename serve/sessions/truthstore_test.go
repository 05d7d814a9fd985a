package sessions_test

import (
	"fmt"
	"reflect"
	"testing"

	"mapo/game/play"
	"mapo/serve/database"
	"mapo/serve/servetest"
)

// someTruth is what a session was about, as read at a step.
func someTruth(id string, step, object int, answers ...play.Answered) database.Told {
	return database.Told{ID: id, Policy: "p", Version: 2, Step: step, Objects: []int{object}, Truth: fmt.Sprint("o", object), Recommended: "r", Answers: answers,
		Client: database.Client{ID: "a:x", Capped: true}, At: servetest.SomeTime, Learn: true}
}

// enlisted has the objects o0, o1, … and the questions q0, q1, …
func enlisted(t testing.TB, s database.Store, policy string, objects, questions int) *database.Vocabulary {
	t.Helper()
	name := func(prefix string, n int) (list []string) {
		for i := range n {
			list = append(list, fmt.Sprint(prefix, i))
		}
		return list
	}
	v, err := s.Enlist(t.Context(), policy, name("o", objects), name("q", questions))
	must(t, err)
	return v
}

func mustTell(t testing.TB, s database.Store, told database.Told, want database.TellResult) {
	t.Helper()
	if got, err := s.Tell(t.Context(), told); err != nil || got != want {
		t.Fatalf("telling %+v: %v, %v; want %v", told, got, err, want)
	}
}

func mustCount(t testing.TB, s database.Store, policy string, changes int64, want ...database.Cell) {
	t.Helper()
	v, err := s.Snapshot(t.Context(), policy)
	must(t, err)
	if v.Changes != changes || !reflect.DeepEqual(v.Counts, want) {
		t.Fatalf("%d changes and the counts %v, want %d and %v", v.Changes, v.Counts, changes, want)
	}
}

func cell(object, question int, yes, no int64) database.Cell {
	return database.Cell{Object: object, Question: question, Yes: yes, No: no}
}
