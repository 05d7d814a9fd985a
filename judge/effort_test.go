package judge

import (
	"reflect"
	"testing"

	"mapo/adversary/search"
	"mapo/internal/check"
	"mapo/rng"
)

// TestEffort: a larger problem's searches have fewer trials at desk scale, each played as carefully; at smoke
// scale they have fewer games to choose by; paper's are what it says.
func TestEffort(t *testing.T) {
	small := check.Thresholds(25, 20)
	large := check.Random(100, 200, 20, rng.New(1).Rand())
	for _, scale := range []string{"smoke", "desk", "paper"} {
		whole, err := search.Efforts(scale)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := Effort(scale, small); err != nil || !reflect.DeepEqual(got, whole) {
			t.Errorf("thresholds at %s: %+v, %v; want all of %+v", scale, got, err, whole)
		}
		got, err := Effort(scale, large)
		if err != nil {
			t.Fatal(err)
		}
		if scale == "smoke" {
			if 4*got.Replay > 3*whole.Replay || got.Replay < leastReplay {
				t.Errorf("200 hypotheses at smoke: %d games to choose by, want fewer than %d", got.Replay, whole.Replay)
			}
			whole.Replay = got.Replay
		}
		if scale != "desk" {
			if !reflect.DeepEqual(got, whole) {
				t.Errorf("200 hypotheses at %s: %+v, want all of %+v", scale, got, whole)
			}
			continue
		}
		if 4*got.Starts > 3*whole.Starts || 2*got.Starts < whole.Starts || got.Brood >= whole.Brood || got.Rungs[0].Keep >= whole.Rungs[0].Keep {
			t.Errorf("200 hypotheses at desk: %+v, want between a half and three quarters of the trials of %+v", got, whole)
		}
		if got.Replay != whole.Replay || got.Screen != whole.Screen || got.Rungs[0].Games != whole.Rungs[0].Games || got.Report != whole.Report || got.HalfWidth != whole.HalfWidth {
			t.Errorf("200 hypotheses at desk: %+v, want the games of %+v", got, whole)
		}
	}
	whole, _ := search.Efforts("desk")
	huge := check.Random(100, 2000, 20, rng.New(1).Rand())
	got, err := Effort("desk", huge)
	if err != nil || 5*got.Starts > whole.Starts || got.Replay >= whole.Replay || got.HalfWidth <= whole.HalfWidth || got.Draft().HalfWidth > .01+1e-12 || got.Islands != mostCostly {
		t.Errorf("2,000 hypotheses: %+v, %v; want fewer games and levels than %+v, and wider intervals, a draft's of .01 at most", got, err, whole)
	}
	if _, err := Effort("grand", small); err == nil {
		t.Error("a scale that is none")
	}
}

// TestEffortOfRows: desk climbs longer where hypotheses are graded, and at first by the margin, and nothing else differs; App. E's schedule does not change.
func TestEffortOfRows(t *testing.T) {
	p := check.Graded(6, 8, 4, rng.New(1).Rand())
	for _, scale := range []string{"smoke", "desk", "paper"} {
		got, err := Effort(scale, p)
		if err != nil {
			t.Fatal(err)
		}
		want, _ := search.Efforts(scale)
		for i := range want.Rungs {
			if scale == "desk" {
				want.Rungs[i].Steps *= 4
				want.Rungs[i].Margin = []float64{1.5, 1.5, 0, 0}[i]
			}
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v, want %v", scale, got, want)
		}
	}
	paper, _ := search.Efforts("paper")
	if got := paper.Graded(p, 4); !reflect.DeepEqual(got, paper) {
		t.Errorf("App. E's schedule becomes %v", got)
	}
}
