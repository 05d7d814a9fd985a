package dataset_test

import (
	"math"
	"reflect"
	"strings"
	"testing"

	"mapo/data/dataset"
	"mapo/data/table"
	"mapo/game"
)

// graded has two equal rows, a repeated column, a constant one, an unknown cell and weights.
func graded() *table.Table {
	return &table.Table{
		Name: "t.csv", Objects: []string{"a", "b", "c", "d"}, Queries: []string{"p", "q", "r"}, Lines: []int{2, 3, 4, 5},
		P: []float64{
			0.1, 0.1, 0.3,
			0.4, 0.4, 0.3,
			0.1, 0.1, 0.3,
			0.4, 0.4, 0.3,
		},
		Unknown: []bool{false, false, false, false, false, false, false, false, false, false, true, false},
		Weights: []float64{1, 2, 3, 4},
	}
}

func TestRowsKeepEverything(t *testing.T) {
	p, warnings, err := dataset.Rows(graded(), dataset.RowOptions{Options: dataset.Options{T: 3, AskOnce: true}})
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Check(); err != nil {
		t.Fatal(err)
	}
	if want := []string{"a or c", "b", "d"}; !reflect.DeepEqual(p.Names, want) || p.Queries() != 3 {
		t.Errorf("hypotheses %v over %d queries, want %v over 3: b and d differ in what is unknown", p.Names, p.Queries(), want)
	}
	if want := []float64{0.4, 0.2, 0.4}; !near(p.Seek.(*game.Shares).Weight, want) {
		t.Errorf("weights %v, want %v", p.Seek.(*game.Shares).Weight, want)
	}
	if len(warnings) != 1 || !strings.Contains(warnings[0], `1 of 4 objects have the same shares as another and share a hypothesis ("a or c")`) {
		t.Errorf("warnings %q", warnings)
	}
}

func TestRowsOther(t *testing.T) {
	p, _, err := dataset.Rows(graded(), dataset.RowOptions{Options: dataset.Options{T: 3, AskOnce: true}, Other: 0.2})
	if err != nil {
		t.Fatal(err)
	}
	if p.Names[3] != dataset.Other || !p.Seek.(*game.Shares).Other || !near(p.Seek.(*game.Shares).Weight, []float64{0.32, 0.16, 0.32, 0.2}) {
		t.Errorf("hypotheses %v with weights %v; want none of these with 0.2", p.Names, p.Seek.(*game.Shares).Weight)
	}
	if want := []float64{0.28, 0.28, 0.3}; !near(p.Seek.(*game.Shares).Row(3, 3), want) { // 0.4·0.1 + 0.6·0.4
		t.Errorf("its shares are %v, want %v", p.Seek.(*game.Shares).Row(3, 3), want)
	}
	named := graded()
	named.Objects[1] = dataset.Other
	if _, _, err := dataset.Rows(named, dataset.RowOptions{Other: 0.2}); err == nil {
		t.Error("an object called none of these is taken")
	}
}

func TestRowsSelect(t *testing.T) {
	// The majorities tell objects apart by r alone; then the column whose mean is nearest to ½.
	g := &table.Table{
		Name: "t.csv", Objects: []string{"a", "b"}, Queries: []string{"p", "q", "r"}, Lines: []int{2, 3},
		P: []float64{0.1, 0.3, 0.9, 0.2, 0.4, 0.1},
	}
	for n, want := range map[int][]string{1: {"r"}, 2: {"q", "r"}, 3: {"p", "q", "r"}} {
		p, _, err := dataset.Rows(g, dataset.RowOptions{Options: dataset.Options{T: 1, Select: dataset.Select{Queries: n}}})
		if err != nil || !reflect.DeepEqual(p.X, want) {
			t.Errorf("select %d: %v, %v; want %v", n, p, err, want)
		}
	}
	if _, _, err := dataset.Rows(g, dataset.RowOptions{Options: dataset.Options{T: 1, Select: dataset.Select{Queries: 4}}}); err == nil || !strings.Contains(err.Error(), "the table has 3") {
		t.Errorf("select 4 of 3: %v", err)
	}
	g.P = []float64{0.1, 0.1, 0.1, 0.1, 0.1, 0.1}
	if _, _, err := dataset.Rows(g, dataset.RowOptions{Options: dataset.Options{T: 1}}); err == nil || !strings.Contains(err.Error(), "t.csv:2: all 2 objects have the same shares") {
		t.Errorf("two equal rows: %v", err)
	}
}

func near(a, b []float64) bool {
	for i := range a {
		if math.Abs(a[i]-b[i]) > 1e-12 {
			return false
		}
	}
	return len(a) == len(b)
}
