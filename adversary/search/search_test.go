package search

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"mapo/difficulty"
	"mapo/game"
	"mapo/game/exact"
	"mapo/game/sim"
	"mapo/internal/check"
	"mapo/internal/suite"
	"mapo/policy/rival"
	"mapo/record"
	"mapo/rng"
)

// modest is an effort between smoke and desk.
var modest = Effort{
	Starts: 150, Screen: 8, Brood: 12, Generations: 2, Corners: 6, Islands: 4,
	Rungs:  []Rung{{16, 8, 32, .08, .03, 0}, {6, 12, 64, .05, .01, 0}, {2, 20, 128, .03, .004, 0}},
	Finals: 4, Replay: 600, Report: 4000, HalfWidth: .02, MaxReport: 20000,
}

func run(t *testing.T, s *Search) []record.Worst {
	t.Helper()
	worst, err := s.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	sound(t, s, worst)
	return worst
}

// sound checks what every result promises.
func sound(t *testing.T, s *Search, worst []record.Worst) {
	t.Helper()
	if len(worst) != len(s.Levels) {
		t.Fatalf("%d results for %d levels", len(worst), len(s.Levels))
	}
	for k, w := range worst {
		if w.Level != s.Levels[k] || w.Rho != s.C.Of(w.Theta) || w.Rho > w.Level*(1+1e-9) {
			t.Errorf("level %v: result is for %v with ρ̃ = %v, noted %v", s.Levels[k], w.Level, s.C.Of(w.Theta), w.Rho)
		}
		if !(w.Lo <= w.Mean && w.Mean <= w.Hi) || w.Games == 0 {
			t.Errorf("level %v: no proper estimate: %+v", w.Level, w.Estimate)
		}
		if k > 0 && w.Mean < worst[k-1].Mean {
			t.Errorf("the curve falls from %v to %v at level %v", worst[k-1].Mean, w.Mean, w.Level)
		}
	}
}

// brute is the greatest exact loss over a grid, at every level.
func brute(t *testing.T, p *game.Problem, policy game.Policy, loss game.Loss, levels, values []float64) []float64 {
	t.Helper()
	g, err := exact.New(p)
	if err != nil {
		t.Fatal(err)
	}
	flow := g.Flow(policy)
	worst := make([]float64, len(levels))
	c := game.RhoTilde(p)
	for _, theta := range exact.Grid(p, c, values, levels[len(levels)-1]) {
		x := flow.Loss(loss, theta)
		for k, r := range levels {
			if c.Of(theta) <= r {
				worst[k] = max(worst[k], x)
			}
		}
	}
	return worst
}

// The search is at least as bad for a policy as every instance of a grid, as
// played exactly, and its report is right where it stands.
func TestFindsWhatAGridHolds(t *testing.T) {
	p := check.Thresholds(5, 5)
	values := []float64{-.999, -.5, -.15, .15, .5, .999}
	levels := []float64{6, 16, 40}
	if testing.Short() {
		values = []float64{-.999, -.3, .3, .999}
	}
	g, err := exact.New(p)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"uniform", "uncertainty", "sgbs:0.1"} {
		policy, err := rival.Parse(p, game.BestIdentification, name)
		if err != nil {
			t.Fatal(err)
		}
		flow := g.Flow(policy)
		for _, loss := range game.Losses() {
			grid := brute(t, p, policy, loss, levels, values)
			worst := run(t, &Search{P: p, C: game.RhoTilde(p), Loss: loss, Policy: policy, Levels: levels, Effort: modest, Key: rng.New(5)})
			for k, w := range worst {
				truth := flow.Loss(loss, w.Theta)
				// Exact, so that only the search is judged: at most 2 % below the grid.
				if truth < .98*grid[k] {
					t.Errorf("%s, %v, r = %v: found %.4f, a grid holds %.4f", name, loss, w.Level, truth, grid[k])
				}
				// Intervals of 95 %, widened 2.5 times: 36 checks fail once in 10⁴ runs.
				if half := 2.5 * max(w.Mean-w.Lo, w.Hi-w.Mean); math.Abs(truth-w.Mean) > half {
					t.Errorf("%s, %v, r = %v: reported %.4f, exactly %.4f, outside ± %.4f", name, loss, w.Level, w.Mean, truth, half)
				}
			}
		}
	}
}

