package play_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"mapo/game"
	"mapo/game/play"
	"mapo/internal/check"
	"mapo/rng"
)

// measured is a game of three arms whose answers are numbers, of means up to 4.
func measured(spends bool) *play.Game {
	p := &game.Problem{Name: "arms", X: []string{"a", "b", "c"}, Names: []string{"A", "B", "C"}, Z: []float32{1, 0, 0, 0, 1, 0, 0, 0, 1}, T: 5, Reply: game.Answers{Sigma: 1, Bound: 4}}
	return play.New(p, new(seeing), spends)
}

// seeing asks every query alike, and remembers the state that it was asked about.
type seeing struct{ game.States }

func (p *seeing) Probs(dst []float32, s game.States) {
	p.States = s
	for i := range dst {
		dst[i] = 1 / float32(len(dst))
	}
}

// TestAnswers: the zero value is don't know and 0 is not; answers of yes and no are numbers, and in halves what they count.
func TestAnswers(t *testing.T) {
	if play.DontKnow != (play.Answer{}) || play.Number(0) == play.DontKnow || play.Number(math.Copysign(0, -1)) != play.Number(0) || play.Number(1) != play.Yes || play.Number(-0.5) != play.ProbablyNot {
		t.Error("answers are not distinguished by their numbers")
	}
	if v := play.Number(0).Value(); v != 0 || math.Signbit(v) || play.DontKnow.Value() != 0 || play.Number(0.1).Value() != 0.1 {
		t.Errorf("0 has the value %v", v)
	}
	for halves, a := range map[int64]play.Answer{2: play.Yes, 1: play.Probably, 0: play.DontKnow, -1: play.ProbablyNot, -2: play.No} {
		if a.Halves() != halves || play.OfHalves(halves) != a || !a.IsYesNo() || a.IsHalf() != (halves == 1 || halves == -1) {
			t.Errorf("%v is %d halves, want %d", a.Value(), a.Halves(), halves)
		}
	}
	for _, y := range []float64{0, 0.25, 2, math.NaN(), math.Inf(1)} {
		if play.Number(y).IsYesNo() {
			t.Errorf("%v is an answer of yes and no", y)
		}
	}
}

// TestNumbersCount: a number counts in units of the bound, means and margins are in the units of answers, don't know masks
// its arm, and nothing is guessed.
func TestNumbersCount(t *testing.T) {
	history := []play.Answered{{0, play.Number(3)}, {0, play.Number(0)}, {1, play.Number(-6)}, {2, play.DontKnow}}
	g := measured(false)
	at, err := g.At(play.Record{History: history})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := at.Probabilities(); err != nil {
		t.Fatal(err)
	}
	if s := g.Policy.(*seeing).States; !slices.Equal(s.N, []float32{2, 1, 0}) || !slices.Equal(s.S, []float32{0.75, -1.5, 0}) || !slices.Equal(s.Mask, []bool{false, false, true}) || at.Given() != 3 {
		t.Errorf("the policy is asked about %+v after %d answers", s, at.Given())
	}
	if mean, n := at.Mean(0); mean != 1.5 || n != 2 {
		t.Errorf("the mean of a is %v of %d", mean, n)
	}
	if mean, n := at.Mean(2); mean != 0 || n != 0 {
		t.Errorf("the mean of c is %v of %d", mean, n)
	}
	now := at.Standing(rng.New(1), 2)
	if now.Recommendation.Text != "A" || now.Margin != 1.5 || now.Confidence != nil || now.RunnersUp[1].Text.Text != "B" || now.RunnersUp[1].Margin != 7.5 {
		t.Errorf("standing %+v", now)
	}
	if at, err = measured(true).At(play.Record{History: append(history, play.Answered{0, play.Number(1)})}); err != nil || !at.Over() {
		t.Fatalf("with an answer spent on don't know the game is not over: %v", err)
	}
	if guess, ok := at.Guess(rng.New(1)); ok {
		t.Errorf("it guesses %q", guess.Text)
	}
}

// TestNumbersFit: what cannot be an answer is refused in a line that says what can.
func TestNumbersFit(t *testing.T) {
	small := measured(false)
	small.Problem.Reply = game.Answers{Sigma: small.Problem.Reply.(game.Answers).Sigma, Bound: 1e-12}
	for _, c := range []struct {
		g    *play.Game
		y    float64
		want string // "": it is an answer
	}{
		{measured(false), 1e9, ""}, {measured(false), -1e9, ""}, {measured(false), 0, ""}, {small, 1e6, ""},
		{measured(false), 1.1e9, "answer 1 is 1.1e+09; it must be a number from -1e+09 to 1e+09, or don't know"},
		{measured(false), math.NaN(), "answer 1 is NaN; it must be a number"},
		{measured(false), math.Inf(-1), "answer 1 is -Inf; it must be a number"},
		{small, 2e6, "it must be a number from -1e+06 to 1e+06"},
		{plain(3, 5, true, false), 0.5, ""},
		{plain(3, 5, true, false), 0, "answer 1 is 0; this game's answers are yes (1), no (-1), probably (0.5)"},
		{plain(3, 5, false, false), 1.5, "answer 1 is 1.5; this game's answers are yes (1)"},
		{plain(3, 5, false, false), 0.5, "answer 1 is half an answer; this game may ask again, so answer yes, no or don't know"},
	} {
		at, err := c.g.At(play.Record{History: []play.Answered{{0, play.Yes}, {1, play.Number(c.y)}}})
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%v: %v, want %q", c.y, err, c.want)
		}
		if err != nil {
			continue
		}
		if mean, _ := at.Mean(1); math.Abs(mean-c.y) > 1e-6*math.Abs(c.y) {
			t.Errorf("the mean of %v is %v", c.y, mean)
		}
	}
}

// TestKnown: what no player knows is not guessed.
func TestKnown(t *testing.T) {
	arms := &game.Problem{X: []string{"a", "b"}, Names: []string{"A", "B"}, Z: []float32{1, 0, 0, 1}, T: 2}
	rest := &game.Problem{X: []string{"a", "b"}, Names: []string{"A", "B"}, Z: []float32{1, 1, 0, 1}, T: 2}
	numbers := *rest
	numbers.Reply = game.Answers{Sigma: 1, Bound: 1}
	for name, c := range map[string]struct {
		p    *game.Problem
		want bool
	}{
		"hypotheses": {rest, true},
		"numbers":    {&numbers, false},
		"arms":       {arms, false},
		"vectors":    {check.Vectors([][]float64{{1, 0.5}, {0.2, 1}}, nil, 2), false},
	} {
		t.Run(name, func(t *testing.T) {
			yes, no := play.Yes, play.No
			if c.p.Answer().Noun() == "numbers" {
				yes, no = play.Number(1), play.Number(-1)
			}
			at, err := play.New(c.p, new(seeing), false).At(play.Record{History: []play.Answered{{0, yes}, {1, no}}})
			if err != nil {
				t.Fatal(err)
			}
			if text, guesses := at.Guess(rng.New(1)); guesses != c.want {
				t.Errorf("it guesses %v: %v", text, guesses)
			}
		})
	}
}
