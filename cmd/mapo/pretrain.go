package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/spf13/cobra"

	"mapo/data/table"
	"mapo/internal/console"
	"mapo/internal/disk"
	"mapo/policy/nn"
	"mapo/pretrain"
	"mapo/run"
	"mapo/spec"
)

// pretraining holds the flags of `mapo pretrain`.
type pretraining struct {
	out     string
	workers int
	every   time.Duration
}

func pretrainCommand() *cobra.Command {
	var j pretraining
	c := &cobra.Command{
		Use:   "pretrain FAMILY",
		Short: "One policy for every table: learn weights on a family of made-up ones",
		Long: "pretrain draws training problems from a family, and learns the nine weights of one policy on all of them: transfer:FILE plays\n" +
			"it on any table, and mapo train can begin with it. Every so often it is compared with fixed policies on held-out problems.\n" +
			"Interrupted, the same command resumes from FILE.checkpoint.",
		Args: args(cobra.ExactArgs(1)),
		RunE: func(c *cobra.Command, list []string) error { return j.pretrain(c, list[0]) },
	}
	f := c.Flags()
	f.StringVarP(&j.out, "out", "o", "pretrained"+policySuffix, "write the policy to this file, which must not exist")
	f.IntVar(&j.workers, "workers", 0, "cores to use; no result depends on it (default all)")
	f.DurationVar(&j.every, "checkpoint-every", time.Minute, "time between two checkpoints")
	return c
}

// pretrain runs `mapo pretrain`.
func (j *pretraining) pretrain(c *cobra.Command, path string) error {
	if j.workers < 0 || j.every <= 0 {
		return errors.New("--workers must be at least 0, and --checkpoint-every above 0")
	}
	config, err := spec.LoadFamily(path)
	if err != nil {
		return err
	}
	if err := (disk.Output{Flag: "--out", Path: j.out}).Vacant(); err != nil {
		return err
	}
	ctx := c.Context()
	how := fmt.Sprintf(goOn+"%s pretrain %s --out %s", self(), table.Shell(path), table.Shell(j.out))
	r, err := j.begin(ctx, config, how)
	if err != nil {
		return err
	}
	kept, first := time.Now(), true
	show := console.Wait(c.ErrOrStderr(), "drawing problems")
	defer show.Stop()
	for step, err := range pretrain.Descend(ctx, r) {
		switch {
		case errors.Is(err, context.Canceled):
			if err := j.keep(r); err != nil {
				return err
			}
			return stopped(ctx, err, how)
		case err != nil:
			return err
		}
		far := fmt.Sprintf("step %d of %d", step.Step, step.Steps)
		if show.Detail("pretraining", far, float64(step.Step)/float64(step.Steps)); step.Compared != nil || first {
			show.Say(far + step.Comparison())
		}
		first = false
		if time.Since(kept) > j.every {
			if err := j.keep(r); err != nil {
				return err
			}
			kept = time.Now()
		}
	}
	net, contract := r.Policy()
	contract.Version = run.Version()
	file, err := nn.Encode(net, contract)
	if err == nil {
		err = disk.Create(j.out, file)
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", j.out, err)
	}
	if _, err := fmt.Fprintf(c.OutOrStdout(), "policy: %s\n", j.out); err != nil {
		return err
	}
	if err := os.Remove(j.checkpoint()); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

func (j *pretraining) checkpoint() string { return j.out + ".checkpoint" }

// begin resumes from the checkpoint, which how says how to go on from, or starts anew.
func (j *pretraining) begin(ctx context.Context, config pretrain.Config, how string) (*pretrain.Run, error) {
	data, err := disk.ReadFile(j.checkpoint())
	switch {
	case errors.Is(err, fs.ErrNotExist):
		run, err := pretrain.New(ctx, config, j.workers)
		if err != nil {
			return nil, stopped(ctx, err, nothing)
		}
		return run, nil
	case err != nil:
		return nil, err
	}
	run, err := pretrain.Resume(ctx, config, j.workers, data)
	switch {
	case errors.Is(err, context.Canceled):
		return nil, stopped(ctx, err, how)
	case err != nil:
		return nil, fmt.Errorf("%s: %w; to begin anew, name another --out or remove it", j.checkpoint(), err)
	}
	return run, nil
}

// keep writes a checkpoint.
func (j *pretraining) keep(run *pretrain.Run) error {
	data, err := run.Snapshot()
	if err != nil {
		return err
	}
	if err := disk.Replace(j.checkpoint(), data); err != nil {
		return fmt.Errorf("write %s: %w", j.checkpoint(), err)
	}
	return nil
}
