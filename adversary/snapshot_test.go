package adversary

import (
	"bytes"
	"slices"
	"testing"

	"mapo/game"
	"mapo/internal/check"
)

// kinds returns one adversary of every kind, each on five queries. A call makes new ones.
func kinds() map[string]Adversary {
	p := check.Thresholds(5, 6)
	s := settingOf(p, 30)
	rows := [][]float64{setInstance(1), setInstance(2), setInstance(3)}
	o := MeanOptions{Temperature: .1, Hedge: 10}
	return map[string]Adversary{
		"particles": NewParticles(s, ParticleOptions{WeightOptions: WeightOptions{Rate: .1}, N: 6, ThetaRate: .1}),
		"weights":   NewWeights(s, rows, WeightOptions{Rate: .1}),
		"means":     NewMeans(s, rows, o),
		"oracle":    NewOracle(s, game.BestIdentification, OracleOptions{MeanOptions: o, N: 6, Games: 64, Refresh: 2, Add: 2}),
		"annealed":  NewAnnealed(s, rows, 1),
		"prior":     NewPrior(s, game.Flip(p, .8)),
		"mix":       NewMix(NewMeans(s, rows, o), game.Flip(p, .8), .5, s.Key),
	}
}

// play plays an iteration in which every instance's loss is the sum of its coordinates' squares.
func play(t *testing.T, a Adversary, iteration int) *Batch {
	t.Helper()
	p := check.Thresholds(5, 6)
	if _, err := a.Prepare(t.Context(), check.Even{P: p}, iteration); err != nil {
		t.Fatal(err)
	}
	b := new(Batch)
	b.Reset(8, 5)
	a.Draw(b, settingOf(p).Key.At(iteration))
	g := &Games{L: 1, ThetaGrad: make([]float64, len(b.Theta))}
	for m := range b.Importance {
		var loss float64
		for i, v := range b.Theta[5*m : 5*m+5] {
			loss += v * v
			g.ThetaGrad[5*m+i] = 2 * v
		}
		g.Mean, g.Variance = append(g.Mean, loss), append(g.Variance, loss/9)
	}
	if b.Temperature != 0 {
		b.Respond(b.Importance, g.Mean)
	}
	a.Observe(b, g)
	return b
}

// An adversary that is restored from a snapshot goes on with the same instances, importances and state.
func TestRestore(t *testing.T) {
	for name, a := range kinds() {
		t.Run(name, func(t *testing.T) {
			ph := phaseOf(game.BestIdentification, 9)
			a.Enter(ph, nil)
			for i := range 3 {
				play(t, a, i)
			}
			kept, err := a.Snapshot()
			if err != nil {
				t.Fatal(err)
			}
			again := kinds()[name]
			if err := again.Enter(ph, kept); err != nil {
				t.Fatal(err)
			}
			for i := 3; i < 7; i++ {
				want, got := play(t, a, i), play(t, again, i)
				if !slices.Equal(got.Theta, want.Theta) || !slices.Equal(got.Importance, want.Importance) || got.Scale != want.Scale {
					t.Fatalf("iteration %d differs", i)
				}
			}
			end, err := a.Snapshot()
			if err != nil {
				t.Fatal(err)
			}
			if other, err := again.Snapshot(); err != nil || !bytes.Equal(end, other) {
				t.Errorf("the states differ (%v)", err)
			}
			if err := kinds()[name].Enter(ph, []byte("no snapshot")); err == nil {
				t.Error("accepted a file that is not a snapshot")
			}
		})
	}
}

// A state whose parts are not of the adversary's sizes and each other's is refused when it is read, not met later.
func TestRestoreRefuses(t *testing.T) {
	refused := func(kind, why string, state any) {
		t.Helper()
		data, err := Encode(state)
		if err != nil {
			t.Fatal(err)
		}
		if err := kinds()[kind].Enter(phaseOf(game.BestIdentification, 9), data); err == nil {
			t.Errorf("%s: a checkpoint with %s was taken", kind, why)
		}
	}
	for why, spoil := range map[string]func(s *meanState){
		"a mean too few":   func(s *meanState) { s.Mean = s.Mean[1:] },
		"a lead too few":   func(s *meanState) { s.Lead = s.Lead[1:] },
		"no last games":    func(s *meanState) { s.Last = nil },
		"half an instance": func(s *meanState) { s.Theta = s.Theta[1:] },
	} {
		a := kinds()["means"]
		a.Enter(phaseOf(game.BestIdentification, 9), nil)
		s := stateOf[meanState](t, a)
		spoil(s)
		refused("means", why, s)
		refused("oracle", why, oracleSnapshot{Set: *s})
		refused("mix", why, s)
	}
	o := kinds()["oracle"]
	o.Enter(phaseOf(game.BestIdentification, 9), nil)
	refused("oracle", "half an instance that left", oracleSnapshot{stateOf[oracleSnapshot](t, o).Set, oracleState{Dropped: []float64{1}}})
	for why, spoil := range map[string]func(s *particleState){
		"a step count too few": func(s *particleState) { s.Steps = s.Steps[1:] },
		"no moments of θ":      func(s *particleState) { s.Theta = Adam{} },
		"a moment of w less":   func(s *particleState) { s.Weights.Adam.V = s.Weights.Adam.V[1:] },
		"half an instance":     func(s *particleState) { s.Weights.Theta = s.Weights.Theta[1:] },
	} {
		a := kinds()["particles"]
		a.Enter(phaseOf(game.BestIdentification, 9), nil)
		s := stateOf[particleState](t, a)
		spoil(s)
		refused("particles", why, s)
	}
	w := kinds()["weights"]
	w.Enter(phaseOf(game.BestIdentification, 9), nil)
	s := stateOf[weightState](t, w)
	s.Adam.M = nil
	refused("weights", "no moments", s)
	refused("annealed", "a loss too few", []float64{1, 2})
}
