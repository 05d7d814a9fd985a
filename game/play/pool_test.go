package play_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"mapo/game"
	"mapo/game/play"
	"mapo/internal/check"
	"mapo/policy/rival"
	"mapo/rng"
)

// pool is a game of three models on six items of four classes, with budget 5. Cell 0 has three items, on which the models
// say cat, cat, dog; cell 1 has two (cat, bird, bird), cell 2 one (dog, bird, cow).
func pool(spends bool) *play.Game {
	p := &game.Problem{
		Name: "pool", Names: []string{"m0", "m1", "m2"}, T: 5,
		X: []string{"0 cat", "0 dog", "1 cat", "1 bird", "2 dog", "2 bird", "2 cow"},
		Seek: &game.Labels{
			Classes: []string{"cat", "dog", "bird", "cow"}, Items: []string{"a", "b", "c", "d", "e", "f"},
			Cell: []int32{0, 3, 5, 6}, First: []int32{0, 2, 4, 7}, Of: []int32{0, 1, 0, 2, 1, 2, 3}, Pool: 6,
		},
	}
	p.Expecting([]float32{
		1, 0, 1, 0, 1, 0, 0,
		1, 0, 0, 1, 0, 1, 0,
		0, 1, 0, 1, 0, 0, 1,
	})
	p.Z = weighted(p)
	return play.New(p, new(seeing), spends)
}

// weighted is ½·w·bit.
func weighted(p *game.Problem) []float32 {
	z := slices.Clone(p.Expects())
	for at := range z {
		z[at] *= float32(p.Seek.(*game.Labels).Room(p.Seek.(*game.Labels).CellOf(at%p.Queries()))) / 2
	}
	return z
}

// two is a game of two classes: two models that differ on three items, all in cells of their own but for the last two.
func two() *play.Game {
	p := &game.Problem{
		Names: []string{"m0", "m1"}, T: 3, X: []string{"0", "1"}, Z: []float32{1, 0, 0, 2},
		Seek: &game.Labels{Classes: []string{"ham", "spam"}, Items: []string{"x", "y", "z"}, Cell: []int32{0, 1, 3}, Pool: 3},
	}
	return play.New(p.Expecting([]float32{1, 0, 0, 1}), new(seeing), false)
}

// TestLabelsCount: a label counts for all queries of its cell, one that no model predicts against them all, and of two
// classes it is ±1.
func TestLabelsCount(t *testing.T) {
	g := pool(false)
	now := at(t, g, play.Record{History: []play.Answered{{1, play.Class(0)}, {0, play.Class(3)}, {5, play.Class(3)}, {3, play.DontKnow}}})
	if _, err := now.Probabilities(); err != nil {
		t.Fatal(err)
	}
	state := g.Policy.(*seeing).States
	if want := []float32{2, 2, 0, 0, 1, 1, 1}; !slices.Equal(state.N, want) {
		t.Errorf("N = %v, want %v", state.N, want)
	}
	if want := []float32{0, -2, 0, 0, -1, -1, 1}; !slices.Equal(state.S, want) {
		t.Errorf("S = %v, want %v", state.S, want)
	}
	if want := []bool{false, false, false, false, true, true, true}; !slices.Equal(state.Mask, want) {
		t.Errorf("mask %v, want %v: cell 2 has no item left", state.Mask, want)
	}
	if now.Answers() != 3 || now.Given() != 3 || now.Remaining() != 2 || state.Left[0] != 2 {
		t.Errorf("%d labels, %d given, %d remaining, the policy is told %v", now.Answers(), now.Given(), now.Remaining(), state.Left)
	}
	b := two()
	now = at(t, b, play.Record{History: []play.Answered{{2, play.Class(1)}, {0, play.Class(0)}}})
	if _, err := now.Probabilities(); err != nil {
		t.Fatal(err)
	}
	if state := b.Policy.(*seeing).States; !slices.Equal(state.N, []float32{1, 1}) || !slices.Equal(state.S, []float32{-1, 1}) {
		t.Errorf("of two classes N = %v and S = %v", state.N, state.S)
	}
	if got := now.Standing(key, 1); got.Recommendation.Text != "m1" || *now.Agreed(1) != 2 || *got.RunnersUp[0].Agreed != 0 {
		t.Errorf("of two classes %+v", got)
	}
}

