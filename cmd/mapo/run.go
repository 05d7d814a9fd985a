package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"mapo/data/table"
	"mapo/internal/console"
	"mapo/record"
	"mapo/run"
	"mapo/run/folder"
	"mapo/run/job"
	"mapo/run/store"
	"mapo/run/store/locate"
)

// jobFlags holds the flags that run and train share.
type jobFlags struct {
	scale   string
	out     string
	init    string // train only
	store   string // run only: in place of the run folder's own
	cluster clusterFlags
	workers int
	maxTime time.Duration
	every   time.Duration
	yes     bool
}

func (j *jobFlags) flags(c *cobra.Command) {
	f := c.Flags()
	f.StringVar(&j.scale, "scale", "", "smoke, desk or paper: replaces train.preset, the iterations and thorough searches under train:, and the judge's effort; other keys in SPEC stay (default desk)")
	f.IntVar(&j.workers, "workers", 0, "cores to use; no result depends on it (default all)")
	f.DurationVar(&j.maxTime, "max-time", 0, "stop training after this time in all, such as 30m, and continue with what is there; recorded in the resolved spec")
	f.DurationVar(&j.every, "checkpoint-every", 10*time.Second, "time between a job's checkpoints; a training has none while it searches, up to half a minute")
	f.BoolVar(&j.yes, "yes", false, "start even if it is estimated to take more than a day")
}

// mostWorkers is far beyond what any machine has.
const mostWorkers = 1024

// checkWorkers refuses a number of workers that cannot be; 0 stands for all cores.
func checkWorkers(n int) error {
	if n < 0 || n > mostWorkers {
		return fmt.Errorf("--workers is %d; it must be from 1 to %d, or 0 for all cores", n, mostWorkers)
	}
	return nil
}

// check finds flags that no run can have.
func (j *jobFlags) check() error {
	switch {
	case j.maxTime < 0:
		return fmt.Errorf("--max-time is %v; it must be positive", j.maxTime)
	case j.every < 0:
		return fmt.Errorf("--checkpoint-every is %v; it must be positive", j.every)
	}
	return checkWorkers(j.workers)
}

func runCommand() *cobra.Command {
	var j jobFlags
	var resume bool
	c := &cobra.Command{
		Use:   "run SPEC",
		Short: "The whole pipeline: train, judge beside every rival, figures, report",
		Long: `run trains a policy for every level and then the min-gap policy, mapo (Algorithm 1). It searches the worst
case of each and of every rival, and leaves results.csv, policies, figures and report.html in the run
folder. SPEC is a YAML file or a table (.csv, .csv.gz). Ctrl-C saves a checkpoint, from which --resume
continues.`,
		Args: args(cobra.ExactArgs(1)),
		RunE: func(c *cobra.Command, list []string) error { return j.run(c, list[0], resume) },
	}
	j.flags(c)
	c.Flags().StringVar(&j.out, "out", "", "the run folder (default runs/<name>-<hash>)")
	c.Flags().StringVar(&j.store, "store", "", placeUsage+" (default in the run folder)")
	j.cluster.flags(c)
	c.Flags().BoolVar(&resume, "resume", false, "continue the run in the folder")
	return c
}

// run runs `mapo run`.
func (j *jobFlags) run(c *cobra.Command, path string, resume bool) (err error) {
	ctx := c.Context()
	if err := j.cluster.check(j.store); err != nil {
		return err
	}
	plan, err := j.plan(c, path, false)
	if err != nil {
		return err
	}
	s, err := j.place(ctx)
	if err != nil {
		return err
	}
	dir := j.out
	if dir == "" {
		dir = filepath.Join("runs", plan.Name+"-"+plan.Content)
	}
	if resume && !folder.HoldsRun(dir) {
		return fmt.Errorf("%s holds no run to resume: name the folder of a run with --out, or leave --resume out to begin one", dir)
	}
	if err := j.consent(ctx, c.ErrOrStderr(), plan); err != nil {
		return err
	}
	how := fmt.Sprintf(goOn+"%s run %s%s --out %s --resume", self(), table.Shell(path), j.again(), table.Shell(dir))
	if j.cluster.address != "" {
		watch := fmt.Sprintf("%s run %s%s --out %s%s --attach", self(), table.Shell(path), j.again(), table.Shell(dir), j.cluster.at())
		if j.cluster.detach {
			return stopped(ctx, j.detach(c, plan, s, watch), "see whether it was started: "+self()+" runs list"+j.cluster.at())
		}
		how = "the run goes on; watch it again with: " + watch
	}
	dest, err := folder.Open(ctx, dir, plan.Spec, resume || j.cluster.attach, s)
	if err != nil {
		return j.cluster.held(stopped(ctx, err, nothing), dir)
	}
	f, res, err := j.carryOut(c, plan, dest)
	if err == nil {
		err = dest.Write(f, res)
	}
	gone, closing := dest.Discard(ctx)
	switch { // a failed start leaves nothing in the way of the corrected command
	case gone && ctx.Err() != nil:
		how = nothing
	case gone:
		how = "give the same command again"
	}
	if err != nil {
		return errors.Join(kept(ctx, err, how), closing)
	}
	out := c.OutOrStdout()
	if err := folder.Summary(console.Plain(out), f, res, dir); err != nil {
		return errors.Join(err, closing)
	}
	return errors.Join(next(out, f.Name, filepath.Join(dir, "policies", run.PiHat+policySuffix)), closing)
}

