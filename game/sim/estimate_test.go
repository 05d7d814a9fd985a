package sim_test

import (
	"context"
	"errors"
	"math"
	"reflect"
	"slices"
	"sync/atomic"
	"testing"

	"mapo/game"
	"mapo/game/exact"
	"mapo/game/sim"
	"mapo/internal/check"
	"mapo/rng"
)

// TestEach: every block is worked once and merged once, in order, on its own
// worker's scratch.
func TestEach(t *testing.T) {
	for _, workers := range []int{0, 1, 2, 7, 100} {
		const n = 57
		var made atomic.Int32
		var merged []int
		err := sim.Each(t.Context(), n, workers, func() *int { made.Add(1); return new(int) },
			func(w *int, block int) { *w = 3 * block },
			func(w *int, block int) {
				if *w != 3*block {
					t.Errorf("block %d is merged with the work %d", block, *w)
				}
				merged = append(merged, block)
			})
		if err != nil || len(merged) != n || !slices.IsSorted(merged) || slices.Max(merged) != n-1 {
			t.Errorf("%d workers: merged %v, %v", workers, merged, err)
		}
		if workers > 0 && int(made.Load()) != min(workers, n) {
			t.Errorf("%d workers made, want %d", made.Load(), min(workers, n))
		}
	}
	if err := sim.Each(t.Context(), 0, 2, func() int { return 0 }, nil, nil); err != nil {
		t.Error("no blocks:", err)
	}
}

// adder is a worker that adds up the numbers of its blocks.
type adder struct {
	sum  *int
	last int
}

func (a *adder) Work(block int) { a.last = block }
func (a *adder) Merge(int)      { *a.sum += a.last }

// TestCrew: a crew keeps its workers' scratch, and its loops allocate nothing.
func TestCrew(t *testing.T) {
	sum := 0
	all := []sim.Worker{&adder{sum: &sum}, &adder{sum: &sum}, &adder{sum: &sum}}
	var c sim.Crew
	for _, workers := range []int{1, 3, 2, 3} {
		sum, c.Workers = 0, all[:workers]
		if err := c.Each(t.Context(), 20); err != nil || sum != 190 {
			t.Errorf("%d workers: sum %d, want 190; %v", workers, sum, err)
		}
	}
	if err := c.Each(t.Context(), 2); err != nil || sum != 191 {
		t.Errorf("2 blocks more for 3 workers: sum %d, want 191; %v", sum, err)
	}
	if n := testing.AllocsPerRun(20, func() { _ = c.Each(t.Context(), 20) }); n != 0 {
		t.Errorf("%v allocations a loop, want none", n)
	}
}

func TestEachCancelled(t *testing.T) {
	for _, workers := range []int{1, 3} {
		ctx, cancel := context.WithCancel(t.Context())
		done := 0
		err := sim.Each(ctx, 100, workers, func() int { return 0 }, func(int, int) {}, func(_, block int) {
			if done++; block == 10 {
				cancel()
			}
		})
		if !errors.Is(err, context.Canceled) || done < 11 || done == 100 {
			t.Errorf("%d workers: %v after %d blocks", workers, err, done)
		}
	}
}

// TestEachHalfDone: a block that ctx's end finds at work is not merged.
func TestEachHalfDone(t *testing.T) {
	for _, workers := range []int{1, 3} {
		ctx, cancel := context.WithCancel(t.Context())
		_ = sim.Each(ctx, 10, workers, func() int { return 0 }, func(_, block int) {
			if block == 4 {
				cancel()
			}
		}, func(_, block int) {
			if block >= 4 {
				t.Errorf("%d workers: block %d is merged", workers, block)
			}
		})
	}
}

// ledger remembers the blocks of Instances.
type ledger struct {
	past, noted [][]sim.Sum
}

func (l *ledger) Recall(sums []sim.Sum) bool {
	if len(l.past) == 0 {
		return false
	}
	copy(sums, l.past[0])
	l.past = l.past[1:]
	return true
}

func (l *ledger) Note(sums []sim.Sum) { l.noted = append(l.noted, slices.Clone(sums)) }

// TestLedger: blocks that are remembered are not played, those behind them are, and
// the sums are the same.
func TestLedger(t *testing.T) {
	p := check.Thresholds(3, 4)
	for _, c := range []struct{ m, l int }{{3, 5}, {300, 3}, {2, 600}} {
		theta := instances(c.m, 3, rng.New(20))
		played := func(l *ledger) ([][]sim.Sum, [][]sim.Sum) {
			play := sim.Play{P: p, Policy: check.Wavy{P: p}, Workers: 2, Ledger: l}
			sums, err := play.Instances(t.Context(), theta, c.l, rng.New(21), game.Losses()...)
			if err != nil {
				t.Fatal(err)
			}
			return sums, l.noted
		}
		want, all := played(new(ledger))
		for n := range len(all) + 1 {
			got, rest := played(&ledger{past: all[:n]})
			if !reflect.DeepEqual(got, want) || !slices.EqualFunc(rest, all[n:], slices.Equal) {
				t.Errorf("%d × %d games, %d blocks of %d remembered: %v of %d played ones, want %v", c.m, c.l, n, len(all), got, len(rest), want)
			}
		}
	}
}

