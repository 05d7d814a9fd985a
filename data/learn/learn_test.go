package learn_test

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"

	"mapo/data/learn"
	"mapo/data/table"
	"mapo/game/play"
	"mapo/rng"
)

func small() *table.Table {
	return &table.Table{
		Name: "t.csv", Objects: []string{"dog", "cat"}, Queries: []string{"barks?", "purrs?"}, Lines: []int{2, 3},
		P: []float64{0.9, 0.5, 0.1, 0.75}, Unknown: []bool{false, true, false, false}, Counts: []table.Count{{}, {}, {}, {K: 2, N: 2}},
	}
}

const games = `{"truth": "dog", "recommendation": "dog", "history": [{"query": "barks?", "answer": -1}, {"query": "purrs?", "answer": -0.5}]}

{"truth": "dog or cat", "recommendation": "cat", "history": [{"query": "barks?", "answer": 1}, {"query": "purrs?", "answer": null}]}
{"truth": "", "history": [{"query": "barks?", "answer": 1}]}
`

// TestLearnByHand: shares are (κ·p + yes)/(κ + answers), κ by kind of cell, half answers counting half.
func TestLearnByHand(t *testing.T) {
	s, err := learn.Learn(small(), nil, learn.FromFile(strings.NewReader(games), "games.jsonl"), "games.jsonl", learn.Options{Plain: true, Weights: true})
	if err != nil {
		t.Fatal(err)
	}
	want := []float64{(2*0.9 + 1) / 4, (1*0.5 + 0) / 1.5, (2*0.1 + 1) / 3, 0.75}
	for at, p := range s.Table.P {
		if math.Abs(p-want[at]) > 1e-12 {
			t.Errorf("cell %d is %v, want %v", at, p, want[at])
		}
	}
	if s.Games != 3 || s.Told != 2 || s.Right != 1 || s.Answers != 3 || len(s.Confused) != 1 || s.Confused[0].Truth != "dog or cat" || len(s.Unplayed) != 0 {
		t.Errorf("summary %+v", s)
	}
	if s.Table.IsUnknown(0, 1) || s.Table.Weights[0] != 4 || s.Table.Weights[1] != 3 {
		t.Errorf("unknown %v, weights %v; want the answered cell known, and 4 to 3", s.Table.Unknown, s.Table.Weights)
	}
	var out bytes.Buffer
	if err := s.Table.Write(&out); err != nil || !strings.Contains(out.String(), "dog,4,0.7,") {
		t.Errorf("written as %q, %v", out.String(), err)
	}
}

// TestLearnMerged: a game may be about, and may recommend, a hypothesis of so many objects that its
// name does not hold all of them.
func TestLearnMerged(t *testing.T) {
	alike := &table.Table{
		Name: "t.csv", Objects: []string{"a", "b", "c", "d", "e", "f"}, Queries: []string{"q"}, Lines: []int{2, 3, 4, 5, 6, 7},
		P: []float64{0.9, 0.9, 0.9, 0.9, 0.9, 0.1},
	}
	const games = `{"truth": "a or b or c or 2 more", "recommendation": "a or b or c or 2 more", "history": [{"query": "q", "answer": -1}]}
{"truth": "e", "recommendation": "a or b or c or 2 more", "history": [{"query": "q", "answer": 1}]}
`
	s, err := learn.Learn(alike, nil, learn.FromFile(strings.NewReader(games), "games.jsonl"), "games.jsonl", learn.Options{Plain: true})
	if err != nil {
		t.Fatal(err)
	}
	if s.Right != 2 || len(s.Confused) != 0 || math.Abs(s.Table.P[0]-1.8/3) > 1e-12 || math.Abs(s.Table.P[4]-2.8/4) > 1e-12 || s.Table.P[5] != 0.1 {
		t.Errorf("%d of 2 are right, confused %v, shares %v", s.Right, s.Confused, s.Table.P)
	}
}

