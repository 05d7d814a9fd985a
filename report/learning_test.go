package report

import (
	"strings"
	"testing"
)

// TestLearningCurve: numbers of games stand at equal steps, and each table has two lines.
func TestLearningCurve(t *testing.T) {
	svg := string(LearningCurve([]int{0, 68, 136}, []Learning{
		{Name: "ours", Right: []float64{0.6, 0.7, 0.8}, Lo: []float64{0.59, 0.69, 0.79}, Hi: []float64{0.61, 0.71, 0.81}, Own: 0.9},
		{Name: "theirs", Right: []float64{0.7, 0.8, 0.9}, Lo: []float64{0.69, 0.79, 0.89}, Hi: []float64{0.71, 0.81, 0.91}, Own: 0.95},
	}, "learning"))
	for _, want := range []string{"<title>learning</title>", ">68</text>", ">136</text>", ">ours</text>", ">ours, own people</text>", ">theirs, own people</text>", "games played"} {
		if !strings.Contains(svg, want) {
			t.Errorf("the figure lacks %q", want)
		}
	}
	if n := strings.Count(svg, `stroke-dasharray="5 3"`); n != 2 {
		t.Errorf("%d dashed lines, want one for each table's own people", n)
	}
	if n := strings.Count(svg, "m-a m-f"); n != 2 {
		t.Errorf("%d regions of intervals, want 2", n)
	}
}
