package search

import (
	"math"
	"slices"
	"testing"

	"mapo/game"
	"mapo/internal/check"
	"mapo/rng"
)

// A trial climbs the same way whether it is alone in its block or the third of seven: to the same θ, with the same mean.
func TestClimbInBlocks(t *testing.T) {
	p := check.Thresholds(5, 4)
	for _, loss := range game.Losses() {
		s := &Search{P: p, C: game.RhoTilde(p), Loss: loss, Policy: check.Wavy{P: p}, Levels: []float64{8, 30}}
		h, err := s.hunt(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		r := rng.New(12).Rand()
		var together, alone []*trial
		for i := range 7 {
			theta := make([]float64, 5)
			for j := range theta {
				theta[j] = 1.6*r.Float64() - .8
			}
			rho, ok := project(rays{p, s.C}, s.C, theta, h.Levels[i%2], make([]float64, 5))
			if !ok {
				t.Fatalf("trial %d has no instance near", i)
			}
			one := &trial{theta: theta, rho: rho, level: i % 2}
			together, alone = append(together, one), append(alone, one.clone())
		}
		rung, key := Rung{Keep: 7, Steps: 5, Games: 12, From: .1, To: .03}, rng.New(13)
		newClimber(h).run(together, rung, key, 0)
		c := newClimber(h)
		for i := range alone {
			before := slices.Clone(alone[i].theta)
			c.run(alone[i:i+1], rung, key, i)
			a, b := alone[i], together[i]
			if apart(a.theta, b.theta) > 1e-9 || math.Abs(a.rho-b.rho) > 1e-9*a.rho || math.Abs(a.mean-b.mean) > 1e-12 || a.games != b.games {
				t.Errorf("%v: alone, trial %d comes to %+v, with others %+v", loss, i, a, b)
			}
			if apart(before, a.theta) < .01 || a.games != 24 { // the games of the last two of five steps count
				t.Errorf("%v: trial %d moved by %v and has %d games", loss, i, apart(before, a.theta), a.games)
			}
		}
	}
}

// A step is a rate along each query: Adam's, which is all of it in either direction while the gradient keeps its
// sign, or one that scales all queries alike, to a root mean square of the rate, and none to more than three times that.
func TestClimbStep(t *testing.T) {
	p := check.Thresholds(4, 4)
	for _, plain := range []bool{false, true} {
		s := &Search{P: p, C: game.RhoTilde(p), Policy: check.Even{P: p}, Levels: []float64{1e6}, Effort: Effort{Finals: 1, AppendixE: plain}}
		h, err := s.hunt(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for number := range 2 {
			c := newClimber(h)
			c.first, c.second = make([]float64, 4), make([]float64, 4)
			one := &trial{theta: []float64{.5, .3, -.2, -.6}}
			for step := range 3 {
				before := slices.Clone(one.theta)
				grad := []float64{2, -.01, 5, -7}
				copy(c.grad, grad)
				c.step(one, 0, number, step, .02)
				for i, g := range grad {
					want := math.Copysign(.02, g)
					if number == 1 && !plain { // the mean of the past grows alike in all
						want = .02 * g / math.Sqrt((4+1e-4+25+49)/4)
					}
					if got := one.theta[i] - before[i]; math.Abs(got-want) > 1e-6 {
						t.Errorf("plain %v, trial %d: step %d moves query %d by %v, want %v", plain, number, step, i, got, want)
					}
				}
			}
		}
	}
}

// Rates fall geometrically from the first to the last.
func TestRate(t *testing.T) {
	r := Rung{Steps: 5, From: .16, To: .01}
	for i, want := range []float64{.16, .08, .04, .02, .01} {
		if got := r.rate(i); math.Abs(got-want) > 1e-12 {
			t.Errorf("step %d has the rate %v, want %v", i, got, want)
		}
	}
	if r.Steps = 1; r.rate(0) != .16 {
		t.Errorf("the only step has the rate %v, want %v", r.rate(0), r.From)
	}
}

// widened is v in float64.
func widened(v []float32) (out []float64) {
	for _, x := range v {
		out = append(out, float64(x))
	}
	return out
}

// TestByMargin: the margin's gradient is that of the games' mean smooth loss in the answers, the queries asked held fixed.
func TestByMargin(t *testing.T) {
	const scale, step = 1.5, 1e-3
	p := check.Graded(5, 7, 4, rng.New(3).Rand())
	h, err := (&Search{P: p, C: game.RhoTilde(p), Policy: check.Even{P: p}, Levels: []float64{1e6}}).hunt(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	c := newClimber(h)
	c.b.L, c.b.Theta = 40, widened(h.P.Easy()[:2*5])
	c.b.Play(t.Context(), h.Policy, rng.New(4), 0)
	const m = 1
	c.byMargin(m, scale)
	best, scorer, scores := p.Instance(c.b.Theta[5:10]).Best, game.NewScorer(p), make([]float32, 7)
	// smooth is a game's loss where the answer to query i is larger by delta, with the floor's share of the lead.
	smooth := func(n, s []float32, i int, delta float32) float64 {
		s = slices.Clone(s)
		s[i] += delta * n[i]
		scorer.Score(scores, n, s)
		own, other := scores[best], float32(math.Inf(-1))
		for k, v := range scores {
			if k != best {
				other = max(other, v)
			}
		}
		lead := float64(own - other)
		return scale/(1+math.Exp(lead/scale)) - marginFloor*lead
	}
	for i := range 5 {
		var want float64
		for g := m * c.b.L; g < (m+1)*c.b.L; g++ {
			n, s := c.b.N[g*5:(g+1)*5], c.b.S[g*5:(g+1)*5]
			if n[i] > 0 {
				want += (smooth(n, s, i, step) - smooth(n, s, i, -step)) / (2 * step)
			}
		}
		// Scores are float32, and another hypothesis may become the best other one within a step.
		if got := c.grad[i]; math.Abs(got-want) > 0.02*math.Abs(want)+0.01 {
			t.Errorf("query %d: %v, by differences %v", i, got, want)
		}
	}
}

// TestMarginClimbs: from an easy instance, where nearly every game is won, the margin finds the way up with a few games a step.
func TestMarginClimbs(t *testing.T) {
	p := check.Graded(40, 20, 12, rng.New(5).Rand())
	climbed := func(margin float64) float64 {
		h, err := (&Search{P: p, C: game.RhoTilde(p), Policy: check.Even{P: p}, Levels: []float64{16}}).hunt(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var ts []*trial
		for k := range 8 {
			theta := widened(h.P.Easy()[k*40 : (k+1)*40])
			ts = append(ts, &trial{theta: theta, rho: h.C.Of(theta)})
		}
		for i := range ts { // each alone, as the first of its rung
			newClimber(h).run(ts[i:i+1], Rung{Keep: 1, Steps: 20, Games: 8, From: .1, To: .03, Margin: margin}, rng.New(uint64(i)), 0)
		}
		if err := h.measure(ts, 4000, rng.New(9)); err != nil {
			t.Fatal(err)
		}
		var mean float64
		for _, one := range ts {
			mean += one.mean / 8
		}
		return mean
	}
	if own, margin := climbed(0), climbed(gradedMargin); margin < own+0.02 {
		t.Errorf("climbs by the margin end at %.3f on average, by the loss at %.3f", margin, own)
	}
}

// always recommends one hypothesis.
type always int

func (k always) Decide(dst []float32, s game.States) {
	clear(dst)
	n := len(dst) / s.Len(5)
	for b := range s.Len(5) {
		dst[b*n+int(k)] = 1
	}
}

// TestClimbDecides: a climb's losses are those of the policy's own decision.
func TestClimbDecides(t *testing.T) {
	p := check.Graded(5, 7, 4, rng.New(3).Rand())
	policy := game.Deciding(check.Even{P: p}, always(2))
	h, err := (&Search{P: p, C: game.RhoTilde(p), Policy: policy, Levels: []float64{1e6}}).hunt(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for k := range 7 {
		one := &trial{theta: widened(h.P.Easy()[k*5 : (k+1)*5])}
		newClimber(h).run([]*trial{one}, Rung{Keep: 1, Steps: 2, Games: 8, From: 1e-6, To: 1e-6}, rng.New(1), 0)
		if want := map[bool]float64{true: 0, false: 1}[k == 2]; one.mean != want {
			t.Errorf("hypothesis %d: mean %v, want %v", k, one.mean, want)
		}
	}
}
