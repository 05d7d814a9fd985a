package adversary

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"mapo/difficulty"
	"mapo/game"
	"mapo/game/exact"
	"mapo/internal/check"
)

// What an oracle leaves a judge is the set's worst within the level, the worst first, each once; Algorithm 2's particles
// leave none.
func TestHardest(t *testing.T) {
	p := check.Thresholds(5, 6)
	setting := settingOf(p, 12)
	a := NewOracle(setting, game.SimpleRegret, OracleOptions{MeanOptions: MeanOptions{Temperature: .025}, N: 64, Games: 1024, Refresh: 1e6, Add: 8})
	a.Enter(phaseOf(game.SimpleRegret, 10), nil)
	if _, err := a.Prepare(t.Context(), check.Even{P: a.P}, 0); err != nil {
		t.Fatal(err)
	}
	a.admit(slices.Clone(setOf(t, a).At(0)), math.Inf(1)) // the same twice
	s := setOf(t, a)
	got := a.Hardest(7)
	if len(got) != 7 {
		t.Fatalf("%d instances, want 7", len(got))
	}
	mean := func(theta []float64) float64 {
		most := math.Inf(-1)
		for i, v := range s.Mean {
			if slices.Equal(s.At(i), theta) {
				most = max(most, v)
			}
		}
		return most
	}
	for i, theta := range got {
		if rho := setting.C.Of(theta); rho > 12*(1+1e-9) {
			t.Errorf("instance %d has difficulty %v, above the level", i, rho)
		}
		if i > 0 && (mean(theta) > mean(got[i-1]) || slices.Equal(theta, got[i-1])) {
			t.Errorf("instance %d loses %v, the one before %v", i, mean(theta), mean(got[i-1]))
		}
	}
	if mixed := Hardest(NewMix(a, game.Flip(p, .8), .5, setting.Key), 7); !slices.EqualFunc(mixed, got, slices.Equal[[]float64]) {
		t.Errorf("beside a prior it leaves %v, want %v", mixed, got)
	}
	if mean(got[0]) != slices.Max(s.Mean) {
		t.Errorf("the first loses %v, the worst %v", mean(got[0]), slices.Max(s.Mean))
	}
	particles := NewParticles(setting, ParticleOptions{N: 8})
	particles.Enter(phaseOf(game.SimpleRegret, 10), nil)
	if got := Hardest(particles, 7); len(got) != 0 {
		t.Errorf("particles leave %d instances, want none", len(got))
	}
}

// A search adds many instances where it is told to, else few of each level it covers, and a third of a small set at most.
func TestSearchAdds(t *testing.T) {
	p := check.Thresholds(8, 6)
	policy := check.Even{P: p}
	for _, c := range []struct {
		name        string
		loss        game.Loss
		add         int
		below       bool
		set         int
		levels      []float64
		least, most int
	}{
		{"to identify alone", game.BestIdentification, FullSet / 3, false, 320, []float64{12}, 20, 48},
		{"to identify", game.BestIdentification, 8, false, 320, []float64{12}, 1, 8},
		{"regret with all levels below", game.SimpleRegret, 8, true, 320, []float64{12}, 9, 8 * 3},
		{"a small set", game.SimpleRegret, 8, true, 24, []float64{12}, 1, 8},
		{"regret", game.SimpleRegret, 8, false, 320, []float64{12}, 1, 8},
		{"two levels", game.BestIdentification, 8, false, 320, []float64{6, 12}, 1, 8},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := NewOracle(settingOf(p, c.levels...), c.loss, OracleOptions{N: c.set, Games: 512, Refresh: 80, Add: c.add, Below: c.below})
			a.Enter(phaseOf(c.loss, 400), nil)
			if _, err := a.Prepare(t.Context(), policy, 0); err != nil {
				t.Fatal(err)
			}
			before := setOf(t, a).N()
			if most := min(c.set, FullSet*len(a.hunted())); before == 0 || before > most {
				t.Fatalf("the set begins with %d instances, want up to %d", before, most)
			}
			if _, err := a.Prepare(t.Context(), policy, 80); err != nil {
				t.Fatal(err)
			}
			added := 0
			for _, last := range setOf(t, a).Last {
				if last == 80 {
					added++
				}
			}
			if added < c.least || added > c.most {
				t.Errorf("it adds %d instances, want %d to %d", added, c.least, c.most)
			}
		})
	}
}

