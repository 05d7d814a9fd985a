package sim_test

import (
	"math"
	"slices"
	"testing"

	"mapo/game"
	"mapo/game/sim"
	"mapo/internal/check"
	"mapo/rng"
)

// TestClassGames: the games played have the exact mean losses, and never ask a cell more often than it has items.
func TestClassGames(t *testing.T) {
	for _, classes := range []int{2, 3} {
		r := rng.New(4).Rand()
		p := check.Pool(3, 3, classes, 2, classes == 3, r)
		policy := check.Wavy{P: p}
		theta := make([]float64, p.Queries())
		p.Anywhere(theta, r)
		var want, all float64
		for _, g := range check.Games(p, policy, theta) {
			lost, _ := g.Lost(p, game.SimpleRegret, theta)
			want, all = want+g.Prob*lost, all+g.Prob
		}
		if math.Abs(all-1) > 1e-6 {
			t.Fatalf("probabilities of all games sum to %v", all)
		}
		const games = 40_000
		sums, err := sim.Play{P: p, Policy: policy}.Instances(t.Context(), theta, games, rng.New(9), game.SimpleRegret)
		if err != nil {
			t.Fatal(err)
		}
		mean := sums[0][0].Mean()
		spread := math.Sqrt((sums[0][0].XX/games - mean*mean) / games)
		if math.Abs(mean-want) > 6*spread {
			t.Errorf("%d classes: the mean regret is %v, exactly %v; six standard errors are %v", classes, mean, want, 6*spread)
		}
	}
}

// TestClassBlocks: a label counts at all queries of its cell, sums fit one class each, and cells close.
func TestClassBlocks(t *testing.T) {
	r := rng.New(5).Rand()
	p := check.Pool(5, 4, 4, 5, false, r)
	theta := make([]float64, p.Queries())
	p.Anywhere(theta, r)
	b := sim.Block{P: p, L: 64, Theta: theta}
	even := check.Even{P: p}
	playBlock(&b, rng.New(2), 0, func(_ int, probs []float32, s game.States) { even.Probs(probs, s) })
	d := p.Queries()
	for g := range b.Games() {
		n, s := b.N[g*d:(g+1)*d], b.S[g*d:(g+1)*d]
		if left := p.LeftOf(game.States{N: n, S: s}, 0); left != 0 {
			t.Fatalf("game %d has %v labels left", g, left)
		}
		for c := range p.Seek.(*game.Labels).Cells() {
			lo, hi := p.Seek.(*game.Labels).Queries(c)
			var yes float32
			for i := lo; i < hi; i++ {
				if n[i] != n[lo] || int(n[i]) > p.Seek.(*game.Labels).Room(c) {
					t.Fatalf("game %d, cell %d: counts %v of %d items", g, c, n[lo:hi], p.Seek.(*game.Labels).Room(c))
				}
				yes += (n[i] + s[i]) / 2
			}
			if yes > n[lo] || p.Seek.(*game.Labels).All(c) && yes != n[lo] {
				t.Fatalf("game %d, cell %d: %v labels, %v of a class that is predicted", g, c, n[lo], yes)
			}
		}
	}
}

// TestTwoClassesEitherWay: a pool of two classes loses the same whether a cell has one query or one for each class.
func TestTwoClassesEitherWay(t *testing.T) {
	plain, general := check.Pool(6, 4, 2, 3, false, rng.New(3).Rand()), check.Pool(6, 4, 2, 3, true, rng.New(3).Rand())
	r := rng.New(8).Rand()
	theta := make([]float64, plain.Queries())
	plain.Anywhere(theta, r)
	both := make([]float64, 2*len(theta))
	for c, v := range theta {
		both[2*c], both[2*c+1] = -v, v
	}
	for _, loss := range game.Losses() {
		mean := func(p *game.Problem, theta []float64) (sum float64) {
			for _, g := range check.Games(p, check.Even{P: p}, theta) {
				lost, _ := g.Lost(p, loss, theta)
				sum += g.Prob * lost
			}
			return sum
		}
		if a, b := mean(plain, theta), mean(general, both); math.Abs(a-b) > 1e-6 {
			t.Errorf("%v: %v with one query a cell, %v with two", loss, a, b)
		}
	}
}

