package report

import (
	"fmt"
	"html"
	"os"
	"regexp"
	"strings"
	"testing"
)

func pageOf(t *testing.T, run *Run) string {
	t.Helper()
	var b strings.Builder
	if err := HTML(&b, run); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// shown is a figure as a page has it.
type shown struct {
	name, caption string
	drawn         []drawn // wide and narrow
	rows          [][]string
}

// drawn is one of a figure's drawings.
type drawn struct {
	w, h float64
	text string
}

var (
	figureOf  = regexp.MustCompile(`(?s)<figure id="([^"]+)">.*?</figure>`)
	captionOf = regexp.MustCompile(`(?s)<figcaption>(.*?)</figcaption>`)
	drawingOf = regexp.MustCompile(`(?s)<div class="(?:wide|narrow)"><svg class="m-svg" viewBox="0 0 (\S+) (\S+)".*?</div>`)
	rowOf     = regexp.MustCompile(`(?s)<tr>(<td.*?)</tr>`)
	cellOf    = regexp.MustCompile(`(?s)<td[^>]*>(.*?)</td>`)
)

// figuresOf returns the figures of a run's page, by name.
func figuresOf(t *testing.T, run *Run) map[string]shown {
	t.Helper()
	figures := map[string]shown{}
	for _, m := range figureOf.FindAllStringSubmatch(pageOf(t, run), -1) {
		f := shown{name: m[1], caption: html.UnescapeString(captionOf.FindStringSubmatch(m[0])[1])}
		for _, d := range drawingOf.FindAllStringSubmatch(m[0], -1) {
			one := drawn{text: d[0]}
			if _, err := fmt.Sscan(d[1]+" "+d[2], &one.w, &one.h); err != nil {
				t.Fatal(err)
			}
			f.drawn = append(f.drawn, one)
		}
		for _, row := range rowOf.FindAllStringSubmatch(m[0], -1) {
			var cells []string
			for _, cell := range cellOf.FindAllStringSubmatch(row[1], -1) {
				cells = append(cells, html.UnescapeString(cell[1]))
			}
			f.rows = append(f.rows, cells)
		}
		if len(f.drawn) != 2 || len(f.rows) == 0 {
			t.Fatalf("figure %s has %d drawings and %d rows", f.name, len(f.drawn), len(f.rows))
		}
		figures[f.name] = f
	}
	return figures
}

// TestSmokeBanner: a report of a smoke run says before anything else that its policies were hardly trained; others do
// not.
func TestSmokeBanner(t *testing.T) {
	for _, scale := range []string{"smoke", "desk", "paper"} {
		run := small()
		run.Scale = scale
		page := pageOf(t, run)
		at := strings.Index(page, "hardly trained")
		if (at >= 0) != (scale == "smoke") || at > strings.Index(page, "<h2>") {
			t.Errorf("%s: the banner stands at %d", scale, at)
		}
	}
}

var (
	entry = regexp.MustCompile(`(?s)@\w+\{zhang.*?\n *\}`)
	blank = regexp.MustCompile(`\s+`)
)

// TestCitation: the report and README.md cite the paper in the same words.
func TestCitation(t *testing.T) {
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	cited := func(text string) string { return blank.ReplaceAllString(entry.FindString(text), " ") }
	want, got := cited(string(readme)), cited(pageOf(t, small()))
	if want == "" || got != want {
		t.Errorf("the report cites\n%s\nREADME.md\n%s", got, want)
	}
}
