package main

import (
	"cmp"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"mapo/game"
	"mapo/game/exact"
	"mapo/internal/console"
	"mapo/judge"
	"mapo/policy/decision"
	"mapo/policy/stopping"
	"mapo/report"
	"mapo/run"
	"mapo/spec"
)

func certifyCommand() *cobra.Command {
	var levels []float64
	var csvFile, by string
	var width float64
	c := &cobra.Command{
		Use:   "certify SPEC",
		Short: "An exact bracket of the minimax value of a tiny problem",
		Long: `certify plays every game of a tiny problem without sampling, and encloses min_π max_θ ℓ(π, θ) at each
level. The maximum is over the rows of the spec's instances: file, or else over the grid
{±1, ±0.75, ±0.5, ±0.25}^d, with difficulty at most r. The lower end holds for every larger set, too. With
an objective: in the spec the bracket is of (1−w)·(largest loss) + w·(average loss).`,
		Args: args(cobra.ExactArgs(1)),
		RunE: func(c *cobra.Command, list []string) error { return certify(c, list[0], levels, width, by, csvFile) },
	}
	levelsFlag(c.Flags(), &levels)
	c.Flags().Float64Var(&width, "width", 0, "stop when a bracket is this narrow, in units of the loss (default 0.001)")
	c.Flags().StringVar(&by, "decision", "", "how policies recommend: least-squares, posterior, or free, which is each policy's own to choose (default the spec's)")
	c.Flags().StringVar(&csvFile, "csv", "", "write results.csv rows to this file, - for standard output")
	return c
}

// certify runs `mapo certify`.
func certify(c *cobra.Command, path string, levels []float64, width float64, by, csvFile string) error {
	if !(width >= 0) {
		return fmt.Errorf("--width is %v; it must be a positive number", width)
	}
	if err := checkCSV(csvFile); err != nil {
		return err
	}
	s, err := read(c, path, spec.Override{})
	if err != nil {
		return err
	}
	plan, err := planned(c, s, path, options{levels: levels})
	if err != nil {
		return err
	}
	o, err := certified(&plan, width, by)
	if err != nil {
		return err
	}
	var rows []report.Row
	t := tabwriter.NewWriter(besideRows(c.OutOrStdout(), csvFile), 0, 8, 2, ' ', 0)
	head := "r\tinstances\tleast\tmost\t"
	if o.Weight > 0 {
		head += "its worst\tits average\t"
	}
	fmt.Fprintln(t, head)
	l := console.Wait(c.ErrOrStderr(), "enclosing the minimax value")
	defer l.Stop()
	for k, r := range plan.Levels {
		l.Tell("enclosing the minimax value", float64(k)/float64(len(plan.Levels)))
		thetas, err := judge.CheckedExactSet(plan.Problem, plan.Finite, r)
		if err != nil {
			return err
		}
		begin := time.Now()
		b, err := exact.Certify(c.Context(), plan.Problem, thetas, o)
		if err != nil {
			return stopped(c.Context(), err, "nothing was kept")
		}
		fmt.Fprintf(t, "%.4g\t%d\t%.4f\t%.4f\t", r, len(thetas), b.Lo, b.Hi)
		if o.Weight > 0 {
			fmt.Fprintf(t, "%.4f\t%.4f\t", b.Worst, b.Mean)
		}
		fmt.Fprintln(t)
		rows = append(rows, report.BracketRow(plan.Loss.String(), r, b.Lo, b.Hi, time.Since(begin).Seconds()))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	what := fmt.Sprintf("the largest %s loss over %s", plan.Loss, plan.ExactName())
	if o.Weight > 0 {
		what = fmt.Sprintf("%g·(%s) + %g·(average over %s)", 1-o.Weight, what, o.Weight, plan.Average.Name())
	}
	fmt.Fprintf(c.ErrOrStderr(), "min over policies of %s\n", what)
	return writeRows(c, csvFile, rows)
}

// freely is the decision that each policy chooses for itself.
const freely = "free"

// certified returns what a plan's certificate is of: its objective, and the decision named, the plan's where none is.
func certified(p *run.Plan, width float64, by string) (o exact.Options, err error) {
	o = exact.Options{Loss: p.Loss, Width: width, Free: by == freely, Weight: p.Weight}
	if p.Weight > 0 {
		if o.Average = game.Support(p.Problem, p.Average); o.Average == nil {
			return o, fmt.Errorf("objective: certify needs an average over a list of instances, such as table or noiseless; %s draws new ones", p.Average.Name())
		}
	}
	if by = cmp.Or(by, p.Decision); by != "" && !o.Free {
		if o.Decider, err = decision.New(p.Problem, p.Loss, by); err != nil {
			return o, fmt.Errorf("--decision: %w, and %s", err, freely)
		}
	}
	o.Stopper, err = stopping.New(p.Problem, p.Stopping)
	return o, err
}

// besideRows returns where a table for people goes: nowhere if rows take its place.
func besideRows(w io.Writer, csvFile string) io.Writer {
	if csvFile == "-" {
		return io.Discard
	}
	return w
}
