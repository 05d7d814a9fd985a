package report

import (
	"regexp"
	"strconv"
	"testing"
)

var ended = regexp.MustCompile(`<text class="[^"]*" x="([^"]+)" y="[^"]+" text-anchor="end">([-0-9.e]+)</text>`)

// TestNumbersInside: the numbers at an axis are not cut, however many digits they need, in any figure and on a phone
// as well.
func TestNumbersInside(t *testing.T) {
	run := small()
	for i := range run.Rows {
		r := &run.Rows[i]
		r.Mean, r.Lo, r.Hi = r.Mean/5000, r.Lo/5000, r.Hi/5000
	}
	for i := range run.Curves {
		c := &run.Curves[i]
		for k := range c.Points {
			c.Points[k].Worst /= 5000
			c.Points[k].Barrier /= 5000
		}
		c.Judged = nil
	}
	longest := 0
	for name, f := range figuresOf(t, run) {
		for _, d := range f.drawn {
			for _, m := range ended.FindAllStringSubmatch(d.text, -1) {
				x, err := strconv.ParseFloat(m[1], 64)
				if err != nil {
					t.Fatal(err)
				}
				text := m[2]
				longest = max(longest, len(text))
				if left := x - textWidth(text); left < -.1 { // coordinates are tenths
					t.Errorf("%s, %g wide: %q begins at %.1f", name, d.w, text, left)
				}
			}
		}
	}
	if longest < 7 {
		t.Errorf("the longest number has %d characters: too short to test anything", longest)
	}
}
