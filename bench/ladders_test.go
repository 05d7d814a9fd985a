package bench

import (
	"strings"
	"testing"

	"mapo/game"

	"mapo/run"
	"mapo/run/job"
	"mapo/run/runtest"
	"mapo/run/store"
)

// racer is a flow with marks in a store shared with its opponent.
func racer(t *testing.T, s store.Store, plan run.Plan) *run.Flow {
	t.Helper()
	plan.Marks = true
	f, err := run.New(t.Context(), plan, s, &job.Local{Store: s, Steps: run.Steps(plan.Known()...), Cores: 2})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// Two trainings of a ladder are compared at every level, π̂'s work behind that of
// the π_k, and beside the best rival.
func TestRace(t *testing.T) {
	s := shared(t)
	plan := tiny(t, 8, 32)
	paper := plan
	paper.Train = runtest.Paper(runtest.MLP(plan.Train, 8))
	paper.Train.Estimator = "paper"
	race, err := RunRace(t.Context(), racer(t, s, plan), racer(t, s, paper))
	if err != nil {
		t.Fatal(err)
	}
	if len(race.Ratios) != 2 || len(race.Rival) != 2 {
		t.Fatalf("the race is %+v", race)
	}
	// Of the paper's: (2+8) + 6 iterations of each π_k, 8 of π̂ behind 2 of Init.
	games := float64(plan.Train.M * plan.Train.L * plan.Problem.T)
	if want := games * (2*(2+8+2+6) + 2 + 8); race.Yardstick.Work != want {
		t.Errorf("the yardstick played %v steps, want %v", race.Yardstick.Work, want)
	}
	for k, ratios := range race.Ratios {
		if len(ratios) == 0 || race.Rival[k].Level != plan.Levels[k] || race.Rival[k].Name != "uniform" && race.Rival[k].Name != "sgbs:0.1" {
			t.Errorf("at r = %v: %+v, rival %+v", plan.Levels[k], ratios, race.Rival[k])
		}
		for _, x := range ratios {
			if x.Yardstick.Work < games*2*(2+8+2+6) || x.Yardstick.Work > race.Yardstick.Work || !(x.Yardstick.Seconds > 0) || !(x.Ours.Seconds > 0) {
				t.Errorf("at r = %v: %+v", plan.Levels[k], x)
			}
		}
	}
}

// What a training starts from is compared too: it has played no game.
func TestRaceFromTheStart(t *testing.T) {
	s := shared(t)
	plan := tiny(t, 32)
	plan.Train.Structured.Start = "unasked"
	paper := plan
	paper.Train = runtest.Paper(runtest.MLP(plan.Train, 8))
	paper.Train.Estimator = "paper"
	race, err := RunRace(t.Context(), racer(t, s, plan), racer(t, s, paper))
	if err != nil {
		t.Fatal(err)
	}
	first := race.Ratios[0][0]
	if first.Yardstick.Work != 0 || first.Yardstick.Seconds != 0 || !first.YardstickDid {
		t.Errorf("the first worst case compared is that of %+v, want the start's", first.Yardstick)
	}
	if first.Ours.Work != 0 || first.Ours.Worst >= first.Yardstick.Worst {
		t.Errorf("near uniform %v, leaning %+v: want less and no game", first.Yardstick.Worst, first.Ours)
	}
}

func TestRaceOfDifferentGames(t *testing.T) {
	s := shared(t)
	plan := tiny(t, 8, 32)
	for why, change := range map[string]func(p *run.Plan){
		"levels": func(p *run.Plan) { p.Levels = []float64{8} },
		"seed":   func(p *run.Plan) { p.Seed++ },
	} {
		other := plan
		change(&other)
		if _, err := RunRace(t.Context(), racer(t, s, plan), racer(t, s, other)); err == nil || !strings.Contains(err.Error(), "not of the same problem, loss, seed and levels") {
			t.Errorf("another %s: %v", why, err)
		}
	}
}

// shared is a store for two.
func shared(t *testing.T) store.Store {
	t.Helper()
	s, err := store.Folder(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// tiny is a whole run that takes about a second.
func tiny(t testing.TB, levels ...float64) run.Plan {
	t.Helper()
	parts := runtest.Tiny(t)
	return run.Plan{
		Name: "tiny", Title: "A tiny run", Scale: "smoke", Spec: []byte("problem:\n  thresholds: {d: 5}\n"),
		Problem: parts.Problem, Loss: game.BestIdentification, Levels: levels, Seed: 1,
		Train: parts.Train, Effort: parts.Effort, Rivals: []string{"uniform", "sgbs:0.1", run.BayesLAL}, Priors: parts.Priors, Games: 200,
	}
}
