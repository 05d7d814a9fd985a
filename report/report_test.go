package report

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"mapo/record"
)

// elements walks an XML document and fails on anything not well-formed.
func elements(t *testing.T, name string, text []byte, see func(xml.StartElement)) {
	t.Helper()
	d := xml.NewDecoder(bytes.NewReader(text))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if e, ok := token.(xml.StartElement); ok {
			see(e)
		}
	}
}

// TestFigures holds the standing figures to their goldens, and every one to being drawable.
func TestFigures(t *testing.T) {
	figures, err := Figures(small())
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range figures {
		names = append(names, f.Name)
		golden(t, "figures/"+f.Name+".svg", f.SVG)
		elements(t, f.Name, f.SVG, func(e xml.StartElement) {
			for _, a := range e.Attr {
				if strings.Contains(a.Value, "NaN") || strings.Contains(a.Value, "Inf") {
					t.Errorf("%s: <%s %s=%q>", f.Name, e.Name.Local, a.Name.Local, a.Value)
				}
			}
		})
		if f.Caption == "" {
			t.Errorf("%s has no caption", f.Name)
		}
	}
	again, err := Figures(small())
	if err != nil || !reflect.DeepEqual(figures, again) {
		t.Errorf("two drawings of one run differ (%v)", err)
	}
	if got, want := strings.Join(names, " "), "figure-2-learned figure-3-gaps figure-4-rivals figure-5-averages priors frontier training diagnostics worst time"; got != want {
		t.Errorf("figures %s, want %s", got, want)
	}
}

// TestPaperNumbers: figures 4, 6 and 7 of the paper are one form; a run of one level has none of them.
func TestPaperNumbers(t *testing.T) {
	one := madeUp{3, []float64{16}, []string{"flip:0.8", "flip:0.9"}, BestIdentification, 4}.run()
	birds := madeUp{8, []float64{8, 16, 32}, nil, BestIdentification, 4}.run()
	birds.Experiment = Birds
	twentyq, jester := *birds, madeUp{8, []float64{8, 16, 32}, nil, SimpleRegret, 4}.run()
	twentyq.Experiment, jester.Experiment = TwentyQ, Jester
	for _, c := range []struct {
		run  *Run
		want string
	}{
		{birds, "figure-2-learned figure-3-gaps figure-6-rivals"},
		{&twentyq, "figure-2-learned figure-3-gaps figure-6-rivals"},
		{jester, "figure-2-learned figure-3-gaps figure-7-rivals"},
		{one, "figure-5-averages"},
		{&Run{}, ""},
	} {
		figures, err := Figures(c.run)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, f := range figures {
			if strings.HasPrefix(f.Name, "figure-") {
				names = append(names, f.Name)
			}
			if f.Name == "figure-7-rivals" {
				golden(t, "figures/"+f.Name+".svg", f.SVG)
			}
		}
		if got := strings.Join(names, " "); got != c.want {
			t.Errorf("%q with %d levels: figures %s, want %s", c.run.Experiment, len(c.run.Levels), got, c.want)
		}
	}
}

// TestOddRuns draws runs with little or nothing in them: no panic, no NaN in any coordinate.
func TestOddRuns(t *testing.T) {
	nan := math.NaN()
	row := Row{WorstCase, Mapo, BestIdentification, 8, "", -1, .3, nan, nan, 0, 0, 0, none, ""}
	for name, run := range map[string]*Run{
		"empty":          {Name: "empty"},
		"one row":        {Loss: BestIdentification, Levels: []float64{8}, Rows: []Row{row}},
		"level inf":      {Loss: BestIdentification, Rows: []Row{{WorstCase, Mapo, BestIdentification, math.Inf(1), "", -1, .3, .2, .4, .95, 9, 0, none, ""}}},
		"only rivals":    {Loss: BestIdentification, Rows: []Row{{WorstCase, "x", BestIdentification, 11.3, "", -1, 0, 0, 0, .95, 9, 0, none, ""}}},
		"one average":    {Loss: SimpleRegret, Rows: []Row{{Average, "pi-1", SimpleRegret, 0, "flip:0.8", -1, 2, 1, 3, .95, 9, 0, none, ""}}},
		"no points":      {Curves: []Curve{{Policy: Mapo}}},
		"nan point":      {Curves: []Curve{{Policy: Mapo, Points: []Point{{Step: record.Step{Worst: nan, Feasible: nan, Barrier: nan, PolicyEntropy: nan, ParticleEntropy: nan, GradPsi: nan, GradTheta: 0, GradW: nan}}}}}},
		"one query":      {Queries: 1, Worst: []Worst{{Policy: Mapo, Worst: record.Worst{Level: 8, Theta: []float64{1}}}}},
		"a long stretch": {Loss: BestIdentification, Curves: []Curve{{Policy: Mapo, Points: []Point{{record.Step{Work: 1}, SimpleRegret}, {record.Step{Work: 2}, SimpleRegret}}}}},
	} {
		var b bytes.Buffer
		if err := HTML(&b, run); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if m := regexp.MustCompile(`="[^"]*(NaN|Inf)[^"]*"`).Find(b.Bytes()); m != nil {
			t.Errorf("%s: %s", name, m)
		}
	}
}