// TestArms: on arms with 𝒞_MAB the search finds what a grid holds, in Θ^(r) of that difficulty.
func TestArms(t *testing.T) {
	p := check.BestArm(3, 6)
	p.Difficulty = difficulty.MAB
	levels, policy := []float64{3, 9, 27}, rival.SuccessiveRejects(p)
	g, err := exact.New(p)
	if err != nil {
		t.Fatal(err)
	}
	flow, c := g.Decided(game.DeciderOf(p, policy)).Flow(policy), difficulty.Of(p)
	worst := run(t, &Search{P: p, C: c, Loss: game.BestIdentification, Policy: policy, Levels: levels, Effort: modest, Key: rng.New(5)})
	for k, w := range worst {
		truth, most := flow.Loss(game.BestIdentification, w.Theta), 0.
		for _, theta := range exact.Grid(p, c, []float64{-.999, -.6, -.2, .2, .6, .999}, levels[k]) {
			most = max(most, flow.Loss(game.BestIdentification, theta))
		}
		if truth < most-.01 || !game.Within(c.Of(w.Theta), levels[k]) {
			t.Errorf("r = %v: found %.4f of difficulty %.4g, a grid holds %.4f", w.Level, truth, c.Of(w.Theta), most)
		}
	}
}

// On the paper's thresholds a modest effort comes near what other programs'
// judges found, known to a few per cent.
func TestThresholdsYardstick(t *testing.T) {
	suite.Long(t, "plays some 100,000 games")
	p := check.Thresholds(25, 20)
	for _, c := range []struct {
		policy   string
		loss     game.Loss
		yard, by float64
	}{
		{"uniform", game.SimpleRegret, 2.05, .92},
		{"uniform", game.BestIdentification, .82, .96},
		{"uncertainty", game.SimpleRegret, 2.86, .92},
		{"uncertainty", game.BestIdentification, .69, .92},
		{"sgbs:0.1", game.SimpleRegret, 16, .85},
		{"sgbs:0.1", game.BestIdentification, .997, .99},
	} {
		policy, err := rival.Parse(p, game.BestIdentification, c.policy)
		if err != nil {
			t.Fatal(err)
		}
		worst := run(t, &Search{P: p, C: game.RhoTilde(p), Loss: c.loss, Policy: policy, Levels: []float64{16, 32}, Effort: modest, Key: rng.New(7)})
		if got := worst[1].Mean; got < c.by*c.yard || got > 1.06*c.yard {
			t.Errorf("%s, %v at r = 32: found %.3f, others %.3f", c.policy, c.loss, got, c.yard)
		}
	}
}

func TestWorkersChangeNothing(t *testing.T) {
	p := check.Random(8, 12, 6, rand.New(rand.NewPCG(1, 1)))
	effort, _ := Efforts("smoke")
	var bank Bank
	bank.Put([]float64{.9, -.9, .9, .9, -.9, .9, -.9, .9})
	s := Search{P: p, C: game.RhoTilde(p), Loss: game.SimpleRegret, Policy: check.Wavy{P: p}, Levels: []float64{10, 30}, Effort: effort, Bank: &bank, Key: rng.New(3), Workers: 1}
	one := run(t, &s)
	s.Workers = 3
	if three := run(t, &s); !reflect.DeepEqual(one, three) {
		t.Errorf("one worker found %v, three %v", one, three)
	}
	s.Key = rng.New(4)
	if other := run(t, &s); reflect.DeepEqual(one, other) {
		t.Error("the key changes nothing")
	}
}

// asked counts the states a policy is asked about.
type asked struct {
	game.Policy
	p *game.Problem
	n *atomic.Int64
}

func (a asked) Probs(dst []float32, s game.States) {
	a.n.Add(int64(s.Len(a.p.Queries())))
	a.Policy.Probs(dst, s)
}

// Work is in environment steps: those of games that share a state count each.
func TestSteps(t *testing.T) {
	p := check.Thresholds(4, 3)
	effort := Effort{Starts: 5, Screen: 8, Rungs: []Rung{{2, 3, 16, .1, .1, 0}}, Finals: 1, Replay: 10, Report: 100, MaxReport: 100}
	var states, steps atomic.Int64
	s := &Search{P: p, C: game.RhoTilde(p), Loss: game.SimpleRegret, Policy: asked{rival.Uniform(p), p, &states}, Levels: []float64{30}, Effort: effort, Steps: &steps, Key: rng.New(1)}
	run(t, s)
	// Five starts or fewer, one or two of them screened again, one or two once more before two climb at most, two corners or
	// fewer, the best played again, one to three candidates re-played four times, one report.
	if n := steps.Load(); n < states.Load() || n%3 != 0 || n > 3*(5*8+2*32+2*10+2*3*16+2*32+3*(2+10+30+80)+100) || n < 3*(8+32+10+3*16+2+10+30+80+100) {
		t.Errorf("%d steps counted, the policy was asked about %d states", n, states.Load())
	}
}

