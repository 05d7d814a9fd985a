package judge

import (
	"context"
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"mapo/adversary/search"
	"mapo/game"
	"mapo/game/exact"
	"mapo/game/sim"
	"mapo/internal/check"
	"mapo/policy/rival"
	"mapo/record"
	"mapo/rng"
)

// bare is a curve over levels 1, 2, … with the given estimates.
func bare(name string, es ...record.Estimate) Curve {
	c := Curve{Policy: name}
	for k, e := range es {
		c.Worst = append(c.Worst, record.Worst{Level: float64(k + 1), Estimate: e})
	}
	return c
}

// about is mean ± half from 100 games.
func about(mean, half float64) record.Estimate {
	return record.Estimate{Mean: mean, Lo: mean - half, Hi: mean + half, Confidence: sim.Confidence, Games: 100}
}

func TestBenchmarks(t *testing.T) {
	for _, c := range []struct {
		why    string
		curves []Curve
		want   []float64
		by     []int
	}{
		{"one policy is its own benchmark", []Curve{bare("a", about(.2, 0), about(.4, 0))}, []float64{.2, .4}, []int{0, 0}},
		{"the least of each level", []Curve{bare("a", about(.1, 0), about(.4, 0)), bare("b", about(.2, 0), about(.3, 0))}, []float64{.1, .3}, []int{0, 1}},
		{"of two as good the first", []Curve{bare("a", about(.1, 0)), bare("b", about(.1, 0))}, []float64{.1}, []int{0}},
		{"what a policy reaches at the top it has below too", []Curve{bare("a", about(.5, 0), about(.6, 0), about(.4, 0))}, []float64{.4, .4, .4}, []int{0, 0, 0}},
	} {
		if got := Holders(c.curves); !slices.Equal(got, c.by) {
			t.Errorf("%s: held by %v, want %v", c.why, got, c.by)
		}
		if got := Benchmarks(c.curves); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %v, want %v", c.why, got, c.want)
		}
	}
}

func TestGaps(t *testing.T) {
	learned, other, named := bare("pi-1", about(.30, .03), about(.50, .03)), bare("pi-2", about(.34, .04), about(.44, .04)), bare("rival", about(.40, .04), about(.40, .03))
	gaps := Gaps([]Curve{learned, other, named})
	const wide = 2.241402728 / 1.959963985 // normal quantiles of .9875 and .975: the best of two others
	for _, c := range []struct {
		why         string
		got         record.Estimate
		mean, lo, h float64
	}{
		{"the best has none, and as much as its interval allows", gaps[0][0], 0, 0, .01},
		{"against the best, distances as root of the sum of squares", gaps[1][0], .04, 0, .09},
		{"a gap that is certain", gaps[2][0], .10, .10 - wide*.05, .15},
		{"a rival that is best sets the mark", gaps[0][1], .10, .10 - wide*math.Hypot(.03, .03), .10 + math.Hypot(.03, .03)},
		{"and has none", gaps[2][1], 0, 0, .01},
	} {
		for what, x := range map[string][2]float64{"mean": {c.got.Mean, c.mean}, "lo": {c.got.Lo, c.lo}, "hi": {c.got.Hi, c.h}} {
			if math.Abs(x[0]-x[1]) > 1e-9 {
				t.Errorf("%s: %s is %v, want %v", c.why, what, x[0], x[1])
			}
		}
		if c.got.Confidence != sim.Confidence || c.got.Games != 100 {
			t.Errorf("%s: %+v", c.why, c.got)
		}
	}
	// Against the least mean alone: another policy's narrower interval is no reason to be surer of a gap.
	blurred := Gaps([]Curve{bare("best", about(.30, .10)), bare("sure", about(.31, .01)), bare("mine", about(.40, .04))})[2][0]
	if math.Abs(blurred.Mean-.1) > 1e-9 || blurred.Lo != 0 || math.Abs(blurred.Hi-(.1+math.Hypot(.04, .10))) > 1e-9 {
		t.Errorf("the gap to a policy that is best by a wide interval is %+v, want .1 from 0 to %.4f", blurred, .1+math.Hypot(.04, .10))
	}
	if alone := Gaps([]Curve{learned})[0][1]; alone.Mean != 0 || alone.Lo != 0 || alone.Hi != 0 {
		t.Errorf("a policy alone has a gap of %+v", alone)
	}
}

