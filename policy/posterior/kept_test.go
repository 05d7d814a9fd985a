package posterior

import (
	"fmt"
	"testing"

	"mapo/game"
	"mapo/rng"
)

// TestRowsLeftOut: the rows that quick gains leave out weigh together at most what they may, and where few rows matter, nearly
// all are left out.
func TestRowsLeftOut(t *testing.T) {
	const n, d = 1000, 40
	r, wrong := rng.New(3).Rand(), 0.02
	p := &game.Problem{T: d, AskOnce: true, Seek: &game.Shares{Wrong: &wrong}}
	for i := range d {
		p.X = append(p.X, fmt.Sprint(i))
	}
	for k := range n {
		p.Names, p.Seek.(*game.Shares).Weight = append(p.Names, fmt.Sprint(k)), append(p.Seek.(*game.Shares).Weight, 1./n)
		for range d {
			p.Seek.(*game.Shares).Yes = append(p.Seek.(*game.Shares).Yes, float64(r.IntN(2)))
		}
	}
	rows := NewRows(p.Grade())
	var b Belief
	answers, sum, gain := make([]float32, d), make([]float32, d), make([]float64, d)
	for asked := range d + 1 {
		rows.Believe(&b, answers, sum, nil)
		b.QuickGain(gain, nil)
		if left := 1 - b.quick.total; left > leftOut+1e-7 { // shares are in float32
			t.Errorf("after %d answers rows that weigh %v of the others are left out, want at most %v", asked, left, leftOut)
		}
		lists := b.quick.kept.Rows()
		if asked == 0 && lists < n/listed || asked == d && lists > 3 {
			t.Errorf("after %d answers there are %d lists of %d rows", asked, lists, listed)
		}
		if asked < d {
			answers[asked], sum[asked] = 1, float32(2*p.Seek.(*game.Shares).Yes[asked]-1)
		}
	}
}
