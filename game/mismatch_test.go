package game_test

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"mapo/game"
)

// TestMismatch changes every field that a problem has, of all its parts.
func TestMismatch(t *testing.T) {
	changes := map[string]struct {
		of     func() *game.Problem
		change func(p *game.Problem)
		want   string // how the mismatch begins; "": the change makes none
		why    string // of those
	}{
		"Problem.Name":       {plainGame, func(p *game.Problem) { p.Name = "other" }, "", "it is for folders and titles"},
		"Problem.X":          {plainGame, func(p *game.Problem) { p.X[1] = "dives" }, `its query 1 is "swims", the spec's "dives"`, ""},
		"Problem.Names":      {plainGame, func(p *game.Problem) { p.Names[1] = "bat" }, "", "hypotheses are distinguished by what they answer"},
		"Problem.Z":          {plainGame, func(p *game.Problem) { p.Z[2] = 0 }, `its hypothesis 1, "owl", answers otherwise`, ""},
		"Problem.T":          {plainGame, func(p *game.Problem) { p.T = 3 }, "its budget is 2, the spec's 3", ""},
		"Problem.AskOnce":    {plainGame, func(p *game.Problem) { p.AskOnce = true }, "its ask-once is false, the spec's true", ""},
		"Problem.Known":      {plainGame, func(p *game.Problem) { p.Known[1] = 0.7 }, "it knows other instances", ""},
		"Problem.Seek":       {rowsGame, func(p *game.Problem) { p.Seek = nil }, "it was trained on the rows of a table", ""},
		"made.offset":        {rowsGame, func(p *game.Problem) { p.Offsets()[0]++ }, `its hypothesis 0, "cod", answers otherwise`, ""},
		"made.says":          {rowsGame, func(p *game.Problem) { p.Expects()[0] = 0.5 }, `its hypothesis 0, "cod", answers otherwise`, ""},
		"made.easy":          {rowsGame, func(p *game.Problem) { p.Ease(make([]float32, 4)) }, "", "searches alone start there, and files do not hold them"},
		"Problem.Difficulty": {plainGame, func(p *game.Problem) { p.Difficulty = "rho-star" }, "", "levels alone are by it"},
		"Problem.Reply":      {plainGame, func(p *game.Problem) { p.Reply = game.Answers{Sigma: 1, Bound: 2} }, "its answers are yes and no, the spec's numbers (gaussian: 1, bound: 2)", ""},
		"made of labels":     {poolGame, func(p *game.Problem) { p.Seek = nil }, "its queries are items of a pool, and", ""},
		"made of vectors":    {vectorsGame, func(p *game.Problem) { p.Seek = nil }, "its queries are vectors, and", ""},
		"Answers.Sigma":      {numbersGame, func(p *game.Problem) { p.Reply = game.Answers{Sigma: 3, Bound: 2} }, "its answers are numbers (gaussian: 1, bound: 2), the spec's", ""},
		"Answers.Bound":      {numbersGame, func(p *game.Problem) { p.Reply = game.Answers{Sigma: 1, Bound: 3} }, "its answers are numbers (gaussian: 1, bound: 2), the spec's", ""},
		"Shares.Yes":         {rowsGame, func(p *game.Problem) { p.Seek.(*game.Shares).Yes[1] = 0.7; p.Grade() }, `its hypothesis 0, "cod", answers otherwise`, ""},
		"Shares.Unknown":     {rowsGame, func(p *game.Problem) { p.Seek.(*game.Shares).Unknown[2] = true }, `its hypothesis 1, "owl", and the spec's differ in whether the share of query 0, "flies", is known`, ""},
		"Shares.Weight":      {rowsGame, func(p *game.Problem) { slices.Reverse(p.Seek.(*game.Shares).Weight) }, `its hypothesis 0, "cod", has prior weight 0.98, the spec's 0.02`, ""},
		"Shares.Wrong":       {rowsGame, func(p *game.Problem) { p.Seek.(*game.Shares).Wrong = nil }, "its share of wrong answers is 0, the spec's inferred", ""},
		"Shares.Other":       {rowsGame, func(p *game.Problem) { p.Seek.(*game.Shares).Other = true }, "the spec's last hypothesis is none of these", ""},
		"Labels.Classes":     {poolGame, func(p *game.Problem) { p.Seek.(*game.Labels).Classes[2] = "d" }, `its classes are ["a" "b" "c"], the spec's ["a" "b" "d"]`, ""},
		"Labels.Items":       {poolGame, func(p *game.Problem) { p.Seek.(*game.Labels).Items[0] = "y" }, "", "which of a cell's items is asked has no meaning"},
		"Labels.Cell":        {poolGame, func(p *game.Problem) { p.Seek.(*game.Labels).Cell[1] = 2 }, "its pool has other cells", ""},
		"Labels.First":       {poolGame, func(p *game.Problem) { p.Seek.(*game.Labels).First = []int32{0, 1, 2} }, "its pool has other cells", ""},
		"Labels.Of":          {poolGame, func(p *game.Problem) { p.Seek.(*game.Labels).Of[1] = 2 }, "its pool has other cells", ""},
		"Labels.Pool":        {poolGame, func(p *game.Problem) { p.Seek.(*game.Labels).Pool = 9 }, "", "reports alone divide by it"},
		"Vectors.X":          {vectorsGame, func(p *game.Problem) { p.Seek.(*game.Vectors).X[3] = 3 }, `its query 1, "swims", is another vector`, ""},
		"Vectors.Dim":        {vectorsGame, func(p *game.Problem) { p.Seek = &game.Vectors{X: []float64{1, 2}, Dim: 1} }, "its queries are vectors of 2 entries, the spec's of 1", ""},
	}
	try := func(name string) {
		c := changes[name]
		delete(changes, name)
		p, other := c.of(), c.of()
		if text := p.Mismatch(other); text != "" {
			t.Errorf("%s: without a change: %s", name, text)
		}
		c.change(other)
		if text := p.Mismatch(other); (text == "") != (c.want == "") || !strings.HasPrefix(text, c.want) {
			t.Errorf("%s: mismatch %q, want %q %s", name, text, c.want, c.why)
		}
		if text := other.Mismatch(p); (text == "") != (c.want == "") {
			t.Errorf("%s: the other way round: mismatch %q", name, text)
		}
	}
	for _, name := range slices.Collect(maps.Keys(changes)) {
		if strings.HasPrefix(name, "made") {
			try(name)
		}
	}
	for _, part := range []any{game.Problem{}, game.Answers{}, game.Shares{}, game.Labels{}, new(game.Vectors)} {
		kind := reflect.TypeOf(part)
		if kind.Kind() == reflect.Pointer { // it must not be copied
			kind = kind.Elem()
		}
		for _, field := range reflect.VisibleFields(kind) {
			name := kind.Name() + "." + field.Name
			_, ok := changes[name]
			switch {
			case !field.IsExported():
				continue // made of the others
			case !ok:
				t.Errorf("%s is new: does a game depend on it?", name)
				continue
			}
			try(name)
		}
	}
	for name := range changes {
		t.Errorf("there is no field %s", name)
	}
}

