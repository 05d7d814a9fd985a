package folder

import (
	"fmt"
	"io"
	"path/filepath"
	"text/tabwriter"

	"mapo/run"
)

// Summary says what came out: the report's first sentences, and mapo's worst case beside the best rival's.
func Summary(w io.Writer, f *run.Flow, res *run.Result, dir string) error {
	page := Page(f, res)
	for _, text := range page.Headline() {
		fmt.Fprintln(w, text)
	}
	t := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	fmt.Fprintf(t, "r\tmapo\t95 %%\tbest rival\t95 %%\t\n")
	for _, k := range Shown(len(f.Levels)) {
		own := res.Ladder.PiHat.Worst[k]
		fmt.Fprintf(t, "%.4g\t%.4f\t[%.4f, %.4f]\t", own.Level, own.Mean, own.Lo, own.Hi)
		if best, ok := page.BestRival(own.Level); ok {
			fmt.Fprintf(t, "%s %.4f\t[%.4f, %.4f]\t", best.Policy, best.Mean, best.Lo, best.Hi)
		}
		fmt.Fprintln(t)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(w, "worst case found (%s), lower is better", f.Loss)
	if len(f.Levels) > mostShown {
		fmt.Fprintf(w, "; results.csv has all %d levels", len(f.Levels))
	}
	fmt.Fprintln(w)
	for _, k := range Shown(len(res.Certificate.Brackets)) {
		b := res.Certificate.Brackets[k]
		fmt.Fprintf(w, "certified at r = %.4g over %s: least possible %.4f to %.4f, mapo exactly %.4f\n",
			b.Level, res.Certificate.Over, b.Lo, b.Hi, res.Ladder.PiHat.Exact[k])
	}
	_, err := fmt.Fprintf(w, "report: %s\n", filepath.Join(dir, reportFile))
	return err
}

// mostShown is how many levels a summary has at most.
const mostShown = 10

// Shown returns the indices of n levels, or of mostShown of them from the first to the last.
func Shown(n int) []int {
	shown := make([]int, min(n, mostShown))
	for i := range shown {
		shown[i] = i
		if n > mostShown {
			shown[i] = i * (n - 1) / (mostShown - 1)
		}
	}
	return shown
}
