package num

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestSorted: rows come by score, those of one score as they stand, and what is worked out from that is what the
// definitions say, on all kernels.
func TestSorted(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var s Sorted
	for _, cols := range []int{1, 16, 100, 128, 129, 300} {
		rows := manyRows + r.IntN(600)
		z, v := make([]float32, rows*cols), make([]float32, rows)
		for i := range z {
			z[i] = float32(r.IntN(2))
			if i%cols == cols/2 {
				z[i] = 1
			}
		}
		few := 1 + r.IntN(rows/8) // one score: groups of more than 255 rows
		if cols == 16 {
			few = 1
		}
		for k := range v {
			v[k] = float32(r.IntN(few)) - 7
		}
		table, top := NewTable(z, rows, cols), slices.Max(v)
		if !s.Sort(v, top) {
			t.Fatalf("%d rows of %d scores: not sorted", rows, few)
		}
		want := make([]int32, rows)
		for k := range want {
			want[k] = int32(k)
		}
		slices.SortStableFunc(want, func(a, b int32) int { return cmp.Compare(v[b], v[a]) })
		if !slices.Equal(s.rows, want) {
			t.Fatalf("%d rows of %d scores come in another order", rows, few)
		}
		count := make([]float32, len(s.Gaps)*cols)
		for g, gap := range s.Gaps {
			for _, k := range s.rows[s.Start[g]:s.Start[g+1]] {
				if v[k] != top-float32(gap) {
					t.Fatalf("a row of score %v is among those %d below %v", v[k], gap, top)
				}
				for i := range cols {
					count[g*cols+i] += z[int(k)*cols+i]
				}
			}
		}
		for _, k := range available() {
			dst, check := guarded(t, table.Room(len(s.Gaps)))
			table.countOnes(k, dst, &s)
			check("countOnes")
			if !slices.Equal(dst[:len(count)], count) {
				t.Fatalf("%s, %d columns: counted wrongly", k.name, cols)
			}
		}
		dst, check := guarded(t, table.Width())
		plain, best := make([]float32, table.Width()), int(want[0])
		table.Opposed(dst, v, best, &s)
		check("Opposed")
		if plainOpposed(plain, v, table.bits[best*table.words:(best+1)*table.words], table); !slices.Equal(dst, plain) {
			t.Fatalf("%d columns: opposed by others", cols)
		}
	}
}

func TestSortRefuses(t *testing.T) {
	var s Sorted
	v := make([]float32, 1000)
	for k := range v {
		v[k] = float32(k % 126)
	}
	if s.Sort(v, 125) {
		t.Error("126 scores of 1000 rows are sorted")
	}
	clear(v)
	for _, far := range []float32{-MostScores, -1e9, float32(math.Inf(-1))} {
		v[500] = far
		if s.Sort(v, 0) {
			t.Errorf("a score %v below the best is sorted", -far)
		}
	}
	if v[500] = 1 - MostScores; !s.Sort(v, 0) || !slices.Equal(s.Gaps, []int{0, MostScores - 1}) {
		t.Errorf("gaps %v", s.Gaps)
	}
}