// Given rows are enumerated: the search must find the very worst.
func TestFinite(t *testing.T) {
	p := check.Thresholds(4, 4)
	c := game.RhoTilde(p)
	levels := []float64{6, 12, 30}
	policy := rival.Uniform(p)
	rows := exact.Grid(p, c, []float64{-1, -.6, .6, 1}, 100)
	rows = append(rows, []float64{0, 0, 0, 0}) // ρ̃ = ∞: in no level
	want := brute(t, p, policy, game.BestIdentification, levels, []float64{-1, -.6, .6, 1})
	g, err := exact.New(p)
	if err != nil {
		t.Fatal(err)
	}
	s := &Search{P: p, C: c, Loss: game.BestIdentification, Policy: policy, Levels: levels, Finite: rows, Key: rng.New(2)}
	for k, w := range run(t, s) {
		if got := g.Flow(policy).Loss(s.Loss, w.Theta); got < want[k]-.01 {
			t.Errorf("r = %v: took a row of loss %.4f, the worst has %.4f", w.Level, got, want[k])
		}
	}
	s.Levels = []float64{.5}
	if _, err := s.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "none of the") {
		t.Errorf("no row at that level: got error %v", err)
	}
}

// What another policy's search found is screened, polished and kept where it is
// worse than one's own. Of one's own instances that stay the estimates are new ones: an earlier
// one that says the loss is 9 is not believed.
func TestReplay(t *testing.T) {
	p := check.Thresholds(9, 8)
	c := game.RhoTilde(p)
	levels := []float64{8, 24}
	policy := rival.SGBS(p, .1)
	weak := Effort{Starts: 4, Screen: 4, Rungs: []Rung{{2, 1, 4, .01, .01, 0}}, Finals: 1, Replay: 200, Report: 2000, HalfWidth: .05, MaxReport: 4000}
	s := &Search{P: p, C: c, Loss: game.SimpleRegret, Policy: policy, Levels: levels, Effort: weak, Key: rng.New(1)}
	own := run(t, s)
	s.Effort, s.Key = modest, rng.New(2)
	better := run(t, s)
	s.Key = rng.New(3)
	var bank Bank
	bank.Add(better...)
	got, err := Replay(t.Context(), s, bank.Instances(), own)
	if err != nil {
		t.Fatal(err)
	}
	sound(t, s, got)
	for k := range levels {
		if got[k].Mean < .95*better[k].Mean {
			t.Errorf("r = %v: with the bank %.3f, alone %.3f, in the bank %.3f", levels[k], got[k].Mean, own[k].Mean, better[k].Mean)
		}
	}
	flattered := slices.Clone(better)
	for k := range flattered {
		flattered[k].Mean, flattered[k].Lo, flattered[k].Hi = 9, 9, 9
	}
	again, err := Replay(t.Context(), s, nil, flattered)
	if err != nil {
		t.Fatal(err)
	}
	sound(t, s, again)
	for k, w := range again {
		if !slices.Equal(w.Theta, better[k].Theta) || w.Hi < better[k].Lo || w.Lo > better[k].Hi {
			t.Errorf("nothing new, but %v became %v", better[k], w)
		}
	}
	if _, err := Replay(t.Context(), s, nil, nil); err == nil {
		t.Error("Replay of nothing gave no error")
	}
}

