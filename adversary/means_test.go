package adversary

import (
	"math"
	"slices"
	"testing"

	"mapo/game"
	"mapo/internal/check"
	"mapo/rng"
)

// setOracle returns an oracle whose set of n instances has been admitted by hand, with the means 0, 1, ….
func setOracle(n int, o MeanOptions) *Oracle { return setOracleOf(n, n, o) }

// setOracleOf is setOracle for a set that has room for up to most.
func setOracleOf(n, most int, o MeanOptions) *Oracle {
	p := check.Thresholds(5, 6)
	if o.Temperature == 0 {
		o.Temperature = .025
	}
	a := NewOracle(settingOf(p, 30), game.BestIdentification, OracleOptions{MeanOptions: o, N: most, Games: 1024, Refresh: 1e6, Add: 8})
	a.Enter(phaseOf(game.BestIdentification, 1e6), nil)
	for i := range n {
		a.admit(setInstance(i), float64(i))
	}
	return a
}

func settingOf(p *game.Problem, levels ...float64) Setting {
	return Setting{P: p, C: game.RhoTilde(p), R: levels, Key: rng.New(1), Workers: 1}
}

func phaseOf(loss game.Loss, iters int) Phase {
	return Phase{Objective: Objective{Loss: loss, Scale: 1}, Iters: iters, Fresh: true}
}

// setInstance returns the i-th of instances that are all different.
func setInstance(i int) []float64 { return []float64{1 - float64(i)/1000, 1, 1, -1, -1} }

// stateOf returns what an adversary's snapshot holds.
func stateOf[S any](t testing.TB, a Adversary) *S {
	t.Helper()
	data, err := a.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	s := new(S)
	if err := Decode(data, s); err != nil {
		t.Fatal(err)
	}
	return s
}

// restore restores an adversary to a state.
func restore(t testing.TB, a Adversary, ph Phase, state any) {
	t.Helper()
	data, err := Encode(state)
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Enter(ph, data); err != nil {
		t.Fatal(err)
	}
}

// setOf returns what an oracle knows of its set.
func setOf(t testing.TB, a *Oracle) *meanState {
	t.Helper()
	return &stateOf[oracleSnapshot](t, a).Set
}

// change restores an oracle to its own state as do leaves it.
func change(t testing.TB, a *Oracle, do func(s *meanState)) {
	t.Helper()
	s := stateOf[oracleSnapshot](t, a)
	do(&s.Set)
	restore(t, a, phaseOf(game.BestIdentification, 1e6), s)
}

// weights returns softmax(w) of an oracle's last draw.
func weights(t testing.TB, a *Oracle) []float64 {
	t.Helper()
	s := setOf(t, a)
	prob := make([]float64, s.N())
	s.Probabilities(prob)
	return prob
}

// note prepares an iteration of an adversary that does not search.
func note(t testing.TB, a *Means, iteration int) {
	t.Helper()
	if _, err := a.Prepare(t.Context(), nil, iteration); err != nil {
		t.Fatal(err)
	}
}

// draw has an adversary fill a batch of m instances.
func draw(a Adversary, m int) *Batch {
	b := new(Batch)
	b.Reset(m, 5)
	a.Draw(b, rng.New(3))
	return b
}

// What takes the weakest's place in a full set has nothing of it: its own mean, no lead, and it was last played now. The
// others keep theirs.
func TestAdmit(t *testing.T) {
	a := setOracle(4, MeanOptions{})
	change(t, a, func(s *meanState) {
		s.Mean, s.Lead, s.Last = []float64{3, -1, 2, 5}, []float64{.1, .2, .3, .4}, []int{1, 2, 3, 4}
	})
	note(t, &a.Means, 70)
	a.admit(setInstance(9), 1.5)
	s := setOf(t, a)
	if want := []float64{3, 1.5, 2, 5}; !slices.Equal(s.Mean, want) {
		t.Errorf("the means are %v, want %v", s.Mean, want)
	}
	if want := []float64{.1, 0, .3, .4}; !slices.Equal(s.Lead, want) {
		t.Errorf("the leads are %v, want %v", s.Lead, want)
	}
	if want := []int{1, 70, 3, 4}; !slices.Equal(s.Last, want) {
		t.Errorf("last played at %v, want %v", s.Last, want)
	}
	for i, from := range []int{0, 9, 2, 3} {
		if !slices.Equal(s.At(i), setInstance(from)) {
			t.Errorf("place %d holds %v, want instance %d", i, s.At(i), from)
		}
	}
	if left := stateOf[oracleSnapshot](t, a).Past.Dropped; !slices.Equal(left, setInstance(1)) {
		t.Errorf("dropped are %v, want instance 1", left)
	}
}

