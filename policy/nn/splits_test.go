package nn

import (
	"slices"
	"testing"

	"mapo/game"
	"mapo/internal/check"
)

// TestSplits: a query is split by majorities where they differ, else at the mean share, and where all shares are the same the
// first row stands alone. A problem without shares is split as it is.
func TestSplits(t *testing.T) {
	p := &game.Problem{
		X: []string{"a", "b", "c", "d"}, Names: []string{"A", "B", "C"}, T: 2,
		Seek: &game.Shares{Yes: []float64{0.9, 0.2, 0.7, 0.5, 0.1, 0.1, 0.7, 0.5, 0.6, 0.3, 0.7, 0.4}, Weight: []float64{0.5, 0.25, 0.25}},
	}
	if got, want := Splits(p.Grade()), []float32{1, 0, 1, 1, 0, 0, 0, 1, 1, 1, 0, 0}; !slices.Equal(got, want) {
		t.Errorf("rows are split as %v, want %v", got, want)
	}
	if q := check.Thresholds(3, 1); !slices.Equal(Splits(q), q.Z) {
		t.Error("hypotheses of 0 and 1 are split otherwise than they are")
	}
}