// TestLabelsStand: models are ranked by the labels that they predict, behind what the decision recommends, and nothing is
// guessed.
func TestLabelsStand(t *testing.T) {
	g := pool(false)
	before := at(t, g, play.Record{}).Standing(key, 5)
	if before.Recommendation != nil || before.Tied != 3 {
		t.Errorf("without a label: %+v", before)
	}
	now := at(t, g, play.Record{History: []play.Answered{{0, play.Class(0)}, {4, play.Class(2)}}})
	got := now.Standing(key, 5)
	if got.Recommendation.Text != "m1" || got.RunnersUp[0].Text.Text != "m0" || got.RunnersUp[1].Text.Text != "m2" {
		t.Errorf("%+v", got)
	}
	if got.RunnersUp[0].Margin != 1 || got.RunnersUp[1].Margin != 1 || got.Confidence != nil {
		t.Errorf("margins %v and %v, want 1 label", got.RunnersUp[0].Margin, got.RunnersUp[1].Margin)
	}
	// By least squares, a label counts for all items of its cell: m0 is recommended, and m1 predicts as many.
	tie := at(t, g, play.Record{History: []play.Answered{{0, play.Class(3)}, {3, play.Class(0)}, {5, play.Class(2)}}}).Standing(key, 5)
	if tie.Recommendation.Text != "m0" || tie.Tied != 1 || tie.Margin != 0 || tie.RunnersUp[0].Text.Text != "m1" {
		t.Errorf("%+v", tie)
	}
	for k, want := range []int{1, 2, 1} {
		if n := now.Agreed(k); n == nil || *n != want {
			t.Errorf("model %d agrees with %v labels, want %d", k, n, want)
		}
	}
	all := at(t, g, play.Record{History: []play.Answered{{0, play.Class(0)}, {4, play.Class(2)}, {1, play.Class(0)}, {2, play.Class(0)}, {3, play.Class(2)}}})
	if _, guesses := all.Guess(key); guesses || !all.Over() {
		t.Error("a game of labels guesses, or is not over")
	}
}

// TestItemsAreDrawn: the probability of an item is that of its cell over the open items there, with the floor of Explore.
func TestItemsAreDrawn(t *testing.T) {
	for _, explore := range []float64{0, 0.1, 1} {
		g := pool(false)
		g.Explore = explore
		probs, err := at(t, g, play.Record{History: []play.Answered{{1, play.Class(1)}}, Mask: []int{3}}).Probabilities()
		if err != nil {
			t.Fatal(err)
		}
		want := []float64{2. / 7 / 2, 0, 2. / 7 / 2, 0, 2. / 7, 3. / 7} // the policy asks each of seven queries alike
		for i := range want {
			if want[i] > 0 {
				want[i] = (1-explore)*want[i] + explore/4
			}
			if math.Abs(float64(probs[i])-want[i]) > 1e-6 {
				t.Errorf("explore %v: item %d has probability %v, want %v", explore, i, probs[i], want[i])
			}
		}
	}
	// What is drawn has these frequencies.
	g := pool(false)
	probs, _ := at(t, g, play.Record{}).Probabilities()
	count := make([]float64, 6)
	const games = 20000
	for seed := range uint64(games) {
		count[play.Draw(probs, rng.New(seed))]++
	}
	for i, p := range probs {
		if math.Abs(count[i]/games-float64(p)) > 0.015 {
			t.Errorf("item %d was drawn in %v of games; its probability is %v", i, count[i]/games, p)
		}
	}
}

