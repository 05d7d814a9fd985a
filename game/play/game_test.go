package play_test

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"mapo/game"
	"mapo/game/play"
	"mapo/policy/rival"
	"mapo/rng"
)

// table is a game of information:0.03 over rows of shares, budget T.
func table(t *testing.T, budget int, rows ...[]float64) *play.Game {
	t.Helper()
	p := &game.Problem{T: budget, AskOnce: true, Seek: &game.Shares{}}
	for i := range rows[0] {
		p.X = append(p.X, fmt.Sprint("q", i))
	}
	for k, row := range rows {
		p.Names = append(p.Names, string(rune('A'+k)))
		p.Seek.(*game.Shares).Weight = append(p.Seek.(*game.Shares).Weight, 1/float64(len(rows)))
		p.Seek.(*game.Shares).Yes = append(p.Seek.(*game.Shares).Yes, row...)
	}
	if err := p.Grade().Check(); err != nil {
		t.Fatal(err)
	}
	policy, err := rival.Parse(p, game.BestIdentification, "information:0.03")
	if err != nil {
		t.Fatal(err)
	}
	return play.New(p, policy, false)
}

func at(t *testing.T, g *play.Game, r play.Record) *play.Position {
	t.Helper()
	p, err := g.At(r)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

var key = rng.New(1)

// TestPosteriorByHand: the confidence shown is Bayes' with the share of wrong answers inferred, as a few lines of
// arithmetic have it.
func TestPosteriorByHand(t *testing.T) {
	g := table(t, 3, []float64{0.9, 0.2, 0.5}, []float64{0.1, 0.2, 0.7}, []float64{0.6, 0.8, 0.5})
	answers := []play.Answered{{0, play.Yes}, {1, play.ProbablyNot}}
	now := at(t, g, play.Record{History: answers}).Standing(key, 5)
	weight, total := []float64{0, 0, 0}, 0.
	for e, share := range []float64{0, 0.05, 0.1, 0.2, 0.3} {
		prior := []float64{0.3, 0.25, 0.2, 0.15, 0.1}[e]
		for k, row := range [][]float64{{0.9, 0.2}, {0.1, 0.2}, {0.6, 0.8}} {
			m0, m1 := 2*((1-2*share)*row[0]+share)-1, 2*((1-2*share)*row[1]+share)-1
			w := prior * (1 + m0) / 2 * (1 - m1/2) / 2
			weight[k], total = weight[k]+w, total+w
		}
	}
	if now.Recommendation == nil || now.Recommendation.Text != "A" || math.Abs(*now.Confidence-weight[0]/total) > 1e-6 {
		t.Errorf("recommended is %v with %v, want A with %v", now.Recommendation, now.Confidence, weight[0]/total)
	}
	if r := now.RunnersUp[0]; r.Text.Text != "C" || math.Abs(float64(r.Margin)-math.Log(weight[0]/weight[2])) > 1e-5 || r.Margin != now.Margin {
		t.Errorf("the runner-up is %+v, want C, log %v behind", r, weight[0]/weight[2])
	}
}

// TestNothingIsRecommendedAtFirst: while all tie and answers are left there is no recommendation; a partial tie is drawn.
func TestNothingIsRecommendedAtFirst(t *testing.T) {
	g := table(t, 1, []float64{1, 0}, []float64{1, 1}, []float64{0, 0})
	if now := at(t, g, play.Record{}).Standing(key, 5); now.Recommendation != nil || now.Tied != 3 || now.Confidence != nil || len(now.RunnersUp) != 0 {
		t.Errorf("before an answer stands %+v, want no recommendation", now)
	}
	seen := map[string]bool{}
	for i := range 40 {
		now := at(t, g, play.Record{History: []play.Answered{{0, play.Yes}}}).Standing(rng.New(uint64(i)), 5)
		if now.Tied != 2 || now.Margin != 0 {
			t.Fatalf("A and B are alike, but the standing is %+v", now)
		}
		seen[now.Recommendation.Text] = true
	}
	if !seen["A"] || !seen["B"] || len(seen) != 2 {
		t.Errorf("of A and B the seeds draw %v", seen)
	}
}

// TestGuesses: a guess comes when the game is sure or spent; a wrong one uses an answer and rules the hypothesis out.
func TestGuesses(t *testing.T) {
	rows := [][]float64{{1, 1, 1, 1}, {1, 1, 0, 0}, {0, 0, 1, 1}, {0, 0, 0, 0}}
	g := table(t, 4, rows...)
	two := []play.Answered{{0, play.Yes}, {2, play.Yes}}
	if _, ok := at(t, g, play.Record{History: two}).Guess(key); ok {
		t.Error("two answers without a level to stop at bring a guess")
	}
	p := at(t, g, play.Record{History: two, Stop: 0.6})
	guess, ok := p.Guess(key)
	if probs, err := p.Probabilities(); err != nil || probs != nil {
		t.Errorf("a game that is over asks with %v, %v", probs, err)
	}
	if !ok || guess.Text != "A" || !p.Over() {
		t.Fatalf("at 0.6 the guess is %v %v, over %v; want A", guess, ok, p.Over())
	}
	p = at(t, g, play.Record{History: two, Stop: 0.6, Out: []int{0}, Guessed: true})
	now := p.Standing(key, 5)
	if p.Remaining() != 1 || now.Recommendation.Text == "A" || *now.RunnersUp[2].Confidence != 0 {
		t.Errorf("after a wrong guess %d answers are left and %v is recommended, before %v", p.Remaining(), now.Recommendation, now.RunnersUp)
	}
	all := []play.Answered{{0, play.Yes}, {1, play.Yes}, {2, play.Yes}, {3, play.Yes}}
	p = at(t, g, play.Record{History: all})
	if guess, ok := p.Guess(key); !ok || guess.Text != "A" {
		t.Errorf("after the last answer the guess is %v %v, want A", guess, ok)
	}
	if guess, ok := at(t, g, play.Record{History: all, Out: []int{0}, Guessed: true}).Guess(key); ok {
		t.Errorf("after the last guess there is another, %v", guess)
	}
	if _, ok := at(t, g, play.Record{History: all[:3], Out: []int{1}, Guessed: true}).Guess(key); ok {
		t.Error("a wrong guess took the last answer, and there is another guess")
	}
	if _, ok := at(t, g, play.Record{History: all[:3], Out: []int{1}}).Guess(key); !ok {
		t.Error("the last answer came after a wrong guess, and there is no guess")
	}
	if _, err := g.At(play.Record{History: all, Out: []int{0, 1}}); err == nil {
		t.Error("two wrong guesses beyond the budget are taken")
	}
}

// TestHalfAnswers count as one answer that says half as much, and only where no question is asked twice.
func TestHalfAnswers(t *testing.T) {
	g := table(t, 3, []float64{0.9, 0.5, 0.5}, []float64{0.1, 0.5, 0.5})
	full := at(t, g, play.Record{History: []play.Answered{{0, play.Yes}}})
	half := at(t, g, play.Record{History: []play.Answered{{0, play.Probably}}})
	a, b := full.Standing(key, 1), half.Standing(key, 1)
	if half.Remaining() != 2 || half.Answers() != 1 || *b.Confidence >= *a.Confidence || *b.Confidence <= 0.5 {
		t.Errorf("half an answer leaves %d and confidence %v, a whole one %v", half.Remaining(), *b.Confidence, *a.Confidence)
	}
	g.Problem.AskOnce = false
	if _, err := g.At(play.Record{History: []play.Answered{{0, play.Probably}}}); err == nil || !strings.Contains(err.Error(), "half an answer") {
		t.Errorf("half an answer where questions repeat: %v", err)
	}
}

// TestRanking: the best few are those of a full sort.
func TestRanking(t *testing.T) {
	rows := make([][]float64, 60)
	for k := range rows {
		rows[k] = []float64{float64(k%7) / 6, float64(k%4) / 3, float64(k%11) / 10}
	}
	g := table(t, 3, rows...)
	p := at(t, g, play.Record{History: []play.Answered{{0, play.Yes}, {2, play.No}}})
	all := p.Standing(key, 60)
	if len(all.RunnersUp) != 59 || !slices.IsSortedFunc(all.RunnersUp, func(a, b play.Ranked) int { return cmp.Compare(a.Margin, b.Margin) }) {
		t.Fatalf("the ranking is not sorted by margin: %v", all.RunnersUp)
	}
	for _, top := range []int{0, 1, 5, 59, 100} {
		few := p.Standing(key, top)
		if *few.Recommendation != *all.Recommendation || few.Margin != all.Margin || len(few.RunnersUp) != min(top, 59) {
			t.Fatalf("top %d: %+v", top, few)
		}
		for i, r := range few.RunnersUp {
			if r.Text != all.RunnersUp[i].Text {
				t.Errorf("top %d: place %d is %v, in the full ranking %v", top, i, r.Text, all.RunnersUp[i].Text)
			}
		}
	}
}
