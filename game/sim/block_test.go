package sim_test

import (
	"math"
	"slices"
	"testing"

	"mapo/game"
	"mapo/game/exact"
	"mapo/game/sim"
	"mapo/internal/check"
	"mapo/rng"
)

// instances is M random θ in (−1, 1)^d, [M, |X|].
func instances(m, d int, key rng.Key) []float64 {
	r, theta := key.Rand(), make([]float64, m*d)
	for i := range theta {
		theta[i] = 1 - 2*r.Float64()
	}
	return theta
}

// problems are one whose queries may be repeated and one where they may not.
func problems() []*game.Problem {
	free, once := check.Thresholds(4, 6), check.Random(5, 8, 4, rng.New(1).Rand())
	once.AskOnce = true
	return []*game.Problem{free, once}
}

// chooser writes the distribution over queries of every state of step t to probs, [U, |X|].
type chooser = func(t int, probs []float32, s game.States)

// choose lets a policy choose.
func choose(policy game.Policy) chooser {
	return func(_ int, probs []float32, s game.States) { policy.Probs(probs, s) }
}

// playBlock plays every game of b.
func playBlock(b *sim.Block, key rng.Key, m0 int, choose chooser) {
	for b.Begin(key, m0); b.Ask(); b.Answer() {
		choose(b.Turn, b.Probs, b.States)
	}
}

// TestPlayBlock: the counts are those of the queries asked, and what the policy
// saw at step t are the different states of the games, with t answers each.
func TestPlayBlock(t *testing.T) {
	for _, p := range problems() {
		d := p.Queries()
		b := &sim.Block{P: p, L: 3, Theta: instances(5, d, rng.New(2))}
		steps := 0
		playBlock(b, rng.New(3), 0, func(step int, probs []float32, s game.States) {
			if step != steps || len(probs) != len(s.N) || (s.Mask != nil) != p.AskOnce {
				t.Fatalf("step %d of %d: %d states, %d probabilities, mask %v", step, steps, s.Len(d), len(probs), s.Mask)
			}
			seen := map[[10]float32]bool{}
			for i := range s.Len(d) {
				row := s.Row(i, d)
				if answers := total(row.N); int(answers) != step || row.Left[0] != float32(p.T-step) {
					t.Errorf("step %d, state %d: %v answers, %v left", step, i, answers, row.Left[0])
				}
				for i, masked := range row.Mask {
					if masked != (row.N[i] > 0) {
						t.Errorf("mask %v of a query asked %v times", masked, row.N[i])
					}
				}
				var key [10]float32
				copy(key[copy(key[:], row.N):], row.S)
				if seen[key] {
					t.Errorf("step %d: state %v is there twice", step, key)
				}
				seen[key] = true
			}
			for g := range 15 {
				row := s.Row(int(b.Row[step*15+g]), d)
				if !slices.Equal(row.N, b.N[g*d:(g+1)*d]) || !slices.Equal(row.S, b.S[g*d:(g+1)*d]) {
					t.Errorf("step %d: game %d is said to be in state %d, which is another", step, g, b.Row[step*15+g])
				}
			}
			if step == 0 && len(seen) != 1 {
				t.Errorf("%d states at the start, want one", len(seen))
			}
			check.Wavy{P: p}.Probs(probs, s)
			steps++
		})
		if b.Games() != 15 || steps != p.T {
			t.Errorf("%d games of %d steps, want 15 of %d", b.Games(), steps, p.T)
		}
		for g := range 15 {
			n := make([]float32, d)
			for step := range p.T {
				n[b.Asked[step*15+g]]++
			}
			if !slices.Equal(n, b.N[g*d:(g+1)*d]) || p.AskOnce && slices.Max(n) > 1 {
				t.Errorf("game %d asked %v, its counts are %v", g, n, b.N[g*d:(g+1)*d])
			}
			for i, v := range b.S[g*d : (g+1)*d] {
				if math.Abs(float64(v)) > float64(n[i]) || int(n[i]-v)%2 != 0 {
					t.Errorf("%v answers sum to %v", n[i], v)
				}
			}
		}
	}
}

func total(v []float32) (sum float32) {
	for _, x := range v {
		sum += x
	}
	return sum
}

// TestEdge: at |θ_i| = 1 the impossible answer never comes.
func TestEdge(t *testing.T) {
	p := check.Thresholds(3, 20)
	b := &sim.Block{P: p, L: 500, Theta: []float64{1, -1, 1}}
	playBlock(b, rng.New(4), 0, choose(check.Even{P: p}))
	for at, n := range b.N {
		if want := n * []float32{1, -1, 1}[at%3]; b.S[at] != want {
			t.Fatalf("%v answers of a sure query sum to %v", n, b.S[at])
		}
	}
}

// TestCut: how a batch is cut into blocks, and so which games share their states,
// changes no game, nor does what the block was used for before.
func TestCut(t *testing.T) {
	for _, p := range problems() {
		d := p.Queries()
		theta := instances(6, d, rng.New(5))
		whole, part := &sim.Block{P: p, L: 4, Theta: theta}, &sim.Block{P: p, L: 4}
		playBlock(whole, rng.New(6), 0, choose(check.Wavy{P: p}))
		for lo := 0; lo < 6; {
			hi := min(6, lo+1+lo%3)
			part.Theta = theta[lo*d : hi*d]
			playBlock(part, rng.New(6), lo, choose(check.Wavy{P: p}))
			from, to := lo*4*d, hi*4*d
			if !slices.Equal(part.N, whole.N[from:to]) || !slices.Equal(part.S, whole.S[from:to]) {
				t.Fatalf("instances %d to %d play differently on their own", lo, hi)
			}
			lo = hi
		}
		// Fewer rollouts of an instance are the first of more.
		few := &sim.Block{P: p, L: 2, Theta: theta[:d]}
		playBlock(few, rng.New(6), 0, choose(check.Wavy{P: p}))
		if !slices.Equal(few.S, whole.S[:2*d]) {
			t.Error("two rollouts are not the first two of four")
		}
	}
}

