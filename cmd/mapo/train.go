package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/spf13/cobra"

	"mapo/data/table"
	"mapo/internal/disk"
	"mapo/run"
	"mapo/run/folder"
	"mapo/run/job"
)

func trainCommand() *cobra.Command {
	var j jobFlags
	c := &cobra.Command{
		Use:   "train SPEC",
		Short: "Algorithm 1 alone: a policy file",
		Long: `train learns one policy file: π_1 where SPEC has one level, else the min-gap policy over all levels. No
rival is trained or judged. Interrupted, the same command continues from FILE.checkpoints. --init starts
from the weights of a policy file, which serve for a table of any size unless they are an mlp's.`,
		Args: args(cobra.ExactArgs(1)),
		RunE: func(c *cobra.Command, list []string) error { return j.train(c, list[0]) },
	}
	j.flags(c)
	c.Flags().StringVar(&j.out, "out", "", "the policy file (default <name>.safetensors)")
	c.Flags().StringVar(&j.init, "init", "", "a policy file to start from, also one for another table (all but mlp)")
	return c
}

// train runs `mapo train`.
func (j *jobFlags) train(c *cobra.Command, path string) (err error) {
	ctx := c.Context()
	if j.out != "" && !strings.HasSuffix(j.out, policySuffix) {
		return fmt.Errorf("--out is %s; a policy file's name ends in %s, by which commands know it", j.out, policySuffix)
	}
	plan, err := j.plan(c, path, true)
	if err != nil {
		return err
	}
	if plan.Init, err = initial(&plan, j.init); err != nil {
		return err
	}
	out := j.out
	if out == "" {
		out = plan.Name + ".safetensors"
	}
	if err := (disk.Output{Flag: "--out", Path: out}).Vacant(); err != nil {
		return err
	}
	if err := j.consent(ctx, c.ErrOrStderr(), plan); err != nil {
		return err
	}
	how := fmt.Sprintf(goOn+"%s train %s%s --out %s", self(), table.Shell(path), j.again(), table.Shell(out))
	s, err := folder.OpenCheckpoints(ctx, out+".checkpoints", &plan)
	if err != nil {
		return stopped(ctx, err, how)
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	f, show, err := j.start(c, plan, s, func(job.Event) error { return nil }, func(ctx context.Context, f *run.Flow) error {
		_, err := run.MAPO(ctx, f)
		return err
	})
	if err != nil {
		return kept(ctx, err, how)
	}
	ladder, err := run.MAPO(ctx, f)
	if err := errors.Join(err, show.close()); err != nil {
		return kept(ctx, err, how)
	}
	file, err := run.PolicyFile(f, ladder.PiHat, ladder)
	if err == nil {
		err = disk.Create(out, file)
	}
	switch {
	case errors.Is(err, fs.ErrExist):
		return fmt.Errorf("%s was made by another process meanwhile; what was learned is kept: move it away and run the same command again", out)
	case err != nil:
		return kept(ctx, fmt.Errorf("write %s: %w", out, err), how)
	}
	for _, k := range folder.Shown(len(ladder.PiHat.Worst)) {
		w := ladder.PiHat.Worst[k]
		fmt.Fprintf(c.OutOrStdout(), "r = %-6.4g worst case found %.4f [%.4f, %.4f]\n", w.Level, w.Mean, w.Lo, w.Hi)
	}
	fmt.Fprintf(c.OutOrStdout(), "policy: %s\n", out)
	if err := next(c.OutOrStdout(), plan.Name, out); err != nil {
		return err
	}
	return s.Discard(context.WithoutCancel(ctx))
}

// initial returns the policy file that a training starts from, known to fit it.
func initial(plan *run.Plan, file string) ([]byte, error) {
	if file == "" {
		return nil, nil
	}
	if disk.IsFolder(file) {
		return nil, fmt.Errorf("--init %s is a folder: name a policy file (%s) in it", file, policySuffix)
	}
	data, err := disk.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("--init: %w", err)
	}
	with := *plan
	with.Init = data
	if err := with.CheckInit(); err != nil {
		return nil, fmt.Errorf("--init %s: %w", file, err)
	}
	return data, nil
}
