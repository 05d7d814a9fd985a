package main

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"mapo/bench"
	"mapo/run"
	"mapo/run/job"
	"mapo/run/store"
)

// contest holds the flags of `mapo bench yardstick`.
type contest struct {
	time    time.Duration
	workers int
}

func yardstickCommand() *cobra.Command {
	var o contest
	c := &cobra.Command{
		Use:   "yardstick SPEC OTHER",
		Short: "How much more another training needs for the same worst cases",
		Long: "yardstick trains SPEC's policy and OTHER's, two specs of one problem, loss, seed and levels that differ in what stands\n" +
			"under train:, judges both as they start and at iterations that double, and prints for each worst case that OTHER reaches\n" +
			"how many times the environment steps and the seconds it took. OTHER's iterations are scaled to take --time; SPEC's only\n" +
			"down. As seconds are what is compared, it cannot be interrupted and resumed: nothing is kept.",
		Args: args(cobra.ExactArgs(2)),
		RunE: func(c *cobra.Command, list []string) error { return o.run(c, list[0], list[1]) },
	}
	f := c.Flags()
	f.DurationVar(&o.time, "time", 10*time.Minute, "how long each of the two trains, as first iterations say; a policy that has learnt may play twice as fast")
	f.IntVar(&o.workers, "workers", 0, "cores to use (default all)")
	return c
}

// run runs `mapo bench yardstick`.
func (o *contest) run(c *cobra.Command, spec, other string) (err error) {
	if o.time <= 0 {
		return fmt.Errorf("--time is %v; it must be positive", o.time)
	}
	if err := checkWorkers(o.workers); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "mapo-yardstick-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	s, err := store.Folder(dir)
	if err != nil {
		return err
	}
	ours, err := o.flow(c, s, spec, nil)
	if err != nil {
		return stopped(c.Context(), err, "nothing was begun")
	}
	yardstick, err := o.flow(c, s, other, ours)
	if err != nil {
		return stopped(c.Context(), err, "nothing was begun")
	}
	race, err := bench.RunRace(c.Context(), ours, yardstick)
	if err != nil {
		return stopped(c.Context(), err, "nothing was kept")
	}
	return printRace(c.OutOrStdout(), race)
}

// flow returns a spec's, its iterations fitted to the time. What is raced against is
// judged as hard as that, whatever its preset.
func (o *contest) flow(c *cobra.Command, s store.Store, path string, against *run.Flow) (*run.Flow, error) {
	plan, err := load(c, path, options{workers: o.workers, silent: true})
	if err != nil {
		return nil, err
	}
	plan.Marks = true
	plan.Rivals = slices.DeleteFunc(plan.Rivals, func(name string) bool { return name == run.BayesLAL })
	if against != nil {
		plan.Scale, plan.Effort = against.Scale, against.Effort
	}
	if err := plan.Fit(c.Context(), o.time, o.workers, against != nil); err != nil {
		return nil, err
	}
	show := newDisplay(io.Discard, func(job.Event) error { return nil }, nil)
	exec := &job.Local{Store: s, Steps: run.Steps(plan.Known()...), Cores: o.workers, Events: show.event}
	return run.New(c.Context(), plan, s, exec)
}

// printRace prints a table a level; a star marks worst cases below the best rival's
// beyond the intervals.
func printRace(w io.Writer, r *bench.Race) error {
	fmt.Fprintf(w, "SPEC   %.3g steps, %.1f s of training\nOTHER  %.3g steps, %.1f s of training\n", r.Ours.Work, r.Ours.Seconds, r.Yardstick.Work, r.Yardstick.Seconds)
	for k, level := range r.Levels {
		fmt.Fprintf(w, "\nr = %.4g", level)
		rival := 0.0
		if k < len(r.Rival) {
			rival = r.Rival[k].Lo
			fmt.Fprintf(w, ", best rival %s %.4f [%.4f, %.4f]", r.Rival[k].Name, r.Rival[k].Mean, rival, r.Rival[k].Hi)
		}
		fmt.Fprintln(w)
		t := tabwriter.NewWriter(w, 0, 8, 2, ' ', tabwriter.AlignRight)
		fmt.Fprintln(t, "worst case\tOTHER: steps\tseconds\tSPEC: worst case\tsteps\tseconds\ttimes steps\ttimes seconds\t\t")
		for _, x := range r.Ratios[k] {
			fmt.Fprintf(t, "%.4f\t%s\t%.3g\t%.4f\t%s\t%.3g\t%s\t%s\t%s\t\n", x.Worst, spent(x.Yardstick, x.YardstickDid), x.Yardstick.Seconds,
				x.Ours.Worst, spent(x.Ours, x.OursDoes), x.Ours.Seconds, bounded(x, x.Work()), bounded(x, x.Seconds()), counts(x, rival))
		}
		if err := t.Flush(); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintln(w, "\n* below the best rival's beyond the intervals; > and < where one of the two was never so low, with all that it spent")
	return err
}

// spent returns a record's work, all of it where it was not enough.
func spent(r bench.Record, reached bool) string {
	if !reached {
		return fmt.Sprintf("not in %.3g", r.Work)
	}
	return fmt.Sprintf("%.3g", r.Work)
}

// bounded returns a ratio, or the bound that it is.
func bounded(x bench.Ratio, v float64) string {
	switch {
	case math.IsNaN(v): // both start there
		return "–"
	case math.IsInf(v, 1): // ours starts there
		return "∞"
	case !x.YardstickDid:
		return fmt.Sprintf("> %.3g", v)
	case !x.OursDoes:
		return fmt.Sprintf("< %.3g", v)
	}
	return fmt.Sprintf("%.3g", v)
}

// counts marks a worst case whose interval lies below rival.
func counts(x bench.Ratio, rival float64) string {
	at := x.Yardstick
	if !x.YardstickDid {
		at = x.Ours
	}
	if at.Hi < rival {
		return "*"
	}
	return ""
}