// TestWorkers: their number changes no byte, whatever the shape.
func TestWorkers(t *testing.T) {
	for _, p := range problems() {
		for _, c := range []struct{ m, l int }{{1, 1}, {3, 5}, {700, 1}, {2, 600}, {5, 256}} {
			theta := instances(c.m, p.Queries(), rng.New(20))
			var want [][]sim.Sum
			for _, workers := range []int{1, 2, 5} {
				play := sim.Play{P: p, Policy: check.Wavy{P: p}, Workers: workers}
				got, err := play.Instances(t.Context(), theta, c.l, rng.New(21), game.Losses()...)
				if err != nil {
					t.Fatal(err)
				}
				if want == nil {
					want = got
				}
				for i := range got {
					if !slices.Equal(got[i], want[i]) || len(got[i]) != c.m || got[i][c.m-1].N != c.l {
						t.Errorf("%d × %d games on %d workers: %v, want %v", c.m, c.l, workers, got[i], want[i])
					}
				}
			}
		}
	}
}

// TestInstances: sums are of each instance's own games, more than a block of
// them too.
func TestInstances(t *testing.T) {
	p := check.Thresholds(3, 4)
	g, err := exact.New(p)
	if err != nil {
		t.Fatal(err)
	}
	flow := g.Flow(check.Wavy{P: p})
	const l, gap = 40_000, .05
	if l < check.Draws(0, 1, gap) {
		t.Fatal("too few games for the gap")
	}
	theta := instances(4, 3, rng.New(22))
	play := sim.Play{P: p, Policy: check.Wavy{P: p}}
	sums, err := play.Instances(t.Context(), theta, l, rng.New(23), game.Losses()...)
	if err != nil {
		t.Fatal(err)
	}
	for i, loss := range game.Losses() {
		for m := range 4 {
			want := flow.Loss(loss, theta[m*3:m*3+3])
			if got := sums[i][m].Mean(); math.Abs(got-want) > gap/2*loss.Scale(p) {
				t.Errorf("%v of instance %d is %v, want %v", loss, m, got, want)
			}
		}
	}
	e, err := play.Loss(t.Context(), game.SimpleRegret, theta[:3], l, rng.New(23))
	if err != nil || e.Mean != sums[1][0].Mean() || e.Games != l {
		t.Errorf("Loss gives %+v, %v; Instances %v", e, err, sums[1][0])
	}
}

// An average over more games than are in memory at a time is one over all of them, each instance and its game with
// streams of its own.
func TestLongAverage(t *testing.T) {
	p := check.Thresholds(3, 4)
	const games = 2*16384 + 1000
	play, prior, key := sim.Play{P: p, Policy: check.Wavy{P: p}}, game.Flip(p, .7), rng.New(5)
	theta := make([]float64, games*3)
	for m := range games {
		prior.Draw(theta[m*3:(m+1)*3], key.Name("theta").At(m).Rand())
	}
	sums, err := play.Instances(t.Context(), theta, 1, key.Name("games"), game.Losses()...)
	if err != nil {
		t.Fatal(err)
	}
	got, err := play.Average(t.Context(), prior, games, key, game.Losses()...)
	if err != nil {
		t.Fatal(err)
	}
	for i, loss := range game.Losses() {
		var s sim.Sum
		for _, one := range sums[i] {
			s.Merge(one)
		}
		if want := s.Estimate(loss.Scale(p)); !reflect.DeepEqual(got[i], want) {
			t.Errorf("%v: %+v, all at once %+v", loss, got[i], want)
		}
	}
}

// TestParts: an instance with more games than a block holds has fresh games in
// every block.
func TestParts(t *testing.T) {
	p := check.Thresholds(4, 6)
	play := sim.Play{P: p, Policy: check.Even{P: p}}
	theta := instances(1, 4, rng.New(25))
	sum := func(l int) sim.Sum {
		s, err := play.Instances(t.Context(), theta, l, rng.New(26), game.SimpleRegret)
		if err != nil {
			t.Fatal(err)
		}
		return s[0][0]
	}
	if one, two := sum(256), sum(512); two.X == 2*one.X {
		t.Errorf("512 games have twice the losses of 256: %v", one.X)
	}
}

