package game_test

import (
	"math"
	"slices"
	"testing"

	"mapo"
	"mapo/game"
	"mapo/rng"
)

// witness is a policy that notes the state it is asked about.
type witness struct {
	mapo.Policy
	seen *mapo.States
}

func (w witness) Probs(dst []float32, s mapo.States) {
	*w.seen = s
	w.Policy.Probs(dst, s)
}

// TestPolicySees: the policy is asked about the answers as they were given: counts and sums, what may not be asked, how many
// answers are left after replies and wrong guesses, and what is ruled out.
func TestPolicySees(t *testing.T) {
	g := table(t, 6, []float64{1, 1, 0, 0, 1, 0}, []float64{1, 0, 1, 0, 0, 0}, []float64{0, 1, 1, 1, 0, 1}, []float64{0, 0, 0, 1, 1, 1})
	var seen mapo.States
	g.Policy = witness{g.Policy, &seen}
	record := game.Record{
		History: []game.Answered{{0, game.Yes}, {1, game.DontKnow}, {2, game.ProbablyNot}, {3, game.No}},
		Out:     []int{2}, Mask: []int{5},
	}
	probs, err := at(t, g, record).Probabilities()
	if err != nil {
		t.Fatal(err)
	}
	if n, s := []float32{1, 0, 1, 1, 0, 0}, []float32{1, 0, -.5, -1, 0, 0}; !slices.Equal(seen.N, n) || !slices.Equal(seen.S, s) {
		t.Errorf("it is asked about %v and %v, want %v and %v", seen.N, seen.S, n, s)
	}
	if want := []bool{true, true, true, true, false, true}; !slices.Equal(seen.Mask, want) {
		t.Errorf("the mask is %v, want %v", seen.Mask, want)
	}
	if len(seen.Left) != 1 || seen.Left[0] != 2 { // 6 less 3 answers and a guess
		t.Errorf("%v answers are left, want 2", seen.Left)
	}
	if want := []bool{false, false, true, false}; !slices.Equal(seen.Out, want) {
		t.Errorf("ruled out is %v, want %v", seen.Out, want)
	}
	if want := []float32{0, 0, 0, 0, 1, 0}; !slices.Equal(probs, want) {
		t.Errorf("the probabilities are %v, want %v", probs, want)
	}
	g.Spends = true
	if _, err := at(t, g, record).Probabilities(); err != nil || seen.Left[0] != 1 {
		t.Errorf("where don't know uses an answer %v are left, want 1; %v", seen.Left, err)
	}
}

// TestStopsAtTheConfidence: a game is over from exactly the probability it stops at, and not before an answer.
func TestStopsAtTheConfidence(t *testing.T) {
	g := table(t, 3, []float64{0.9, 0.2, 0.5}, []float64{0.1, 0.2, 0.7}, []float64{0.6, 0.8, 0.5})
	r := game.Record{History: []game.Answered{{0, game.Yes}}}
	sure := *at(t, g, r).Standing(key, 1).Confidence
	for stop, want := range map[float64]bool{0: false, sure: true, math.Nextafter(sure, 1): false, math.Nextafter(sure, 0): true} {
		r.Stop = stop
		if p := at(t, g, r); p.Sure() != want || p.Over() != want {
			t.Errorf("with a confidence of %v a game that stops at %v is over: %v", sure, stop, p.Over())
		}
	}
	if at(t, g, game.Record{Stop: 0.01}).Over() {
		t.Error("a game is over before the first answer")
	}
}

// TestDraw: a query is drawn with its probability: within 5 standard deviations of 20,000 seeds, a false alarm in a
// million for each of five.
func TestDraw(t *testing.T) {
	probs := []float32{.5, 0, .3, .15, .05}
	const seeds = 20_000
	count := make([]float64, len(probs))
	for i := range seeds {
		count[game.Draw(probs, rng.New(uint64(i)))]++
	}
	for i, p := range probs {
		if off := math.Abs(count[i]/seeds - float64(p)); off > 5*math.Sqrt(float64(p*(1-p))/seeds) {
			t.Errorf("query %d of probability %v is drawn in %v of %d", i, p, count[i], seeds)
		}
	}
}

// TestMostGuesses: there is a third guess and no fourth.
func TestMostGuesses(t *testing.T) {
	g := table(t, 8, []float64{1, 1, 1, 1, 1, 1, 1, 1}, []float64{1, 1, 1, 0, 1, 1, 1, 1}, []float64{1, 1, 0, 1, 1, 1, 1, 1},
		[]float64{1, 0, 1, 1, 1, 1, 1, 1}, []float64{0, 1, 1, 1, 1, 1, 1, 1})
	for n := range 4 {
		p := at(t, g, game.Record{History: []game.Answered{{0, game.Yes}}, Out: []int{0, 1, 2}[:n], Stop: 0.01})
		if _, ok := p.Guess(key); ok != (n < game.MostGuesses) {
			t.Errorf("after %d wrong guesses there is another: %v", n, ok)
		}
	}
}

// TestTiedRunnersUp: runners-up that are equally far behind stand in the order of the hypotheses, however many are asked
// for.
func TestTiedRunnersUp(t *testing.T) {
	rows := make([][]float64, 41) // A, one answer from all others, which are alike to the first two questions
	for k := range rows {
		rows[k] = []float64{0, 1, float64(k) / 50}
	}
	rows[7] = []float64{1, 1, 0.5}
	g := table(t, 3, rows...)
	p := at(t, g, game.Record{History: []game.Answered{{0, game.Yes}, {1, game.Yes}}})
	for _, top := range []int{5, 40} {
		now := p.Standing(key, top)
		if now.Recommendation.Index != 7 || len(now.RunnersUp) != top {
			t.Fatalf("top %d: %+v", top, now)
		}
		want := 0
		for _, r := range now.RunnersUp {
			if want == 7 {
				want++
			}
			if r.Index != want || r.Margin != now.Margin {
				t.Fatalf("top %d: place of %d is taken by %+v", top, want, r)
			}
			want++
		}
	}
}
