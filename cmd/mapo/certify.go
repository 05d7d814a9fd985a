package main

import (
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"mapo/game/exact"
	"mapo/judge"
	"mapo/report"
)

func certifyCommand() *cobra.Command {
	var levels []float64
	var csvFile string
	var width float64
	c := &cobra.Command{
		Use:   "certify SPEC",
		Short: "An exact bracket of the minimax value of a tiny problem",
		Long: "certify plays every game of a tiny problem without sampling and encloses min_π max_θ ℓ(π, θ) at each level,\n" +
			"over the rows of the spec's instances: file with difficulty at most r, or else over the grid\n" +
			"{±1, ±.75, ±.5, ±.25}^d with difficulty at most r. The lower end holds for every set that contains them.",
		Args: args(cobra.ExactArgs(1)),
		RunE: func(c *cobra.Command, list []string) error { return certify(c, list[0], levels, width, csvFile) },
	}
	levelsFlag(c.Flags(), &levels)
	c.Flags().Float64Var(&width, "width", 0, "stop when a bracket is this narrow, in units of the loss (default .001)")
	c.Flags().StringVar(&csvFile, "csv", "", "write results.csv rows to this file, - for standard output")
	return c
}

// certify is `mapo certify`.
func certify(c *cobra.Command, path string, levels []float64, width float64, csvFile string) error {
	if !(width >= 0) {
		return fmt.Errorf("--width is %v; it must be a positive number", width)
	}
	if err := checkCSV(csvFile); err != nil {
		return err
	}
	plan, err := load(c, path, options{levels: levels})
	if err != nil {
		return err
	}
	var rows []report.Row
	t := tabwriter.NewWriter(besideRows(c.OutOrStdout(), csvFile), 0, 8, 2, ' ', 0)
	fmt.Fprintf(t, "r\tinstances\tleast\tmost\t\n")
	for _, r := range plan.Levels {
		thetas, err := judge.CheckedExactSet(plan.Problem, plan.Finite, r)
		if err != nil {
			return err
		}
		begin := time.Now()
		b, err := exact.Certify(c.Context(), plan.Problem, thetas, exact.Options{Loss: plan.Loss, Width: width})
		if err != nil {
			return stopped(c.Context(), err, "nothing was kept")
		}
		fmt.Fprintf(t, "%.4g\t%d\t%.4f\t%.4f\t\n", r, len(thetas), b.Lo, b.Hi)
		rows = append(rows, report.BracketRow(plan.Loss.String(), r, b.Lo, b.Hi, time.Since(begin).Seconds()))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(c.ErrOrStderr(), "min over policies of the largest %s loss over %s\n", plan.Loss, plan.ExactName())
	return writeRows(c, csvFile, rows)
}

// besideRows is where a table for people goes: nowhere if rows take its place.
func besideRows(w io.Writer, csvFile string) io.Writer {
	if csvFile == "-" {
		return io.Discard
	}
	return w
}
