package judge

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"mapo/difficulty"
	"mapo/game"
	"mapo/internal/check"
	"mapo/internal/suite"
	"mapo/rng"
)

// TestLevelsOfRows: levels of graded hypotheses start at the median of the least ρ̃, are at most six, and the note says what
// they cover. Anchors are found where there are none.
func TestLevelsOfRows(t *testing.T) {
	p := check.GradedFile(t, "../examples/animals.csv", 20)
	levels, note := chosen(t, Choice{P: p, Scale: "paper", Seed: 1})
	if want := "[8 11.313708498984761 16 22.627416997969522 32]"; fmt.Sprint(levels) != want {
		t.Errorf("levels %v, want %v", levels, want)
	}
	for _, want := range []string{ListLevels(levels), "cover 95 % of the rows", "100 % of the rows, and 97 % if one answer in ten is wrong"} {
		if !strings.Contains(note, want) {
			t.Errorf("the note lacks %q: %s", want, note)
		}
	}
	if p.Easy() != nil {
		t.Error("the problem was changed")
	}
	if levels, _ := chosen(t, Choice{P: p, Scale: "smoke", Seed: 1}); fmt.Sprint(levels) != "[8 16 32]" {
		t.Errorf("smoke has the levels %v", levels)
	}
}

// TestRowLevelsEnd: where rows are too near each other to be covered, levels end where Uniform is saturated.
func TestRowLevelsEnd(t *testing.T) {
	p := check.Graded(10, 40, 2, rng.New(5).Rand())
	d := p.Queries()
	for k := 1; k < 40; k += 2 { // pairs of rows that differ by little
		for i := range d {
			p.Seek.(*game.Shares).Yes[k*d+i] = p.Seek.(*game.Shares).Yes[(k-1)*d+i]*0.98 + 0.01
		}
	}
	p.Grade()
	levels, note := chosen(t, Choice{P: p, Loss: game.BestIdentification, Scale: "paper", Seed: 1})
	p.Ease(difficulty.Anchors(p))
	covering := difficulty.RowLevels(p, 512*difficulty.Least(p))
	if top := levels[len(levels)-1]; top >= covering[len(covering)-1] || len(levels) > mostRowLevels || !slices.IsSorted(levels) || !strings.Contains(note, "hardly grows") {
		t.Errorf("levels %v: %s", levels, note)
	}
	if got := difficulty.Coverage(p, levels[len(levels)-1:], 0.1); got[0] >= 0.95 {
		t.Errorf("the highest level covers %v of the rows", got[0])
	}
}

// TestRowLevelsOfTies: rows that tie, such as one with an unknown cell whose stand-in is the
// other's share, are the best of no instance. Levels are chosen for the others, and there are none
// where all rows tie.
func TestRowLevelsOfTies(t *testing.T) {
	p := &game.Problem{
		T: 2, AskOnce: true, X: []string{"q1", "q2"}, Names: []string{"A", "B", "C"},
		Seek: &game.Shares{
			Weight: []float64{1. / 3, 1. / 3, 1. / 3}, Yes: []float64{0.5, 0.2, 0.5, 0.2, 0.5, 0.9},
			Unknown: []bool{false, false, true, false, false, false},
		},
	}
	p.Grade()
	if levels, _ := chosen(t, Choice{P: p, Loss: game.BestIdentification, Scale: "smoke", Seed: 1}); len(levels) == 0 {
		t.Error("no levels")
	}
	p.Names, p.Seek.(*game.Shares).Weight, p.Seek.(*game.Shares).Yes, p.Seek.(*game.Shares).Unknown = p.Names[:2], []float64{0.5, 0.5}, p.Seek.(*game.Shares).Yes[:4], p.Seek.(*game.Shares).Unknown[:4]
	p.Grade()
	for _, finite := range [][][]float64{nil, {{0.5, 0.2}}} {
		_, _, err := Choice{P: p, Loss: game.BestIdentification, Finite: finite, Scale: "smoke", Seed: 1}.Levels(t.Context())
		if err == nil || !strings.Contains(err.Error(), "ties with another") {
			t.Errorf("with instances %v the error is %v", finite, err)
		}
	}
}

// TestRowLevelsOfLarge: levels of a large table are by its sample, without anchors and without a search.
func TestRowLevelsOfLarge(t *testing.T) {
	p := check.Graded(101, 2000, 2, rng.New(5).Rand())
	levels, note := chosen(t, Choice{P: p, Scale: "paper", Seed: 1}) // without a loss no search can be
	_, least := difficulty.Easiest(p)
	if all := difficulty.RowLevels(p, farthest*slices.Min(least)); !slices.Equal(levels, thin(all, mostRowLevels)) || p.Easy() != nil {
		t.Errorf("levels %v of %v", levels, all)
	}
	if !strings.Contains(note, "was not searched for") || !strings.Contains(note, "a sample of 100 rows") {
		t.Error(note)
	}
}

// TestCheckLevelsOfLarge: a level that no row of the sample meets is refused only where no row does.
func TestCheckLevelsOfLarge(t *testing.T) {
	suite.Long(t, "finds the anchors of a large table")
	p := check.Graded(7700, 26, 2, rng.New(5).Rand())
	d := p.Queries()
	for _, k := range []int{1, 3, 5, 7, 9, 11, 14, 16, 18, 20, 22, 24} { // all rows of the sample are near another
		for i := range d {
			p.Seek.(*game.Shares).Yes[k*d+i] = p.Seek.(*game.Shares).Yes[(k-1)*d+i]*0.9 + 0.05
		}
	}
	p.Grade()
	rows, rho := difficulty.Easiest(p)
	if slices.Contains(rows, 12) || slices.Contains(rows, 25) {
		t.Fatalf("the sample is %v", rows)
	}
	p = difficulty.Anchored(p) // or every check finds them
	if err := CheckLevels(p, nil, []float64{slices.Min(rho) * 0.9}); err != nil {
		t.Error(err)
	}
	if err := CheckLevels(p, nil, []float64{1}); err == nil {
		t.Error("a level below the least ρ̃ is taken")
	}
}
