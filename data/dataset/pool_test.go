package dataset

import (
	"math"
	"slices"
	"strings"
	"testing"

	"mapo/game"
)

// predicted is predictions of text.
func predicted(t *testing.T, text string, classes ...string) *Predictions {
	t.Helper()
	p, err := parsePredictions(strings.NewReader(text), "p.csv", classes)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestPoolOfTwoClasses(t *testing.T) {
	made, err := predicted(t, "item,a,b,c\nw,0,1,1\nx,1,1,1\ny,0,1,1\nz,1,1,0\n").Problem(PoolOptions{T: 2})
	if err != nil {
		t.Fatal(err)
	}
	p := made.Problem
	l := p.Seek.(*game.Labels)
	if !slices.Equal(p.X, []string{"w and 1 more", "z"}) || !slices.Equal(l.Items, []string{"w", "y", "z"}) || !slices.Equal(l.Cell, []int32{0, 2, 3}) || l.First != nil || l.Pool != 4 {
		t.Errorf("queries %q, labels %+v", p.X, l)
	}
	if !slices.Equal(p.Z, []float32{0, 1, 2, 1, 2, 0}) || !slices.Equal(p.Expects(), []float32{0, 1, 1, 1, 1, 0}) {
		t.Errorf("Z %v, bits %v", p.Z, p.Expects())
	}
	if made.Differ != 3 || len(made.Notes) != 1 || !strings.Contains(made.Notes[0], "on 1 of 4 items all models agree") {
		t.Errorf("%d differ, notes %q", made.Differ, made.Notes)
	}
}

func TestPoolOfManyClasses(t *testing.T) {
	made, err := predicted(t, "item,a,b,c\nw,cat,dog,dog\nx,cow,cow,dog\ny,cat,dog,dog\n").Problem(PoolOptions{T: 2})
	if err != nil {
		t.Fatal(err)
	}
	p := made.Problem
	l := p.Seek.(*game.Labels)
	if want := []string{"w and 1 more: cat", "w and 1 more: dog", "x: cow", "x: dog"}; !slices.Equal(p.X, want) {
		t.Errorf("queries %q", p.X)
	}
	if !slices.Equal(l.First, []int32{0, 2, 4}) || !slices.Equal(l.Of, []int32{0, 2, 1, 2}) || !slices.Equal(l.Classes, []string{"cat", "cow", "dog"}) {
		t.Errorf("labels %+v", l)
	}
	if !slices.Equal(p.Z, []float32{1, 0, .5, 0, 0, 1, .5, 0, 0, 1, 0, .5}) {
		t.Errorf("Z %v", p.Z)
	}
	// Where b is right, a is wrong on the two items of the first cell: two items fewer.
	theta := []float64{-1, 1, 1, -1}
	if in := p.Instance(theta); in.Value[1]-in.Value[0] != 2 || in.Value[1]-in.Value[2] != 1 {
		t.Errorf("scores %v", in.Value)
	}
	if got := made.Model; !slices.Equal(got, []int{0, 1, 2}) {
		t.Errorf("models %v", got)
	}
}

func TestPoolMerges(t *testing.T) {
	made, err := predicted(t, "item,a,b,c\nw,0,1,0\nx,1,1,1\n").Problem(PoolOptions{T: 1})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(made.Names, []string{"a", "b"}) || len(made.Warnings) != 1 || !strings.Contains(made.Warnings[0], `models "a" and "c" predict the same for all items`) {
		t.Errorf("models %q, warnings %q", made.Names, made.Warnings)
	}
	_, err = predicted(t, "item,a,b\nw,0,0\nx,1,1\n").Problem(PoolOptions{T: 1})
	if err == nil || !strings.Contains(err.Error(), "all 2 models predict the same for all 2 items") {
		t.Error(err)
	}
}

// TestPoolSample: a sample stands for the whole pool, and is the same for the same seed.
func TestPoolSample(t *testing.T) {
	pool, _, err := Pool{Items: 3000, Models: 12, Classes: 4, Correlation: 0.4, Low: 0.5, High: 0.9, Seed: 3}.Generate()
	if err != nil {
		t.Fatal(err)
	}
	whole, err := pool.Problem(PoolOptions{T: 5, Most: 5000})
	if err != nil {
		t.Fatal(err)
	}
	made, err := pool.Problem(PoolOptions{T: 5, Most: 400, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(made.Seek.(*game.Labels).Items); n != 400 || made.Seek.(*game.Labels).Pool != 3000 || !strings.Contains(strings.Join(made.Notes, "\n"), "a sample of 400 items stands for them") {
		t.Errorf("%d items of a pool of %v, notes %q", n, made.Seek.(*game.Labels).Pool, made.Notes)
	}
	again, _ := pool.Problem(PoolOptions{T: 5, Most: 400, Seed: 1})
	other, _ := pool.Problem(PoolOptions{T: 5, Most: 400, Seed: 2})
	if !slices.Equal(made.Seek.(*game.Labels).Items, again.Seek.(*game.Labels).Items) || slices.Equal(made.Seek.(*game.Labels).Items, other.Seek.(*game.Labels).Items) {
		t.Error("the sample does not follow its seed")
	}
	if byDefault, err := pool.Problem(PoolOptions{T: 5}); err != nil || byDefault.Queries() > MostAsked || byDefault.Queries() < MostAsked*9/10 || byDefault.Most != len(byDefault.Seek.(*game.Labels).Items) {
		t.Errorf("a sample of %d items has %d queries; there may be %d: %v", len(byDefault.Seek.(*game.Labels).Items), byDefault.Queries(), MostAsked, err)
	}
	// On how many items two models differ: a cell differs by half its weight on two of its queries. A stratum has at most 8 items, so
	// the error's standard deviation is at most 8·√400/2 = 80.
	for a := range 12 {
		for b := range a {
			if want, got := whole.Distance(a, b), made.Distance(a, b); math.Abs(got-want) > 480 {
				t.Errorf("models %d and %d differ on %v items, by the sample on %v", a, b, want, got)
			}
		}
	}
}

// TestGenerate: accuracies lie in their range, and errors are shared as far as is said.
func TestGenerate(t *testing.T) {
	for _, rho := range []float64{0, 0.5, 1} {
		pool, truth, err := Pool{Items: 20000, Models: 2, Classes: 4, Correlation: rho, Low: 0.7, High: 0.7, Seed: 5}.Generate()
		if err != nil {
			t.Fatal(err)
		}
		var wrong [2]int
		var both, same int
		for i, right := range truth {
			row := pool.Row(i)
			for m := range wrong {
				if row[m] != right {
					wrong[m]++
				}
			}
			if row[0] != right && row[1] != right {
				both++
				if row[0] == row[1] {
					same++
				}
			}
		}
		n := float64(len(truth))
		// 6 standard deviations of a share of 20,000 items are 0.0195 at 0.3.
		for m, k := range wrong {
			if share := float64(k) / n; math.Abs(share-0.3) > 0.02 {
				t.Errorf("correlation %v: model %d is wrong on %v", rho, m, share)
			}
		}
		want := map[float64]float64{0: 0.09, 0.5: 0.1568, 1: 0.3}[rho] // of the bivariate normal distribution
		if got := float64(both) / n; math.Abs(got-want) > 0.02 {
			t.Errorf("correlation %v: both are wrong on %v, want %v", rho, got, want)
		}
		wantSame := rho*rho + (1-rho*rho)/3
		if got := float64(same) / float64(both); math.Abs(got-wantSame) > 0.08 {
			t.Errorf("correlation %v: equal errors %v, want %v", rho, got, wantSame)
		}
	}
	for _, bad := range []Pool{
		{Items: 0, Models: 2, Classes: 2, Low: 0.5, High: 0.9}, {Items: 9, Models: 1, Classes: 2, Low: 0.5, High: 0.9},
		{Items: 9, Models: 2, Classes: 1, Low: 0.5, High: 0.9}, {Items: 9, Models: 2, Classes: 2, Low: 0.9, High: 0.5},
		{Items: 9, Models: 2, Classes: 2, Low: 0.5, High: 1}, {Items: 9, Models: 2, Classes: 2, Low: 0.5, High: 0.9, Correlation: 1.5},
	} {
		if _, _, err := bad.Generate(); err == nil {
			t.Errorf("%+v was drawn", bad)
		}
	}
}

// TestPoolCSV: what is written reads the same.
func TestPoolCSV(t *testing.T) {
	pool, _, err := Pool{Items: 30, Models: 4, Classes: 3, Correlation: 0.5, Low: 0.5, High: 0.9, Seed: 1}.Generate()
	if err != nil {
		t.Fatal(err)
	}
	again := predicted(t, string(pool.CSV()))
	if !slices.Equal(again.Of, pool.Of) || !slices.Equal(again.Models, pool.Models) || !slices.Equal(again.Items, pool.Items) {
		t.Error("predictions are not read as they were written")
	}
}

// TestInstancesOfClasses: an item has one class, so the probabilities of its classes sum to 1, or
// to less if there is a class that no model predicts.
func TestInstancesOfClasses(t *testing.T) {
	made, err := predicted(t, "item,a,b,c\nx,cat,dog,cow\ny,cat,dog,dog\n").Problem(PoolOptions{T: 2})
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"-1,1,-1,-0.5,-0.5\n":     "",
		"0,-0.334,-0.667,0,0\n":   "",
		"1,1,1,-1,1\n":            `t.csv:1: columns 1 to 3, the classes of item "x", have probabilities (1 + θ)/2 that sum to 3; an item has one class: write θ such that they sum to 1`,
		"-1,-1,-1,-1,-1\n":        "sum to 0; an item has one class: write θ such that they sum to 1",
		"-1,1,-1,0.5,0.5\n":       `columns 4 to 5, the classes of item "y", have probabilities (1 + θ)/2 that sum to 1.5; an item has one class: write θ such that they sum to at most 1`,
		"-1,1,-1,-1,-1\n":         "",
		"1,-1,-1,0.9995,-0.999\n": "",
	} {
		_, err := parseInstances(strings.NewReader(text), "t.csv", made.Problem)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}
