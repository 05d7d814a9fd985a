package run

import (
	"testing"
	"time"
)

// Iterations shrink to the time there is, and grow only where that is asked for.
func TestFit(t *testing.T) {
	for _, c := range []struct {
		why      string
		total    time.Duration
		grow     bool
		want     func(was, is int) bool
		thorough int
	}{
		{"no time", 1, false, func(_, is int) bool { return is == 1 }, 0},
		{"time to spare", time.Hour, false, func(was, is int) bool { return is == was }, 3},
		{"time to use", time.Hour, true, func(was, is int) bool { return is > 10*was }, 3},
	} {
		plan := tiny(t, 8, 32)
		plan.Train = plan.Train.Clone()
		plan.Train.Oracle.Thorough = 3
		was := plan.Train
		if err := plan.Fit(t.Context(), c.total, 1, c.grow); err != nil {
			t.Fatal(err)
		}
		if !c.want(was.Pi, plan.Train.Pi) || !c.want(was.PiHat, plan.Train.PiHat) || plan.Train.Oracle.Thorough != c.thorough {
			t.Errorf("%s: from %+v to %+v", c.why, was, plan.Train)
		}
	}
}
