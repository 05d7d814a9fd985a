package job

import (
	"math"
	"testing"
	"time"
)

func TestTook(t *testing.T) {
	at := func(begin, seconds float64) Span {
		return Span{time.Unix(1000, 0).Add(time.Duration(begin * float64(time.Second))), seconds}
	}
	for _, c := range []struct {
		why        string
		took       Took
		work, wall float64
	}{
		{"nothing", nil, 0, 0},
		{"one", Took{at(3, 2)}, 2, 2},
		{"one after the other", Took{at(3, 2), at(5, 1.5)}, 3.5, 3.5},
		{"an interruption between", Took{at(3, 2), at(100, 1)}, 3, 3},
		{"side by side", Took{at(3, 4), at(3, 4)}, 8, 4},
		{"in part", Took{at(5, 4), at(3, 4)}, 8, 6},
		{"one inside another, and one behind both", Took{at(0, 10), at(2, 1), at(9, 3)}, 14, 12},
	} {
		if work, wall := c.took.Seconds(), c.took.Wall(); math.Abs(work-c.work) > 1e-9 || math.Abs(wall-c.wall) > 1e-9 {
			t.Errorf("%s: %v s of work in %v, want %v in %v", c.why, work, wall, c.work, c.wall)
		}
	}
}
