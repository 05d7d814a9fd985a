package dataset

import (
	"math"
	"slices"
	"strings"
	"testing"
)

// χ² by hand: three objects with 8 of 10, 5 of 10 and 2 of 10 yes, p = ½, have χ² = (10·0.09 + 0 + 10·0.09)/¼ = 7.2 with 2 degrees
// of freedom, of which chance gives 2 ± 2: 2.6 deviations above. An object without answers is none of them.
func TestHeterogeneityByHand(t *testing.T) {
	text := "object,query,answer\n" + strings.Repeat("d,none,yes\n", 3)
	for object, yes := range map[string]int{"a": 8, "b": 5, "c": 2} {
		text += strings.Repeat(object+",q,yes\n", yes) + strings.Repeat(object+",q,no\n", 10-yes) + strings.Repeat(object+",r,yes\n", 10)
	}
	tab := tabulate(t, text, TabulateOptions{})
	if got := tab.heterogeneity(slices.Index(tab.Queries, "q")); math.Abs(got-2.6) > 1e-12 {
		t.Errorf("q is %v deviations above chance, want 2.6", got)
	}
	if got := tab.heterogeneity(slices.Index(tab.Queries, "r")); !math.IsInf(got, 1) {
		t.Errorf("r, with one answer alone, is %v deviations above chance, want ∞", got)
	}
}

// A query is idle where its χ² is at most 1.645 deviations above chance: at 0.6 it is, at 2.6 not.
func TestIdleBound(t *testing.T) {
	text := "object,query,answer\n"
	for object, yes := range map[string]map[string]int{"a": {"far": 8, "near": 3}, "b": {"far": 5, "near": 5}, "c": {"far": 2, "near": 7}} {
		for query, n := range yes {
			text += strings.Repeat(object+","+query+",yes\n", n) + strings.Repeat(object+","+query+",no\n", 10-n)
		}
	}
	if idle := tabulate(t, text, TabulateOptions{}).Idle(); len(idle.Unmoved) != 1 || idle.Unmoved[0] != "near" || idle.Constant != nil || idle.Repeated != nil {
		t.Errorf("idle are %+v, want near alone", idle)
	}
}
