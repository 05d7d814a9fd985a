package report

import (
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