// TestGapsOfShortSearches: no other policy's upper end is against what a short search found at that level, unless it is the least.
func TestGapsOfShortSearches(t *testing.T) {
	mine, best, wide := bare("mine", about(.40, .03), about(.40, .03)), bare("best", about(.30, .04), about(.30, .04)), bare("short", about(.35, .20), about(.35, .20))
	wide.Short = []bool{true, false}
	gaps := Gaps([]Curve{mine, best, wide})
	if hi := gaps[0][0].Hi; math.Abs(hi-.15) > 1e-9 {
		t.Errorf("the upper end is %v, want .15", hi)
	}
	if hi := gaps[0][1].Hi; hi < .25 {
		t.Errorf("where it was searched in full the upper end is %v", hi)
	}
	best.Short = []bool{true, true}
	if hi := Gaps([]Curve{mine, best})[0][0].Hi; math.Abs(hi-.15) > 1e-9 {
		t.Errorf("against the least the upper end is %v, want .15", hi)
	}
}

// TestGapsOfEveryPolicy: gaps are not against the learned policies alone, and
// another policy never makes one smaller.
func TestGapsOfEveryPolicy(t *testing.T) {
	r := rng.New(1).Rand()
	random := func(name string) Curve {
		return bare(name, about(r.Float64(), .1*r.Float64()), about(r.Float64(), .1*r.Float64()))
	}
	curves := []Curve{random("a")}
	before := Gaps(curves)
	for range 50 {
		curves = append(curves, random("more"))
		after := Gaps(curves)
		for p := range before {
			for k, e := range before[p] {
				if a := after[p][k]; a.Mean < e.Mean || a.Hi < e.Hi {
					t.Fatalf("with one policy more, gap %+v became %+v", e, a)
				}
			}
		}
		for p := range after {
			for k, e := range after[p] {
				if !(0 <= e.Lo && e.Lo <= e.Mean && e.Mean <= e.Hi) {
					t.Fatalf("policy %d, level %d: %+v is no interval", p, k, e)
				}
			}
		}
		before = after
	}
}

func TestBadCurvesPanic(t *testing.T) {
	for why, curves := range map[string][]Curve{
		"no curves":        nil,
		"number of levels": {bare("a", about(1, 0)), bare("b", about(1, 0), about(1, 0))},
		"another level":    {bare("a", about(1, 0)), {Policy: "b", Worst: []record.Worst{{Level: 7}}}},
	} {
		for name, f := range map[string]func(){"Benchmarks": func() { Benchmarks(curves) }, "Gaps": func() { Gaps(curves) }} {
			func() {
				defer func() {
					if x, ok := recover().(string); !ok || !strings.HasPrefix(x, "judge: ") {
						t.Errorf("%s, %s: recovered %v", name, why, x)
					}
				}()
				f()
			}()
		}
	}
}

// small is a problem that [exact] plays in no time, the policies that are
// measured on it, and their exact flows.
func small(t *testing.T) (*game.Problem, []game.Policy, []*exact.Flow) {
	t.Helper()
	p := check.Thresholds(3, 4)
	policies := []game.Policy{rival.Uniform(p), rival.SGBS(p, .1), check.Wavy{P: p}, game.Stopping(check.Wavy{P: p}, check.Lead{P: p, Sum: 2, After: 3})}
	g, err := exact.New(p)
	if err != nil {
		t.Fatal(err)
	}
	var flows []*exact.Flow
	for _, policy := range policies {
		flows = append(flows, g.Played(policy).Flow(policy))
	}
	return p, policies, flows
}

// flips is E_{θ∼𝒫_h} ℓ(π, θ) as a sum over hypotheses and signs.
func flips(p *game.Problem, f *exact.Flow, loss game.Loss, h float64) (sum float64) {
	d := p.Queries()
	theta := make([]float64, d)
	for k := range p.Hypotheses() {
		for signs := range 1 << d {
			weight := 1 / float64(p.Hypotheses())
			for i, z := range p.Row(k) {
				theta[i] = 2*float64(z) - 1
				if signs>>i&1 == 1 {
					theta[i] = -theta[i]
					weight *= 1 - h
				} else {
					weight *= h
				}
			}
			sum += weight * f.Loss(loss, theta)
		}
	}
	return sum
}

