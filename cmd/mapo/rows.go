package main

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"mapo/report"
)

// printRows writes rows as an aligned table.
func printRows(w io.Writer, rows []report.Row) error {
	t := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	fmt.Fprintf(t, "metric\tpolicy\tloss\tat\tmean\tinterval\tgames\t\n")
	for _, r := range rows {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%.4f\t", r.Metric, r.Policy, r.Loss, at(r), r.Mean)
		if r.Confidence == 1 {
			fmt.Fprintf(t, "exact\t\t\n")
			continue
		}
		fmt.Fprintf(t, "[%.4f, %.4f]\t%d\t\n", r.Lo, r.Hi, r.Games)
	}
	return t.Flush()
}

// at is the level, prior or instance a row is about.
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
// or nowhere for "".
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
	return os.WriteFile(file, b.Bytes(), 0o666)
}