// As many searches of a training are thorough as it asks for, in its later half.
func TestThorough(t *testing.T) {
	for _, of := range []struct {
		thorough int
		want     []int
	}{{3, []int{112, 144, 192}}, {2, []int{112, 192}}, {0, nil}} {
		a := NewOracle(settingOf(check.Thresholds(5, 6), 12), game.BestIdentification, OracleOptions{Refresh: 16, Thorough: of.thorough})
		a.Enter(phaseOf(game.BestIdentification, 200), nil)
		var got []int
		for iteration := 0; iteration < 200; iteration += 16 {
			if note(t, &a.Means, iteration); a.thorough() {
				got = append(got, iteration)
			}
		}
		if !slices.Equal(got, of.want) {
			t.Errorf("%d asked for: thorough at %v, want %v", of.thorough, got, of.want)
		}
	}
}

// A brief thorough search is well apart from both: it plays at least twice what others of the training do, and at most half of what
// one in full does.
func TestBrief(t *testing.T) {
	steps := func(thorough int, brief bool) int64 {
		p := check.Thresholds(5, 6)
		a := NewOracle(settingOf(p, 12), game.BestIdentification, OracleOptions{N: 32, Games: 128, Refresh: 16, Add: 8, Thorough: thorough, Brief: brief})
		a.Enter(phaseOf(game.BestIdentification, 32), nil)
		n, err := a.Prepare(t.Context(), check.Even{P: p}, 16)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	if usual, brief, whole := steps(0, true), steps(1, true), steps(1, false); brief < 2*usual || 2*brief > whole {
		t.Errorf("%d steps briefly, %d usually, %d in full", brief, usual, whole)
	}
}

// Regret's only level is searched together with those below it, or in turn with them.
func TestHunted(t *testing.T) {
	p := check.Thresholds(5, 6)
	const r = 32
	below := lower(r, difficulty.Least(p))
	if len(below) < 2 {
		t.Fatalf("levels %v below %d, want some", below, r)
	}
	for _, of := range []struct {
		loss  game.Loss
		below bool
		want  []int // levels of each search
	}{
		{game.SimpleRegret, true, []int{1 + len(below), 1 + len(below), 1 + len(below)}},
		{game.SimpleRegret, false, []int{1, 1, 1}},
		{game.BestIdentification, true, []int{1, 1, 1}},
	} {
		t.Run(fmt.Sprintf("%v, below %t", of.loss, of.below), func(t *testing.T) {
			a := NewOracle(settingOf(p, r), of.loss, OracleOptions{Refresh: 10, Below: of.below})
			var tops []float64
			for i, want := range of.want {
				note(t, &a.Means, i*10)
				got := a.hunted()
				if len(got) != want || !slices.IsSorted(got) {
					t.Errorf("search %d covers %v, want %d levels, increasing", i, got, want)
				}
				tops = append(tops, got[len(got)-1])
			}
			want := []float64{r, r, r}
			if of.loss == game.SimpleRegret && !of.below {
				want[1] = below[0]
			}
			if !slices.Equal(tops, want) {
				t.Errorf("the highest levels are %v, want %v", tops, want)
			}
		})
	}
}

// What leaves a full set is among the starts of the searches that follow, the last of it where
// more has left than is remembered.
func TestDropped(t *testing.T) {
	a := setOracle(4, MeanOptions{})
	const most = dropped * 4
	admitted := 4
	for _, n := range []int{4, 4 + most, 4 + 2*most} {
		for ; admitted < n; admitted++ {
			a.admit(setInstance(admitted), float64(admitted)) // each loses more than the one before, so that the first leaves first
		}
		known := a.known(30)
		for i := max(0, n-4-most); i < n; i++ {
			if !known.Has(setInstance(i)) {
				t.Errorf("after %d, instance %d is not a start", n, i)
			}
		}
		if got := len(known.Thetas); got > most+4 {
			t.Errorf("after %d, %d starts, want %d at most", n, got, most+4)
		}
	}
}

// A set is searched for once an iteration, also where the iteration is begun again, and at the first iteration of every
// phase, whatever the one before did.
func TestSearchesOnce(t *testing.T) {
	a := NewOracle(settingOf(check.Thresholds(5, 6), 30), game.BestIdentification, OracleOptions{N: 24, Games: 1024, Refresh: 5, Add: 8})
	for phase := range 2 {
		ph := phaseOf(game.BestIdentification, 3)
		ph.Index = phase
		a.Enter(ph, nil)
		for iteration := range 3 {
			steps, err := a.Prepare(t.Context(), check.Even{P: a.P}, iteration)
			if err != nil {
				t.Fatal(err)
			}
			set := setOf(t, a).Theta
			if (steps > 0) != (iteration == 0) || len(set) == 0 {
				t.Fatalf("phase %d, iteration %d: a search of %d steps, a set of %d", phase, iteration, steps, len(set)/5)
			}
			again, err := a.Prepare(t.Context(), check.Even{P: a.P}, iteration)
			if err != nil {
				t.Fatal(err)
			}
			if again != 0 || !slices.Equal(setOf(t, a).Theta, set) {
				t.Error("an iteration that is begun again searches again")
			}
		}
	}
}

// What a search finds comes into the set with what it loses above the benchmark of its own level, scaled, as exact has it,
// within 6 standard errors of its games.
func TestAdmittedMeans(t *testing.T) {
	p, _, _ := check.Torn()
	b := []float64{.5, -.25}
	a := NewOracle(settingOf(p, check.EasyLevel, check.HardLevel), game.BestIdentification, OracleOptions{N: 48, Games: 128, Refresh: 40, Add: 8})
	ph := phaseOf(game.BestIdentification, 60)
	ph.Scale, ph.R, ph.Benchmarks = 30, a.R, b
	a.Enter(ph, nil)
	policy := check.Even{P: p}
	if _, err := a.Prepare(t.Context(), policy, 0); err != nil {
		t.Fatal(err)
	}
	g, err := exact.New(p)
	if err != nil {
		t.Fatal(err)
	}
	f := g.Flow(policy)
	kinds, s := make([]int, 2), setOf(t, a)
	for i, mean := range s.Mean {
		level := 0
		if !game.Within(a.C.Of(s.At(i)), check.EasyLevel) {
			level = 1
		}
		kinds[level]++
		loss := f.Loss(game.BestIdentification, s.At(i))
		games := float64(a.batched(freshGames, 32))
		if got := mean/30 + b[level]; math.Abs(got-loss) > 6*math.Sqrt(loss*(1-loss)/games)+1e-9 {
			t.Errorf("instance %d of level %d comes with a loss of %.3f, want %.3f", i, level+1, got, loss)
		}
	}
	if kinds[0] < 3 || kinds[1] < 3 {
		t.Errorf("the levels have %v instances, want some of each", kinds)
	}
}

// An instance that a judge or a search starts from is at most as hard as its level, however much the policy loses on it.
func TestStrongestKeepToTheLevel(t *testing.T) {
	a := setOracleOf(3, 4, MeanOptions{})
	hard := []float64{.3, .3, .3, -.3, -.3}
	if rho := a.C.Of(hard); rho < 31 || rho > 40 {
		t.Fatalf("the hard instance has difficulty %.3g, want 31 to 40", rho)
	}
	a.admit(hard, 100)
	s := setOf(t, a)
	for level, want := range map[float64][][]float64{30: {setInstance(2), setInstance(1)}, 40: {hard, setInstance(2)}, 1: nil} {
		if got := strongest(&a.Setting, &s.Mixture, s.Mean, level, 2).Instances(); !slices.EqualFunc(got, want, slices.Equal) {
			t.Errorf("the strongest two within %g are %v, want %v", level, got, want)
		}
	}
	if got := a.Hardest(1); len(got) != 1 || !slices.Equal(got[0], setInstance(2)) {
		t.Errorf("a judge gets %v, want instance 2: the level is 30", got)
	}
}

// With one level of regret every second search keeps to one of the lower levels, each in its turn.
func TestLowerLevelsTakeTurns(t *testing.T) {
	p := check.Thresholds(5, 6)
	a, below := NewOracle(settingOf(p, 32), game.SimpleRegret, OracleOptions{Refresh: 10}), lower(32, difficulty.Least(p))
	if len(below) < 2 {
		t.Fatalf("the lower levels are %v, want at least 2", below)
	}
	for turn := range 4 * len(below) {
		want := []float64{32}
		if turn%2 == 1 {
			want = []float64{below[turn/2%len(below)]}
		}
		if note(t, &a.Means, 10*turn); !slices.Equal(a.hunted(), want) {
			t.Errorf("search %d is of the levels %v, want %v", turn, a.hunted(), want)
		}
	}
}