// An earlier result that is bad by many games is not lost among others that few games make look as bad. A mean of
// 12 × 40,000 games errs by some .001; were the others taken as they look, .018 would be lost.
func TestReplayAmongMany(t *testing.T) {
	p := check.Thresholds(9, 8)
	c := game.RhoTilde(p)
	s := &Search{P: p, C: c, Loss: game.BestIdentification, Policy: rival.Uniform(p), Levels: []float64{24}, Effort: modest, Key: rng.New(1)}
	earlier := run(t, s)
	var bank Bank
	for i := range 40 {
		theta := slices.Clone(earlier[0].Theta)
		for j := range theta {
			theta[j] *= 1.02 + .005*float64(i)
		}
		game.Clip(theta)
		if game.Within(c.Of(theta), 24) {
			bank.Put(theta)
		}
	}
	if n := len(bank.Instances()); n < 20 {
		t.Fatalf("%d easier instances, want at least 20", n)
	}
	truth, err := sim.Play{P: p, Policy: s.Policy}.Loss(t.Context(), s.Loss, earlier[0].Theta, 400_000, rng.New(9))
	if err != nil {
		t.Fatal(err)
	}
	s.Effort = Effort{Starts: 4, Screen: 4, Finals: 40, Replay: 16, Report: 40_000, MaxReport: 40_000}
	var below float64
	const keys = 12
	for i := range keys {
		s.Key = rng.New(uint64(10 + i))
		got, err := Replay(t.Context(), s, bank.Instances(), earlier)
		if err != nil {
			t.Fatal(err)
		}
		below += (truth.Mean - got[0].Mean) / keys
	}
	if below > .006 {
		t.Errorf("replays report %.4f less than is lost there on average", below)
	}
}

// Of trials near each other one is kept; of a finite Θ's, all of whose rows count, one of each.
func TestTop(t *testing.T) {
	var ts []*trial
	for i, at := range []float64{.5, .5, .5001, -.5, .5} {
		ts = append(ts, &trial{theta: []float64{at, at}, rho: 1, mean: float64(9 - i), games: 1})
	}
	for _, c := range []struct {
		finite [][]float64
		want   []float64
	}{{nil, []float64{.5, -.5}}, {[][]float64{{0, 0}}, []float64{.5, .5001, -.5}}} {
		h := &hunt{Search: &Search{Finite: c.finite}, Levels: []float64{2}, d: 2}
		var got []float64
		for _, o := range h.top(ts, 0, 9) {
			got = append(got, o.theta[0])
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("with finite %v it keeps %v, want %v", c.finite, got, c.want)
		}
	}
}

func TestBankIsUsed(t *testing.T) {
	p := check.Thresholds(9, 8)
	s := &Search{P: p, C: game.RhoTilde(p), Loss: game.SimpleRegret, Policy: rival.SGBS(p, .1), Levels: []float64{24}, Effort: modest, Key: rng.New(1)}
	strong := run(t, s)[0]
	s.Effort = Effort{Starts: 1, Screen: 200, Rungs: []Rung{{2, 1, 8, 1e-3, 1e-3, 0}}, Finals: 2, Replay: 500, Report: 4000, HalfWidth: .05, MaxReport: 4000}
	alone := run(t, s)[0]
	s.Bank = &Bank{Thetas: [][]float64{strong.Theta}}
	if with := run(t, s)[0]; with.Mean < .95*strong.Mean || with.Mean < alone.Mean {
		t.Errorf("with the bank %.3f, alone %.3f, in the bank %.3f", with.Mean, alone.Mean, strong.Mean)
	}
}

// A draft has half of the trials, each climbed as carefully, and an interval still below .01.
func TestDraft(t *testing.T) {
	whole, err := Efforts("desk")
	if err != nil {
		t.Fatal(err)
	}
	d := whole.Draft()
	if 2*d.Starts != whole.Starts || 2*d.Rungs[0].Keep != whole.Rungs[0].Keep || 2*d.Replay != whole.Replay || 2*d.MaxReport != whole.MaxReport {
		t.Errorf("%+v is no half of %+v", d, whole)
	}
	if d.Screen != whole.Screen || d.Rungs[0].Steps != whole.Rungs[0].Steps || d.Rungs[0].Games != whole.Rungs[0].Games || d.HalfWidth > .01 {
		t.Errorf("%+v takes less care than %+v", d, whole)
	}
	if !reflect.DeepEqual(d, (Effort{}).Draft()) {
		t.Error("the zero value's draft is not desk's")
	}
	if printed, err := Efforts("paper"); err != nil || !reflect.DeepEqual(printed, printed.Draft()) {
		t.Errorf("Appendix E's schedule as a draft: %+v, %v", printed.Draft(), err)
	}
}

