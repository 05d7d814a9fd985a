package train

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"mapo"
	"mapo/internal/check"
	"mapo/rng"
)

// setRun is a training by the double oracle whose set of n instances has been admitted by hand, with the means 0, 1, …
func setRun(t *testing.T, n int, change func(*Config)) *Run {
	t.Helper()
	p := check.Thresholds(5, 6)
	c := quick(t, p)
	c.Algorithm, c.N = "oracle", n
	if change != nil {
		change(&c)
	}
	r, err := New(Task{P: p, C: mapo.RhoTilde(p), Loss: mapo.BestIdentification, R: []float64{30}, Config: c, Key: rng.New(1), Workers: 1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		r.admit(setInstance(i), float64(i))
	}
	return r
}

// setInstance is the i-th of instances that are all different.
func setInstance(i int) []float64 { return []float64{1 - float64(i)/1000, 1, 1, -1, -1} }

// What takes the weakest's place in a full set has nothing of it: its own mean, no lead, and it was last played now. The
// others keep theirs.
func TestAdmit(t *testing.T) {
	r := setRun(t, 4, nil)
	r.s.Mean, r.s.Lead, r.s.Last = []float64{3, -1, 2, 5}, []float64{.1, .2, .3, .4}, []int{1, 2, 3, 4}
	r.s.Iter = 70
	r.admit(setInstance(9), 1.5)
	if want := []float64{3, 1.5, 2, 5}; !slices.Equal(r.s.Mean, want) {
		t.Errorf("the means are %v, want %v", r.s.Mean, want)
	}
	if want := []float64{.1, 0, .3, .4}; !slices.Equal(r.s.Lead, want) {
		t.Errorf("the leads are %v, want %v", r.s.Lead, want)
	}
	if want := []int{1, 70, 3, 4}; !slices.Equal(r.s.Last, want) {
		t.Errorf("last played at %v, want %v", r.s.Last, want)
	}
	for i, from := range []int{0, 9, 2, 3} {
		if !slices.Equal(r.s.Particles.Theta[5*i:5*i+5], setInstance(from)) {
			t.Errorf("place %d holds %v, want instance %d", i, r.s.Particles.Theta[5*i:5*i+5], from)
		}
	}
	if !slices.Equal(r.s.Dropped, setInstance(1)) {
		t.Errorf("dropped are %v, want instance 1", r.s.Dropped)
	}
}

// A new mean counts for a twentieth, for each iteration since the instance was last played, up to a tenth; instances that are
// not played keep theirs.
func TestRemember(t *testing.T) {
	r := setRun(t, 4, nil)
	r.s.Mean, r.s.Last, r.s.Iter = []float64{0, 0, 0, 7}, []int{9, 8, 2, 9}, 10
	r.idx, r.mean, r.variance = []int{0, 1, 2}, []float64{1, 1, 1, 50}, make([]float64, 4)
	r.prob = []float64{.25, .25, .25, .25}
	r.remember()
	for i, want := range []float64{.05, 1 - .95*.95, .1, 7} {
		if math.Abs(r.s.Mean[i]-want) > 1e-12 {
			t.Errorf("the mean of instance %d is %v, want %v", i, r.s.Mean[i], want)
		}
	}
	if want := []int{10, 10, 10, 9}; !slices.Equal(r.s.Last, want) {
		t.Errorf("last played at %v, want %v", r.s.Last, want)
	}
}

// The running variance begins with the first iteration's, not with 0, and then takes a twentieth of each: over the
// adversary's instances alone.
func TestVarianceBegins(t *testing.T) {
	r := setRun(t, 2, nil)
	if got := r.deviation(); got != 1 {
		t.Errorf("before the first game the deviation is %v, want 1", got)
	}
	r.idx, r.mean, r.prob = []int{0, 1}, make([]float64, 4), []float64{.5, .5}
	for i, of := range []struct {
		seen []float64
		want float64
	}{{[]float64{3, 5, 99, 99}, 4}, {[]float64{8, 8, 99, 99}, 4.2}, {[]float64{0, 0, 99, 99}, 3.99}} {
		r.variance = of.seen
		r.remember()
		if math.Abs(r.s.Variance-of.want) > 1e-12 || math.Abs(r.deviation()-math.Sqrt(of.want)) > 1e-12 {
			t.Errorf("after %d iterations the variance is %v, want %v", i+1, r.s.Variance, of.want)
		}
	}
}

// Lead is Hedge's: it grows by what an instance loses above the mixture of the weights softmax(w), so that its growth
// has mean 0 under them, by 1/(τ·hedge) for each unit, within its bounds.
func TestLeadIsAboveTheMixture(t *testing.T) {
	r := setRun(t, 4, func(c *Config) { c.Hedge, c.Temperature = 50, .5 })
	r.s.Variance = 4
	r.s.Mean = []float64{-1, 0, .5, 2.5}
	r.drawInstances(rng.New(3).Rand())
	r.lead()
	var mean float64
	for i, p := range r.prob {
		mean += p * r.s.Lead[i]
	}
	if math.Abs(mean) > 1e-12 {
		t.Errorf("under the weights %.3f the leads %.4f grow by %v on average, want 0", r.prob, r.s.Lead, mean)
	}
	if got, want := r.s.Lead[3]-r.s.Lead[0], 3.5/(.5*2*hedgedTau*50); math.Abs(got-want) > 1e-12 {
		t.Errorf("a loss of 3.5 more grows by %v more, want %v", got, want)
	}
	r.s.Lead = []float64{-5.9999, 0, 0, 5.9999}
	for range 10_000 {
		r.lead()
	}
	if r.s.Lead[0] != -mostLead || r.s.Lead[3] != mostLead {
		t.Errorf("the leads are %v, want them within ±%d", r.s.Lead, mostLead)
	}
}

// Weights are softmax(mean/τ + lead), and an instance drawn counts for its weight: over the draws' own probabilities the
// importance is 1 on average and at most 1/(1−u).
func TestWeigh(t *testing.T) {
	r := setRun(t, 3, func(c *Config) { c.Temperature = .5 })
	r.s.Variance, r.s.Mean, r.s.Lead = 4, []float64{1, 2, 3}, []float64{0, -1, .5}
	r.drawInstances(rng.New(3).Rand())
	for i, logit := range []float64{1, 1, 3.5} {
		if got := math.Log(r.prob[i] / r.prob[0]); math.Abs(got-(logit-1)) > 1e-12 {
			t.Errorf("the log of weight %d over weight 0 is %v, want %v", i, got, logit-1)
		}
	}
	var whole float64
	for i, p := range r.mix {
		whole += p
		if want := .8*r.prob[i] + .2/3; math.Abs(p-want) > 1e-12 {
			t.Errorf("instance %d is drawn with probability %v, want %v", i, p, want)
		}
	}
	if math.Abs(whole-1) > 1e-12 {
		t.Errorf("the draws' probabilities sum to %v", whole)
	}
	for m, i := range r.idx {
		if want := r.prob[i] / r.mix[i]; math.Abs(r.importance[m]-want) > 1e-12 {
			t.Errorf("draw %d counts for %v, want %v", m, r.importance[m], want)
		}
	}
}

// A set is refreshed once an iteration, also where the iteration is begun again, and at the first iteration of every
// phase, whatever the one before did.
func TestRefreshed(t *testing.T) {
	r := setRun(t, 1, func(c *Config) { c.N, c.Pi, c.Refresh = 24, 3, 5 })
	r.phases = append(r.phases, r.phases[0])
	r.total *= 2
	r.enter(0)
	ph := r.phases[0]
	for range 2 {
		before := r.s.Work
		if err := r.refresh(t.Context(), ph); err != nil {
			t.Fatal(err)
		}
		if r.s.Particles.N() == 0 || r.s.Work == before {
			t.Fatal("the phase begins without a search")
		}
		set, work := slices.Clone(r.s.Particles.Theta), r.s.Work
		if err := r.refresh(t.Context(), ph); err != nil {
			t.Fatal(err)
		}
		if r.s.Work != work || !slices.Equal(r.s.Particles.Theta, set) {
			t.Error("an iteration that is begun again searches again")
		}
		for range ph.iters {
			if _, err := r.iterate(t.Context(), ph); err != nil {
				t.Fatal(err)
			}
			r.s.Iter++
		}
		r.enter(r.s.Phase + 1)
	}
}

// The prior's instances are draws of their own: different within an iteration, between iterations and between phases.
func TestPriorDraws(t *testing.T) {
	for name, of := range map[string]struct {
		prior, average bool
	}{"Bayes-LAL": {prior: true}, "trade-off": {average: true}} {
		p := check.Thresholds(5, 6)
		c := quick(t, p)
		c.M = 16
		prior := mapo.Prior(walk{})
		task := Task{P: p, C: mapo.RhoTilde(p), Loss: mapo.SimpleRegret, R: []float64{30}, Config: c, Key: rng.New(1)}
		if of.prior {
			task.Prior = prior
		} else {
			task.Average, task.Weight = prior, .5
		}
		r, err := New(task, nil)
		if err != nil {
			t.Fatal(err)
		}
		seen := map[float64]bool{}
		lo := r.t.adversarial()
		for at := range 4 {
			r.s.Phase, r.s.Iter = at/2, at%2
			r.drawInstances(rng.New(2).Rand())
			for m := lo; m < c.M; m++ {
				seen[r.theta[5*m]] = true
			}
		}
		if want := 4 * (c.M - lo); len(seen) != want || want < 32 {
			t.Errorf("%s: %d of %d draws are different", name, len(seen), want)
		}
	}
}

// walk is a prior none of whose draws is like another.
type walk struct{}

func (walk) Name() string { return "walk" }

func (walk) Draw(dst []float64, r *rand.Rand) int {
	for i := range dst {
		dst[i] = 2*r.Float64() - 1
	}
	return -1
}

// What a judge or a search starts from is no harder than its level, however much it loses.
func TestStrongestKeepToTheLevel(t *testing.T) {
	r := setRun(t, 3, nil)
	hard := []float64{.3, .3, .3, -.3, -.3}
	if rho := r.t.C.Of(hard); rho < 31 || rho > 40 {
		t.Fatalf("the hard instance has difficulty %.3g, want 31 to 40", rho)
	}
	r.admit(hard, 100)
	for level, want := range map[float64][][]float64{30: {setInstance(2), setInstance(1)}, 40: {hard, setInstance(2)}, 1: nil} {
		if got := r.strongest(level, 2).Instances(); !slices.EqualFunc(got, want, slices.Equal) {
			t.Errorf("the strongest two within %g are %v, want %v", level, got, want)
		}
	}
	if got := r.Hardest(1); len(got) != 1 || !slices.Equal(got[0], setInstance(2)) {
		t.Errorf("a judge gets %v, want instance 2: the level is 30", got)
	}
}

// Training's own estimate is the mean under softmax(w) in the loss's units, not in those in which best identification is
// trained.
func TestSetWorstIsInTheLossUnits(t *testing.T) {
	r := setRun(t, 3, func(c *Config) { c.LambdaBinary = 4 })
	r.prob = []float64{.5, .25, .25} // of the means 0, 1 and 2
	if got := r.setWorst(r.phases[0]); got != .75/4 {
		t.Errorf("the estimate is %v, want 0.75/4", got)
	}
}

// With one level of regret every second search keeps to one of the lower levels, each in its turn.
func TestLowerLevelsTakeTurns(t *testing.T) {
	p := check.Thresholds(5, 6)
	c := quick(t, p)
	c.Algorithm, c.Refresh, c.Below = "oracle", 10, false
	r, err := New(Task{P: p, C: mapo.RhoTilde(p), Loss: mapo.SimpleRegret, R: []float64{32}, Config: c, Key: rng.New(1), Workers: 1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.lower) < 2 {
		t.Fatalf("the lower levels are %v, want at least 2", r.lower)
	}
	for turn := range 4 * len(r.lower) {
		want := []float64{32}
		if turn%2 == 1 {
			want = []float64{r.lower[turn/2%len(r.lower)]}
		}
		if r.s.Iter = 10 * turn; !slices.Equal(r.hunted(), want) {
			t.Errorf("search %d is of the levels %v, want %v", turn, r.hunted(), want)
		}
	}
}
