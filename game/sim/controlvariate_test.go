package sim_test

import (
	"math"
	"testing"

	"mapo/game"
	"mapo/game/exact"
	"mapo/game/sim"
	"mapo/internal/check"
	"mapo/internal/suite"
	"mapo/policy/decision"
	"mapo/rng"
)

// peaked is a policy with its probabilities' powers of 16, so that some queries are all but
// never asked.
type peaked struct{ check.Wavy }

func (q peaked) Probs(dst []float32, s game.States) {
	q.Wavy.Probs(dst, s)
	d := q.P.Queries()
	for u := range s.Len(d) {
		var sum float32
		row := dst[u*d : (u+1)*d]
		for i, p := range row {
			row[i] = float32(math.Pow(float64(p), 16))
			sum += row[i]
		}
		for i := range row {
			row[i] /= sum
		}
	}
}

// lines are lines of no use in particular.
func lines(p *game.Problem) sim.Lines {
	lines := sim.NoLines(p)
	for t := range p.T {
		lines[t] = [2]float64{.3 + .05*float64(t), -.4 + .1*float64(t)}
	}
	return lines
}

// rows is a game over rows of shares: two have the same majorities, one a share of a half, and two differ in the last query
// alone, so that there are ties.
func rows() *game.Problem {
	p := &game.Problem{Name: "rows", T: 4, Seek: new(game.Shares)}
	for i := range 6 {
		p.X = append(p.X, string(rune('a'+i)))
	}
	for k := range 7 {
		p.Names, p.Seek.(*game.Shares).Weight = append(p.Names, string(rune('A'+k))), append(p.Seek.(*game.Shares).Weight, 1./7)
		for i := range 6 {
			p.Seek.(*game.Shares).Yes = append(p.Seek.(*game.Shares).Yes, .5+.5*math.Sin(float64(7*k*k+3*i)))
		}
	}
	copy(p.Seek.(*game.Shares).Yes, []float64{.9, .2, .5, .1, .8, .4, .7, .1, .6, .2, .9, 0})
	copy(p.Seek.(*game.Shares).Yes[3*6:], p.Seek.(*game.Shares).Yes[2*6:3*6-1])
	return p.Grade()
}

// hard are random instances, a corner, one on whose best hypothesis there is no deciding,
// and one that says nothing.
func hard(d int) []float64 {
	theta := instances(3, d, rng.New(2))
	for i := range d {
		theta = append(theta, float64(1-2*(i%2)))
	}
	theta = append(theta, append(make([]float64, d-1), 1)...)
	return append(theta, make([]float64, d)...)
}

// withHypotheses are hypotheses that the instances of hard were drawn with, few of them their best ones.
var withHypotheses = []int{-1, 2, 0, 1, 3, 2}

// TestControlVariate: what a block makes of its games is what the definition says of each, worked out
// one state after another.
func TestControlVariate(t *testing.T) {
	r := rng.New(1).Rand()
	pool := check.Pool(30, 5, 2, 4, false, rng.New(1).Rand())
	vectors := []*game.Problem{check.RandomVectors(3, 5, 4, 5, r), check.RandomVectors(4, 6, 0, 5, r), check.AsVectors(problems()[0])}
	for i, p := range append(append(problems(), rows(), rows(), pool, pool), vectors...) {
		var drawn []int
		if i%2 == 1 {
			drawn = withHypotheses
		}
		for _, loss := range game.Losses() {
			d, theta := p.Queries(), hard(p.Queries())
			l := &sim.ControlVariate{P: p, Loss: loss, Lines: lines(p), Steps: &sim.Steps{Weight: []float64{1, 2, .5, 1, 3, 1}}}
			b := &sim.Block{P: p, L: 40, Theta: theta, Drawn: drawn, Variate: l}
			games := b.Games()
			var probs [][]float32
			policy := peaked{check.Wavy{P: p}}
			for range 2 { // the second block finds the first one's scratch
				probs = nil
				playBlock(b, rng.New(3), 0, func(_ int, to []float32, s game.States) {
					policy.Probs(to, s)
					probs = append(probs, append([]float32(nil), to...))
				})
			}
			of := make([]float64, games)
			pull := make([][]float64, p.T)
			unlikely := 0
			for i := range pull {
				pull[i] = make([]float64, len(probs[i]))
			}
			for g := range games {
				one := &reckoning{p: p, in: p.Instance(theta[g/b.L*d:][:d]), loss: loss, lines: l.Lines, n: make([]float32, d), s: make([]float32, d)}
				if drawn != nil {
					one.in.Drawn = drawn[g/b.L]
				}
				for step := range p.T {
					at, u := step*games+g, int(b.Row[step*games+g])
					after, value, own := one.step(step, int(b.Asked[at]), b.Yes[at], probs[step][u*d:(u+1)*d])
					if !own {
						unlikely++
					}
					of[g] += after - value
					near(t, "After", l.Steps.After[at], after)
					near(t, "Variate", l.Steps.Variate[at], after-value)
					near(t, "U", l.Steps.U[at+games], one.u)
					near(t, "V", l.Steps.V[at+games], one.v)
					for i, q := range one.worth {
						if pr := float64(probs[step][u*d+i]); pr >= 1./64 {
							pull[step][u*d+i] += l.Steps.Weight[g/b.L] * pr * (q - value)
						}
					}
				}
				near(t, "Of", l.Of[g], of[g])
			}
			for i := range pull {
				for j, v := range pull[i] {
					near(t, "Pull", float64(l.Steps.Pull[i][j]), v)
				}
			}
			if unlikely == 0 {
				t.Error("no query was unlikely")
			}
		}
	}
}

