package dataset

import (
	"math"
	"testing"
)

// χ² by hand: three objects with 8 of 10, 5 of 10 and 2 of 10 yes, p = ½, have χ² = (10·0.09 + 0 + 10·0.09)/¼ = 7.2 with 2 degrees
// of freedom, of which chance gives 2 ± 2: 2.6 deviations above. An object without answers is none of them.
func TestHeterogeneityByHand(t *testing.T) {
	tab := &Tabulation{Objects: []string{"a", "b", "c", "d"}, Queries: []string{"q", "r"}, cells: make([]cell, 8)}
	for object, yes := range []uint32{8, 5, 2} {
		tab.cells[2*object].yes, tab.cells[2*object].no = yes, 10-yes
		tab.cells[2*object+1].yes = 10
	}
	if got := tab.heterogeneity(0); math.Abs(got-2.6) > 1e-12 {
		t.Errorf("q is %v deviations above chance, want 2.6", got)
	}
	if got := tab.heterogeneity(1); !math.IsInf(got, 1) {
		t.Errorf("r, with one answer alone, is %v deviations above chance, want ∞", got)
	}
}

// A query is idle where its χ² is at most 1.645 deviations above chance: at 0.6 it is, at 2.6 not.
func TestIdleBound(t *testing.T) {
	tab := &Tabulation{Objects: []string{"a", "b", "c"}, Queries: []string{"far", "near"}, cells: make([]cell, 6)}
	for object, yes := range [][2]uint32{{8, 3}, {5, 5}, {2, 7}} {
		for j, n := range yes {
			tab.cells[2*object+j].yes, tab.cells[2*object+j].no = n, 10-n
		}
	}
	if idle := tab.Idle(); len(idle.Unmoved) != 1 || idle.Unmoved[0] != "near" || idle.Constant != nil || idle.Repeated != nil {
		t.Errorf("idle are %+v, want near alone", idle)
	}
}