func TestRunRefused(t *testing.T) {
	for _, c := range []struct {
		run  Run
		want string
	}{
		{Run{Queries: 3, Worst: []Worst{{Policy: Mapo, Worst: record.Worst{Level: 8, Theta: []float64{1}}}}}, "1 entries"},
		{Run{Queries: 3, QueryTexts: []string{"a"}}, "1 query texts for 3 queries"},
		{Run{Levels: []float64{8, 8}}, "level 2"},
		{Run{Rows: []Row{{Metric: "x"}}}, "row 1"},
	} {
		if err := HTML(io.Discard, &c.run); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("HTML: error %v, want %q", err, c.want)
		}
		if _, err := Figures(&c.run); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("Figures: error %v, want %q", err, c.want)
		}
	}
}

// TestHTML: well-formed, self-contained, and the same bytes each time.
func TestHTML(t *testing.T) {
	var first, second bytes.Buffer
	for _, b := range []*bytes.Buffer{&first, &second} {
		if err := HTML(b, large(SimpleRegret)); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(first.Bytes(), second.Bytes()) {
		t.Error("the same run gave other bytes")
	}
	// The page keeps to XML's rules but for its void head elements and the doctype's bare word.
	text := regexp.MustCompile(`<meta [^>]*>`).ReplaceAll(first.Bytes(), nil)
	ids := map[string]bool{}
	elements(t, "page", text, func(e xml.StartElement) {
		if name := e.Name.Local; name == "script" || name == "link" || name == "img" || name == "iframe" {
			t.Errorf("the page has a <%s>", name)
		}
		for _, a := range e.Attr {
			if n := a.Name.Local; n == "src" || n == "href" || strings.HasPrefix(n, "on") {
				t.Errorf("<%s %s=%q> reaches outside", e.Name.Local, n, a.Value)
			}
			if a.Name.Local == "id" {
				if ids[a.Value] {
					t.Errorf("id %q twice", a.Value)
				}
				ids[a.Value] = true
			}
		}
	})
	for _, bad := range []string{"http://", "https://", "url(", "@import"} {
		if bytes.Contains(first.Bytes(), []byte(bad)) {
			t.Errorf("the page holds %s", bad)
		}
	}
	for _, want := range []string{"lower is better", "lower\nbound", "arXiv:2010.15382", "one number at a time", "prefers-color-scheme:dark", "width=device-width"} {
		if !bytes.Contains(first.Bytes(), []byte(strings.ReplaceAll(want, "\n", " "))) {
			t.Errorf("the page does not say %q", want)
		}
	}
}

// TestEscaping puts a script into every text a run can bring.
func TestEscaping(t *testing.T) {
	const evil = `</title></text></pre><script>alert("1")</script>` + "\x00\x1b\xff"
	run := small()
	run.Name, run.Title, run.Spec, run.Machine, run.Version, run.Scale, run.LevelsNote = evil, evil, evil, evil, evil, evil, evil
	run.Warnings, run.HypothesisTexts, run.Notes = []string{evil}, []string{evil}, []string{evil}
	run.QueryTexts[0] = evil
	printableEvil := strings.Map(func(r rune) rune { // rows refuse control characters
		if r < ' ' {
			return -1
		}
		return r
	}, strings.ToValidUTF8(evil, ""))
	for i := range run.Rows {
		if run.Rows[i].Policy == "uncertainty" {
			run.Rows[i].Policy = printableEvil
		}
		if run.Rows[i].Prior == "table" {
			run.Rows[i].Prior = printableEvil
		}
	}
	for i := range run.Worst {
		run.Worst[i].BestText = evil
		if run.Worst[i].Policy == "uncertainty" {
			run.Worst[i].Policy = evil
		}
	}
	run.Timings[0].Step, run.Curves[0].Policy = evil, evil
	var b bytes.Buffer
	if err := HTML(&b, run); err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(b.Bytes(), []byte("<script")) {
		t.Error("a script came through")
	}
	figures, err := Figures(run)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range figures {
		elements(t, f.Name, f.SVG, func(e xml.StartElement) {
			if e.Name.Local == "script" {
				t.Errorf("%s holds a script", f.Name)
			}
		})
	}
}

// TestSpread: labels keep their distance, their order and their bounds, and those with room stay put.
func TestSpread(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 500 {
		want := make([]float64, 1+r.IntN(20))
		for i := range want {
			want[i] = r.Float64() * 300
			if i > 0 && r.IntN(3) == 0 {
				want[i] = want[i-1] // ties are common: policies of equal loss
			}
		}
		got := spread(want, lineHeight, 0, 300)
		for i := range got {
			if got[i] < -1e-9 || got[i] > 300+1e-9 {
				t.Fatalf("%v → %v leaves the bounds", want, got)
			}
			for j := range i {
				if math.Abs(got[i]-got[j]) < lineHeight-1e-9 {
					t.Fatalf("%v → %v: %d and %d overlap", want, got, i, j)
				}
				if (want[i]-want[j])*(got[i]-got[j]) < 0 {
					t.Fatalf("%v → %v: %d and %d change places", want, got, i, j)
				}
			}
		}
	}
	if got := spread([]float64{100, 10, 200}, 14, 0, 300); got[0] != 100 || got[1] != 10 || got[2] != 200 {
		t.Errorf("labels with room moved: %v", got)
	}
}

// TestLabelsInFigures reads every label at a line's end back from the drawing: none overlaps another
// and none leaves the canvas, at both widths.
func TestLabelsInFigures(t *testing.T) {
	text := regexp.MustCompile(`<text class="m-t\d( m-b)?" x="([\d.]+)" y="([\d.-]+)" text-anchor="start">([^<]*)</text>`)
	for _, loss := range []string{BestIdentification, SimpleRegret} {
		figures := figuresOf(t, large(loss))
		for _, name := range []string{"learned", "gaps", "rivals"} {
			for _, d := range figures[name].drawn {
				var xs, ys []float64
				for _, m := range text.FindAllStringSubmatch(d.text, -1) {
					var x, y float64
					fmt.Sscan(m[2]+" "+m[3], &x, &y)
					if x+textWidth(m[4]) > d.w || y > d.h || y < 8 {
						t.Errorf("%s at %v: %q at (%v, %v) leaves the canvas", name, d.w, m[4], x, y)
					}
					for i := range xs {
						if math.Abs(ys[i]-y) < 12 {
							t.Errorf("%s at %v: %q overlaps its neighbour", name, d.w, m[4])
						}
					}
					xs, ys = append(xs, x), append(ys, y)
				}
				if len(ys) < 4 {
					t.Errorf("%s has only %d labels", name, len(ys))
				}
			}
		}
	}
}

func TestTook(t *testing.T) {
	for _, c := range []struct {
		why, want string
		wall      float64
		timings   []Timing
	}{
		{"nobody measured", "", 0, nil},
		{"only the steps were measured", "8.0 s of work", 0, []Timing{{"a", 3}, {"b", 5}}},
		{"steps one after the other", "8.1 s", 8.1, []Timing{{"a", 3}, {"b", 5}}},
		{"steps side by side", "5.0 s, for 8.0 s of work side by side", 5, []Timing{{"a", 3}, {"b", 5}}},
	} {
		run := Run{Wall: c.wall, Timings: c.timings}
		if got := run.took(); got != c.want {
			t.Errorf("%s: got %q, want %q", c.why, got, c.want)
		}
	}
}

// The caption of the diagnostics speaks of what is drawn: the double oracle has no feasible share.
func TestDiagnosticsCaption(t *testing.T) {
	run := small()
	if caption := figuresOf(t, run)["diagnostics"].caption; !strings.Contains(caption, "Feasible share") {
		t.Errorf("the caption is %q", caption)
	}
	for _, c := range run.Curves {
		for i := range c.Points {
			c.Points[i].Feasible = math.NaN()
		}
	}
	if caption := figuresOf(t, run)["diagnostics"].caption; strings.Contains(caption, "Feasible share") || !strings.Contains(caption, "log scale") {
		t.Errorf("without feasible shares the caption is %q", caption)
	}
}
