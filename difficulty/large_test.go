package difficulty

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"

	"mapo/game"
	"mapo/internal/check"
	"mapo/rng"
)

// TestEasiest: of a large problem 24 rows at even distances, as easy as their anchors; of a small one all.
func TestEasiest(t *testing.T) {
	p := check.Graded(101, 2000, 4, rng.New(2).Rand())
	if !Large(p) || len(Sample(p)) != 100 || SampleWords(p) != "a sample of 100 rows" {
		t.Fatalf("of 2000 rows of 101 queries %d are the sample: %s", len(Sample(p)), SampleWords(p))
	}
	rows, rho := Easiest(p)
	if len(rows) != 24 || rows[0] != 0 || rows[23] != 2000*23/24 {
		t.Errorf("rows %v", rows)
	}
	if want := rhoOf(p, game.RhoTilde(p), len(rows), AnchorsOf(p, rows)); !slices.Equal(rho, want) {
		t.Errorf("least ρ̃ %v, of the anchors %v", rho, want)
	}
	levels := RowLevels(p, 1e6)
	if first := quantile(rho, 0.5); levels[0] < first || levels[0] >= first*math.Sqrt2*(1+1e-9) {
		t.Errorf("levels %v, the median of the least ρ̃ is %v", levels, first)
	}
	small := check.Graded(10, 30, 4, rng.New(3).Rand())
	if rows, rho := Easiest(small); Large(small) || len(rows) != 30 || !slices.Equal(rho, Cells(small)) || SampleWords(small) != "the rows" {
		t.Errorf("of a small problem: rows %v, least ρ̃ %v", rows, rho)
	}
}

// TestLookOnce: every row of a sample is looked at once, whatever is asked of the problem and its copies afterwards.
func TestLookOnce(t *testing.T) {
	p := check.Graded(101, 2000, 4, rng.New(4).Rand())
	looked, last := 0, 0.0
	look := func(p *game.Problem) int {
		looked = 0
		if err := Look(t.Context(), p, func(share float64) {
			if looked++; looked > 1 && share <= last {
				t.Errorf("share %v after %v", share, last)
			}
			last = share
		}); err != nil {
			t.Fatal(err)
		}
		return looked
	}
	if n := look(p); n != 24+2*100 || last != 1 {
		t.Errorf("%d rows were looked at, up to a share of %v", n, last)
	}
	own, levels := RowRho(p, 0), RowLevels(p, 1e6)
	if want := rowRho(t.Context(), p, 0, untold); !slices.Equal(own, want) {
		t.Errorf("ρ̃ of the rows %v, want %v", own, want)
	}
	copied := *p
	if n := look(&copied); n != 0 || !slices.Equal(RowLevels(&copied, 1e6), levels) {
		t.Errorf("%d rows of a copy were looked at", n)
	}
	q := check.Graded(101, 2000, 4, rng.New(5).Rand())
	if n := look(q); n != 224 || slices.Equal(RowRho(q, 0), own) {
		t.Errorf("%d rows of another problem were looked at", n)
	}
}

// TestLookStops: a context that is done ends a look at the next row of each processor, and nothing of it is kept.
func TestLookStops(t *testing.T) {
	p := check.Graded(101, 2000, 4, rng.New(7).Rand())
	ctx, cancel := context.WithCancel(t.Context())
	looked := 0
	err := Look(ctx, p, func(float64) {
		looked++
		cancel()
	})
	if !errors.Is(err, context.Canceled) || looked > runtime.GOMAXPROCS(0) {
		t.Errorf("after %d rows: %v", looked, err)
	}
	looked = 0
	if err := Look(t.Context(), p, func(float64) { looked++ }); err != nil || looked != 24+2*100 {
		t.Errorf("the next look had %d rows, and ended with %v", looked, err)
	}
}

// TestFewRowsStandForAll: the first level by 24 rows is at most a step of √2 from that by all, and 100 rows are covered about as
// all are.
func TestFewRowsStandForAll(t *testing.T) {
	problems := []*game.Problem{check.Graded(60, 200, 4, rng.New(6).Rand()), check.GradedFile(t, "../examples/animals.csv", 20)}
	for _, name := range []string{"cross_authors.csv", "cross_leuven.csv"} {
		path := filepath.Join(os.Getenv("MAPO_DATA"), name)
		if _, err := os.Stat(path); err == nil {
			problems = append(problems, check.GradedFile(t, path, 20))
		}
	}
	for at, p := range problems {
		all, own := Cells(p), RowRho(p, tenth)
		var few, some []float64
		for _, k := range evenly(p, easyRows) {
			few = append(few, all[k])
		}
		for _, k := range evenly(p, fewRows) {
			some = append(some, own[k])
		}
		if a, b := firstStep(quantile(few, 0.5)), firstStep(quantile(all, 0.5)); max(a-b, b-a) > 1 {
			t.Errorf("problem %d: the first level is step %d by few rows, %d by all", at, a, b)
		}
		if a, b := firstStep(quantile(some, enough)), firstStep(quantile(own, enough)); max(a-b, b-a) > 1 {
			t.Errorf("problem %d: the last level is step %d by some rows, %d by all", at, a, b)
		}
	}
}

// TestAnchoredTold: the anchors are those of Anchored, and each is told of. A context that is done ends the search.
func TestAnchoredTold(t *testing.T) {
	p := check.Graded(6, 8, 4, rng.New(1).Rand())
	told := make(chan float64, 9)
	q, err := AnchoredTold(t.Context(), p, func(share float64) { told <- share })
	if err != nil {
		t.Fatal(err)
	}
	close(told)
	most := 0.0
	for share := range told {
		most = max(most, share)
	}
	if most != 1 || !slices.Equal(q.Easy(), Anchors(p)) {
		t.Errorf("told of a share of %v; anchors %v", most, q.Easy())
	}
	ctx, cancel := context.WithCancel(t.Context())
	var found atomic.Int32
	_, err = AnchoredTold(ctx, check.Graded(6, 60, 4, rng.New(1).Rand()), func(share float64) {
		if share > 0 {
			found.Add(1)
			cancel()
		}
	})
	var u *Unfinished
	if !errors.Is(err, context.Canceled) || !errors.As(err, &u) || found.Load() > int32(runtime.GOMAXPROCS(0)) {
		t.Fatalf("after %d anchors: %v, want an end after the first of each processor", found.Load(), err)
	}
	if u.Found < 1 || u.Found > int(found.Load()) || u.Of != 60 || !(u.Least > 0 && u.Least < math.Inf(1)) {
		t.Errorf("unfinished: %+v", u)
	}
}
