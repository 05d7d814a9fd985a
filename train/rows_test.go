package train

import (
	"math"
	"slices"
	"testing"

	"mapo/game"
	"mapo/policy/decision"
	"mapo/policy/rival"
	"mapo/rng"
)

// graded is a game over five rows of shares.
func graded() *game.Problem {
	p := &game.Problem{Name: "rows", T: 3, AskOnce: true, Seek: new(game.Shares)}
	for i := range 6 {
		p.X = append(p.X, string(rune('a'+i)))
	}
	for k := range 5 {
		p.Names, p.Seek.(*game.Shares).Weight = append(p.Names, string(rune('A'+k))), append(p.Seek.(*game.Shares).Weight, 1./5)
		for i := range 6 {
			p.Seek.(*game.Shares).Yes = append(p.Seek.(*game.Shares).Yes, .5+.5*math.Sin(float64(7*k*k+3*i)))
		}
	}
	return p.Grade()
}

// mean returns the θ of row k, [|X|].
func mean(p *game.Problem, k int) (theta []float64) {
	for _, z := range p.Row(k) {
		theta = append(theta, float64(z))
	}
	return theta
}

// always recommends one hypothesis of five.
type always int

func (k always) Decide(dst []float32, _ game.States) {
	clear(dst)
	for at := int(k); at < len(dst); at += 5 {
		dst[at] = 1
	}
}

// TestRowsAreRight: in an average over rows the row that was drawn is right, whichever is nearest to its θ, and the task's
// decision is what losses are of. So a decision for one row is wrong in all games of the others and in none of its own.
func TestRowsAreRight(t *testing.T) {
	p, c := graded(), base()
	c.Critic, c.LambdaBinary = false, 1
	task := Task{
		P: p, C: game.RhoTilde(p), Loss: game.BestIdentification, R: []float64{40}, Config: c, Key: rng.New(1), Decider: always(0),
		Finite: [][]float64{{1, 1, 1, 1, 1, 1}, {-1, 1, -1, 1, -1, 1}}, Average: game.DrawFlipped(p, .3, .49), Weight: .5,
	}
	r := takeApart(t, task)
	games := r.estimate(t, 0)
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

// TestRowsAreRightExactly is TestRowsAreRight where games are enumerated and not drawn.
func TestRowsAreRightExactly(t *testing.T) {
	p := graded()
	for k := range always(5) {
		task := Task{
			P: p, C: game.RhoTilde(p), Loss: game.BestIdentification, R: []float64{40}, Config: base(), Key: rng.New(1), Decider: k,
			Finite: [][]float64{mean(p, 1), mean(p, 3)}, Average: game.DrawShares(p, .45), Weight: .5,
		}
		r := takeApart(t, task)
		e, whole := r.estimator.(*Enumerated)
		if !whole {
			t.Fatal("the game is not enumerated")
		}
		r.estimate(t, 0)
		for at, loss := range e.loss {
			right := at - e.worst // the rows follow Θ's instances
			if at < e.worst {
				right = p.Instance(task.Finite[at]).Best
			}
			want := 1.
			if right == int(k) {
				want = 0
			}
			if math.Abs(loss-want) > 1e-6 {
				t.Errorf("with the decision for hypothesis %d instance %d, of %d, loses %v, want %v", k, at, right, loss, want)
			}
		}
	}
}

// TestSearchesSeeTheDecision: an adversary's searches play the task's decision. With one for a single hypothesis, the worst
// instances are of another, whichever it is.
func TestSearchesSeeTheDecision(t *testing.T) {
	p := graded()
	for k := range always(5) {
		c := base()
		c.Oracle.Refresh = 1
		r := begin(t, Task{P: p, C: game.RhoTilde(p), Loss: game.BestIdentification, R: []float64{40}, Config: c, Key: rng.New(1), Decider: k})
		for range 2 {
			iterate(t, r)
		}
		found := r.Hardest(1)
		if len(found) == 0 {
			t.Fatal("no instance was found")
		}
		if p.Instance(found[0]).Best == int(k) {
			t.Errorf("the hardest instance is of hypothesis %d, which is always recommended", k)
		}
	}
}

// TestDecisionLine: where another decision than least squares recommends, the last line is learned too. Of one that does not
// depend on the answers it says nothing, and of the posterior that what least squares loses is often lost.
func TestDecisionLine(t *testing.T) {
	p := graded()
	posterior, err := decision.New(p, game.BestIdentification, decision.Posterior)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		by       game.Decider
		from, to float64
	}{{nil, 1, 1}, {always(0), 0, 1e-6}, {posterior, .2, .99}} {
		r := takeApart(t, Task{P: p, C: game.RhoTilde(p), Loss: game.BestIdentification, Prior: game.DrawShares(p, .1), Config: base(), Key: rng.New(1), Decider: c.by})
		for i := range 3 {
			r.prepare(t, i)
			r.estimate(t, i)
			r.estimator.Learn()
		}
		critic := r.estimator.(*Sampled).critic
		critic.foretell(base().LambdaBinary)
		if last := critic.lines[p.T][0]; last < c.from || last > c.to || c.by == nil && critic.lines[p.T][1] != 0 {
			t.Errorf("with the decision %v the last line is %v, want from %v to %v", c.by, critic.lines[p.T], c.from, c.to)
		}
	}
}

// TestGatedStart: a gated policy begins at the weights that come with the program, or at uniform, and is moved from there.
func TestGatedStart(t *testing.T) {
	p, c := graded(), base()
	for _, start := range []string{"instant", "uniform"} {
		c.Structured, c.Gated = nil, &Gated{Start: start}
		r := begin(t, Task{P: p, C: game.RhoTilde(p), Loss: game.BestIdentification, R: []float64{40}, Config: c, Key: rng.New(1)})
		before := append([]float32(nil), r.Net().Params()...)
		if want := rival.InstantNet(p, 0).Params(); (start == "instant") != slices.Equal(before, want) {
			t.Errorf("start: %s begins at %v", start, before)
		}
		finish(t, r)
		if slices.Equal(before, r.Net().Params()) {
			t.Errorf("start: %s is not trained", start)
		}
	}
}