func TestPlayBlockDoesNotAllocate(t *testing.T) {
	for _, p := range problems() {
		b := &sim.Block{P: p, L: 16, Theta: instances(8, p.Queries(), rng.New(7))}
		grad := make([]float64, len(b.Theta))
		ask := choose(check.Even{P: p})
		key := rng.New(8)
		play := func() {
			playBlock(b, key, 0, ask)
			b.Judge(game.SimpleRegret, grad)
		}
		if n := testing.AllocsPerRun(20, play); n != 0 && !check.PoolsDrop() {
			t.Errorf("%v allocations a block, want none after the first", n)
		}
	}
}

// TestStates: the final states of games have the probabilities that exact works
// out, each tested on its own.
func TestStates(t *testing.T) {
	for _, p := range []*game.Problem{check.Thresholds(2, 2), problems()[1]} {
		d := p.Queries()
		if p.AskOnce {
			p.T = 2
		}
		g, err := exact.New(p)
		if err != nil {
			t.Fatal(err)
		}
		theta := instances(1, d, rng.New(9))
		want := g.Value(check.Wavy{P: p}, game.SimpleRegret, theta)
		final := g.Batch(g.Inner(), g.States())
		const games, gap = 100_000, .03
		if games < check.Draws(0, 1, gap) {
			t.Fatal("too few games for the gap")
		}
		b := &sim.Block{P: p, L: games, Theta: theta}
		playBlock(b, rng.New(10), 0, choose(check.Wavy{P: p}))
		count := map[[10]float32]float64{}
		key := func(s game.States) (k [10]float32) {
			copy(k[:5], s.N)
			copy(k[5:], s.S)
			return k
		}
		all := game.States{N: b.N, S: b.S}
		for i := range games {
			count[key(all.Row(i, d))]++
		}
		for s := range g.States() - g.Inner() {
			got, want := count[key(final.Row(s, d))]/games, want.Reach[g.Inner()+s]
			if math.Abs(got-want) > gap/2 {
				t.Errorf("a state comes with frequency %v, want %v", got, want)
			}
		}
	}
}

// TestLoss: sim and exact agree on ℓ(π, θ) and on the expectation of ∇_θ L_T.
func TestLoss(t *testing.T) {
	for _, p := range problems() {
		g, err := exact.New(p)
		if err != nil {
			t.Fatal(err)
		}
		policy := check.Wavy{P: p}
		flow := g.Flow(policy)
		for _, loss := range game.Losses() {
			theta := instances(1, p.Queries(), rng.New(11).Name(loss.String()))
			b, block := &sim.Block{P: p, Theta: theta}, 0
			scale := loss.Scale(p)
			check.Mean(t, flow.Loss(loss, theta), 0, scale, .02*scale, func(dst []float64) {
				b.L = len(dst)
				playBlock(b, rng.New(12).At(block), 0, choose(policy))
				block++
				b.Judge(loss, nil)
				copy(dst, b.Loss)
			})
		}
	}
}

// TestJudge: losses and gradients are those of the recommendations, game by
// game.
func TestJudge(t *testing.T) {
	p := check.Thresholds(4, 6)
	b := &sim.Block{P: p, L: 3, Theta: instances(5, 4, rng.New(13))}
	playBlock(b, rng.New(14), 0, choose(check.Even{P: p}))
	for _, loss := range game.Losses() {
		got, want := make([]float64, 20), make([]float64, 20)
		b.Judge(loss, got)
		for g := range b.Games() {
			m := g / 3
			in := p.Instance(b.Theta[m*4 : m*4+4])
			scores := make([]float32, p.Hypotheses())
			p.Scores(scores, b.N[g*4:g*4+4], b.S[g*4:g*4+4])
			tie := check.Tie(len(scores), game.Recommend(nil, scores))
			if !slices.Equal(tie, b.Decision(g)) || b.Loss[g] != loss.Of(in, tie) {
				t.Errorf("game %d: loss %v of %v", g, b.Loss[g], b.Decision(g))
			}
			loss.AddGrad(want[m*4:m*4+4], p, in, tie, 1)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%v: gradients %v, want %v", loss, got, want)
		}
	}
}

func TestDraw(t *testing.T) {
	for _, c := range []struct {
		probs []float32
		u     float32
		want  int
	}{
		{[]float32{.25, .75}, 0, 0},
		{[]float32{.25, .75}, .2499, 0},
		{[]float32{.25, .75}, .25, 1},
		{[]float32{0, 1, 0}, 0, 1},
		{[]float32{0, 1, 0}, 1 - 0x1p-24, 1},
		{[]float32{.5, .4999, 0}, 1 - 0x1p-24, 1}, // rounding falls on the last that can be asked
	} {
		if got := sim.Draw(c.probs, c.u); got != c.want {
			t.Errorf("u = %v picks %d from %v, want %d", c.u, got, c.probs, c.want)
		}
	}
}

func TestBadBlockPanics(t *testing.T) {
	p := check.Thresholds(3, 2)
	for why, b := range map[string]*sim.Block{
		"theta of four entries": {P: p, L: 1, Theta: make([]float64, 4)},
		"no rollouts":           {P: p, Theta: make([]float64, 3)},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", why)
				}
			}()
			playBlock(b, rng.New(1), 0, choose(check.Even{P: p}))
		}()
	}
}