// TestLearnMajorities: a game of a policy of majorities may be about objects whose shares differ.
func TestLearnMajorities(t *testing.T) {
	unlike := &table.Table{
		Name: "t.csv", Objects: []string{"a", "b", "c"}, Queries: []string{"q"}, Lines: []int{2, 3, 4}, P: []float64{0.9, 0.8, 0.1},
	}
	const games = `{"truth": "a / b", "recommendation": "a / b", "history": [{"query": "q", "answer": 1}]}` + "\n"
	s, err := learn.Learn(unlike, nil, learn.FromFile(strings.NewReader(games), "games.jsonl"), "games.jsonl", learn.Options{Plain: true})
	if err != nil {
		t.Fatal(err)
	}
	if s.Right != 1 || math.Abs(s.Table.P[0]-2.8/3) > 1e-12 || math.Abs(s.Table.P[1]-2.6/3) > 1e-12 || s.Table.P[2] != 0.1 {
		t.Errorf("%d of 1 is right, shares %v", s.Right, s.Table.P)
	}
}

// TestGamesFromWindows: a byte-order mark and line ends of CRLF are passed over.
func TestGamesFromWindows(t *testing.T) {
	text := "\ufeff" + strings.ReplaceAll(games, "\n", "\r\n")
	s, err := learn.Learn(small(), nil, learn.FromFile(strings.NewReader(text), "games.jsonl"), "games.jsonl", learn.Options{})
	if err != nil || s.Games != 3 {
		t.Errorf("%+v, %v", s, err)
	}
}

// TestCountsTakeBack: a game taken away leaves the counts as they were, bit for bit.
func TestCountsTakeBack(t *testing.T) {
	b := learn.BaseOf(small(), 2)
	c := learn.NewCounts(b)
	one := []play.Answered{{Query: 0, Answer: play.Yes}, {Query: 1, Answer: play.ProbablyNot}, {Query: 0, Answer: play.DontKnow}}
	other := []play.Answered{{Query: 0, Answer: play.No}}
	c.Add(b, 0, one, 1)
	c.Add(b, 1, other, 1)
	c.Add(b, 0, one, -1)
	c.Add(b, 1, other, -1)
	for at := range c.Yes {
		if c.Yes[at] != 0 || c.No[at] != 0 {
			t.Fatalf("cell %d has %d and %d halves left", at, c.Yes[at], c.No[at])
		}
	}
}

// TestLearnFromClients: games of a database have clients, of which some are set aside and some have too many games; the
// summary says so.
func TestLearnFromClients(t *testing.T) {
	w := newWorld(8, 12, rng.New(5))
	r := rng.New(6).Rand()
	var list []*learn.Game
	add := func(client string, g learn.Played, flip bool) {
		line := &learn.Game{Client: client, Capped: client != "", Truth: w.table.Objects[g.Objects[0]], Guess: "o0"}
		for _, a := range g.Answers {
			y := a.Answer.Value()
			if flip {
				y = -y
			}
			line.History = append(line.History, learn.Told{Query: w.table.Queries[a.Query], Answer: &y})
		}
		list = append(list, line)
	}
	for n := range 400 {
		add(fmt.Sprint("few", n%80), w.play(r.IntN(8), 8, r), false)
		if n < 30 {
			add("many", w.play(r.IntN(8), 8, r), false)
		}
		if n < 12 {
			add("flips", w.play(r.IntN(8), 8, r), true)
			add("", w.play(r.IntN(8), 8, r), false)
		}
	}
	yes, no := true, false
	list = append(list, &learn.Game{Guessed: &yes}, &learn.Game{Guessed: &no}, &learn.Game{}, &learn.Game{Truth: "new", Proposed: true})
	games := func(each func(*learn.Game) error) error {
		for _, g := range list {
			if err := each(g); err != nil {
				return err
			}
		}
		return nil
	}
	s, err := learn.Learn(w.table, nil, games, "g.db", learn.Options{Select: guarded})
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Aside) != 1 || s.Aside[0].Client != "flips" || s.Aside[0].Games != 12 || s.Capped != 9 {
		t.Errorf("set aside %v, %d games over the cap; want the 12 of flips, and 30 − 5 %% of 433", s.Aside, s.Capped)
	}
	if s.Told != 455 || s.Learned != 454-12-9 || s.Answers != 8*s.Learned || s.Proposed != 1 || s.Untold != (learn.Untold{Right: 1, Wrong: 1, None: 1}) {
		t.Errorf("summary of %d told games: learned from %d, %d answers, %d proposed, untold %v", s.Told, s.Learned, s.Answers, s.Proposed, s.Untold)
	}
}