// TestAverages compares averages with exact sums. Games are as many as
// check.Draws asks for a hundredth of the loss's scale times three, so that each
// comparison fails wrongly at most once in 10⁹ runs.
func TestAverages(t *testing.T) {
	const gap = .03
	p, policies, flows := small(t)
	rows := [][]float64{{1, .4, -.2}, {.1, -1, .9}, {-.3, -.8, -1}}
	priors := []game.Prior{game.Flip(p, .8), game.Noiseless(p), game.Rows("table", rows)}
	games := check.Draws(0, 1, gap)
	for j, policy := range policies {
		got, err := Averages(t.Context(), sim.Play{P: p, Policy: policy}, priors, games, rng.New(uint64(j)))
		if err != nil {
			t.Fatal(err)
		}
		if len(got) != len(priors)*len(game.Losses()) {
			t.Fatalf("%d averages", len(got))
		}
		for i, a := range got {
			loss := game.Losses()[i%len(game.Losses())]
			prior := priors[i/len(game.Losses())]
			if a.Loss != loss || a.Prior != prior.Name() || a.Games != games || a.Confidence != sim.Confidence {
				t.Errorf("average %d is %+v", i, a)
			}
			var want float64
			switch prior.Name() {
			case "flip:0.8":
				want = flips(p, flows[j], loss, .8)
			case "noiseless":
				want = flips(p, flows[j], loss, 1)
			case "table":
				for _, theta := range rows {
					want += flows[j].Loss(loss, theta) / float64(len(rows))
				}
			}
			if scale := loss.Scale(p); math.Abs(a.Mean-want) > gap/2*scale {
				t.Errorf("policy %d, %s, %s: %v, exactly %v", j, a.Prior, loss, a.Mean, want)
			}
		}
	}
}

// covers counts how often an interval holds the truth in n tries, and
// fails where a coverage of at least nominal would do so at most once in 10⁹
// tests: Hoeffding's inequality with √(ln(1/Alarm)/2n).
func covers(t *testing.T, what string, n int, nominal float64, hit func(i int) bool) {
	t.Helper()
	hits := 0
	for i := range n {
		if hit(i) {
			hits++
		}
	}
	share := float64(hits) / float64(n)
	if least := nominal - math.Sqrt(math.Log(1/check.Alarm)/(2*float64(n))); share < least {
		t.Errorf("%s: the truth is inside %.3f of %d intervals, want at least %.3f", what, share, n, least)
	}
}

// TestIntervals: the intervals of averages, instances and gaps hold what exact
// says. Nominal 95 %, of which sim's own test grants 92 to such few games.
func TestIntervals(t *testing.T) {
	const games, nominal = 60, .92
	tries := 3000
	if testing.Short() {
		tries = 300 // covers then asks for less
	}
	p, policies, flows := small(t)
	ctx, key := t.Context(), rng.New(5)
	inside := func(e record.Estimate, x float64) bool { return e.Lo <= x && x <= e.Hi }
	priors := []game.Prior{game.Flip(p, .8)}
	theta := []float64{.7, .2, -.5}
	play := sim.Play{P: p, Policy: policies[0], Workers: 1}
	for i, loss := range game.Losses() {
		average, instance := flips(p, flows[0], loss, .8), flows[0].Loss(loss, theta)
		covers(t, "average "+loss.String(), tries, nominal, func(n int) bool {
			as, err := Averages(ctx, play, priors, games, key.Name("average").At(n))
			if err != nil {
				t.Fatal(err)
			}
			return inside(as[i].Estimate, average)
		})
		covers(t, "instance "+loss.String(), tries, nominal, func(n int) bool {
			is, err := Instances(ctx, play, [][]float64{theta}, games, key.Name("instance").At(n))
			if err != nil {
				t.Fatal(err)
			}
			return inside(is[i].Estimate, instance)
		})
	}
	loss := game.BestIdentification
	truth := flows[0].Loss(loss, theta) - min(flows[0].Loss(loss, theta), flows[2].Loss(loss, []float64{1, 1, -1}))
	covers(t, "gap", tries, nominal, func(n int) bool {
		one := func(j int, theta []float64) record.Estimate {
			e, err := sim.Play{P: p, Policy: policies[j], Workers: 1}.Loss(ctx, loss, theta, games, key.Name("gap").At(n).At(j))
			if err != nil {
				t.Fatal(err)
			}
			return e
		}
		return inside(Gaps([]Curve{bare("a", one(0, theta)), bare("b", one(2, []float64{1, 1, -1}))})[0][0], truth)
	})
}