// TestControlVariateOfClasses: what a block makes of its games is what the definition says of each.
func TestControlVariateOfClasses(t *testing.T) {
	r := rng.New(3).Rand()
	for _, p := range []*game.Problem{check.Pool(12, 5, 3, 4, false, r), check.Pool(30, 6, 4, 4, false, r)} {
		d, theta := p.Queries(), make([]float64, 4*p.Queries())
		for m := range 4 {
			p.Anywhere(theta[m*d:(m+1)*d], r)
		}
		for _, loss := range game.Losses() {
			l := &sim.ControlVariate{P: p, Loss: loss, Lines: lines(p), Steps: &sim.Steps{Weight: []float64{1, 2, .5, 3}}}
			b := &sim.Block{P: p, L: 40, Theta: theta, Variate: l}
			games, policy := b.Games(), peaked{check.Wavy{P: p}}
			var probs [][]float32
			playBlock(b, rng.New(3), 0, func(_ int, to []float32, s game.States) {
				policy.Probs(to, s)
				probs = append(probs, append([]float32(nil), to...))
			})
			pull, unlikely := make([][]float64, p.T), 0
			for i := range pull {
				pull[i] = make([]float64, len(probs[i]))
			}
			for g := range games {
				one := &reckoning{p: p, in: p.Instance(theta[g/b.L*d:][:d]), loss: loss, lines: l.Lines, n: make([]float32, d), s: make([]float32, d)}
				for step := range p.T {
					at, u := step*games+g, int(b.Row[step*games+g])
					row := probs[step][u*d : (u+1)*d]
					after, value, own := one.label(step, p.Seek.(*game.Labels).CellOf(int(b.Asked[at])), int(b.Came[at]), row)
					if !own {
						unlikely++
					}
					near(t, "After", l.Steps.After[at], after)
					near(t, "Variate", l.Steps.Variate[at], after-value)
					near(t, "U", l.Steps.U[at+games], one.u)
					near(t, "V", l.Steps.V[at+games], one.v)
					for i, q := range one.worth {
						if !math.IsNaN(q) {
							pull[step][u*d+i] += l.Steps.Weight[g/b.L] * float64(row[i]) * (q - value)
						}
					}
				}
			}
			for i := range pull {
				for j, v := range pull[i] {
					near(t, "Pull", float64(l.Steps.Pull[i][j]), v)
				}
			}
			if unlikely == 0 {
				t.Error("no cell was unlikely")
			}
		}
	}
}

// label is [reckoning.step] for a label of a cell's item. worth is NaN where the cell is unlikely.
func (r *reckoning) label(t, asked, came int, probs []float32) (after, value float64, own bool) {
	l := r.p.Seek.(*game.Labels)
	r.worth = slices.Repeat([]float64{math.NaN()}, len(probs))
	f := func(cell, came int) float64 {
		n, s := append([]float32(nil), r.n...), append([]float32(nil), r.s...)
		l.Label(r.n, r.s, cell, came)
		v, _, _ := r.at(t + 1)
		r.n, r.s = n, s
		return v
	}
	var sum, expected float64
	for c := range l.Cells() {
		lo, hi := l.Queries(c)
		rest, q, share := 1., 0., float32(0)
		for i := lo; i < hi; i++ {
			p := (1 + r.in.Theta[i]) / 2
			q, rest, share = q+p*f(c, i), rest-p, share+probs[i]
		}
		if !l.All(c) {
			q += rest * f(c, -1)
		}
		if c == asked {
			expected = q
		}
		if share >= 1./64 {
			value, sum = value+float64(share)*q, sum+float64(share)
			own = own || c == asked
			for i := lo; i < hi; i++ {
				r.worth[i] = q
			}
		}
	}
	value /= sum
	l.Label(r.n, r.s, asked, came)
	after, r.u, r.v = r.at(t + 1)
	if !own {
		after += value - expected
	}
	return after, value, own
}
