package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"mapo/data/table"
	"mapo/run"
	"mapo/run/job"
	"mapo/run/store"
	"mapo/run/store/locate"
)

// placeUsage is what --store says of itself.
const placeUsage = "where results and checkpoints are: a folder, or s3://BUCKET/PREFIX?endpoint=URL"

func stepCommand() *cobra.Command {
	var j jobFlags
	var place string
	var list bool
	c := &cobra.Command{
		Use:   "step NAME KEY",
		Short: "One job of a run by hand, or the jobs that can be done now (--list SPEC)",
		Long: `step --list SPEC prints the jobs of a run that can be done now, a NAME and a KEY a line, and nothing once
all is done. step NAME KEY does one of them, on any machine that reaches the store. Interrupted, the same
command continues from the last checkpoint, and a job that is done is not repeated. Once nothing is listed,
mapo run SPEC with the same --store writes the run folder.`,
		Args: func(c *cobra.Command, args []string) error {
			if want := map[bool]int{true: 1, false: 2}[list]; len(args) != want {
				return hint(c, errors.New("usage: mapo step NAME KEY, or mapo step --list SPEC"))
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			if place == "" {
				return hint(c, errors.New("say with --store where the run's results are"))
			}
			if list {
				return j.list(c, args[0], place)
			}
			for _, name := range ofList {
				if c.Flags().Changed(name) {
					return fmt.Errorf("--%s is for --list SPEC; a job is as its key says: remove --%s", name, name)
				}
			}
			return j.step(c, job.Task{Step: args[0], Key: store.Key(args[1])}, place)
		},
	}
	j.flags(c)
	c.Flags().StringVar(&place, "store", "", placeUsage)
	c.Flags().BoolVar(&list, "list", false, "print the jobs of SPEC that can be done now")
	return c
}

// ofList are the flags that say which jobs a run has, and nothing of how one is carried out.
var ofList = []string{"scale", "max-time", "yes"}

// list runs `mapo step --list`.
func (j *jobFlags) list(c *cobra.Command, path, place string) error {
	plan, err := j.plan(c, path, false)
	if err != nil {
		return err
	}
	s, err := locate.Open(c.Context(), place)
	if err != nil {
		return err
	}
	tasks, err := run.Next(c.Context(), plan, s)
	if err != nil {
		return stopped(c.Context(), err, "nothing was begun")
	}
	for _, t := range tasks {
		if _, err := fmt.Fprintln(c.OutOrStdout(), t.Step, t.Key); err != nil {
			return err
		}
	}
	return nil
}

// step runs `mapo step`.
func (j *jobFlags) step(c *cobra.Command, t job.Task, place string) error {
	if err := j.check(); err != nil {
		return err
	}
	if _, err := store.ParseKey(string(t.Key)); err != nil {
		return fmt.Errorf("%s: mapo step --list SPEC prints names and keys", strings.TrimPrefix(err.Error(), "store: "))
	}
	s, err := locate.Existing(c.Context(), place)
	if errors.Is(err, locate.ErrNone) {
		return fmt.Errorf("--store: %w: mapo step --list SPEC makes it", err)
	}
	if err != nil {
		return err
	}
	show := newDisplay(c.ErrOrStderr(), func(job.Event) error { return nil }, nil)
	exec := &job.Local{Store: s, Steps: run.Steps(), Cores: j.workers, Every: max(j.every, 1), Events: show.event}
	err = errors.Join(exec.Do(c.Context(), t, nil), show.close())
	return kept(c.Context(), err, fmt.Sprintf(goOn+"%s step %s %s --store %s", self(), t.Step, t.Key, table.Shell(place)))
}
