package judge

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mapo/data/dataset"
	"mapo/game"
)

// poolOfText is the problem of predictions in CSV.
func poolOfText(t *testing.T, text string) *game.Problem {
	t.Helper()
	path := filepath.Join(t.TempDir(), "p.csv")
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	read, err := dataset.ReadPredictions(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	made, err := read.Problem(dataset.PoolOptions{T: 2})
	if err != nil {
		t.Fatal(err)
	}
	return made.Problem
}

// TestModels: the model that agrees with most labels is named, with two classes and with more.
func TestModels(t *testing.T) {
	for why, c := range map[string]struct {
		text   string
		class  []int  // labels of the items in play, in order
		best   string // "": a tie
		agrees []int
	}{
		"two classes":          {"item,a,b,c\nw,0,1,1\nx,1,1,0\ny,0,1,0\n", []int{1, 1, 1}, "b", []int{3, 1, 1}},
		"more":                 {"item,a,b,c\nw,p,q,r\nx,q,q,r\ny,r,q,p\n", []int{2, 1, 2}, "a", []int{2, 1, 1}},
		"none predicts it":     {"item,a,b,c\nw,p,q,q\nx,q,q,r\ny,r,q,p\n", []int{2, 2, 0}, "c", []int{2, 0, 0}},
		"items that are alike": {"item,a,b,c\nw,p,q,q\nx,p,q,q\ny,r,q,p\n", []int{1, 1, 2}, "", []int{2, 2, 1}},
	} {
		p := poolOfText(t, c.text)
		var labels []Labelled
		for i, class := range c.class {
			labels = append(labels, Labelled{Item: i, Class: class, Propensity: 1 / float64(len(c.class)-i)})
		}
		got, err := Models(p, game.LeastSquares(p), labels, 1)
		if err != nil {
			t.Errorf("%s: %v", why, err)
			continue
		}
		for k, m := range got {
			want := float64(c.agrees[k]) / float64(len(labels))
			if m.Agrees != c.agrees[k] || k == 0 && c.best != "" && p.Names[m.Hypothesis] != c.best {
				t.Errorf("%s: place %d is %s, which agrees with %d; want %d, and %q first", why, k+1, p.Names[m.Hypothesis], m.Agrees, c.agrees[k], c.best)
			}
			// All items have labels, so the accuracy is known.
			if math.Abs(m.Accuracy.Mean-want) > 1e-9 || math.Abs(m.Accuracy.Hi-m.Accuracy.Lo) > 1e-9 {
				t.Errorf("%s: %s has accuracy %+v, want %v", why, p.Names[m.Hypothesis], m.Accuracy, want)
			}
		}
		if plain, err := Models(p, game.LeastSquares(p), labels, 0); err != nil || plain[0].Accuracy.Confidence != 0 {
			t.Errorf("%s: without propensities there is an accuracy: %+v, %v", why, plain[0], err)
		}
	}
}

// TestModelsWeigh: a cell of which half the items were sampled counts with all of them.
func TestModelsWeigh(t *testing.T) {
	p := poolOfText(t, "item,a,b\nw,0,1\nx,1,0\ny,1,0\n")
	pool := newPool(p, 1)
	if pool.Weight != 3 || pool.Most != 1 {
		t.Errorf("%+v", pool.Drawn)
	}
	sampled := *p
	sampled.Seek = &game.Labels{Classes: p.Seek.(*game.Labels).Classes, Items: []string{"w", "x"}, Cell: []int32{0, 1, 2}, Pool: 3}
	if pool := newPool(&sampled, 1); pool.Weight != 3 || pool.Most != 2 || pool.Items != 2 {
		t.Errorf("%+v", pool.Drawn)
	}
}

func TestModelsRefuse(t *testing.T) {
	p := poolOfText(t, "item,a,b\nw,0,1\nx,1,0\ny,1,0\n")
	_, err := Models(p, game.LeastSquares(p), []Labelled{{Item: 0, Class: 1, Propensity: 0.5}, {Item: 1, Class: 1, Propensity: 0.04}}, 0.1)
	if err == nil || !strings.Contains(err.Error(), `label 2, of "x", has propensity 0.04; with a share of 0.1 of the draws uniform over the 2 items without a label it is at least 0.05`) {
		t.Error(err)
	}
	// An item that was asked for sure leaves nothing for the one that was asked after it.
	_, err = Models(p, game.LeastSquares(p), []Labelled{{Item: 0, Class: 1, Propensity: 1}, {Item: 1, Class: 1, Propensity: 0.5}}, 0.1)
	if err == nil || !strings.Contains(err.Error(), `label 1, of "w", has propensity 1; with a share of 0.1 of the draws uniform over 2 items or more it is at most 0.95`) {
		t.Error(err)
	}
	for _, bad := range []float64{7, math.NaN()} {
		_, err := Models(p, game.LeastSquares(p), []Labelled{{Item: 0, Class: 1, Propensity: bad}}, 0.1)
		if want := fmt.Sprintf(`label 1, of "w", has propensity %v; it must be a probability`, bad); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