// nothing is what remains to be said where a run was stopped before its first job.
const nothing = "nothing was begun"

// carryOut returns the run itself, here or on a cluster.
func (j *jobFlags) carryOut(c *cobra.Command, plan run.Plan, dest *folder.Folder) (*run.Flow, *run.Result, error) {
	if j.cluster.address != "" {
		return j.follow(c, plan, dest)
	}
	f, show, err := j.start(c, plan, dest.Store, dest.Log, wholeRun)
	if err != nil {
		return nil, nil, err
	}
	res, err := f.Run(c.Context())
	return f, res, errors.Join(err, show.close())
}

// place returns the store of --store, nil where the run folder's own is used.
func (j *jobFlags) place(ctx context.Context) (store.Store, error) {
	if j.store == "" {
		return nil, nil
	}
	if !j.cluster.attach {
		return locate.Open(ctx, j.store)
	}
	s, err := locate.Existing(ctx, j.store)
	if errors.Is(err, locate.ErrNone) {
		err = fmt.Errorf("--store: %w: leave out --attach to start the run", err)
	}
	return s, err
}

// wholeRun does what `mapo run` does with a flow, for a forecast.
func wholeRun(ctx context.Context, f *run.Flow) error {
	_, err := f.Run(ctx)
	return err
}

// start makes the flow of a plan, its events shown and logged. The algorithm is what will be done with it.
func (j *jobFlags) start(c *cobra.Command, plan run.Plan, s store.Store, log func(job.Event) error, algorithm func(context.Context, *run.Flow) error) (*run.Flow, *display, error) {
	l := console.Wait(c.ErrOrStderr(), "preparing the first jobs")
	defer l.Stop()
	far, err := run.NewForecast(c.Context(), plan, algorithm)
	if err != nil {
		return nil, nil, err
	}
	show := newDisplay(c.ErrOrStderr(), log, far)
	exec := &job.Local{Store: s, Steps: run.Steps(plan.Known()...), Cores: j.workers, Every: max(j.every, 1), Events: show.event}
	f, err := run.New(c.Context(), plan, s, exec)
	if err != nil {
		return nil, nil, errors.Join(err, show.close())
	}
	return f, show, nil
}

// again returns the flags that a resumed run needs to be the same run.
func (j *jobFlags) again() string {
	var b strings.Builder
	if j.scale != "" {
		b.WriteString(" --scale " + j.scale)
	}
	if j.init != "" {
		b.WriteString(" --init " + table.Shell(j.init))
	}
	if j.maxTime != 0 {
		b.WriteString(" --max-time " + j.maxTime.String())
	}
	if j.store != "" {
		b.WriteString(" --store " + table.Shell(j.store))
	}
	if j.yes {
		b.WriteString(" --yes")
	}
	return b.String()
}

// stopped returns err, or where ctx ended what to do about it.
func stopped(ctx context.Context, err error, how string) error {
	if ctx.Err() == nil {
		return err
	}
	return &interrupted{how}
}

// kept does what stopped does for work that is kept up to where it failed: a disk that is
// mended lets it go on.
func kept(ctx context.Context, err error, how string) error {
	switch {
	case ctx.Err() != nil:
		return stopped(ctx, err, how)
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return fmt.Errorf("%w; once there is room, %s", err, how)
	case errors.Is(err, syscall.EROFS), errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%w; once it can be written, %s", err, how)
	}
	return err
}

// consent prints what a run at paper scale will take and wants --yes above a day.
func (j *jobFlags) consent(ctx context.Context, w io.Writer, plan run.Plan) error {
	if plan.Scale != "paper" {
		return nil
	}
	took, err := run.Estimate(ctx, plan, j.workers)
	if err != nil {
		return stopped(ctx, err, nothing)
	}
	fmt.Fprintf(w, "estimated time: %s\n", record.About(took))
	if took > 24*time.Hour && !j.yes {
		return fmt.Errorf("this is estimated to take %s, more than a day: add --yes to start it, or --scale desk", record.About(took))
	}
	return nil
}

// next prints the commands that put a policy file to work, as they are pasted into a shell.
func next(w io.Writer, name, path string) error {
	return errors.Join(
		console.PrintCommand(w, "play:   ", self()+" play "+file(path)),
		console.PrintCommand(w, "serve:  ", self()+" serve "+table.Shell(name+"="+path)),
	)
}