// TestGapOfMany: of ten policies that lose alike the first has a gap above 0 in at most 2.5 % of runs, though it is compared
// with what seems the best of nine. False alarms: 6 deviations of 4,000 runs, below 1e-8.
func TestGapOfMany(t *testing.T) {
	const policies, runs, sd = 10, 4000, .005
	r := rng.New(7).Rand()
	missed := 0
	for range runs {
		var curves []Curve
		for range policies {
			mean := .4 + sd*r.NormFloat64()
			curves = append(curves, bare("p", record.Estimate{Mean: mean, Lo: mean - 1.96*sd, Hi: mean + 1.96*sd, Confidence: sim.Confidence}))
		}
		if Gaps(curves)[0][0].Lo > 0 {
			missed++
		}
	}
	if most := .025*runs + 6*math.Sqrt(.025*.975*runs); float64(missed) > most {
		t.Errorf("%d of %d intervals leave 0 out, want at most %.0f", missed, runs, most)
	}
}

// TestInstances also plays instances at the edge: they are taken as they are
// (reading 2). Error rates as in TestAverages.
func TestInstances(t *testing.T) {
	const gap = .03
	p, policies, flows := small(t)
	thetas := [][]float64{{.7, .2, -.5}, {1, 1, -1}, {-1, .3, 1}, {0, 0, 0}}
	for j, stops := range map[int]bool{2: false, 3: true} {
		got, err := Instances(t.Context(), sim.Play{P: p, Policy: policies[j]}, thetas, check.Draws(0, 1, gap), rng.New(3))
		if err != nil {
			t.Fatal(err)
		}
		if len(got) != len(thetas)*len(game.Losses()) {
			t.Fatalf("%d rows for %d instances", len(got), len(thetas))
		}
		for i, in := range got {
			m, loss := i/len(game.Losses()), game.Losses()[i%len(game.Losses())]
			if in.Index != m || in.Loss != loss {
				t.Errorf("row %d is of instance %d and %s", i, in.Index, in.Loss)
			}
			if want := flows[j].Loss(loss, thetas[m]); math.Abs(in.Mean-want) > gap/2*loss.Scale(p) {
				t.Errorf("instance %d, %s: %v, exactly %v", m, loss, in.Mean, want)
			}
			q, asked := in.Questions, flows[j].Questions(thetas[m])
			if stops && math.Abs(q.Mean-asked) > gap/2*float64(p.T) || !stops && q.Hi != 0 {
				t.Errorf("instance %d: %v questions, exactly %v", m, q, asked)
			}
		}
	}
	few, err := Instances(t.Context(), sim.Play{P: p, Policy: policies[2]}, thetas, 2, rng.New(3))
	if err != nil {
		t.Fatal(err)
	}
	for _, in := range few { // two games leave all open that the instance allows
		if want := in.Loss.Most(p.Instance(thetas[in.Index])); math.Abs(in.Hi-want) > 1e-9 {
			t.Errorf("instance %d, %s: two games say %+v, want an upper end of %v", in.Index, in.Loss, in, want)
		}
	}
	if none, err := Instances(t.Context(), sim.Play{P: p, Policy: policies[0]}, nil, 10, rng.New(3)); err != nil || len(none) != 0 {
		t.Errorf("no instances: %v, %v", none, err)
	}
}