// A fine effort differs in what it reports by, alone.
func TestFine(t *testing.T) {
	want, err := Efforts("desk")
	if err != nil {
		t.Fatal(err)
	}
	fine := want.Fine()
	want.HalfWidth, want.MaxReport = want.HalfWidth/2, 2*want.MaxReport
	if !reflect.DeepEqual(fine, want) || !reflect.DeepEqual(fine, (Effort{}).Fine()) {
		t.Errorf("%+v is no finer report of desk", fine)
	}
	if most := .5 * 1.96 / fine.HalfWidth; most*most > float64(fine.MaxReport) {
		t.Errorf("%d games do not bring what is hard to identify to ± %g: %.0f would", fine.MaxReport, fine.HalfWidth, most*most)
	}
}

func TestBadSearches(t *testing.T) {
	p := check.Thresholds(5, 5)
	effort, _ := Efforts("smoke")
	for _, c := range []struct {
		levels []float64
		want   string
	}{
		{nil, "no levels"},
		{[]float64{8, 8}, "not positive and increasing"},
		{[]float64{math.NaN()}, "not positive and increasing"},
		{[]float64{8, math.Inf(1)}, "not positive and increasing"},
		{[]float64{.5, 8}, "no instance of difficulty at most 0.5"},
	} {
		s := &Search{P: p, C: game.RhoTilde(p), Policy: rival.Uniform(p), Levels: c.levels, Effort: effort}
		if _, err := s.Run(t.Context()); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("levels %v: error %v, want one with %q", c.levels, err, c.want)
		}
	}
	if _, err := Efforts("huge"); err == nil {
		t.Error("an unknown effort gave no error")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s := &Search{P: p, C: game.RhoTilde(p), Policy: rival.Uniform(p), Levels: []float64{8}, Effort: effort}
	if _, err := s.Run(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: got %v", err)
	}
}

// A large table of any shape is searched within its effort, ask-once or not.
func TestLargeTable(t *testing.T) {
	p := check.Random(100, 200, 20, rand.New(rand.NewPCG(9, 9)))
	p.AskOnce = true
	effort, _ := Efforts("smoke")
	least := difficulty.Least(p)
	run(t, &Search{P: p, C: game.RhoTilde(p), Loss: game.SimpleRegret, Policy: rival.Uniform(p), Levels: []float64{1.5 * least, 6 * least}, Effort: effort, Key: rng.New(1)})
}

