package report

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"
)

func TestWriteMarks(t *testing.T) {
	row := Row{Metric: WorstCase, Policy: "pi-1", Loss: SimpleRegret, Level: 8, Instance: -1, Mean: 1.25, Lo: 1.2, Hi: 1.3, Confidence: .95, Games: 800, Seconds: 1.23456}
	later := row
	later.Seconds = math.NaN()
	var b bytes.Buffer
	if err := WriteMarks(&b, []MarkRow{{row, 16, 1 << 40}, {later, 32, 1 << 41}}); err != nil {
		t.Fatal(err)
	}
	want := `policy,loss,level,iteration,work,mean,lo,hi,confidence,games,seconds
pi-1,simple-regret,8,16,1099511627776,1.25,1.2,1.3,0.95,800,1.235
pi-1,simple-regret,8,32,2199023255552,1.25,1.2,1.3,0.95,800,
`
	if b.String() != want {
		t.Errorf("got\n%swant\n%s", b.String(), want)
	}
	row.Lo = 2
	if err := WriteMarks(&b, []MarkRow{{row, 16, 1}}); err == nil {
		t.Error("an interval the wrong way round is written")
	}
}

// The figure has two panels a training that was judged more than once, and one
// whose seconds nobody knows is drawn against its work alone.
func TestYardstickFigure(t *testing.T) {
	run := small()
	for i := range run.Curves {
		c := &run.Curves[i]
		c.Yardstick = nil
		if c.Policy == "pi-3" {
			continue // judged once, at its end
		}
		for _, u := range []float64{.125, .25, .5, 1} {
			j := Judged{Work: 4e6 * u, Seconds: 60 * u, Mean: .9 - .3*u, Lo: .88 - .3*u, Hi: .92 - .3*u}
			if c.Policy == "pi-2" {
				j.Seconds = math.NaN()
			}
			c.Yardstick = append(c.Yardstick, j)
		}
	}
	figures, err := Figures(run)
	if err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(figures, func(f Figure) bool { return f.Name == "yardstick" })
	if at < 0 {
		t.Fatal("there is no such figure")
	}
	svg := string(figures[at].SVG)
	for what, want := range map[string]int{">steps played<": 3, ">seconds<": 3, ">mapo, gap<": 2, ">pi-1 (r": 2, ">pi-3": 0, "NaN": 0} {
		if got := strings.Count(svg, what); got != want {
			t.Errorf("%q is there %d times, want %d", what, got, want)
		}
	}
}