// TestSameInstancesForAll: two policies under one key meet the same instances and
// answers, whatever other priors are asked for.
func TestSameInstancesForAll(t *testing.T) {
	p, policies, _ := small(t)
	one, other := game.Flip(p, .8), game.Noiseless(p)
	averages := func(policy game.Policy, priors ...game.Prior) []Average {
		as, err := Averages(t.Context(), sim.Play{P: p, Policy: policy}, priors, 300, rng.New(1))
		if err != nil {
			t.Fatal(err)
		}
		return as
	}
	alone, both := averages(policies[0], one), averages(policies[0], other, one)
	if !reflect.DeepEqual(alone, both[len(game.Losses()):]) {
		t.Errorf("%v alone, %v beside another prior", alone, both)
	}
	// Of the same prior twice under two names, the draws differ: names are keys.
	if again := averages(policies[0], renamed{one}); again[0].Mean == alone[0].Mean && again[1].Mean == alone[1].Mean {
		t.Error("two priors have the same draws")
	}
	if same := averages(check.Even{P: p}, one); !reflect.DeepEqual(same, alone) {
		t.Errorf("%v for Uniform, %v for the same policy by another name", alone, same)
	}
}

type renamed struct{ game.Prior }

func (renamed) Name() string { return "renamed" }

func TestWorkersChangeNothing(t *testing.T) {
	p, policies, _ := small(t)
	priors := []game.Prior{game.Flip(p, .8), game.Noiseless(p)}
	thetas := [][]float64{{.7, .2, -.5}, {1, 1, -1}, {-1, .3, 1}}
	all := func(workers int) (out []any) {
		play := sim.Play{P: p, Policy: policies[1], Workers: workers}
		as, err := Averages(t.Context(), play, priors, 1500, rng.New(1))
		if err != nil {
			t.Fatal(err)
		}
		is, err := Instances(t.Context(), play, thetas, 700, rng.New(2))
		if err != nil {
			t.Fatal(err)
		}
		return []any{as, is, curve(t, p, policies[1], workers, 1)}
	}
	want := all(1)
	for _, workers := range []int{2, 5, 0} {
		if got := all(workers); !reflect.DeepEqual(got, want) {
			t.Errorf("%d workers: %v, one: %v", workers, got, want)
		}
	}
}

// levels of the curves below.
var ladder = []float64{6, 12, 24, 48}

// search is a short one.
func hunt(p *game.Problem, policy game.Policy, workers int, seed uint64) *search.Search {
	return &search.Search{
		P: p, C: game.RhoTilde(p), Loss: game.BestIdentification, Policy: policy, Levels: ladder, Key: rng.New(seed), Workers: workers,
		Effort: search.Effort{
			Starts: 30, Screen: 16, Brood: 8, Generations: 1, Corners: 1, Rungs: []search.Rung{{Keep: 8, Steps: 8, Games: 32, From: .08, To: .01}},
			Finals: 3, Replay: 400, Report: 3000, HalfWidth: .02, MaxReport: 6000,
		},
	}
}

func curve(t *testing.T, p *game.Problem, policy game.Policy, workers int, seed uint64) Curve {
	t.Helper()
	worst, err := hunt(p, policy, workers, seed).Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return Curve{Policy: "policy", Worst: worst}
}

