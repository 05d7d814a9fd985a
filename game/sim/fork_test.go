package sim

import (
	"cmp"
	"slices"
	"testing"
	"time"

	"mapo/internal/suite"
	"mapo/rng"
)

// TestWithin: few and many hypotheses are listed by falling score, those that tie by index.
func TestWithin(t *testing.T) {
	r := rng.New(1).Rand()
	for _, n := range []int{1, 2, fewNear, fewNear + 1, 10 * fewNear} {
		for _, values := range []int{1, 5, 1 << 20} { // few values tie often
			l, score, least := lineup{}, make([]float32, n), float32(values)/4
			for k := range score {
				score[k] = float32(r.IntN(values))
			}
			var want []int32
			for k, v := range score {
				if v >= least {
					want = append(want, int32(k))
				}
			}
			slices.SortStableFunc(want, func(a, b int32) int { return cmp.Compare(score[b], score[a]) })
			if l.within(score, least); !slices.Equal(l.near, want) {
				t.Errorf("of %d hypotheses with %d scores: %v, want %v", n, values, l.near, want)
			}
		}
	}
}

// TestWithinMany: rising scores of many hypotheses take no quadratic time. That would be 2·10¹² moves, most of an hour.
func TestWithinMany(t *testing.T) {
	score := make([]float32, 2_000_000)
	for k := range score {
		score[k] = float32(k)
	}
	l, begin := lineup{}, time.Now()
	l.within(score, 0)
	if took := time.Since(begin); took > suite.Patience {
		t.Errorf("%d hypotheses took %v", len(score), took)
	}
}
