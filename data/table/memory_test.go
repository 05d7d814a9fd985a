package table_test

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"

	"mapo/data/table"
)

// TestNewIsAFile: a table made in memory is the one that is read from the file with its cells, warnings included.
func TestNewIsAFile(t *testing.T) {
	nan := math.NaN()
	for name, c := range map[string]struct {
		objects, queries []string
		shares           [][]float64
		weights          []float64
	}{
		"shares":  {[]string{"a", "b, c", "Ünit"}, []string{"One?", `"Two"?`}, [][]float64{{0.1, 1}, {1.0 / 3, 0}, {0.5, 1e-9}}, nil},
		"weights": {[]string{"a", "b"}, []string{"One?"}, [][]float64{{0.25}, {1}}, []float64{3, 1e-12}},
		"unknown": {[]string{"a", "b", "c"}, []string{"One?", "Two?", "Three?"}, [][]float64{{0.1, nan, nan}, {0.4, 0.2, nan}, {nan, 0.7, nan}}, nil},
		"totals":  {[]string{"a", "b", "c"}, []string{"One?", "Two?", "Three?"}, [][]float64{{0.1, 0.2, 0.3}, {0.2, 0.3, 0.5}, {0.3, 0.5, 0.8}}, nil},
	} {
		made, err := table.New("made.csv", c.objects, c.queries, c.shares, c.weights)
		if err != nil {
			t.Fatal(name, err)
		}
		var file bytes.Buffer
		if err := made.Write(&file); err != nil {
			t.Fatal(name, err)
		}
		read, err := table.Parse(&file, "made.csv", table.Options{})
		if err != nil {
			t.Fatal(name, err)
		}
		read.Lines = made.Lines // a file has a header
		if fmt.Sprint(made) != fmt.Sprint(read) {
			t.Errorf("%s: made %v, read %v", name, made, read)
		}
	}
}

// TestNewKeepsNothing: what a caller does with its lists afterwards does not change the table.
func TestNewKeepsNothing(t *testing.T) {
	objects, queries, shares, weights := []string{"a", "b"}, []string{"One?"}, [][]float64{{0}, {1}}, []float64{1, 2}
	made, err := table.New("t", objects, queries, shares, weights)
	if err != nil {
		t.Fatal(err)
	}
	objects[0], queries[0], shares[0][0], weights[0] = "x", "y", 0.5, 9
	if made.Objects[0] != "a" || made.Queries[0] != "One?" || made.P[0] != 0 || made.Weights[0] != 1 {
		t.Errorf("the table follows its lists: %v", made)
	}
}

// TestNewRefuses: an error is one line that names the row and the column.
func TestNewRefuses(t *testing.T) {
	nan, rows, columns := math.NaN(), []string{"a", "b"}, []string{"One?", "Two?"}
	sound := [][]float64{{0, 1}, {1, 0}}
	for want, c := range map[string]struct {
		objects, queries []string
		shares           [][]float64
		weights          []float64
	}{
		"t: objects: 1; a game needs at least 2":                                          {rows[:1], columns, sound[:1], nil},
		"t: the table has no questions":                                                   {rows, nil, [][]float64{{}, {}}, nil},
		"t: rows of shares: 1; objects: 2":                                                {rows, columns, sound[:1], nil},
		"t: weights: 3; objects: 2":                                                       {rows, columns, sound, []float64{1, 1, 1}},
		`t: row 2 ("b"): cells: 1; questions: 2`:                                          {rows, columns, [][]float64{{0, 1}, {1}}, nil},
		"t: row 2: the object has no name":                                                {[]string{"a", " "}, columns, sound, nil},
		`t: column 1: the name "One?\n" has control characters, or blanks around it. Use`: {rows, []string{"One?\n", "Two?"}, sound, nil},
		`t: columns 1 and 2 have one name, "One?"`:                                        {rows, []string{"One?", "One?"}, sound, nil},
		"t: rows 1 and 2 have one name":                                                   {[]string{"\u00e9", "e\u0301"}, columns, sound, nil},
		`t: row 2 ("b"), column 1 ("One?") is 1.5; a share is from 0 to 1`:                {rows, columns, [][]float64{{0, 1}, {1.5, 0}}, nil},
		`t: row 1 ("a"), column 2 ("Two?") is -Inf;`:                                      {rows, columns, [][]float64{{0, math.Inf(-1)}, {1, 0}}, nil},
		`t: row 2 ("b") has no known cell`:                                                {rows, columns, [][]float64{{0, 1}, {nan, nan}}, nil},
		`t: row 1 ("a") has the weight 0;`:                                                {rows, columns, sound, []float64{0, 1}},
		`t: row 2 ("b") has the weight NaN;`:                                              {rows, columns, sound, []float64{1, nan}},
		"t: all 2 rows are alike":                                                         {rows, columns, [][]float64{{0.3, nan}, {0.3, nan}}, nil},
	} {
		_, err := table.New("t", c.objects, c.queries, c.shares, c.weights)
		if err == nil || !strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
