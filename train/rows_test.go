package train

import (
	"math"
	"slices"
	"testing"

	"mapo/game"
	"mapo/policy/rival"
	"mapo/rng"
)

// graded is a game over five rows of shares.
func graded() *game.Problem {
	p := &game.Problem{Name: "rows", T: 3, AskOnce: true, Shares: new(game.Shares)}
	for i := range 6 {
		p.X = append(p.X, string(rune('a'+i)))
	}
	for k := range 5 {
		p.Names, p.Shares.Weight = append(p.Names, string(rune('A'+k))), append(p.Shares.Weight, 1./5)
		for i := range 6 {
			p.Shares.Yes = append(p.Shares.Yes, .5+.5*math.Sin(float64(7*k*k+3*i)))
		}
	}
	return p.Grade()
}

// always recommends the first hypothesis of five.
type always struct{}

func (always) Decide(dst []float32, _ game.States) {
	clear(dst)
	for at := 0; at < len(dst); at += 5 {
		dst[at] = 1
	}
}

// TestRowsAreRight: in an average over rows the row that was drawn is right, whichever is nearest to its θ, and the task's
// decision is what losses are of. So a decision for one row is wrong in all games of the others and in none of its own.
func TestRowsAreRight(t *testing.T) {
	p, c := graded(), base()
	c.Critic, c.LambdaBinary = false, 1
	task := Task{
		P: p, C: game.RhoTilde(p), Loss: game.BestIdentification, R: []float64{40}, Config: c, Key: rng.New(1), Decider: always{},
		Finite: [][]float64{{1, 1, 1, 1, 1, 1}, {-1, 1, -1, 1, -1, 1}}, Average: game.DrawFlipped(p, .3, .49), Weight: .5,
	}
	r := begin(t, task)
	games := estimate(t, r, 0)
	own, nearest := len(r.batch.Index), 0
	for m, drawn := range r.batch.Drawn {
		theta := r.batch.Theta[m*6 : (m+1)*6]
		if m < own {
			if drawn != -1 {
				t.Errorf("an instance of the adversary's was drawn with hypothesis %d", drawn)
			}
			continue
		}
		want := 1.
		if drawn == 0 {
			want = 0
		}
		if (p.Instance(theta).Best == 0) != (drawn == 0) {
			nearest++
		}
		if math.Abs(games.Mean[m]-want) > 1e-12 {
			t.Errorf("instance %d of row %d loses %v, want %v", m, drawn, games.Mean[m], want)
		}
	}
	if nearest == 0 {
		t.Error("the row that was drawn is the nearest one in every instance: the test shows nothing")
	}
}

// TestDecisionLine: where another decision than least squares recommends, the last line is learned too; with one that does not
// depend on the answers it is 0, and with the game's own the loss is as well foretold as by least squares.
func TestDecisionLine(t *testing.T) {
	p := graded()
	for _, by := range []game.Decider{nil, always{}} {
		task := Task{P: p, C: game.RhoTilde(p), Loss: game.BestIdentification, R: []float64{40}, Config: base(), Key: rng.New(1), Decider: by}
		r := begin(t, task)
		for i := range 3 {
			if _, err := r.adversary.Prepare(t.Context(), r.policy, i); err != nil {
				t.Fatal(err)
			}
			estimate(t, r, i)
			r.estimator.Learn()
		}
		critic := r.estimator.(*Sampled).critic
		critic.foretell(1)
		last := critic.lines[p.T]
		if by == nil && last != [2]float64{1, 0} || by != nil && math.Abs(last[0]) > 1e-6 {
			t.Errorf("with the decision %v the last line is %v", by, last)
		}
	}
}

// TestGatedStart: a gated policy begins at the weights that come with the program, or at uniform, and is moved from there.
func TestGatedStart(t *testing.T) {
	p, c := graded(), base()
	for _, start := range []string{"instant", "uniform"} {
		c.Structured, c.Gated = nil, &Gated{Start: start}
		r := begin(t, Task{P: p, C: game.RhoTilde(p), Loss: game.BestIdentification, R: []float64{40}, Config: c, Key: rng.New(1)})
		before := append([]float32(nil), r.net.Params()...)
		if want := rival.InstantNet(p, 0).Params(); (start == "instant") != slices.Equal(before, want) {
			t.Errorf("start: %s begins at %v", start, before)
		}
		finish(t, r)
		if slices.Equal(before, r.net.Params()) {
			t.Errorf("start: %s is not trained", start)
		}
	}
}