// TestEveryItemOnce: a game that asks until its end never asks an item twice, whatever is answered; "don't know" costs
// nothing, or an answer where it is to.
func TestEveryItemOnce(t *testing.T) {
	for _, spends := range []bool{false, true} {
		for seed := range uint64(200) {
			g, record, seen := pool(spends), play.Record{}, map[int]bool{}
			r := rng.New(seed).Rand()
			for {
				now := at(t, g, record)
				probs, err := now.Probabilities()
				if err != nil {
					t.Fatal(err)
				}
				if probs == nil {
					if given := now.Given(); now.Remaining() != 0 || given < 5 && len(seen) < 6 {
						t.Fatalf("the game ends after %d of 5 labels and %d of 6 items", given, len(seen))
					}
					break
				}
				item := play.Draw(probs, now.Key(seed))
				if seen[item] {
					t.Fatalf("item %d is asked twice: %v", item, record.History)
				}
				seen[item] = true
				answer := play.DontKnow
				if class := r.IntN(5); class < 4 {
					answer = play.Class(class)
				}
				record.History = append(record.History, play.Answered{Query: item, Answer: answer})
			}
			if most := 5; spends && len(seen) > most {
				t.Fatalf("%d items were asked, and don't know spends one of 5", len(seen))
			}
		}
	}
}

// TestItemProbabilities: whatever policy asks, and whatever was skipped, the probabilities of the open items sum to 1, none
// is below the floor, and others have none.
func TestItemProbabilities(t *testing.T) {
	p := check.Pool(14, 4, 3, 10, true, rng.New(4).Rand())
	for _, name := range []string{"uniform", "uncertainty", "disagreement", "model-selector", "gain:1", "sgbs:0.1"} {
		policy, err := rival.Parse(p, game.SimpleRegret, name)
		if err != nil {
			t.Fatal(err)
		}
		g := play.New(p, policy, false)
		g.Explore = 0.1
		record, r := play.Record{}, rng.New(6).Rand()
		for step := range 14 {
			now := at(t, g, record)
			probs, err := now.Probabilities()
			if err != nil {
				t.Fatal(err)
			}
			if probs == nil {
				break
			}
			asked := func(i int) bool {
				return slices.ContainsFunc(record.History, func(a play.Answered) bool { return a.Query == i })
			}
			var sum float64
			open := float64(14 - len(record.History))
			for i, v := range probs {
				sum += float64(v)
				if asked(i) && v != 0 || !asked(i) && float64(v) < 0.1/open*(1-1e-6) {
					t.Errorf("%s: item %d of %v open ones has probability %v; asked before: %v", name, i, open, v, asked(i))
				}
			}
			if math.Abs(sum-1) > 1e-5 {
				t.Errorf("%s: at step %d the probabilities sum to %v", name, step, sum)
			}
			answer := play.DontKnow
			if step%3 > 0 {
				answer = play.Class(r.IntN(3))
			}
			record.History = append(record.History, play.Answered{Query: play.Draw(probs, now.Key(1)), Answer: answer})
		}
	}
}

// TestBadLabels: what is not an item or a class of the pool is refused in one line.
func TestBadLabels(t *testing.T) {
	for want, record := range map[string]play.Record{
		"answer 0 is to item 6; there are items 0 to 5":             {History: []play.Answered{{6, play.Class(0)}}},
		`answer 1 is to item 2, "c", which has a label already`:     {History: []play.Answered{{2, play.Class(0)}, {2, play.Class(0)}}},
		"answer 0 is class 4; there are classes 0 to 3":             {History: []play.Answered{{0, play.Class(4)}}},
		"answer 0 is class -1; there are classes 0 to 3":            {History: []play.Answered{{0, play.No}}},
		"answer 0 is class 0.5; there are classes 0 to 3":           {History: []play.Answered{{0, play.Probably}}},
		"answer 0 is class 1e+300; there are classes 0 to 3":        {History: []play.Answered{{0, play.Number(1e300)}}},
		"the mask names item 9; there are items 0 to 5":             {Mask: []int{9}},
		"answer 5 is beyond the budget of 5":                        {History: []play.Answered{{0, play.Class(0)}, {1, play.Class(0)}, {2, play.Class(0)}, {3, play.Class(0)}, {4, play.Class(0)}, {5, play.Class(0)}}},
		"ruled_out names hypothesis 7; there are hypotheses 0 to 2": {Out: []int{7}},
	} {
		if _, err := pool(false).At(record); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}