// TestAverage: over the noiseless prior, the mean over the hypotheses.
func TestAverage(t *testing.T) {
	p := check.BestArm(3, 2)
	g, err := exact.New(p)
	if err != nil {
		t.Fatal(err)
	}
	flow := g.Flow(check.Even{P: p})
	const games, gap = 100_000, .03
	if games < check.Draws(0, 1, gap) {
		t.Fatal("too few games for the gap")
	}
	es, err := sim.Play{P: p, Policy: check.Even{P: p}}.Average(t.Context(), game.Noiseless(p), games, rng.New(24), game.Losses()...)
	if err != nil {
		t.Fatal(err)
	}
	for i, loss := range game.Losses() {
		var want float64
		for k := range 3 {
			theta := []float64{-1, -1, -1}
			theta[k] = 1
			want += flow.Loss(loss, theta) / 3
		}
		e := es[i]
		if math.Abs(e.Mean-want) > gap/2*loss.Scale(p) || e.Lo > e.Mean || e.Hi < e.Mean || e.Games != games {
			t.Errorf("%v: %+v, want %v", loss, e, want)
		}
	}
}

func TestEstimateEdges(t *testing.T) {
	var none sim.Sum
	if e := none.Estimate(2); !math.IsNaN(e.Mean) || e.Lo != 0 || e.Hi != 2 || len(e.Warnings) != 1 {
		t.Errorf("no games: %+v", e)
	}
	for _, x := range []float64{0, 1} {
		for _, scale := range []float64{1, 5} {
			var s sim.Sum
			for range 100 {
				s.Add(x)
			}
			e := s.Estimate(scale)
			if e.Mean != x || e.Lo > x || e.Hi < x || e.Lo < 0 || e.Hi > scale || e.Hi <= e.Lo || e.Games != 100 || e.Confidence != sim.Confidence {
				t.Errorf("100 losses of %v on a scale of %v: %+v", x, scale, e)
			}
		}
	}
}

// TestSum: parts merged are the whole.
func TestSum(t *testing.T) {
	var whole, a, b sim.Sum
	for i := range 10 {
		x := float64(i*i%7) / 4
		whole.Add(x)
		if i < 4 {
			a.Add(x)
		} else {
			b.Add(x)
		}
	}
	if a.Merge(b); a != whole || whole.N != 10 {
		t.Errorf("%+v merged, %+v whole", a, whole)
	}
}

// TestSame: with the same draws, equal instances lose equally, one loses the same beside whichever others and with
// any number of workers, and on average what it loses in games of its own.
func TestSame(t *testing.T) {
	p := check.Thresholds(4, 5)
	theta := []float64{.3, .2, -.4, -.5}
	many := slices.Concat(theta, []float64{.9, -.2, .4, -.5}, slices.Repeat(theta, 70))
	const games = 2001
	play := sim.Play{P: p, Policy: check.Wavy{P: p}, Same: true, Workers: 3}
	sums, err := play.Instances(t.Context(), many, games, rng.New(1), game.BestIdentification)
	if err != nil {
		t.Fatal(err)
	}
	for m, s := range sums[0] {
		if (s == sums[0][0]) == (m == 1) || s.N != games {
			t.Errorf("instance %d: %+v, the first has %+v", m, s, sums[0][0])
		}
	}
	play.Workers = 1
	alone, err := play.Instances(t.Context(), theta, games, rng.New(1), game.BestIdentification)
	if err != nil || alone[0][0] != sums[0][0] {
		t.Errorf("alone it has %+v, beside others %+v (%v)", alone[0][0], sums[0][0], err)
	}
	play.Same = false
	own, err := play.Instances(t.Context(), theta, 50*games, rng.New(2), game.BestIdentification)
	if err != nil {
		t.Fatal(err)
	}
	if diff := own[0][0].Mean() - alone[0][0].Mean(); math.Abs(diff) > 3*.5/math.Sqrt(games) {
		t.Errorf("games of its own lose %v more", diff)
	}
}

// untilThird ends a context at its third call.
type untilThird struct {
	check.Wavy
	asked  *int
	cancel func()
}

func (u untilThird) Probs(dst []float32, s game.States) {
	if *u.asked++; *u.asked == 3 {
		u.cancel()
	}
	u.Wavy.Probs(dst, s)
}

// TestInstancesEndWithinABlock: once ctx ends a policy is not asked again, not even for the rest of the block under way.
func TestInstancesEndWithinABlock(t *testing.T) {
	p := problems()[0]
	ctx, cancel := context.WithCancel(t.Context())
	asked := 0
	play := sim.Play{P: p, Workers: 1, Policy: untilThird{check.Wavy{P: p}, &asked, cancel}}
	if _, err := play.Instances(ctx, instances(2, p.Queries(), rng.New(1)), 64, rng.New(2), game.BestIdentification); !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v, want %v", err, context.Canceled)
	}
	if asked != 3 || p.T < 4 {
		t.Errorf("the policy was asked %d times in games of %d answers, want 3", asked, p.T)
	}
}