// near allows for scores in float32, which are summed in another order.
func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-4 {
		t.Fatalf("%s is %v, want %v", what, got, want)
	}
}

// reckoning is one game in the open.
type reckoning struct {
	p     *game.Problem
	in    *game.Instance
	loss  game.Loss
	lines sim.Lines
	n, s  []float32
	u, v  float64
	worth []float64 // Q(x) of all queries
}

// at is f, u and v of the state with t answers.
func (r *reckoning) at(t int) (f, u, v float64) {
	score := make([]float32, r.p.Hypotheses())
	game.NewScorer(r.p).Score(score, r.n, r.s)
	u = r.loss.Of(r.in, check.Tie(len(score), game.Recommend(nil, score)))
	right, rest := r.in.Best, math.Inf(-1)
	if r.in.Drawn >= 0 && r.loss == game.BestIdentification {
		right = r.in.Drawn
	}
	for k, x := range score {
		if k != right {
			rest = max(rest, float64(x))
		}
	}
	v = float64(score[right]) - rest
	v /= 1 + math.Abs(v)
	return r.lines[t][0]*u + r.lines[t][1]*v, u, v
}

// with is at after one more answer.
func (r *reckoning) with(i int, answer float32, t int) float64 {
	r.n[i], r.s[i] = r.n[i]+1, r.s[i]+answer
	f, _, _ := r.at(t)
	r.n[i], r.s[i] = r.n[i]-1, r.s[i]-answer
	return f
}

// step is f after a step, with what was expected before it; own says whether the query was likely.
func (r *reckoning) step(t, asked int, yes bool, probs []float32) (after, value float64, own bool) {
	r.worth = make([]float64, len(probs))
	var sum float64
	for i, th := range r.in.Theta {
		no, ya := r.with(i, -1, t+1), r.with(i, 1, t+1)
		r.worth[i] = (1-th)/2*no + (1+th)/2*ya
		if p := float64(probs[i]); probs[i] >= 1./64 {
			value += p * r.worth[i]
			sum += p
		}
	}
	if sum > 0 {
		value /= sum
	}
	answer := float32(-1)
	if yes {
		answer = 1
	}
	r.n[asked], r.s[asked] = r.n[asked]+1, r.s[asked]+answer
	after, r.u, r.v = r.at(t + 1)
	if own = probs[asked] >= 1./64; own {
		return after, value, true
	}
	return value + after - r.worth[asked], value, false
}

// TestControlVariateHasMeanZero: its mean is 0, so that a loss less its variate is as large as the loss, which is known
// exactly, within 5 standard errors (168 checks, fewer than one false alarm in 10⁴ runs). That holds for every decision, and for
// what an instance was drawn with. Where least squares decide, it varies less with lines that foretell it: 0.17 to 0.5 as much
// when this was written.
func TestControlVariateHasMeanZero(t *testing.T) {
	free, once, graded := problems()[0], problems()[1], rows()
	for _, c := range []struct {
		p     *game.Problem
		by    string // the decision; "": the game's own
		drawn []int
	}{{free, "", nil}, {check.RandomVectors(3, 4, 3, 5, rng.New(2).Rand()), "", nil}, {once, "", nil}, {graded, "", nil}, {free, decision.Posterior, nil}, {graded, "", withHypotheses}, {graded, decision.Posterior, withHypotheses}} {
		for _, loss := range game.Losses() {
			testMeanZero(t, c.p, c.by, c.drawn, loss)
		}
	}
}

