package search

import (
	"math"
	"testing"

	"mapo/game"
	"mapo/game/exact"
	"mapo/internal/check"
	"mapo/rng"
)

// alikes returns instances of best arm with five arms, of which one is the best by the gap: by symmetry they have one difficulty and,
// under a policy that asks all queries alike, one loss.
func alikes(gap float64) (rows [][]float64) {
	for best := range 5 {
		for worst := range 5 {
			if worst == best {
				continue
			}
			row := []float64{.1, .1, .1, .1, .1}
			row[best], row[worst] = .1+gap, -.3
			rows = append(rows, row)
		}
	}
	return rows
}

// The loss reported is of games that had no part in the choice: where all instances lose alike, the winner of a few games
// has on average the loss of all, not what made it win. The games that chose would say 0.05 more, which is 12 standard
// errors; the test allows 6. And with levels at which others join that lose nearly as much, no curve falls.
func TestReportedMaximumIsFresh(t *testing.T) {
	p := check.BestArm(5, 4)
	policy, c := check.Even{P: p}, game.RhoTilde(p)
	rows := alikes(.4)
	r := c.Of(rows[0]) * (1 + 1e-9)
	for _, easier := range []float64{.395, .39} {
		rows = append(rows, alikes(easier)...)
	}
	levels := []float64{r, c.Of(alikes(.395)[0]) * (1 + 1e-9), c.Of(alikes(.39)[0]) * (1 + 1e-9)}
	g, err := exact.New(p)
	if err != nil {
		t.Fatal(err)
	}
	truth := g.Flow(policy).Loss(game.BestIdentification, rows[0])
	const seeds = 150
	s := &Search{
		P: p, C: c, Loss: game.BestIdentification, Policy: policy, Levels: levels, Finite: rows, Workers: 1,
		Effort: Effort{Starts: 1, Screen: 2, Rungs: []Rung{{Keep: 20}}, Finals: 20, Replay: 25, Report: 100, MaxReport: 100},
	}
	var mean float64
	apart := 0
	for seed := range uint64(seeds) {
		s.Key = rng.New(seed)
		worst := run(t, s) // which checks that no curve falls
		mean += worst[0].Mean / seeds
		if worst[2].Mean > worst[0].Mean {
			apart++
		}
	}
	if se := math.Sqrt(truth * (1 - truth) / 100 / seeds); math.Abs(mean-truth) > 6*se {
		t.Errorf("on average %.4f is reported, the loss is %.4f ± %.4f", mean, truth, se)
	}
	if apart < 10 {
		t.Errorf("the levels have one winner in all but %d of %d searches: they say little of falling curves", apart, seeds)
	}
}

// A report is of its own stream: what it says is what games of that stream lose there.
func TestReportStream(t *testing.T) {
	p := check.Thresholds(4, 4)
	effort, err := Efforts("smoke")
	if err != nil {
		t.Fatal(err)
	}
	s := &Search{P: p, C: game.RhoTilde(p), Loss: game.SimpleRegret, Policy: check.Wavy{P: p}, Levels: []float64{6, 20}, Effort: effort, Key: rng.New(4)}
	h, err := s.hunt(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for k, w := range run(t, s) {
		if k > 0 && w.Rho <= s.Levels[k-1] {
			continue // the level's below stands
		}
		play := h.play()
		e, err := play.Loss(t.Context(), s.Loss, w.Theta, w.Games, s.Key.Name("search").Name("report").At(k))
		if err != nil || e.Mean != w.Mean || e.Hi != w.Hi {
			t.Errorf("r = %v: reported %+v, the games of its stream say %+v (%v)", w.Level, w.Estimate, e, err)
		}
	}
}
