package web

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"mapo/data/dataset"
	"mapo/game/play"
	"mapo/serve/database"
	"mapo/serve/servetest"
	"mapo/serve/sessions"
	"mapo/serve/wire"
)

// TestStanding: nothing is recommended while all hypotheses tie and answers are left. With a partial tie the seed
// draws one of those that share the lead, and tied counts them. At the end there is always a recommendation.
func TestStanding(t *testing.T) {
	thresholds := dataset.Thresholds(3, 3) // hypotheses 0 to 3; a yes to query i sets k > i before the others
	h := server(t, Options{}, servetest.Write(t, t.TempDir(), "t", thresholds, servetest.Spending)).Handler()
	for history, c := range map[string]struct {
		tied, runnersUp int
		none            bool // is recommended
	}{
		``:                       {4, 0, true},
		`0 null`:                 {4, 0, true},
		`0 1, 0 -1`:              {4, 0, true},
		`1 1`:                    {2, 3, false},
		`0 null, 1 -1`:           {2, 3, false},
		`1 1, 2 1`:               {1, 3, false},
		`0 null, 1 null, 2 null`: {4, 3, false},
	} {
		seen := map[int]bool{}
		for seed := range 60 {
			body := fmt.Sprintf(`{"history": [%s], "seed": %d}`, entries(history), seed)
			var out, again wire.NextReply
			servetest.Post(t, h, "/v1/policies/t/next", body, &out)
			servetest.Post(t, h, "/v1/policies/t/next", body, &again)
			if out.Tied != c.tied || len(out.RunnersUp) != c.runnersUp || (out.Recommendation == nil) != c.none {
				t.Fatalf("%q: %+v, want %+v", history, out, c)
			}
			if out.Recommendation == nil {
				continue
			}
			if *again.Recommendation != *out.Recommendation {
				t.Errorf("%q: one seed recommends %v and %v", history, out.Recommendation, again.Recommendation)
			}
			seen[out.Recommendation.Index] = true
		}
		if !c.none && len(seen) != c.tied {
			t.Errorf("%q: %d hypotheses are recommended over all seeds, want %d", history, len(seen), c.tied)
		}
	}
}

// entries is a history in JSON, of pairs such as "3 -1".
func entries(text string) string {
	var list []string
	for pair := range strings.SplitSeq(text, ", ") {
		if query, answer, ok := strings.Cut(pair, " "); ok {
			list = append(list, fmt.Sprintf(`{"query": %s, "answer": %s}`, query, answer))
		}
	}
	return strings.Join(list, ",")
}

// TestSessionStanding: a session says the same of its answers, as does an agent's, and after an undo again nothing.
func TestSessionStanding(t *testing.T) {
	s := servetest.Sessions(t, servetest.Stores["sqlite"](t), sessions.Options{}, servetest.Write(t, t.TempDir(), "t", dataset.Thresholds(3, 2), nil))
	v, err := s.Create(t.Context(), &wire.NewSession{Policy: "t"})
	must(t, err)
	if v.Recommendation != nil || v.Tied != 4 || v.Margin != 0 || len(v.RunnersUp) != 0 {
		t.Errorf("before any answer: %+v", v)
	}
	asked := v.Query.Index
	v, err = s.Answer(t.Context(), v.ID, &wire.AnswerRequest{Step: 1, Answer: wire.Reply{Answer: play.Yes}})
	must(t, err)
	if v.Recommendation == nil || v.Tied != 3-asked || len(v.RunnersUp) != 3 {
		t.Errorf("after an answer: %+v", v)
	}
	v, err = s.Undo(t.Context(), v.ID, &wire.UndoRequest{Step: 2})
	must(t, err)
	if v.Recommendation != nil || v.Tied != 4 {
		t.Errorf("after an undo: %+v", v)
	}
	a, fault := servetest.Verb(t, servetest.Agent(t, s), "next", map[string]any{"session": v.ID})
	if fault != "" || a.Recommendation != nil || a.Tied != 4 || len(a.RunnersUp) != 0 {
		t.Errorf("an agent is told %+v %s", a, fault)
	}
}

// TestExportStanding: every row of an export has the session's title and recommendation, as the session has them when it
// is exported; a title that a spreadsheet would run is inert.
func TestExportStanding(t *testing.T) {
	s := servetest.Sessions(t, servetest.Stores["sqlite"](t), sessions.Options{}, servetest.Write(t, t.TempDir(), "t", dataset.Thresholds(3, 2), nil))
	v, err := s.Create(t.Context(), &wire.NewSession{Policy: "t", Title: "=1+1, birds"})
	must(t, err)
	for _, answer := range []play.Answer{play.DontKnow, play.Yes, play.Yes} {
		v, err = s.Answer(t.Context(), v.ID, &wire.AnswerRequest{Step: v.Step, Answer: wire.Reply{Answer: answer}})
		must(t, err)
		data, err := s.CSV(t.Context(), v.ID)
		must(t, err)
		rows, err := csv.NewReader(bytes.NewReader(data)).ReadAll()
		must(t, err)
		want := []string{"'=1+1, birds", "", "", fmt.Sprint(v.Tied)}
		if v.Recommendation != nil {
			want[1], want[2] = fmt.Sprint(v.Recommendation.Index), v.Recommendation.Text
		}
		for i, row := range rows[1:] {
			if got := row[len(row)-7 : len(row)-3]; !slices.Equal(got, want) {
				t.Errorf("at step %d row %d ends %q, want %q", v.Step, i+1, got, want)
			}
		}
		lines, err := s.JSONL(t.Context(), v.ID)
		must(t, err)
		for line := range strings.Lines(string(lines)) {
			var row wire.ExportRow
			must(t, json.Unmarshal([]byte(line), &row))
			if row.Title != v.Title || row.Tied != v.Tied || !reflect.DeepEqual(row.Recommendation, v.Recommendation) {
				t.Errorf("at step %d: %s", v.Step, line)
			}
		}
		if len(rows) != v.Step || bytes.Count(lines, []byte("\n")) != v.Step-1 {
			t.Errorf("at step %d: %d rows", v.Step, len(rows))
		}
	}
	if v.State != wire.StateDone || v.Recommendation == nil {
		t.Errorf("at the end: %+v", v)
	}
}

// TestPlaceOfTruth: a truth that is told has the place and the confidence that it had among what was shown before.
func TestPlaceOfTruth(t *testing.T) {
	for place := range 3 {
		s, _ := servetest.Learning(t, servetest.Opened(t, func() (database.Store, error) { return database.OpenTemporary(t.Context()) }), sessions.Options{}, servetest.WriteTable(t, servetest.Pets))
		v := servetest.PlayThrough(t, s, wire.NewSession{}, "Budgie", 4)
		text, confidence := v.Recommendation.Text, v.Confidence
		if place > 0 {
			text, confidence = v.RunnersUp[place-1].Text.Text, v.RunnersUp[place-1].Confidence
		}
		if done := servetest.Truth(t, s, v.ID, text); done.Truth.Place != place+1 || done.Truth.Confidence == nil || *done.Truth.Confidence != *confidence {
			t.Errorf("%s was shown in place %d with confidence %v; told, it is %+v", text, place+1, *confidence, done.Truth)
		}
	}
}
