package main

import (
	"fmt"
	"io"
	"math"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"mapo"
	"mapo/exact"
	"mapo/flow"
	"mapo/report"
)

// gridValues are the coordinates of the instances that stand for Θ^(r) where a
// spec gives none; the design's reference values are on this grid.
var gridValues = []float64{-1, -.75, -.5, -.25, .25, .5, .75, 1}

// mostGrid is how many points a grid may have before its hard ones are dropped.
const mostGrid = 1 << 20

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
	c.Flags().Float64SliceVar(&levels, "r", nil, "levels, such as 8,32 (default those of SPEC)")
	c.Flags().Float64Var(&width, "width", 0, "stop when a bracket is this narrow, in units of the loss (default .002)")
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
	t := tabwriter.NewWriter(table(c.OutOrStdout(), csvFile), 0, 8, 2, ' ', 0)
	fmt.Fprintf(t, "r\tinstances\tleast\tmost\t\n")
	for _, r := range plan.Levels {
		thetas, err := tinyOmega(plan, r)
		if err != nil {
			return err
		}
		begin := time.Now()
		b, err := exact.Certify(c.Context(), plan.Problem, thetas, exact.Options{Loss: plan.Loss, Width: width})
		if err != nil {
			return stopped(c.Context(), err, "nothing was kept")
		}
		fmt.Fprintf(t, "%.4g\t%d\t%.4f\t%.4f\t\n", r, len(thetas), b.Lo, b.Hi)
		rows = append(rows, report.Row{
			Metric: report.Minimax, Loss: plan.Loss.String(), Level: r, Instance: -1,
			Mean: math.NaN(), Lo: b.Lo, Hi: b.Hi, Confidence: 1, Seconds: time.Since(begin).Seconds(),
		})
	}
	if err := t.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(c.ErrOrStderr(), "min over policies of the largest %s loss over %s\n", plan.Loss, omegaName(plan))
	return writeRows(c, csvFile, rows)
}

// tinyOmega is the instances of difficulty at most r that an exact judge looks
// at: the spec's rows, or the grid.
func tinyOmega(plan flow.Plan, r float64) ([][]float64, error) {
	p, complexity := plan.Problem, mapo.RhoTilde(plan.Problem)
	var thetas [][]float64
	if plan.Finite != nil {
		omega := mapo.Omega{C: complexity, R: r}
		for _, theta := range plan.Finite {
			if omega.Contains(theta) {
				thetas = append(thetas, theta)
			}
		}
	} else {
		if n := math.Pow(float64(len(gridValues)), float64(p.Queries())); n > mostGrid {
			return nil, fmt.Errorf("%d queries make a grid of %.3g instances, more than %d: give some by instances: FILE in the spec", p.Queries(), n, mostGrid)
		}
		thetas = exact.Grid(p, complexity, gridValues, r)
	}
	if len(thetas) == 0 {
		return nil, fmt.Errorf("none of %s has difficulty at most %g: raise the level", omegaName(plan), r)
	}
	return thetas, nil
}

// omegaName says what [tinyOmega] takes its instances from.
func omegaName(plan flow.Plan) string {
	if plan.Finite != nil {
		return fmt.Sprintf("the %d given instances", len(plan.Finite))
	}
	return "the grid {±1, ±.75, ±.5, ±.25}^d"
}

// table is where a table for people goes: nowhere if rows take its place.
func table(w io.Writer, csvFile string) io.Writer {
	if csvFile == "-" {
		return io.Discard
	}
	return w
}
