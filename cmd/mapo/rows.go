package main

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"mapo/internal/console"
	"mapo/internal/disk"
	"mapo/report"
	"mapo/run"
)

// printRows writes rows as an aligned table.
func printRows(w io.Writer, rows []report.Row) error {
	t := tabwriter.NewWriter(console.Plain(w), 0, 8, 2, ' ', 0)
	head, stops := "metric\tpolicy\tloss\tat\tmean\tinterval\tgames\t", report.Stops(rows)
	if stops {
		head += "questions\t"
	}
	fmt.Fprintln(t, head)
	for _, r := range rows {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%.4f\t", r.Metric, r.Policy, r.Loss, at(r), r.Mean)
		if r.Confidence == 1 {
			fmt.Fprintf(t, "exact\t\t")
		} else {
			fmt.Fprintf(t, "[%.4f, %.4f]\t%d\t", r.Lo, r.Hi, r.Games)
		}
		if stops {
			fmt.Fprintf(t, "%s\t", report.Questions(r))
		}
		fmt.Fprintln(t)
	}
	return t.Flush()
}

// at returns the level, prior or instance a row is about.
func at(r report.Row) string {
	switch {
	case r.Prior != "":
		return r.Prior
	case r.Instance >= 0:
		return "#" + strconv.Itoa(r.Instance)
	case r.Level > 0 && !math.IsNaN(r.Level):
		return fmt.Sprintf("r = %.4g", r.Level)
	}
	return ""
}

// writeRows writes rows as results.csv to a file, to standard output for "-",
// or nowhere for "". A file is written whole or not at all; a device as it is.
func writeRows(c *cobra.Command, file string, rows []report.Row) error {
	if file == "" {
		return nil
	}
	if file == "-" {
		return report.WriteCSV(c.OutOrStdout(), rows)
	}
	var b bytes.Buffer
	if err := report.WriteCSV(&b, rows); err != nil {
		return err
	}
	if disk.IsDevice(file) {
		return os.WriteFile(file, b.Bytes(), 0o666)
	}
	return disk.Output{Flag: "--csv", Path: file}.Write(b.Bytes())
}

// checkCSV says before the work what [writeRows] would say after it.
func checkCSV(file string) error {
	if file == "" || file == "-" || disk.IsDevice(file) {
		return nil
	}
	if spec, err := os.ReadFile(filepath.Join(filepath.Dir(file), "spec.yaml")); err == nil && strings.HasPrefix(string(spec), run.SpecHead) && filepath.Base(file) == "results.csv" {
		return fmt.Errorf("--csv %s is a run's own: choose another file", file)
	}
	return disk.Output{Flag: "--csv", Path: file}.Replaceable("holds no results", func(content []byte) bool {
		return len(content) == 0 || bytes.HasPrefix(content, []byte(report.Header()))
	})
}
