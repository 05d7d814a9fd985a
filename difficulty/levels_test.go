package difficulty

import (
	"fmt"
	"testing"

	"mapo/internal/check"
)

func TestLevels(t *testing.T) {
	p := check.Thresholds(25, 20)
	least := Least(p)
	got := Levels(p, 16)
	if want := "[5.656854249492381 8 11.313708498984761 16]"; fmt.Sprint(got) != want {
		t.Errorf("%v, want %s (ρ̃_min %v)", got, want, least)
	}
	if got[0] < 1.25*least || got[0] >= 1.25*least*1.4143 {
		t.Errorf("the first level is %v for ρ̃_min %v", got[0], least)
	}
	if got := Levels(p, 0); len(got) != 1 {
		t.Errorf("an end below the start leaves %v", got)
	}
}
