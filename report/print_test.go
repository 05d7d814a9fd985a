package report

import (
	"bytes"
	"encoding/xml"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestPrints holds the prints to their goldens: the SVG by its bytes, the PNG, whose
// packing changes with Go, by being the same twice and of the right size, with ink.
func TestPrints(t *testing.T) {
	prints, err := Prints(small())
	if err != nil {
		t.Fatal(err)
	}
	again, err := Prints(small())
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for i, p := range prints {
		names = append(names, p.Name)
		golden(t, "prints/"+p.Name+".svg", p.SVG)
		elements(t, p.Name, p.SVG, func(e xml.StartElement) {
			for _, a := range e.Attr {
				if strings.Contains(a.Value, "NaN") || strings.Contains(a.Value, "Inf") {
					t.Errorf("%s: <%s %s=%q>", p.Name, e.Name.Local, a.Name.Local, a.Value)
				}
			}
		})
		if !bytes.Equal(p.SVG, again[i].SVG) || !bytes.Equal(p.PNG, again[i].PNG) {
			t.Errorf("%s: two prints of one run differ", p.Name)
		}
		inked(t, p)
	}
	for experiment, loss := range map[string]string{TwentyQ: BestIdentification, Jester: SimpleRegret} {
		run := madeUp{8, []float64{8, 16, 32}, nil, loss, 4}.run()
		run.Experiment = experiment
		prints, err := Prints(run)
		if err != nil || len(prints) != 3 {
			t.Fatal(experiment, len(prints), err)
		}
		golden(t, "prints/"+prints[2].Name+".svg", prints[2].SVG)
	}
	if got, want := strings.Join(names, " "), "figure-2-learned figure-3-gaps figure-4-rivals figure-5-averages"; got != want {
		t.Errorf("prints %s, want %s", got, want)
	}
}

// inked checks that a PNG is 14 × 8.5 cm at 300 dots an inch and has mapo's color.
func inked(t *testing.T, p Print) {
	t.Helper()
	img, err := png.Decode(bytes.NewReader(p.PNG))
	if err != nil {
		t.Fatalf("%s: %v", p.Name, err)
	}
	size := img.Bounds().Size()
	if size.X != int(math.Round(14/2.54*300)) || size.Y != int(math.Round(8.5/2.54*300)) {
		t.Errorf("%s is %v dots", p.Name, size)
	}
	mine := 0
	for y := range size.Y {
		for x := range size.X {
			if r, g, b, _ := img.At(x, y).RGBA(); r>>8 == 0xd5 && g>>8 == 0x5e && b == 0 {
				mine++
			}
		}
	}
	if mine < 1000 {
		t.Errorf("%s has %d dots in mapo's color", p.Name, mine)
	}
}

// Figures 4, 6 and 7 are one form; a run of one level has none of them.
func TestPrintNumbers(t *testing.T) {
	for experiment, want := range map[string]int{Thresholds: 4, TwentyQ: 6, Birds: 6, Jester: 7, "": 4} {
		run := &Run{Experiment: experiment}
		if got := run.paperFigure("rivals"); got != want || run.paperFigure("time") != 0 {
			t.Errorf("%q: figure %d, want %d", experiment, got, want)
		}
	}
	one := madeUp{3, []float64{16}, []string{"flip:0.8", "flip:0.9"}, BestIdentification, 4}.run()
	if prints, err := Prints(one); err != nil || len(prints) != 1 || prints[0].Name != "figure-5-averages" {
		t.Errorf("one level: %d prints, %v", len(prints), err)
	}
	if prints, err := Prints(&Run{}); err != nil || len(prints) != 0 {
		t.Errorf("an empty run: %d prints, %v", len(prints), err)
	}
}

// TestLookPrints writes prints for the eye; without -look it does nothing.
func TestLookPrints(t *testing.T) {
	if *look == "" {
		t.Skip("no -look")
	}
	for name, run := range map[string]*Run{"identification": large(BestIdentification), "regret": large(SimpleRegret), "small": small()} {
		prints, err := Prints(run)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range prints {
			for ext, data := range map[string][]byte{".svg": p.SVG, ".png": p.PNG} {
				if err := os.WriteFile(filepath.Join(*look, name+"-"+p.Name+ext), data, 0o644); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}