// TestCurves follows worst cases as a run makes them: each policy searched, all
// replayed against what was found for any, then benchmarks and gaps. What is
// reported is a loss some instance really has, the curve never falls, and the
// replay keeps the worse of what was known and what is new. Each comparison with
// exact allows what 3000 games, the least played, err by once in 10⁹ times.
func TestCurves(t *testing.T) {
	slack := math.Sqrt(math.Log(2/check.Alarm) / (2 * 3000))
	p, policies, flows := small(t)
	var bank search.Bank
	first := make([]Curve, len(policies))
	for j, policy := range policies {
		first[j] = curve(t, p, policy, 0, uint64(j))
		bank.Add(first[j].Worst...)
	}
	second := make([]Curve, len(policies))
	for j, policy := range policies {
		worst, err := search.Replay(t.Context(), hunt(p, policy, 0, uint64(j)), bank.Instances(), first[j].Worst)
		if err != nil {
			t.Fatal(err)
		}
		second[j] = Curve{Policy: first[j].Policy, Worst: worst}
	}
	truth := func(j int, w record.Worst) float64 { return flows[j].Loss(game.BestIdentification, w.Theta) }
	for j := range policies {
		for k, w := range second[j].Worst {
			if k > 0 && w.Mean < second[j].Worst[k-1].Mean {
				t.Errorf("policy %d: the curve falls at level %g", j, w.Level)
			}
			if got := truth(j, w); math.Abs(got-w.Mean) > slack {
				t.Errorf("policy %d, level %g: %v reported, exactly %v", j, w.Level, w.Mean, got)
			}
			if rho := game.RhoTilde(p).Of(w.Theta); rho > w.Level*(1+1e-9) {
				t.Errorf("policy %d, level %g: the instance has difficulty %v", j, w.Level, rho)
			}
			if before, now := truth(j, first[j].Worst[k]), truth(j, w); now < before-2*slack {
				t.Errorf("policy %d, level %g: %v was found, the replay keeps %v", j, w.Level, before, now)
			}
		}
	}
	b := Benchmarks(second)
	for k := range b {
		for j, gaps := range Gaps(second) {
			if got, want := gaps[k].Mean, second[j].Worst[k].Mean-least(second, k); math.Abs(got-want) > 1e-12 {
				t.Errorf("policy %d, level %g: gap %v, want %v", j, ladder[k], got, want)
			}
			if b[k] > second[j].Worst[k].Mean {
				t.Errorf("level %g: the benchmark %v is above policy %d's", ladder[k], b[k], j)
			}
		}
		if k > 0 && b[k] < b[k-1] {
			t.Errorf("the benchmarks %v fall", b)
		}
	}
}

func least(curves []Curve, k int) float64 {
	x := math.Inf(1)
	for _, c := range curves {
		x = min(x, c.Worst[k].Mean)
	}
	return x
}

// TestReplayKeepsTheWorse: an instance far worse than what a search found takes
// its place, one far easier does not, and then its loss is of fresh games, whatever was said
// of it. The losses are so far apart that chance decides less than once in 10⁹ times.
func TestReplayKeepsTheWorse(t *testing.T) {
	p, policies, flows := small(t)
	easy, hard := []float64{.999, .999, -.999}, []float64{.35, -.3, -.4}
	s := hunt(p, policies[0], 0, 9)
	s.Levels, s.Effort.Rungs = []float64{60}, nil
	known := func(theta []float64) []record.Worst {
		e, err := sim.Play{P: p, Policy: policies[0]}.Loss(t.Context(), s.Loss, theta, 3000, rng.New(8))
		if err != nil {
			t.Fatal(err)
		}
		return []record.Worst{{Level: 60, Theta: theta, Rho: s.C.Of(theta), Estimate: e}}
	}
	// 400 re-plays err by half of this less than once in 10⁹ times.
	if gap := flows[0].Loss(s.Loss, hard) - flows[0].Loss(s.Loss, easy); gap < 2*math.Sqrt(math.Log(2/check.Alarm)/(2*400)) {
		t.Fatalf("the instances are only %v apart", gap)
	}
	up, err := search.Replay(t.Context(), s, [][]float64{hard}, known(easy))
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(up[0].Theta, hard) {
		t.Errorf("the worse instance did not win: %+v", up[0])
	}
	said := known(hard)
	said[0].Mean, said[0].Lo, said[0].Hi = 1, 1, 1
	down, err := search.Replay(t.Context(), s, [][]float64{easy}, said)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(down[0].Theta, hard) {
		t.Errorf("nothing worse was given, but %+v became %+v", said, down)
	}
	want, games := flows[0].Loss(s.Loss, hard), float64(down[0].Games)
	if off := math.Abs(down[0].Mean - want); off > math.Sqrt(math.Log(2/check.Alarm)/(2*games)) {
		t.Errorf("fresh games say %v, the loss is %v", down[0].Mean, want)
	}
}

func TestCancelled(t *testing.T) {
	p, policies, _ := small(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	play := sim.Play{P: p, Policy: policies[0]}
	if _, err := Averages(ctx, play, []game.Prior{game.Noiseless(p)}, 0, rng.New(1)); !errors.Is(err, context.Canceled) {
		t.Errorf("Averages: %v", err)
	}
	if _, err := Instances(ctx, play, [][]float64{{1, 1, 1}}, 0, rng.New(1)); !errors.Is(err, context.Canceled) {
		t.Errorf("Instances: %v", err)
	}
}
