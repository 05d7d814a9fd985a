package judge

import (
	"reflect"
	"testing"

	"mapo/adversary/search"
	"mapo/game"
	"mapo/game/exact"
	"mapo/internal/check"
	"mapo/policy/rival"
	"mapo/rng"
)

// evaluated is what an evaluation of uniform and uncertainty on three thresholds yields.
func evaluated(t *testing.T, e Evaluation) (out []Measured) {
	t.Helper()
	e.P = check.Thresholds(3, 3)
	e.Thetas = [][]float64{{.5, -.75, -1}, {1, .75, -.5}}
	e.Levels, e.Key = []float64{16, 32}, rng.New(1)
	players := []Player{
		{Policy: rival.Uniform(e.P), Name: "uniform", Hardest: search.Bank{Thetas: [][]float64{{.4, -.4, -.4}}}},
		{Policy: rival.Uncertainty(e.P), Name: "uncertainty"},
	}
	for m, err := range e.Run(t.Context(), players) {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, m)
	}
	return out
}

// TestEvaluation: the parts come in their order, and no player's worst case is below what its instances of the exact set, or
// its own search, have.
func TestEvaluation(t *testing.T) {
	effort, err := search.Efforts("smoke")
	if err != nil {
		t.Fatal(err)
	}
	effort.Starts, effort.Replay, effort.Report, effort.MaxReport = 12, 60, 100, 200
	p := check.Thresholds(3, 3)
	all := evaluated(t, Evaluation{Effort: effort, Priors: []game.Prior{game.Noiseless(p)}, Games: 400})
	var got []string
	for _, m := range all {
		what := m.Player
		switch {
		case m.Draft:
			what += " draft"
		case m.Worst != nil:
			what += " worst"
		case m.Averages != nil:
			what += " averages"
		}
		got = append(got, what)
	}
	want := []string{"uniform draft", "uncertainty draft", "uniform worst", "uncertainty worst", "uniform averages", "uncertainty averages", "uniform", "uncertainty"}
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("parts %q, want %q", got, want)
	}
	for i := range 2 {
		if w := all[2+i].Worst; len(w) != 2 || w[0].Level != 16 || w[1].Level != 32 || w[1].Mean < w[0].Mean {
			t.Errorf("%s: worst cases %+v", all[2+i].Player, w)
		}
		if reflect.DeepEqual(all[2+i].Worst, all[i].Worst) {
			t.Errorf("%s: what its own search found is final, without the instances found for others", all[i].Player)
		}
		if n := len(all[4+i].Averages); n != len(game.Losses()) {
			t.Errorf("%s: %d averages, want one a loss", all[4+i].Player, n)
		}
		if n := len(all[6+i].Instances); n != 2*len(game.Losses()) {
			t.Errorf("%s: %d instances, want one an instance and loss", all[6+i].Player, n)
		}
	}
}

// TestEvaluationTells: every game of averages and instances is told of, searches are told of too, and nothing else changes.
func TestEvaluationTells(t *testing.T) {
	effort, err := search.Efforts("smoke")
	if err != nil {
		t.Fatal(err)
	}
	effort.Starts, effort.Replay, effort.Report, effort.MaxReport = 12, 60, 100, 200
	e := Evaluation{Effort: effort, Priors: []game.Prior{game.Noiseless(check.Thresholds(3, 3))}, Games: 400}
	silent := evaluated(t, e)
	last := map[string][2]int{}
	e.Tell = func(what string, games, of int) {
		if games < last[what][0] {
			t.Errorf("%s: %d games after %d", what, games, last[what][0])
		}
		last[what] = [2]int{games, of}
	}
	if told := evaluated(t, e); !reflect.DeepEqual(told, silent) {
		t.Error("what is told of has other results")
	}
	for what, want := range map[string]int{"averages": 400, "instances": 800} {
		if got := last["uncertainty, "+what]; got != [2]int{want, want} {
			t.Errorf("%s end at %d of %d games, want %d", what, got[0], got[1], want)
		}
	}
	if got := last["uniform, worst cases"]; got[0] < got[1]/2 || got[0] > 2*got[1] || got[1] < 100 {
		t.Errorf("a search ends at %d of %d games", got[0], got[1])
	}
}

// TestExactEvaluation: where every game is played a worst case is that of the exact set, and the player's loss on the
// instance that is named.
func TestExactEvaluation(t *testing.T) {
	p := check.Thresholds(3, 3)
	games, err := exact.New(p)
	if err != nil {
		t.Fatal(err)
	}
	flow := games.Flow(rival.Uniform(p))
	n := 0
	for _, m := range evaluated(t, Evaluation{Exact: games, Priors: []game.Prior{game.Noiseless(p)}}) {
		if m.Averages != nil || m.Draft {
			t.Errorf("%+v: exact games have no averages and no drafts", m)
		}
		for _, w := range m.Worst {
			n++
			if m.Player != "uniform" {
				continue
			}
			want, _ := flow.Worst(game.BestIdentification, ExactSet(p, nil, w.Level))
			if w.Mean != want || w.Lo != want || w.Hi != want || flow.Loss(game.BestIdentification, w.Theta) != want || !game.Within(w.Rho, w.Level) {
				t.Errorf("r = %g: %+v, want exactly %g", w.Level, w, want)
			}
		}
	}
	if n != 4 {
		t.Errorf("%d worst cases, want two a player", n)
	}
}

// TestExactStopped: where every game is played, and policies end games early, worst cases and instances are of the games as they
// end, with their exact numbers of questions.
func TestExactStopped(t *testing.T) {
	p := check.Thresholds(3, 3)
	games, err := exact.New(p)
	if err != nil {
		t.Fatal(err)
	}
	policy := game.Stopping(rival.Uniform(p), check.Lead{P: p, Sum: 2, After: 3})
	flow := games.Played(policy).Flow(policy)
	e := Evaluation{P: p, Exact: games, Levels: []float64{16}, Thetas: [][]float64{{.5, -.75, -1}}}
	for m, err := range e.Run(t.Context(), []Player{{Policy: policy, Name: "uniform"}}) {
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range m.Worst {
			want, _ := flow.Worst(game.BestIdentification, ExactSet(p, nil, w.Level))
			if q := w.Questions; w.Mean != want || q.Mean != flow.Questions(w.Theta) || q.Lo != q.Mean || !(q.Mean > 0 && q.Mean < 3) {
				t.Errorf("worst case %+v, want exactly %g after %g questions", w, want, flow.Questions(w.Theta))
			}
		}
		for _, in := range m.Instances {
			if want := flow.Loss(in.Loss, e.Thetas[0]); in.Mean != want || in.Questions.Mean != flow.Questions(e.Thetas[0]) {
				t.Errorf("instance %+v, want exactly %g", in, want)
			}
		}
	}
}

// TestEvaluationStops: a caller that breaks off is not called again.
func TestEvaluationStops(t *testing.T) {
	p := check.Thresholds(3, 3)
	games, err := exact.New(p)
	if err != nil {
		t.Fatal(err)
	}
	e := Evaluation{P: p, Exact: games, Levels: []float64{16, 32}}
	for range e.Run(t.Context(), []Player{{Policy: rival.Uniform(p), Name: "uniform"}}) {
		break
	}
}