func testMeanZero(t *testing.T, p *game.Problem, by string, drawn []int, loss game.Loss) {
	t.Helper()
	g, err := exact.New(p)
	if err != nil {
		t.Fatal(err)
	}
	const games = 500
	blocks := 40
	if suite.Reduced() {
		blocks = 20
	}
	d, theta := p.Queries(), hard(p.Queries())
	b := &sim.Block{P: p, L: games, Theta: theta, Drawn: drawn}
	if by != "" {
		if b.Decider, err = decision.New(p, loss, by); err != nil {
			t.Fatal(err)
		}
		g = g.Decided(b.Decider)
	}
	want, policy := make([]float64, len(theta)/d), peaked{check.Wavy{P: p}}
	var all []game.Drawn
	for m := range want {
		all = append(all, game.Drawn{Theta: theta[m*d : (m+1)*d], Hypothesis: -1})
		if drawn != nil {
			all[m].Hypothesis = drawn[m]
		}
	}
	set, err := g.NewSet(loss, nil, all...)
	if err != nil {
		t.Fatal(err)
	}
	set.Losses(want, g.Flow(policy).Q)
	for i, lines := range []sim.Lines{lines(p), learnt(&sim.Block{P: p, L: 64, Theta: instances(16, d, rng.New(4)), Decider: b.Decider}, policy, loss)} {
		b.Variate = &sim.ControlVariate{P: p, Loss: loss, Lines: lines}
		with, without := make([]sim.Sum, len(want)), make([]sim.Sum, len(want))
		for block := range blocks {
			playBlock(b, rng.New(6).At(block), 0, choose(policy))
			b.Judge(loss, nil)
			for g, x := range b.Loss {
				with[g/games].Add(x)
				without[g/games].Add(x - b.Variate.Of[g])
			}
		}
		var raw, less float64
		for m, s := range without {
			if slack := 5*math.Sqrt(variance(s)/float64(s.N)) + 1e-6; math.Abs(s.Mean()-want[m]) > slack {
				t.Errorf("%s, %v by %q, instance %d: %v with the variate, exactly %v, more than %v apart", p.Name, loss, by, m, s.Mean(), want[m], slack)
			}
			raw, less = raw+variance(with[m]), less+variance(s)
		}
		if i == 1 && by == "" && less > .6*raw {
			t.Errorf("%s, %v: the variance is %v with the variate, %v without", p.Name, loss, less, raw)
		}
	}
}

// learnt returns the lines that a block's games teach. Each of three rounds predicts what the variates of later steps leave, and
// the loss itself where the block has a decision of its own.
func learnt(b *sim.Block, policy game.Policy, loss game.Loss) sim.Lines {
	p, l, games := b.P, b.L, b.Games()
	s, lines, end := &sim.Steps{Weight: make([]float64, games/l)}, sim.NoLines(p), p.T
	b.Variate = &sim.ControlVariate{P: p, Loss: loss, Lines: lines, Steps: s}
	if b.Decider != nil {
		end++
	}
	for range 3 {
		playBlock(b, rng.New(5), 0, choose(policy))
		b.Judge(loss, nil)
		left := append([]float64(nil), b.Loss...)
		for t := p.T; t >= 0; t-- {
			if t < p.T {
				for g := range left {
					left[g] -= s.Variate[t*games+g]
				}
			}
			if t >= end {
				continue
			}
			var m sim.Moments
			for first := 0; first < games; first += l {
				m.Take(s, t, games, first, left[first:first+l])
			}
			lines[t] = m.Line()
		}
	}
	return lines
}

// variance is that of a sum's terms.
func variance(s sim.Sum) float64 { return max(0, s.XX/float64(s.N)-s.Mean()*s.Mean()) }

// TestLine: a line solves its normal equations, and says nothing where there is nothing to say.
func TestLine(t *testing.T) {
	var m sim.Moments
	s := &sim.Steps{U: make([]float64, 50), V: make([]float64, 50)}
	y := make([]float64, 50)
	for i := range y {
		s.U[i], s.V[i] = math.Sin(float64(i)), math.Cos(3*float64(i))
		y[i] = 2*s.U[i] - .5*s.V[i] + 7
	}
	m.Take(s, 0, 50, 0, y)
	if ab := m.Line(); math.Abs(ab[0]-2) > .01 || math.Abs(ab[1]+.5) > .01 {
		t.Errorf("the line is %v, want 2 and −½", ab)
	}
	if ab := new(sim.Moments).Line(); ab != [2]float64{} {
		t.Errorf("of nothing the line is %v", ab)
	}
}
