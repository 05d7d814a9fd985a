package judge

import (
	"math"
	"slices"
	"testing"

	"mapo/data/dataset"
	"mapo/data/table"
	"mapo/game"
	"mapo/game/sim"
	"mapo/internal/check"
	"mapo/rng"
)

// TestForeigners: two rows, one question. A row whose people answer as the other row says is never named, and is the worst tenth.
func TestForeigners(t *testing.T) {
	own := &table.Table{Name: "own", Objects: []string{"A", "B", "C"}, Queries: []string{"q"}, Lines: []int{2, 3, 4}, P: []float64{1, 0, 0.5}}
	other := &table.Table{Name: "other", Objects: []string{"B", "A", "D"}, Queries: []string{"q", "r"}, P: []float64{0, 1, 0, 0, 1, 1}}
	p, _, err := dataset.Rows(own, dataset.RowOptions{Options: dataset.Options{T: 1}})
	if err != nil {
		t.Fatal(err)
	}
	a, err := dataset.AnswersOf(p, own, other)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(a.Names, []string{"A", "B"}) || !slices.Equal(a.Missing, []string{"C"}) || !slices.Equal(a.Foreign, []string{"D"}) || a.Kept != nil {
		t.Errorf("%+v", a)
	}
	got, err := Foreigners(t.Context(), sim.Play{P: p, Policy: check.Even{P: p}}, a.Drawn, 200, rng.New(1))
	if err != nil {
		t.Fatal(err)
	}
	// A's people say no and are taken for B; so do B's.
	if got.Wrong.Mean != 0.5 || got.Tenth.Mean != 1 || !slices.Equal(got.Lowest, []int{0}) {
		t.Errorf("%+v", got)
	}
	if got.Wrong.Games != 200 || got.Tenth.Games != 50 {
		t.Errorf("%d games, of them %d of the worst tenth; want 200 and 50", got.Wrong.Games, got.Tenth.Games)
	}
	stops := sim.Play{P: p, Policy: game.Stopping(check.Even{P: p}, check.Lead{P: p, Sum: 9, After: 0})}
	if none, err := Foreigners(t.Context(), stops, a.Drawn, 200, rng.New(1)); err != nil || none.Wrong.Questions.Hi >= 1 || math.Abs(none.Wrong.Mean-2./3) > 1e-9 || none.Tenth.Questions.Hi == 0 {
		t.Errorf("without a question: %+v, %v", none, err)
	}
	if rho := Difficulties(p, a.Drawn); !math.IsInf(rho[0], 1) || math.IsInf(rho[1], 1) {
		t.Errorf("difficulties %v", rho)
	}
	people := &game.People{Source: "other", Rows: a.Drawn}
	as, err := Averages(t.Context(), sim.Play{P: p, Policy: check.Even{P: p}}, []game.Prior{people, game.DrawShares(p, 0)}, 200, rng.New(1), game.BestIdentification)
	if err != nil || len(as) != 3 || as[0].Prior != "answers:other" || as[0].Mean != 0.5 || as[1].Prior != "answers:other, worst tenth" || as[1].Mean != 1 {
		t.Errorf("averages %+v, %v", as, err)
	}
	if _, err := dataset.AnswersOf(p, own, &table.Table{Name: "none", Objects: []string{"a"}, Queries: []string{"q"}, P: []float64{1}}); err == nil {
		t.Error("a table without a common row is taken")
	}
	if _, err := dataset.AnswersOf(p, own, &table.Table{Name: "less", Objects: []string{"A"}, Queries: []string{"r"}, P: []float64{1}}); err == nil {
		t.Error("a table without a common question is taken")
	}
	two := &table.Table{Name: "two", Objects: []string{"A", "B"}, Queries: []string{"q", "r"}, Lines: []int{2, 3}, P: []float64{1, 0.25, 0, 1}}
	p2, _, err := dataset.Rows(two, dataset.RowOptions{Options: dataset.Options{T: 2}})
	if err != nil {
		t.Fatal(err)
	}
	less, err := dataset.AnswersOf(p2, two, &table.Table{Name: "less", Objects: []string{"A"}, Queries: []string{"q"}, P: []float64{0.5}})
	if err != nil || !slices.Equal(less.Kept, []string{"r"}) || !slices.Equal(less.Drawn[0].Theta, []float64{0, -0.5}) {
		t.Errorf("what the other table does not ask: %+v, %v", less, err)
	}
	if list := game.Support(p, game.DrawShares(p, 0.25)); len(list) != 3 || list[0].Theta[0] != 0.5 || list[2].Hypothesis != 2 || list[1].Weight != 1./3 {
		t.Errorf("the list of a prior is %+v", list)
	}
}
