package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mapo/data/dataset"
	"mapo/game/exact"
	"mapo/internal/console"
	"mapo/judge"
	"mapo/report"
	"mapo/rng"
	"mapo/run"
	"mapo/spec"
)

// measure holds the flags of `mapo eval`.
type measure struct {
	problem string
	scale   string
	levels  []float64
	priors  []string
	theta   string
	answers string
	exact   bool
	csv     string
	games   int
	workers int
	timeout time.Duration
	flips   []float64
	svg     string
	weights string
	stop    string
}

func evalCommand() *cobra.Command {
	var m measure
	c := &cobra.Command{
		Use:   "eval POLICY… --problem SPEC",
		Short: "Measure policies: worst cases, averages, given instances",
		Long: `eval measures policies: their worst case at the levels of --r, their average over each --prior, and their
loss on each instance of --theta. With none of these it takes the levels and priors of SPEC, or the priors
alone where it is a table without levels. --exact plays every game of a tiny problem instead of sampling.

A POLICY is a policy file or a name, such as uniform, uncertainty, sgbs:0.1, information, gain:1 or
instant:0.7. transfer:FILE is the weights of another problem's policy file put on this one, and
'cmd:python3 my_policy.py' a program, which is asked over JSON lines (docs/other-languages.md).`,
		Args: args(cobra.MinimumNArgs(1)),
		RunE: func(c *cobra.Command, list []string) error { return m.eval(c, list) },
	}
	f := c.Flags()
	f.StringVar(&m.problem, "problem", "", "the SPEC that says what is played")
	f.StringVar(&m.scale, "scale", "", "how hard to search: smoke, desk or paper (default that of SPEC)")
	levelsFlag(f, &m.levels)
	f.StringSliceVar(&m.priors, "prior", nil, "priors: flip:0.8, noiseless, box, table, table+flip:0.1, users, models, votes")
	f.StringVar(&m.answers, "answers", "", "another source's table with the same names of objects and queries: answers come from it")
	f.StringVar(&m.theta, "theta", "", "a CSV file with one instance a row")
	f.BoolVar(&m.exact, "exact", false, "play every game of a tiny problem; worst cases are over the spec's instances or a grid")
	f.StringVar(&m.csv, "csv", "", "write results.csv rows to this file, - for standard output")
	f.IntVar(&m.games, "games", 0, "games of each average and each instance (default by scale)")
	f.Float64SliceVar(&m.flips, "flip", nil, "comma-separated `SHARES` of wrong answers for --prior table, such as 0,0.1,0.2")
	f.Lookup("flip").DefValue = ""
	f.StringVar(&m.weights, "weights", "", "the column of the table that holds prior weights (default that of SPEC, else mapo:weight)")
	f.StringVar(&m.stop, "stop", "", "end games once the recommendation has this probability, or off (default that of SPEC, else a policy file's, else off)")
	f.StringVar(&m.svg, "svg", "", "draw how often policies are right against --flip, to this file")
	f.IntVar(&m.workers, "workers", 0, "cores to use, and processes of each cmd: policy; no result depends on it (default all)")
	f.DurationVar(&m.timeout, "timeout", 30*time.Second, "how long a cmd: policy may take for a reply")
	return c
}

// levelsFlag adds --r.
func levelsFlag(f *pflag.FlagSet, levels *[]float64) {
	f.Float64SliceVar(levels, "r", nil, "comma-separated `LEVELS`, such as 8,32 (default those of SPEC)")
	f.Lookup("r").DefValue = "" // or help prints []
}