// The climber's gradient, times the factor it leaves out, is ∇ℓ on average:
// against exact's, with tolerance 6 standard errors, so that 8 checks fail less
// than once in 10⁷ runs.
func TestClimbGradient(t *testing.T) {
	p := check.Thresholds(4, 4)
	theta := []float64{.6, .1, -.4, -.7}
	g, err := exact.New(p)
	if err != nil {
		t.Fatal(err)
	}
	for _, loss := range game.Losses() {
		policy := check.Wavy{P: p}
		want := make([]float64, 4)
		g.Flow(policy).Grad(want, loss, theta)
		s := &Search{P: p, C: game.RhoTilde(p), Loss: loss, Policy: policy, Levels: []float64{100}}
		h, err := s.hunt(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		c := newClimber(h)
		c.b.L, c.b.Theta = 16, theta
		var sums [4]sim.Sum
		for rep := range 2000 {
			c.b.Play(t.Context(), h.Policy, rng.New(11).At(rep), 0)
			c.direct = make([]float64, 4)
			c.b.Judge(loss, c.direct)
			c.gradient(0)
			for i, v := range c.grad {
				sums[i].Add(v / (1 - theta[i]*theta[i]))
			}
		}
		for i, sum := range sums {
			n := float64(sum.N)
			se := math.Sqrt((sum.XX/n - sum.Mean()*sum.Mean()) / n)
			if math.Abs(sum.Mean()-want[i]) > 6*se {
				t.Errorf("%v: ∂ℓ/∂θ_%d is %.4f ± %.4f, exactly %.4f", loss, i, sum.Mean(), se, want[i])
			}
		}
	}
}

// A ladder finer than factors of 2 gets what one of factors of 2 would.
func TestEffortOver(t *testing.T) {
	desk, _ := Efforts("desk")
	if got := desk.Over([]float64{8, 16, 32, 64, 128}); !reflect.DeepEqual(got, desk) {
		t.Errorf("factors of 2: %+v, want all of %+v", got, desk)
	}
	var fine []float64
	for i := range 9 {
		fine = append(fine, math.Pow(2, 3+float64(i)/2))
	}
	got := desk.Over(fine)
	if got.Starts != 356 || got.Brood != 22 || got.Finals != 3 || got.Rungs[0].Keep != 27 || got.Rungs[3].Keep != 1 || got.Rungs[3].Steps != 22 || got.Report != desk.Report {
		t.Errorf("factors of √2: %+v, want 5/9 of the counts of %+v", got, desk)
	}
	if desk.Rungs[0].Keep != 48 {
		t.Error("the effort it was made from has changed")
	}
	if paper, _ := Efforts("paper"); !reflect.DeepEqual(paper.Over(fine), paper) {
		t.Error("App. E's schedule has changed")
	}
	if one := desk.Over([]float64{5}); !reflect.DeepEqual(one, desk) {
		t.Errorf("one level: %+v", one)
	}
}

func TestReportGames(t *testing.T) {
	e := Effort{Report: 100, HalfWidth: .01, MaxReport: 50000}
	half := sim.Sum{N: 1000, X: 500, XX: 500}
	if n := e.games(game.BestIdentification, half); n < 9604 || n > 12000 {
		t.Errorf("%d games for a half-width of .01 at ½, want 9,604 and a little more", n)
	}
	if n := e.games(game.BestIdentification, sim.Sum{N: 1000}); n != 100 {
		t.Errorf("%d games where nothing varies, want the least", n)
	}
	four := sim.Sum{N: 1000, X: 4000, XX: 17000} // variance 1, wanted to ± .04: a hundredth of the mean
	if n := e.games(game.SimpleRegret, four); n < 2401 || n > 3000 {
		t.Errorf("%d games for a half-width of a hundredth of a mean of 4, want 2,401 and a little more", n)
	}
	wide := sim.Sum{N: 1000, X: 2000, XX: 400000}
	if n := e.games(game.SimpleRegret, wide); n != 50000 {
		t.Errorf("%d games, want the most", n)
	}
}

// However weak a search, of what it and the bank hold it reports what is nearly the
// worst there is, whatever the streams: it distinguishes instances that are nearly alike. The
// halvings reach 0.986 and 0.993 of it on average.
func TestFinal(t *testing.T) {
	p := check.Thresholds(5, 5)
	g, err := exact.New(p)
	if err != nil {
		t.Fatal(err)
	}
	const level = 16
	policy, c := rival.Uniform(p), game.RhoTilde(p)
	flow := g.Flow(policy)
	weak := Effort{Starts: 4, Screen: 12, Rungs: []Rung{{2, 2, 16, .01, .01, 0}}, Finals: 6, Replay: 1000, Report: 100, MaxReport: 100}
	for _, loss := range game.Losses() {
		var bank Bank
		for i, theta := range exact.Grid(p, c, []float64{-.9, -.4, .4, .9}, level) {
			if i%7 == 0 {
				bank.Put(theta)
			}
		}
		worst := brute(t, p, policy, loss, []float64{level}, []float64{-.999, -.5, -.15, .15, .5, .999})[0]
		const seeds = 10
		var mean float64
		for seed := range uint64(seeds) {
			s := &Search{P: p, C: c, Loss: loss, Policy: policy, Levels: []float64{level}, Effort: weak, Bank: &bank, Key: rng.New(seed)}
			mean += flow.Loss(loss, run(t, s)[0].Theta) / seeds
		}
		if mean < .97*worst {
			t.Errorf("%v: a bank of %d and the grid's worst loses %.4f, but those reported %.4f on average", loss, len(bank.Instances()), worst, mean)
		}
	}
}

// What a search will play is foretold within a factor of two.
func TestEffortGames(t *testing.T) {
	p := check.Thresholds(9, 8)
	for _, name := range []string{"smoke", "desk"} {
		if suite.Reduced() && name == "desk" {
			continue
		}
		for _, levels := range [][]float64{{12}, {6, 8, 12, 17}} {
			e, err := Efforts(name)
			if err != nil {
				t.Fatal(err)
			}
			var steps atomic.Int64
			s := Search{P: p, C: game.RhoTilde(p), Loss: game.BestIdentification, Policy: rival.Uncertainty(p), Levels: levels, Effort: e, Key: rng.New(1), Steps: &steps}
			if _, err := s.Run(t.Context()); err != nil {
				t.Fatal(err)
			}
			got, want := e.Games(levels), int(steps.Load())/p.T
			t.Logf("%s at %v: %d foretold, %d played", name, levels, got, want)
			if got > 2*want || want > 2*got {
				t.Errorf("%s at %v: %d games foretold, %d played", name, levels, got, want)
			}
		}
	}
}

// A search of few levels makes more of them, in the widest gaps below and between, and
// none where there are enough or only given rows count.
func TestIslands(t *testing.T) {
	p := check.Thresholds(9, 8)
	for _, c := range []struct {
		levels []float64
		finite [][]float64
		want   int
	}{
		{[]float64{12}, nil, 5},
		{[]float64{12, 1000}, nil, 5},
		{[]float64{4.2}, nil, 1}, // no room
		{[]float64{6, 8, 12, 17, 24}, nil, 5},
		{[]float64{12}, [][]float64{make([]float64, 9)}, 1},
	} {
		s := Search{P: p, C: game.RhoTilde(p), Policy: check.Even{P: p}, Levels: c.levels, Finite: c.finite}
		h, err := s.hunt(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if len(h.Levels) != c.want {
			t.Errorf("%v is searched at %v, want %d levels", c.levels, h.Levels, c.want)
		}
		below := difficulty.Least(p)
		for _, r := range h.Levels {
			if asked := slices.Contains(c.levels, r); !asked && r < 1.15*below {
				t.Errorf("%v is searched at %v: %v is too near what is below it", c.levels, h.Levels, r)
			}
			below = r
		}
		for _, r := range c.levels {
			if !slices.Contains(h.Levels, r) {
				t.Errorf("%v is searched at %v, without %v", c.levels, h.Levels, r)
			}
		}
	}
}

// What training adds is within the levels, the lowest's first, and none twice; of given rows
// nothing but them.
func TestFinds(t *testing.T) {
	p := check.Thresholds(6, 6)
	s := Search{P: p, C: game.RhoTilde(p), Loss: game.BestIdentification, Policy: rival.Uncertainty(p), Levels: []float64{6, 20}, Effort: modest, Key: rng.New(1)}
	finds, err := s.Finds(t.Context(), 3)
	if err != nil {
		t.Fatal(err)
	}
	if len(finds) < 4 || len(finds) > 6 {
		t.Fatalf("%d finds, want 3 a level but for those of both", len(finds))
	}
	for i, f := range finds {
		if !game.Within(f.Rho, 20) || f.Rho != s.C.Of(f.Theta) {
			t.Errorf("find %d has difficulty %v and says %v", i, s.C.Of(f.Theta), f.Rho)
		}
		for _, o := range finds[:i] {
			if apart(o.Theta, f.Theta) == 0 {
				t.Errorf("find %d is given twice", i)
			}
		}
	}
	if !game.Within(finds[0].Rho, s.Levels[0]) {
		t.Errorf("the first find has difficulty %v, want one of level %v", finds[0].Rho, s.Levels[0])
	}
	for _, f := range finds { // as hard, and hardly what a search comes to by itself
		row := slices.Clone(f.Theta)
		mirror(nil, row, nil, nil)
		s.Finite = append(s.Finite, row)
	}
	finds, err = s.Finds(t.Context(), 3)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range finds {
		if !slices.ContainsFunc(s.Finite, func(row []float64) bool { return slices.Equal(row, f.Theta) }) {
			t.Errorf("%v is none of the given rows", f.Theta)
		}
	}
}

// Worse takes levels one by one: a search may have had some of them alone. What is found at
// one counts above it too. Instead takes what loses less, too.
func TestWorse(t *testing.T) {
	at := func(level, mean float64) record.Worst {
		return record.Worst{Level: level, Estimate: record.Estimate{Mean: mean}}
	}
	first := []record.Worst{at(8, .1), at(16, .3), at(32, .4), at(64, .7)}
	got := Worse(first, []record.Worst{at(16, .2)}, []record.Worst{at(16, .5), at(64, .6)})
	want := []record.Worst{at(8, .1), at(16, .5), at(32, .5), at(64, .7)}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	got = Instead(first, []record.Worst{at(16, .2), at(32, .05)})
	want = []record.Worst{at(8, .1), at(16, .2), at(32, .2), at(64, .7)}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %v instead, want %v", got, want)
	}
	if first[1].Mean != .3 {
		t.Error("the first search's results were changed")
	}
}