// TestNoMismatch: what only looks otherwise is the same game.
func TestNoMismatch(t *testing.T) {
	for why, change := range map[string]func(p *game.Problem){
		"early policy files hold no known instances": func(p *game.Problem) { p.Known = nil },
		"no cell is unknown":                         func(p *game.Problem) { p.Seek.(*game.Shares).Unknown = nil },
		"weights are rounded otherwise":              func(p *game.Problem) { p.Seek.(*game.Shares).Weight[0] *= 1 + 1e-12 },
		"a share of wrong answers is a number":       func(p *game.Problem) { p.Seek.(*game.Shares).Wrong = new(float64) },
	} {
		p, other := rowsGame(), rowsGame()
		if change(other); strings.Contains(why, "instances") {
			p, other = plainGame(), plainGame()
			change(other)
		}
		for _, text := range []string{p.Mismatch(other), other.Mismatch(p)} {
			if text != "" {
				t.Errorf("%s: %s", why, text)
			}
		}
	}
}

// plainGame, rowsGame, poolGame, vectorsGame and numbersGame are problems of every kind, made anew at each call.
func plainGame() *game.Problem {
	return &game.Problem{
		Name: "plain", X: []string{"flies", "swims"}, Names: []string{"cod", "owl"}, Z: []float32{0, 1, 1, 0}, T: 2,
		Known: []float32{-1, 0.8, 0.6, -1},
	}
}

func rowsGame() *game.Problem {
	p := plainGame()
	p.Seek = &game.Shares{Yes: []float64{0, 0.9, 0.8, 0}, Unknown: make([]bool, 4), Weight: []float64{0.98, 0.02}, Wrong: new(float64)}
	return p.Grade()
}

func poolGame() *game.Problem {
	p := plainGame()
	p.Expecting(p.Z)
	p.Known, p.Z = nil, []float32{0, 0.5, 0.5, 0}
	p.Seek = &game.Labels{Classes: []string{"a", "b", "c"}, Items: []string{"x"}, Cell: []int32{0, 1}, First: []int32{0, 2}, Of: []int32{0, 1}, Pool: 1}
	return p
}

func vectorsGame() *game.Problem {
	p := plainGame()
	p.Known, p.Seek = nil, &game.Vectors{X: []float64{1, 0, 0, 2}, Dim: 2}
	p.Expect()
	return p
}

func numbersGame() *game.Problem {
	p := plainGame()
	p.Reply = game.Answers{Sigma: 1, Bound: 2}
	return p
}