// A new mean counts for a twentieth, for each iteration since the instance was last played, up to a tenth; instances that are
// not played keep theirs.
func TestRunningMeans(t *testing.T) {
	a := setOracle(4, MeanOptions{})
	change(t, a, func(s *meanState) { s.Mean, s.Last = []float64{0, 0, 0, 7}, []int{9, 8, 2, 9} })
	note(t, &a.Means, 10)
	draw(a, 4)
	a.Observe(&Batch{Index: []int{0, 1, 2}}, &Games{Mean: []float64{1, 1, 1, 50}, Variance: make([]float64, 4)})
	s := setOf(t, a)
	for i, want := range []float64{.05, 1 - .95*.95, .1, 7} {
		if math.Abs(s.Mean[i]-want) > 1e-12 {
			t.Errorf("the mean of instance %d is %v, want %v", i, s.Mean[i], want)
		}
	}
	if want := []int{10, 10, 10, 9}; !slices.Equal(s.Last, want) {
		t.Errorf("last played at %v, want %v", s.Last, want)
	}
}

// The running variance begins with the first iteration's, not with 0, and then takes a twentieth of each: over the
// adversary's instances alone.
func TestVarianceBegins(t *testing.T) {
	a := setOracle(2, MeanOptions{})
	if got := draw(a, 4).Scale; got != 1 {
		t.Errorf("before the first game losses are scaled by %v, want 1", got)
	}
	for i, of := range []struct {
		seen []float64
		want float64
	}{{[]float64{3, 5, 99, 99}, 4}, {[]float64{8, 8, 99, 99}, 4.2}, {[]float64{0, 0, 99, 99}, 3.99}} {
		a.Observe(&Batch{Index: []int{0, 1}}, &Games{Mean: make([]float64, 4), Variance: of.seen})
		if got := draw(a, 4).Scale; math.Abs(got-1/math.Sqrt(of.want)) > 1e-12 {
			t.Errorf("after %d iterations losses are scaled by %v, want 1/√%v", i+1, got, of.want)
		}
	}
}

// Lead is Hedge's: it grows by what an instance loses above the mixture of the weights softmax(w), so that its growth
// has mean 0 under them, by 1/(τ·hedge) for each unit, within its bounds.
func TestLeadIsAboveTheMixture(t *testing.T) {
	a := setOracle(4, MeanOptions{Hedge: 50, Temperature: .5})
	change(t, a, func(s *meanState) { s.Variance, s.Mean = 4, []float64{-1, 0, .5, 2.5} })
	draw(a, 8)
	a.lead()
	s, prob := setOf(t, a), weights(t, a)
	var mean float64
	for i, p := range prob {
		mean += p * s.Lead[i]
	}
	if math.Abs(mean) > 1e-12 {
		t.Errorf("under the weights %.3f the leads %.4f grow by %v on average, want 0", prob, s.Lead, mean)
	}
	if got, want := s.Lead[3]-s.Lead[0], 3.5/(.5*2*hedgedTau*50); math.Abs(got-want) > 1e-12 {
		t.Errorf("a loss of 3.5 more grows by %v more, want %v", got, want)
	}
	change(t, a, func(s *meanState) { s.Lead = []float64{-5.9999, 0, 0, 5.9999} })
	for range 10_000 {
		a.lead()
	}
	if s = setOf(t, a); s.Lead[0] != -mostLead || s.Lead[3] != mostLead {
		t.Errorf("the leads are %v, want them within ±%d", s.Lead, mostLead)
	}
}

