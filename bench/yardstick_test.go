package bench

import (
	"slices"
	"testing"
)

func TestRatios(t *testing.T) {
	paper := []Record{{Work: 10, Seconds: 1, Worst: 5}, {Work: 20, Seconds: 2, Worst: 6}, {Work: 40, Seconds: 4, Worst: 3}, {Work: 80, Seconds: 8, Worst: 2.5}}
	ours := []Record{{Work: 1, Seconds: .5, Worst: 4}, {Work: 2, Seconds: 1, Worst: 2.8}, {Work: 4, Seconds: 2, Worst: 2.6}, {Work: 8, Seconds: 4, Worst: 2}}
	want := []Ratio{
		{5, paper[0], ours[0], true, true},   // ours is there at its first record
		{3, paper[2], ours[1], true, true},   // 6 was no progress
		{2.5, paper[3], ours[3], true, true}, // 2.6 is not 2.5
		{2, paper[3], ours[3], false, true},  // never reached: all that was spent
	}
	got := Ratios(paper, ours)
	if !slices.Equal(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	if got[1].Work() != 20 || got[1].Seconds() != 4 {
		t.Errorf("the ratios are %v and %v, want 20 and 4", got[1].Work(), got[1].Seconds())
	}
	slow := Ratios(ours, paper)
	if last := slow[len(slow)-1]; last.OursDoes || !last.YardstickDid || last.Ours != paper[3] {
		t.Errorf("a worst case that ours does not reach: %+v", last)
	}
	if Ratios(nil, ours) != nil || Ratios(paper, nil) != nil {
		t.Error("nothing to compare is compared")
	}
}
