package record

import (
	"fmt"
	"math"
	"time"
)

// About returns a duration in words, as finely as one that is estimated can be known.
func About(d time.Duration) string {
	switch s := d.Seconds(); {
	case s < 10:
		return "less than 10 s"
	case s < 90:
		return fmt.Sprintf("about %.0f s", 10*math.Round(s/10))
	case s < 90*60:
		return fmt.Sprintf("about %.0f min", s/60)
	case s < 48*3600:
		return fmt.Sprintf("about %.1f h", s/3600)
	default:
		return fmt.Sprintf("about %.1f days", s/86400)
	}
}

// Counted returns a number of things in words.
func Counted(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
