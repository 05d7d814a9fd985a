package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mapo"
	"mapo/dataset"
	"mapo/exact"
	"mapo/flow"
	"mapo/judge"
	"mapo/record"
	"mapo/report"
	"mapo/rng"
	"mapo/search"
	"mapo/sim"
	"mapo/spec"
)

// measure holds the flags of `mapo eval`.
type measure struct {
	problem string
	scale   string
	levels  []float64
	priors  []string
	theta   string
	exact   bool
	csv     string
	games   int
	workers int
	timeout time.Duration
	flips   []float64
	svg     string
	weights string
}

func evalCommand() *cobra.Command {
	var m measure
	c := &cobra.Command{
		Use:   "eval POLICY… --problem SPEC",
		Short: "Measure policies: worst cases, averages, given instances",
		Long: "eval measures policies, each a policy file or a name (uniform, uncertainty, sgbs:0.1, information): their worst case at\n" +
			"the levels of --r, their average over each --prior, and their loss on each instance of --theta. With none of\n" +
			"these: the levels and priors of SPEC. --exact plays every game of a tiny problem instead of sampling.\n" +
			"'cmd:python3 my_policy.py' is a policy that is a program: it is run, and asked over JSON lines (docs/other-languages.md).",
		Args: args(cobra.MinimumNArgs(1)),
		RunE: func(c *cobra.Command, list []string) error { return m.run(c, list) },
	}
	f := c.Flags()
	f.StringVar(&m.problem, "problem", "", "the SPEC that says what is played")
	f.StringVar(&m.scale, "scale", "", "how hard to search: smoke, desk or paper (default that of SPEC)")
	levelsFlag(f, &m.levels)
	f.StringSliceVar(&m.priors, "prior", nil, "priors: flip:0.8, noiseless, table, users")
	f.StringVar(&m.theta, "theta", "", "a CSV file with one instance a row")
	f.BoolVar(&m.exact, "exact", false, "play every game of a tiny problem; worst cases are over the spec's instances or a grid")
	f.StringVar(&m.csv, "csv", "", "write results.csv rows to this file, - for standard output")
	f.IntVar(&m.games, "games", 0, "games of each average and each instance (default by scale)")
	f.Float64SliceVar(&m.flips, "flip", nil, "comma-separated `SHARES` of wrong answers for --prior table, such as 0,0.1,0.2")
	f.Lookup("flip").DefValue = ""
	f.StringVar(&m.weights, "weights", "", "the column of the table that holds prior weights (default that of SPEC, else mapo:weight)")
	f.StringVar(&m.svg, "svg", "", "draw how often policies are right against --flip, to this file")
	f.IntVar(&m.workers, "workers", 0, "cores to use, and processes of each cmd: policy; no result depends on it (default all)")
	f.DurationVar(&m.timeout, "timeout", 30*time.Second, "how long a cmd: policy may take for a reply")
	return c
}

// levelsFlag is --r.
func levelsFlag(f *pflag.FlagSet, levels *[]float64) {
	f.Float64SliceVar(levels, "r", nil, "comma-separated `LEVELS`, such as 8,32 (default those of SPEC)")
	f.Lookup("r").DefValue = "" // or help prints []
}

// run is `mapo eval`.
func (m *measure) run(c *cobra.Command, names []string) error {
	switch {
	case m.problem == "":
		return hint(c, errors.New("--problem is missing: name the SPEC that says what is played"))
	case m.games < 0:
		return fmt.Errorf("--games is %d; it must be positive", m.games)
	case !areWorkers(m.workers):
		return fmt.Errorf("--workers is %d; it must be from 1 to %d, or 0 for all cores", m.workers, mostWorkers)
	case m.timeout <= 0:
		return fmt.Errorf("--timeout is %v; it must be positive", m.timeout)
	case m.exact && len(m.priors) > 0:
		return fmt.Errorf("--exact plays no averages: drop it or --prior")
	}
	if err := checkCSV(m.csv); err != nil {
		return err
	}
	s, err := m.loadSpec(c, names)
	switch {
	case err != nil:
		return err
	case s.Truth == spec.Rows:
		return m.rows(c, s, names)
	}
	all := len(m.levels) == 0 && len(m.priors) == 0 && m.theta == ""
	plan, err := planned(c, s, m.problem, options{scale: m.scale, levels: m.levels, priors: m.priors, workers: m.workers, noLevels: !all})
	if err != nil {
		return err
	}
	e := &evaluation{measure: *m, plan: plan, key: rng.New(plan.Seed).Name("eval")}
	if e.games == 0 {
		e.games = plan.Games
	}
	if !all && len(m.levels) == 0 {
		e.plan.Levels = nil
	}
	if !all && len(m.priors) == 0 || m.exact {
		e.plan.Priors = nil
	}
	if m.theta != "" {
		if e.thetas, err = dataset.ReadInstances(m.theta, plan.Problem); err != nil {
			return err
		}
	}
	if err := e.play(c.Context(), names); err != nil {
		return stopped(c.Context(), err, "nothing was kept")
	}
	if err := printRows(besideRows(c.OutOrStdout(), m.csv), e.rows); err != nil {
		return err
	}
	if m.exact && len(e.plan.Levels) > 0 {
		fmt.Fprintf(c.ErrOrStderr(), "exact; worst cases are over %s\n", plan.ExactName())
	}
	return writeRows(c, m.csv, e.rows)
}

