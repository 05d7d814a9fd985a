package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mapo/data/table"
	"mapo/run"
	"mapo/run/folder"
	"mapo/run/remote"
	"mapo/run/store"
)

func workerCommand() *cobra.Command {
	return handed(&cobra.Command{
		Use:   "worker --temporal HOST:PORT --store URL",
		Short: "Do the jobs of runs on a cluster (mapo-worker serve)",
		Long: `worker does the jobs of all runs on a store, until it is stopped. It needs neither SPEC nor data: those
are in the store. Killed at any moment, it loses at most the work since the last checkpoint. Flags:
mapo worker --help.`,
	}, "serve")
}

func runsCommand() *cobra.Command {
	return handed(&cobra.Command{
		Use:   "runs list|status|cancel|terminate [ID] --temporal HOST:PORT",
		Short: "List, look at and end runs on a cluster (mapo-worker runs)",
		Long: "runs list lists the runs on a Temporal server, status ID tells how one stands. cancel ID has its jobs save\n" +
			"checkpoints and ends it; terminate ID ends it at once, for a run that no worker serves.",
	}, "runs")
}

func cancelCommand() *cobra.Command {
	return handed(&cobra.Command{
		Use:   "cancel ID --temporal HOST:PORT",
		Short: "End a run on a cluster; its jobs save checkpoints (mapo runs cancel)",
	}, "cancel")
}

// handed completes a command that is mapo-worker's of that name.
func handed(c *cobra.Command, name string) *cobra.Command {
	c.DisableFlagParsing = true // they are mapo-worker's
	c.RunE = func(c *cobra.Command, list []string) error { return hand(c, append([]string{name}, list...)) }
	c.ValidArgsFunction = func(c *cobra.Command, before []string, text string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return handedCompletion(c.Context(), append(append([]string{name}, before...), text))
	}
	return c
}

// hand passes a command on to mapo-worker.
func hand(c *cobra.Command, args []string) error {
	if slices.Contains(args, "--help") || slices.Contains(args, "-h") {
		fmt.Fprintf(c.OutOrStdout(), "Examples:\n%s\n\n", c.Example)
	}
	return remote.Run(c.Context(), args, c.OutOrStdout(), c.ErrOrStderr())
}

// handedCompletion returns how mapo-worker completes the last of args, nothing where it is not installed.
func handedCompletion(ctx context.Context, args []string) (all []cobra.Completion, how cobra.ShellCompDirective) {
	for line := range strings.Lines(remote.Complete(ctx, append([]string{cobra.ShellCompRequestCmd}, args...))) {
		line = strings.TrimSuffix(line, "\n")
		if n, err := strconv.Atoi(strings.TrimPrefix(line, ":")); err == nil && strings.HasPrefix(line, ":") {
			return all, cobra.ShellCompDirective(n)
		}
		all = append(all, line)
	}
	return nil, cobra.ShellCompDirectiveNoFileComp
}

// heartbeat is the default of --heartbeat.
const heartbeat = 90 * time.Second

// clusterFlags are those of `mapo run` on a cluster.
type clusterFlags struct {
	address, namespace string
	heartbeat          time.Duration
	attach, detach     bool
}

func (f *clusterFlags) flags(c *cobra.Command) {
	c.Flags().StringVar(&f.address, "temporal", "", "carry the run out on a cluster: the Temporal server, HOST:PORT, or env: the one of TEMPORAL_ADDRESS or of the profile; needs --store, and workers")
	c.Flags().StringVar(&f.namespace, "namespace", "", "the Temporal server's namespace (default that of TEMPORAL_NAMESPACE or of the profile, else default)")
	c.Flags().DurationVar(&f.heartbeat, "heartbeat", heartbeat, "a worker that sends no heartbeat for so long is considered dead")
	c.Flags().BoolVar(&f.attach, "attach", false, "watch a run that was started before, and write its folder")
	c.Flags().BoolVar(&f.detach, "detach", false, "start the run on the cluster and return; --attach watches it later")
}

