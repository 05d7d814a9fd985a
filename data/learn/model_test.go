package learn_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"mapo/data/learn"
	"mapo/game/play"
	"mapo/rng"
)

// TestModel: indices are the vocabulary's, not the table's, and accepted names begin at the means.
func TestModel(t *testing.T) {
	base := small() // dog 0.9 unknown, cat 0.1 3/4
	base.Weights = []float64{3, 1}
	v := &learn.Vocabulary{
		Objects:   []learn.Name{{Text: "cat"}, {Text: "cow"}, {Text: "dog"}, {Text: "emu", Accepted: true}},
		Questions: []learn.Name{{Text: "purrs?"}, {Text: "flies?"}, {Text: "barks?"}, {Text: "pet?", Accepted: true, Yes: []int{0}, No: []int{3}}},
	}
	m := learn.NewModel(base, v, learn.Options{Plain: true, Weights: true, Trust: 3})
	g := learn.Played{Objects: []int{3}, Answers: []play.Answered{{Query: 2, Answer: play.Yes}, {Query: 3, Answer: play.Probably}}}
	tally := learn.Tally{}
	tally.AddGame(&g, 1)
	next, _, err := m.Learned(tally.Cells())
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(append(next.Objects, next.Queries...), " "); got != "dog cat emu barks? purrs? pet?" {
		t.Fatalf("names %s", got)
	}
	purrs := (0.75 + 1) / 3 // of the one known cell
	want := []float64{
		0.9, 0.5, 0.5,
		0.1, 0.75, 0.95,
		(2*0.5 + 1) / 3, purrs, (3*0.05 + 0.5) / 3.5,
	}
	for at, p := range next.P {
		if math.Abs(p-want[at]) > 1e-12 {
			t.Errorf("cell %d is %v, want %v", at, p, want[at])
		}
	}
	if want := []bool{false, true, true, false, false, false, false, false, false}; !slices.Equal(next.Unknown, want) {
		t.Errorf("unknown %v, want %v", next.Unknown, want)
	}
	if want := []float64{2 * 3 * 3. / 6, 2 * 3 * 1. / 6, 2*3*2./6 + 1}; !slices.Equal(next.Weights, want) {
		t.Errorf("weights %v, want %v", next.Weights, want)
	}
	for cell, want := range map[learn.Cell]string{
		{Object: 1, Question: 0, Yes: 2}: `t.csv has no object "cow", which has games; use the table that they were played on`,
		{Object: 0, Question: 1, Yes: 2}: `t.csv has no question "flies?", which has answers`,
		{Object: 4, Question: 1, Yes: 2}: `the games name object 4, and there are 4`,
	} {
		if _, _, err := m.Learned([]learn.Cell{cell}); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v: %v, want %s", cell, err, want)
		}
		if _, err := m.Select([]learn.Cell{cell}, nil, 0); err != nil {
			t.Errorf("%v: %v; where clients are not judged, nothing is looked up", cell, err)
		}
	}
}

// TestModelTakeBack: games counted and taken away leave the bits of a table without games, in another order, too.
func TestModelTakeBack(t *testing.T) {
	w := newWorld(9, 7, rng.New(3))
	m := learn.NewModel(w.table, nil, learn.Options{})
	before, share, err := m.Learned(nil)
	if err != nil {
		t.Fatal(err)
	}
	games, tally := w.crowd(rng.New(4)), learn.Tally{}
	for k := range games {
		tally.AddGame(&games[k], 1)
	}
	full := tally.Cells()
	for k := range games {
		tally.AddGame(&games[len(games)-1-k], -1)
	}
	after, again, err := m.Learned(tally.Cells())
	if err != nil {
		t.Fatal(err)
	}
	if len(tally) != 0 || !slices.Equal(before.P, after.P) || !slices.Equal(share, again) {
		t.Error("a table from which all games were taken back is not the one without games")
	}
	// Another order of the vocabulary, and of the cells, gives the same bits.
	turned := learn.VocabularyOf(w.table)
	slices.Reverse(turned.Objects)
	for k := range full {
		full[k].Object = len(turned.Objects) - 1 - full[k].Object
	}
	slices.Reverse(full)
	one, _, err1 := learn.NewModel(w.table, turned, learn.Options{}).Learned(full)
	two, _, err2 := m.Learned(tallied(games))
	if err1 != nil || err2 != nil || !slices.Equal(one.P, two.P) {
		t.Errorf("the order of names changes the learned table (%v, %v)", err1, err2)
	}
}

// TestModelOfAcceptedName: a name that the base has by now is the base's.
func TestModelOfAcceptedName(t *testing.T) {
	v := learn.VocabularyOf(small())
	v.Objects[0].Accepted = true
	next, _, err := learn.NewModel(small(), v, learn.Options{Plain: true}).Learned(nil)
	if err != nil || len(next.Objects) != 2 || !next.IsUnknown(0, 1) || !slices.Equal(next.P, small().P) {
		t.Errorf("%v, %v: an accepted name of the base is not a row of its own", next, err)
	}
}