// eval runs `mapo eval`.
func (m *measure) eval(c *cobra.Command, names []string) error {
	if err := m.checkFlags(c); err != nil {
		return err
	}
	s, err := m.loadSpec(c, names)
	if err != nil {
		return err
	}
	e, p, err := m.evaluation(c, s)
	if err != nil {
		return err
	}
	l := console.Wait(c.ErrOrStderr(), "playing")
	e.Tell = func(what string, games, of int) {
		l.Detail(what, fmt.Sprintf("%d of about %d games", games, max(games, of)), float64(games)/float64(max(games, of, 1)))
	}
	rows, err := m.play(c.Context(), e, names, p.Decision, func(own string) string { return cmp.Or(s.Stopping, own) })
	l.Stop()
	if err != nil {
		return stopped(c.Context(), err, "nothing was kept")
	}
	if err := report.Print(console.Plain(besideRows(c.OutOrStdout(), m.csv)), rows); err != nil {
		return err
	}
	if m.exact && len(e.Levels) > 0 {
		fmt.Fprintf(c.ErrOrStderr(), "exact; worst cases are over %s\n", p.ExactName())
	}
	if err := m.draw(s, rows); err != nil {
		return err
	}
	return writeRows(c, m.csv, rows)
}

// checkFlags refuses flags that are out of range or do not go together, before the work.
func (m *measure) checkFlags(c *cobra.Command) error {
	switch {
	case m.problem == "":
		return hint(c, errors.New("--problem is missing: name the SPEC that says what is played"))
	case c.Flags().Changed("games") && m.games < 1:
		return fmt.Errorf("--games is %d; it must be positive", m.games)
	case m.exact && c.Flags().Changed("games"):
		return errors.New("--exact samples no games: drop it, or --games")
	case m.timeout <= 0:
		return fmt.Errorf("--timeout is %v; it must be positive", m.timeout)
	case m.exact && (m.priors != nil || m.flips != nil || m.svg != "" || m.answers != ""):
		return errors.New("--exact plays no averages: drop it, or --prior, --flip, --svg and --answers")
	}
	if err := checkWorkers(m.workers); err != nil {
		return err
	}
	if err := m.checkSVG(); err != nil {
		return err
	}
	return checkCSV(m.csv)
}

// evaluation returns what is measured of every policy, by the flags and the SPEC, and the plan that it is of.
func (m *measure) evaluation(c *cobra.Command, s *spec.Spec) (e *judge.Evaluation, p run.Plan, err error) {
	priors, err := m.priorNames()
	if err != nil {
		return nil, p, err
	}
	all := len(m.levels) == 0 && priors == nil && m.theta == "" && m.answers == ""
	worst := len(m.levels) > 0 || all && (s.Levels != nil || s.Truth == spec.Majority || m.exact)
	p, err = planned(c, s, m.problem, options{scale: m.scale, levels: m.levels, priors: priors, workers: m.workers, noLevels: !worst})
	if err != nil {
		return nil, p, err
	}
	e = &judge.Evaluation{
		P: p.Problem, Loss: p.Loss, Finite: p.Finite, Effort: p.Effort, Losses: judge.AverageLosses(p.Problem, p.Loss), Games: m.games,
		Key: rng.New(p.Seed).Name("eval"), Workers: m.workers,
	}
	if worst {
		e.Levels = p.Levels
	}
	if (all || priors != nil) && !m.exact {
		e.Priors = p.Priors
	}
	if err := m.people(c, s, e); err != nil {
		return nil, p, err
	}
	if e.Games == 0 {
		e.Games = p.Games
	}
	if m.theta != "" {
		if e.Thetas, err = dataset.ReadInstances(m.theta, p.Problem); err != nil {
			return nil, p, err
		}
	}
	return e, p, nil
}

// play measures the policies of these names. Programs recommend by decide, a name of package decision. stop returns the rule by
// which a policy's games end early, given its own.
func (m *measure) play(ctx context.Context, e *judge.Evaluation, names []string, decide string, stop func(own string) string) ([]report.Row, error) {
	g := startPrograms(ctx, m.workers, m.timeout, decide)
	defer g.close()
	all, err := players(e.P, e.Loss, names, g, stop)
	if err != nil {
		return nil, err
	}
	if m.exact {
		if e.Exact, err = exact.Of(e.P); err != nil {
			return nil, fmt.Errorf("--exact: %w", err)
		}
	}
	rows, err := report.Measure(g.ctx, e, all)
	if fault := g.fault(); fault != nil {
		return nil, fault // a program's is why the rest was given up
	}
	return rows, err
}