// check finds flags that do not go together.
func (f *clusterFlags) check(place string) error {
	switch {
	case f.address == "" && f.namespace != "":
		return errors.New("--namespace needs --temporal: on which server?")
	case f.address == "" && f.heartbeat != heartbeat:
		return errors.New("--heartbeat is for workers of a cluster, and there is none without --temporal: leave it out")
	case f.address == "" && f.attach:
		return errors.New("--attach needs --temporal: where is the run?")
	case f.address == "" && f.detach:
		return errors.New("--detach needs --temporal: where is the run to go on?")
	case f.attach && f.detach:
		return errors.New("--attach watches a run and --detach does not: give one of them")
	case f.address != "" && place == "":
		return errors.New("--temporal needs --store: a folder or bucket that all workers reach")
	}
	return nil
}

// at returns the flags that name the server, as a shell takes them.
func (f *clusterFlags) at() string {
	text := " --temporal " + table.Shell(f.address)
	if f.namespace != "" {
		text += " --namespace " + table.Shell(f.namespace)
	}
	return text
}

// held adds to the refusal of a folder that holds the run already how to watch it.
func (f *clusterFlags) held(err error, dir string) error {
	if f.address == "" || !errors.Is(err, folder.ErrHeld) {
		return err
	}
	return fmt.Errorf("%s %w: watch it with --attach, continue it with --resume, or choose another folder with --out", dir, folder.ErrHeld)
}

// detach starts the plan on the cluster and says how to follow it.
func (j *jobFlags) detach(c *cobra.Command, plan run.Plan, s store.Store, watch string) error {
	id := ""
	err := j.aided(c, plan, s, "--detach", func(l remote.Line) {
		id = l.ID
		j.newStore(c, l)
	})
	if err != nil {
		return err
	}
	at := j.cluster.at()
	_, err = fmt.Fprintf(c.OutOrStdout(), "started %s\nwatch it and write its folder: %s\nsee how it stands: %s runs status %s%s\nend it: %s runs cancel %s%s\n", id, watch, self(), id, at, self(), id, at)
	return err
}

// newStore tells of a store that the run has made.
func (j *jobFlags) newStore(c *cobra.Command, l remote.Line) {
	if l.New {
		fmt.Fprintf(c.ErrOrStderr(), "%s is a new store; start workers with the same --store\n", j.store)
	}
}

// follow carries the plan out on the cluster, tells of it, and puts the run together.
func (j *jobFlags) follow(c *cobra.Command, plan run.Plan, dest *folder.Folder) (*run.Flow, *run.Result, error) {
	mode := ""
	if j.cluster.attach {
		mode = "--attach"
	}
	far, err := run.NewForecast(c.Context(), plan, wholeRun)
	if err != nil {
		return nil, nil, err
	}
	show := newDisplay(c.ErrOrStderr(), dest.Log, far)
	err = j.aided(c, plan, dest.Store, mode, func(l remote.Line) {
		if l.ID == "" {
			show.event(l.Event())
			return
		}
		dest.Begin()
		j.newStore(c, l)
		fmt.Fprintf(c.ErrOrStderr(), "run %s; Ctrl-C leaves it running; %s runs cancel %s%s ends it\n", l.ID, self(), l.ID, j.cluster.at())
	})
	if err := errors.Join(err, show.close()); err != nil {
		return nil, nil, err
	}
	return run.Assemble(c.Context(), plan, dest.Store)
}

// aided lets mapo-worker start or watch the plan, and hears what it tells.
func (j *jobFlags) aided(c *cobra.Command, plan run.Plan, s store.Store, mode string, hear func(remote.Line)) error {
	key, err := run.KeepPlan(c.Context(), s, plan)
	if err != nil {
		return err
	}
	f := &j.cluster
	args := []string{"follow", "--temporal", f.address, "--namespace", f.namespace, "--store", j.store, "--plan", string(key), "--heartbeat", f.heartbeat.String()}
	if mode != "" {
		args = append(args, mode)
	}
	return remote.Hear(c.Context(), args, hear)
}