// TestDisagreement: a question on which people contradict the table gets a large share, one on which they agree a small
// one, and without games it is the prior's mean, which follows p(1−p).
func TestDisagreement(t *testing.T) {
	sure := &table.Table{Name: "t", Objects: []string{"a", "b"}, Queries: []string{"x", "y"}, Lines: []int{2, 3}, P: []float64{0.98, 0.98, 0.02, 0.02}}
	b := learn.BaseOf(sure, 2)
	c, share := learn.NewCounts(b), make([]float64, 2)
	learn.Disagreement(share, b, c)
	if math.Abs(share[0]-share[1]) > 1e-15 || share[0] < 0.01 || share[0] > 0.04 {
		t.Errorf("before any game the shares are %v, want both near p(1−p) = 0.02", share)
	}
	for k := range 60 {
		answer := play.Yes
		if k%3 == 0 {
			answer = play.No
		}
		c.Add(b, 0, []play.Answered{{Query: 0, Answer: answer}, {Query: 1, Answer: play.Yes}}, 1)
	}
	learn.Disagreement(share, b, c)
	if share[0] < 0.25 || share[1] > 0.03 {
		t.Errorf("a third contradicts the first question, nobody the second: shares %v", share)
	}
	shares := make([]float64, 4)
	learn.Shares(shares, b, c, share)
	if shares[2] <= 0.05 || shares[3] > 0.05 {
		t.Errorf("the row without games has %v; it must trust the first question less", shares[2:])
	}
}

// TestDisagreementByHand compares with a value of an independent program, which integrates the prior numerically.
func TestDisagreementByHand(t *testing.T) {
	b := &learn.Base{Queries: 1, P: []float64{0.9, 0.2}, Kappa: []float64{2, 2}}
	c, share := &learn.Counts{Yes: []int64{6, 2}, No: []int64{2, 4}}, make([]float64, 1)
	learn.Disagreement(share, b, c)
	if want := 0.13002589550778; math.Abs(share[0]-want) > 1e-9 {
		t.Errorf("after 3 yes and 1 no in one row, 1 yes and 2 no in the other: %.14f, want %.14f", share[0], want)
	}
}

// Shares of 0 and 1 count as 0.02 and 0.98 where disagreement is inferred: answers against them are unlikely, not impossible.
func TestDisagreementOfCertainShares(t *testing.T) {
	c := &learn.Counts{Yes: []int64{20, 0, 4}, No: []int64{2, 16, 6}}
	certain, clipped := make([]float64, 1), make([]float64, 1)
	learn.Disagreement(certain, &learn.Base{Queries: 1, P: []float64{1, 0, 1}, Kappa: []float64{2, 2, 2}}, c)
	learn.Disagreement(clipped, &learn.Base{Queries: 1, P: []float64{.98, .02, .98}, Kappa: []float64{2, 2, 2}}, c)
	if certain[0] != clipped[0] {
		t.Errorf("the disagreement with shares of 0 and 1 is %v, with 0.02 and 0.98 it is %v", certain, clipped)
	}
	learn.Disagreement(certain, &learn.Base{Queries: 1, P: []float64{1, 0, 1}, Kappa: []float64{2, 2, 2}}, learn.NewCounts(&learn.Base{Queries: 1, P: make([]float64, 3)}))
	learn.Disagreement(clipped, &learn.Base{Queries: 1, P: []float64{.98, .02, .98}, Kappa: []float64{2, 2, 2}}, learn.NewCounts(&learn.Base{Queries: 1, P: make([]float64, 3)}))
	if certain[0] != clipped[0] || !(certain[0] > 0 && certain[0] < .05) {
		t.Errorf("without answers the disagreement with shares of 0 and 1 is %v, with 0.02 and 0.98 it is %v", certain, clipped)
	}
}