// Weights are softmax(mean/τ + lead), and an instance drawn counts for its weight: over the draws' own probabilities the
// importance is 1 on average and at most 1/(1−u). Of many draws each instance has its share, within 6 deviations.
func TestMeansDraw(t *testing.T) {
	a := setOracle(3, MeanOptions{Temperature: .5})
	change(t, a, func(s *meanState) { s.Variance, s.Mean, s.Lead = 4, []float64{1, 2, 3}, []float64{0, -1, .5} })
	const m = 4096
	b, whole := draw(a, m), 2*math.E+math.Exp(3.5)
	prob, drawn := []float64{math.E / whole, math.E / whole, math.Exp(3.5) / whole}, make([]float64, 3)
	for _, i := range b.Index {
		drawn[i]++
	}
	for i, p := range prob {
		if want := .8*p + .2/3; math.Abs(drawn[i]/m-want) > 6*math.Sqrt(want*(1-want)/m) {
			t.Errorf("instance %d is drawn %v times of %d, want the share %v", i, drawn[i], m, want)
		}
	}
	for m, i := range b.Index {
		if want := prob[i] / (.8*prob[i] + .2/3); math.Abs(b.Importance[m]-want) > 1e-12 {
			t.Errorf("draw %d counts for %v, want %v", m, b.Importance[m], want)
		}
		if !slices.Equal(b.Theta[5*m:5*m+5], setInstance(i)) {
			t.Errorf("draw %d is %v, want instance %d", m, b.Theta[5*m:5*m+5], i)
		}
	}
}

// Where what an instance loses falls with its weight, as a policy that learns has it, leads make the losses that have a
// weight equal, and one that is always less has none. By means alone they differ by τ where weights do by a factor of e.
func TestLead(t *testing.T) {
	alone := []float64{.9, .85, .75, .2} // what each loses without weight
	play := func(o MeanOptions) (mean, prob []float64) {
		a := setOracle(len(alone), o)
		change(t, a, func(s *meanState) { s.Mean = alone })
		all := &Batch{Index: []int{0, 1, 2, 3}}
		for range 4000 {
			draw(a, 4)
			g := &Games{Variance: make([]float64, 4)}
			for i, p := range weights(t, a) {
				g.Mean = append(g.Mean, alone[i]-.5*p)
			}
			a.Observe(all, g)
		}
		return setOf(t, a).Mean, weights(t, a)
	}
	mean, prob := play(MeanOptions{Temperature: .1 / hedgedTau, Hedge: 50})
	for i := range 3 {
		if apart := mean[i] - mean[0]; math.Abs(apart) > 1e-3 || prob[i] < .1 {
			t.Errorf("with leads instance %d loses %.4f more than the first, of weight %.3f", i, apart, prob[i])
		}
	}
	if prob[3] > 1e-3 {
		t.Errorf("with leads the instance that always loses less has weight %.4f", prob[3])
	}
	mean, prob = play(MeanOptions{Temperature: .1})
	if apart, want := mean[0]-mean[2], .1*math.Log(prob[0]/prob[2]); apart < .02 || math.Abs(apart-want) > 1e-3 {
		t.Errorf("by means alone the first loses %.4f more than the third, want %.4f by their weights", apart, want)
	}
}

// Training's own estimate is the mean under softmax(w) in the loss's units, not in those in which best identification is
// trained.
func TestWorstIsInTheLossUnits(t *testing.T) {
	a := setOracle(3, MeanOptions{})
	ph := phaseOf(game.BestIdentification, 1e6)
	ph.Scale = 4
	restore(t, a, ph, stateOf[oracleSnapshot](t, a))
	draw(a, 4)
	want := 0.
	for i, p := range weights(t, a) { // of the means 0, 1 and 2
		want += p * float64(i) / 4
	}
	if got := a.Observe(new(Batch), new(Games)).Worst; math.Abs(got-want) > 1e-12 || want < .1 {
		t.Errorf("the estimate is %v, want %v", got, want)
	}
}
