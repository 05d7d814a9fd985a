package main

import (
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"mapo/bench"
)

func benchCommand() *cobra.Command {
	var o bench.Options
	var asJSON bool
	c := &cobra.Command{
		Use:   "bench",
		Short: "How fast this machine trains and plays",
		Long: "bench times one training iteration of the paper's size (rollouts, backward passes and Adam; thresholds) against\n" +
			"the peak of the kernel in use, probed around every iteration, and how fast policies are played forward only.",
		Args: args(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			for _, name := range []string{"queries", "rollouts", "budget", "seconds"} {
				if f := c.Flags().Lookup(name); f.Value.String() == "0" {
					return fmt.Errorf("--%s is 0; it must be positive", name)
				}
			}
			r, err := bench.Iterations(c.Context(), o)
			if err != nil {
				return stopped(c.Context(), err, "nothing was measured")
			}
			out := c.OutOrStdout()
			if asJSON {
				return json.NewEncoder(out).Encode(r)
			}
			fmt.Fprintf(out, "kernel      %s, %s, %d workers\n", r.Kernel, r.Precision, r.Workers)
			fmt.Fprintf(out, "iteration   %d queries, %d rollouts, budget %d, %s\n", r.Queries, r.Rollouts, r.Budget, o.Policy)
			fmt.Fprintf(out, "seconds     %.3f (%.3f to %.3f), %.0f steps/s\n", r.SecondsMedian, r.SecondsMin, r.SecondsMax, r.StepsPerSecond)
			fmt.Fprintf(out, "operations  %.1f GFLOP/s, %.1f %% of the peak of %.1f\n", r.Gflops, 100*r.PeakFraction, r.PeakGflops)
			rates, err := bench.Rates(c.Context(), o)
			if err != nil {
				return stopped(c.Context(), err, "the iteration was measured")
			}
			for _, rate := range rates {
				fmt.Fprintf(out, "forward     %s: %.0f steps/s\n", rate.Policy, rate.StepsPerSecond)
			}
			return nil
		},
	}
	f := c.Flags()
	f.IntVar(&o.Queries, "queries", 25, "queries of the thresholds")
	f.IntVar(&o.Rollouts, "rollouts", 10000, "rollouts an iteration")
	f.IntVar(&o.Budget, "budget", 20, "answers a rollout")
	f.IntVar(&o.Workers, "workers", 0, "cores to use (default all)")
	f.Float64Var(&o.Seconds, "seconds", 10, "how long to measure, for at least three iterations")
	f.StringVar(&o.Policy, "policy", "mlp", "mlp or structured")
	f.BoolVar(&asJSON, "json", false, "print the iteration's measures as one JSON object")
	return c
}
