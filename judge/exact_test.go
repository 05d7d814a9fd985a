package judge

import (
	"math/rand/v2"
	"strings"
	"testing"

	"mapo/game"
	"mapo/internal/check"
	"mapo/rng"
)

// TestUncertified: what is not tiny is not certified.
func TestUncertified(t *testing.T) {
	for _, c := range []struct {
		why string
		p   *game.Problem
	}{
		{"many states", check.Thresholds(25, 20)},
		{"many instances on the grid", check.Thresholds(7, 2)},
		{"many of both", check.Thresholds(5, 8)},
	} {
		if got := Uncertified(c.p, nil, 32); !strings.Contains(got, "too large for a certificate, with ") {
			t.Errorf("%s: %q", c.why, got)
		}
	}
	pool := check.Pool(4, 3, 2, 2, false, rand.New(rand.NewPCG(1, 1)))
	if got := Uncertified(pool, nil, 32); !strings.HasSuffix(got, "there is no certificate for games over a pool of items.") {
		t.Errorf("a pool: %q", got)
	}
	rows := check.Graded(12, 30_000, 4, rng.New(1).Rand())
	rows.AskOnce = true
	if got := Uncertified(rows, [][]float64{make([]float64, 12)}, 32); !strings.HasSuffix(got, "states × hypotheses.") {
		t.Errorf("many hypotheses: %q", got)
	}
	if got := Uncertified(check.Thresholds(3, 5), nil, 32); got != "" {
		t.Errorf("three thresholds: %q, want a certificate", got)
	}
}

// TestUnsettled: who holds a benchmark is looked at again, at the levels where it was not yet.
func TestUnsettled(t *testing.T) {
	curves := []Curve{
		bare("a", about(.3, 0), about(.2, 0), about(.5, 0)),
		bare("b", about(.4, 0), about(.4, 0), about(.4, 0)),
		bare("c", about(.4, 0), about(.4, 0), about(.6, 0)),
	}
	held, todo := Unsettled(curves, [][]float64{{2}, nil, {1, 2, 3}})
	if len(todo) != 2 || todo[0] != 0 || todo[1] != 1 || len(held[0]) != 1 || held[0][0] != 1 || len(held[1]) != 1 || held[1][0] != 3 || held[2] != nil {
		t.Errorf("policies %v at %v, want a at level 1 and b at level 3", todo, held)
	}
	if _, todo := Unsettled(curves, [][]float64{{1, 2}, {3}, nil}); todo != nil {
		t.Errorf("all are settled, and %v is looked at again", todo)
	}
}

// TestExactName: what is said of the instances.
func TestExactName(t *testing.T) {
	vectors := &game.Problem{X: []string{"a", "b"}, Seek: &game.Vectors{X: []float64{1, 2}, Dim: 1}}
	for _, c := range []struct {
		p      *game.Problem
		finite [][]float64
		want   string
	}{
		{check.Thresholds(3, 2), nil, "the grid {±1, ±0.75, ±0.5, ±0.25}^d"},
		{vectors, nil, "the grid {±1, ±0.75, ±0.5, ±0.25}^1 of the means of 1 independent queries"},
		{vectors, [][]float64{{1, 1}}, "the 1 given instances"},
	} {
		if got := ExactName(c.p, c.finite); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