// A share that was counted, k of n answers, weighs n + 1 answers beside those of games, an unknown one 1 and any other as
// much as it is trusted.
func TestWeightOfCounts(t *testing.T) {
	base := &table.Table{Name: "t.csv", Objects: []string{"dog", "cat", "cow"}, Queries: []string{"barks?"}, Lines: []int{2, 3, 4},
		P: []float64{0.75, 0.5, 0.25}, Unknown: []bool{false, true, false}, Counts: []table.Count{{K: 6, N: 8}, {}, {}}}
	next, _, err := learn.NewModel(base, nil, learn.Options{Plain: true, Trust: 4}).Learned([]learn.Cell{
		{Object: 0, Question: 0, Yes: 2}, {Object: 1, Question: 0, Yes: 2}, {Object: 2, Question: 0, Yes: 2}})
	if err != nil {
		t.Fatal(err)
	}
	for row, want := range []float64{(9*0.75 + 1) / 10, (1*0.5 + 1) / 2, (4*0.25 + 1) / 5} {
		if math.Abs(next.P[row]-want) > 1e-12 {
			t.Errorf("after a yes the share of %s is %v, want %v", base.Objects[row], next.P[row], want)
		}
	}
}

func TestFaults(t *testing.T) {
	for text, want := range map[string]string{
		`{"truth": "cow", "history": [{"query": "barks?", "answer": 1}]}`:   `games:1: the truth "cow" is not an object of t.csv; correct the name, or add the object to the table first`,
		`{"truth": "dog", "history": []}`:                                   `games:1: the game of "dog" has no answer; leave it out`,
		`{"truth": "dog", "history": [{"query": "flies?", "answer": 1}]}`:   `games:1: the query "flies?" is not a question of t.csv; learn on the table that the games were played on`,
		`{"truth": "dog", "history": [{"query": "barks?", "answer": 0.7}]}`: `games:1: the answer to "barks?" is 0.7; it must be 1, 0.5, -0.5, -1 or null`,
		"\n{":                             "games:2: not a game: unexpected EOF; a game is a line such as",
		`{"truth": "", "history": []}`:    "games: none of its 1 games has a truth; there is nothing to learn from",
		"null":                            "games:1: not a game: null; a game is a line such as",
		"\n" + strings.Repeat(" ", 5<<20): "games:2: the line is longer than 4 MiB; write one game a line",
		`{} {}`:                           "games:1: text follows the game; write one game a line",
		`{"trut": "dog"}`:                 `games:1: not a game: json: unknown field "trut"`,
	} {
		if _, err := learn.Learn(small(), nil, learn.FromFile(strings.NewReader(text), "games"), "games", learn.Options{}); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

// TestProposedAreNotCounted: games of objects that are only proposed do not count, so that the cap of a client, a share of the
// games that count, stays as it is, however many there are.
func TestProposedAreNotCounted(t *testing.T) {
	w, r := newWorld(8, 12, rng.New(7)), rng.New(8).Rand()
	var list []*learn.Game
	add := func(client string, many int) {
		for range many {
			g := w.play(r.IntN(8), 8, r)
			line := &learn.Game{Client: client, Capped: true, Truth: w.table.Objects[g.Objects[0]]}
			for _, a := range g.Answers {
				y := a.Answer.Value()
				line.History = append(line.History, learn.Told{Query: w.table.Queries[a.Query], Answer: &y})
			}
			list = append(list, line)
		}
	}
	for n := range 60 {
		add(fmt.Sprint("few", n), 10)
	}
	add("many", 90)
	capped := func(proposed int) int {
		s, err := learn.Learn(w.table, nil, func(each func(*learn.Game) error) error {
			for _, g := range list {
				if err := each(g); err != nil {
					return err
				}
			}
			for range proposed {
				if err := each(&learn.Game{Truth: "new", Proposed: true}); err != nil {
					return err
				}
			}
			return nil
		}, "g.db", learn.Options{Select: learn.SelectOptions{Cap: 0.1}})
		if err != nil {
			t.Fatal(err)
		}
		return s.Capped
	}
	// c = 0.1·(600 + c): 66 of the 90 games count.
	if alone, beside := capped(0), capped(200); alone != 24 || beside != 24 {
		t.Errorf("%d games are over the cap, and %d beside 200 of proposed objects; want 24", alone, beside)
	}
}
