package run

import (
	"bytes"
	"context"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"mapo/game"
	"mapo/game/exact"
	"mapo/internal/check"
	"mapo/internal/suite"
	"mapo/policy/nn"
	"mapo/run/job"
	"mapo/run/runtest"
	"mapo/run/store"
)

// learned is π_1's policy file of a plan of one level.
func learned(t *testing.T, plan Plan, s store.Store) []byte {
	t.Helper()
	_, ladder := laddered(t, plan, s)
	return ladder.PiHat.Net.File
}

// laddered returns a plan's ladder, with the flow that trained it.
func laddered(t *testing.T, plan Plan, s store.Store) (*Flow, *Ladder) {
	t.Helper()
	exec := &job.Local{Store: s, Steps: Steps(plan.Known()...), Cores: 1}
	f, err := New(t.Context(), plan, s, exec)
	if err != nil {
		t.Fatal(err)
	}
	ladder, err := MAPO(t.Context(), f)
	if err != nil {
		t.Fatal(err)
	}
	return f, ladder
}

func folder(t *testing.T) store.Store {
	t.Helper()
	s, err := store.Folder(filepath.Join(t.TempDir(), "s"))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// A policy learned on one table is worth many iterations on another of other sizes: after 8 it is
// better than fresh ones after 32, by the exact judge and on average over seeds; the file says where it began.
func TestInitFromAnotherTable(t *testing.T) {
	suite.Long(t, "has many trainings")
	p := check.Thresholds(5, 6)
	g, err := exact.New(p)
	if err != nil {
		t.Fatal(err)
	}
	grid := exact.Grid(p, game.RhoTilde(p), []float64{-1, -.5, .5, 1}, 32)
	worst := func(file []byte) float64 {
		net, _, err := nn.Decode(file)
		if err != nil {
			t.Fatal(err)
		}
		v, _ := g.Flow(nn.Policy(p, net)).Worst(game.BestIdentification, grid)
		return v
	}
	const seeds = 12
	var from []byte
	var fine *Flow
	var tuned *Ladder
	var was, is float64
	for seed := range uint64(seeds) {
		first := tiny(t, 40)
		first.Seed = 1 + seed
		first.Problem = check.Random(6, 8, 7, rand.New(rand.NewPCG(1, 1)))
		first.Rivals, first.Priors = nil, nil
		first.Train.Pi, first.Train.M, first.Train.L = 150, 16, 8
		from = learned(t, first, folder(t))

		second := tiny(t, 32)
		second.Seed, second.Problem = first.Seed, p
		second.Rivals, second.Priors, second.Train = nil, nil, first.Train
		second.Train.Pi = 32
		was += worst(learned(t, second, folder(t))) / seeds
		second.Init, second.Train.Pi = from, 8
		fine, tuned = laddered(t, second, folder(t))
		is += worst(tuned.PiHat.Net.File) / seeds
	}
	if is > was-.01 {
		t.Errorf("the worst case is %.3f after 8 iterations from another table's weights, %.3f after 32 from fresh ones", is, was)
	}
	_, source, err := nn.Decode(from)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := Contract(fine, tuned.PiHat, tuned).Trained["init"], "pi-1 "+source.Hash[:8]; got != want {
		t.Errorf("its policy file says that it began from %q, want %q", got, want)
	}
}

// Where a training begins is part of what it is: another file is another
// training, also in the same store, and an interrupted one ends in the same bytes.
func TestInitIsPartOfTheKey(t *testing.T) {
	if testing.Short() {
		t.Skip("eight trainings")
	}
	plan := tiny(t, 8, 32)
	plan.Rivals, plan.Priors = nil, nil
	one := tiny(t, 16)
	one.Rivals, one.Priors = nil, nil
	s := folder(t)
	fresh := learned(t, plan, s)
	a := learned(t, one, s)
	one.Seed = 2
	b := learned(t, one, s)
	files := map[string]bool{string(fresh): true}
	var fromB []byte
	for _, init := range [][]byte{a, b} {
		plan.Init = init
		fromB = learned(t, plan, s)
		files[string(fromB)] = true
	}
	if len(files) != 3 {
		t.Errorf("three beginnings lead to %d policies", len(files))
	}
	// Stopped at π̂'s first checkpoint.
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	other := folder(t)
	f, err := New(ctx, plan, other, &job.Local{Store: other, Cores: 2, Every: 1, Events: func(e job.Event) {
		if e.Kind == job.Saved && e.For == PiHat {
			cancel()
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := MAPO(ctx, f); err == nil {
		t.Fatal("the training was not stopped")
	}
	if !bytes.Equal(learned(t, plan, other), fromB) {
		t.Error("stopped and gone on with, the training ends in other bytes")
	}
}

func TestInitFaults(t *testing.T) {
	from := tiny(t, 16)
	from.Rivals, from.Priors, from.Train = nil, nil, runtest.MLP(from.Train, 8)
	mlp := learned(t, from, folder(t))
	for _, c := range []struct {
		why, want string
		change    func(p *Plan)
	}{
		{"the same network", "", func(*Plan) {}},
		{"another table", `the policy is a network "mlp 15-8-5", and this training's is "mlp 9-8-3"`, func(p *Plan) { p.Problem = check.Thresholds(3, 4) }},
		{"other layers", `this training's is "mlp 15-9-5"`, func(p *Plan) { p.Train = runtest.MLP(p.Train, 9) }},
		{"another kind", `this training's is "structured`, func(p *Plan) { p.Train = tiny(t, 16).Train }},
		{"no policy", "not a sound policy file", func(p *Plan) { p.Init = []byte("no policy") }},
	} {
		plan := from
		plan.Init = mlp
		c.change(&plan)
		err := plan.CheckInit()
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: got %v, want %q", c.why, err, c.want)
		}
		s := folder(t)
		if _, again := New(t.Context(), plan, s, &job.Local{Store: s, Steps: Steps()}); (again == nil) != (err == nil) {
			t.Errorf("%s: the plan's check says %v, the flow %v", c.why, err, again)
		}
	}
}