// evaluation is one under way.
type evaluation struct {
	measure
	plan    flow.Plan // its Levels and Priors are those asked for
	key     rng.Key
	players []player
	thetas  [][]float64
	rows    []report.Row
}

// play measures the policies of these names.
func (e *evaluation) play(ctx context.Context, names []string) (err error) {
	g := startPrograms(ctx, e.workers, e.timeout)
	defer g.close()
	if e.players, err = players(e.plan.Problem, names, g); err != nil {
		return err
	}
	err = e.all(g.ctx)
	if fault := g.fault(); fault != nil {
		return fault // a program's is why the rest was given up
	}
	return err
}

func (e *evaluation) all(ctx context.Context) error {
	if e.exact {
		return e.enumerate(ctx)
	}
	if err := e.worstCases(ctx); err != nil {
		return err
	}
	return e.samples(ctx)
}

// worstCases searches every policy's, then plays each against the worst
// instances of all.
func (e *evaluation) worstCases(ctx context.Context) error {
	if len(e.plan.Levels) == 0 {
		return nil
	}
	found := make([][]record.Worst, len(e.players))
	took := make([]time.Duration, len(e.players))
	var bank search.Bank
	hunt := func(p player) *search.Search {
		return &search.Search{
			P: e.plan.Problem, C: mapo.RhoTilde(e.plan.Problem), Loss: e.plan.Loss, Policy: p.Policy, Levels: e.plan.Levels,
			Finite: e.plan.Finite, Effort: e.plan.Effort, Bank: &p.hardest, Key: e.key.Name("judge").Name(p.name), Workers: e.workers,
		}
	}
	for i, p := range e.players {
		begin := time.Now()
		var err error
		if found[i], err = hunt(p).Run(ctx); err != nil {
			return fmt.Errorf("judge %s: %w", p.name, err)
		}
		bank.Add(found[i]...)
		took[i] = time.Since(begin)
	}
	for i, p := range e.players {
		begin := time.Now()
		worst := found[i]
		if len(e.players) > 1 {
			var err error
			if worst, err = search.Replay(ctx, hunt(p), bank.Instances(), found[i]); err != nil {
				return fmt.Errorf("judge %s: %w", p.name, err)
			}
		}
		seconds := (took[i] + time.Since(begin)).Seconds() / float64(len(worst))
		for _, w := range worst {
			row := report.RowOf(report.WorstCase, p.name, e.plan.Loss.String(), w.Estimate)
			row.Level, row.Seconds = w.Level, seconds
			e.rows = append(e.rows, row)
		}
	}
	return nil
}

// samples plays the averages and the given instances.
func (e *evaluation) samples(ctx context.Context) error {
	for _, p := range e.players {
		play := sim.Play{P: e.plan.Problem, Policy: p.Policy, Workers: e.workers}
		begin := time.Now()
		averages, err := judge.Averages(ctx, play, e.plan.Priors, e.games, e.key.Name("average"))
		if err != nil {
			return err
		}
		for _, a := range averages {
			row := report.RowOf(report.Average, p.name, a.Loss.String(), a.Estimate)
			row.Prior, row.Seconds = a.Prior, time.Since(begin).Seconds()/float64(len(averages))
			e.rows = append(e.rows, row)
		}
	}
	for _, p := range e.players {
		play := sim.Play{P: e.plan.Problem, Policy: p.Policy, Workers: e.workers}
		begin := time.Now()
		list, err := judge.Instances(ctx, play, e.thetas, e.games, e.key.Name("instance").Name(p.name))
		if err != nil {
			return err
		}
		for _, in := range list {
			e.instance(p.name, in.Index, in.Loss, in.Estimate, time.Since(begin).Seconds()/float64(len(list)))
		}
	}
	return nil
}

func (e *evaluation) instance(policy string, index int, loss mapo.Loss, est record.Estimate, seconds float64) {
	row := report.RowOf(report.Instance, policy, loss.String(), est)
	row.Instance, row.Seconds = index, seconds
	e.rows = append(e.rows, row)
}

// enumerate plays every game: losses without intervals.
func (e *evaluation) enumerate(ctx context.Context) error {
	g, err := exact.New(e.plan.Problem)
	if err != nil {
		return fmt.Errorf("--exact: %w", err)
	}
	omegas := make([][][]float64, len(e.plan.Levels))
	for k, r := range e.plan.Levels {
		if omegas[k], err = e.plan.ExactSet(r); err != nil {
			return err
		}
	}
	for _, p := range e.players {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		f := g.Flow(p.Policy)
		for k, r := range e.plan.Levels {
			begin := time.Now()
			worst, _ := f.Worst(e.plan.Loss, omegas[k])
			row := report.RowOf(report.WorstCase, p.name, e.plan.Loss.String(), certain(worst))
			row.Level, row.Seconds = r, time.Since(begin).Seconds()
			e.rows = append(e.rows, row)
		}
		for i, theta := range e.thetas {
			for _, loss := range mapo.Losses() {
				begin := time.Now()
				e.instance(p.name, i, loss, certain(f.Loss(loss, theta)), time.Since(begin).Seconds())
			}
		}
	}
	return nil
}

// certain is a number that no game was sampled for.
func certain(v float64) record.Estimate { return record.Estimate{Mean: v, Lo: v, Hi: v, Confidence: 1} }
