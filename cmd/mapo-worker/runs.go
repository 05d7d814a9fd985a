package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"mapo/run/cluster"
	"mapo/spec"
)

// onServer is a command's work on the runs of a server.
type onServer func(ctx context.Context, cl *cluster.Client) error

// dialled connects to the server and calls do with it.
func (p *place) dialled(c *cobra.Command, do onServer) error {
	t, err := cluster.Dial(c.Context(), p.address, p.namespace)
	if err != nil {
		return err
	}
	defer t.Close()
	return do(c.Context(), &cluster.Client{Temporal: t})
}

func runsCommand() *cobra.Command {
	c := &cobra.Command{
		Use: "runs", Short: "List, look at and end the runs on a server (mapo runs)",
		Long: "runs list lists the runs on a Temporal server, status ID tells how one stands. cancel ID has its jobs save\n" +
			"checkpoints and ends it; terminate ID ends it at once, for a run that no worker serves.",
		RunE: func(c *cobra.Command, list []string) error {
			var known []string
			for _, below := range c.Commands() {
				known = append(known, below.Name())
			}
			if len(list) == 0 {
				return fmt.Errorf("missing subcommand: use one of %s: see mapo runs --help", strings.Join(known, ", "))
			}
			return fmt.Errorf("%s: see mapo runs --help", spec.Unknown("command", list[0], known))
		},
	}
	c.AddCommand(listCommand(), statusCommand(), cancelCommand(), terminateCommand())
	return c
}

func listCommand() *cobra.Command {
	var p place
	var most int
	c := &cobra.Command{
		Use: "list", Short: "The runs on the server, the latest first", Args: args(0),
		RunE: func(c *cobra.Command, _ []string) error {
			if most < 1 {
				return fmt.Errorf("--most is %d; it must be at least 1", most)
			}
			return p.dialled(c, func(ctx context.Context, cl *cluster.Client) error { return cl.List(ctx, c.OutOrStdout(), most) })
		},
	}
	p.flags(c, false)
	c.Flags().IntVar(&most, "most", 100, "list so many at most")
	return c
}

func statusCommand() *cobra.Command {
	return runCommand("status", "How a run stands: its jobs under way, or how it ended", func(ctx context.Context, cl *cluster.Client, out io.Writer, id string) error {
		return cl.Status(ctx, out, id)
	})
}

func cancelCommand() *cobra.Command {
	return runCommand("cancel", "End a run; its jobs save checkpoints", func(ctx context.Context, cl *cluster.Client, out io.Writer, id string) error {
		if err := cl.Cancel(ctx, id); err != nil {
			return err
		}
		_, err := fmt.Fprintf(out, "cancelled %s: its jobs save checkpoints, and it ends once a worker has taken note; the same mapo run starts it again from there\n", id)
		return err
	})
}

func terminateCommand() *cobra.Command {
	return runCommand("terminate", "End a run at once, also where no worker serves it", func(ctx context.Context, cl *cluster.Client, out io.Writer, id string) error {
		if err := cl.Terminate(ctx, id); err != nil {
			return err
		}
		_, err := fmt.Fprintf(out, "terminated %s: jobs under way stop at their next heartbeat; the same mapo run starts it again from their checkpoints\n", id)
		return err
	})
}

// runCommand returns a command that does something with one run.
func runCommand(name, short string, do func(ctx context.Context, cl *cluster.Client, out io.Writer, id string) error) *cobra.Command {
	var p place
	c := &cobra.Command{
		Use: name + " ID", Short: short, Args: args(1),
		RunE: func(c *cobra.Command, ids []string) error {
			return p.dialled(c, func(ctx context.Context, cl *cluster.Client) error { return do(ctx, cl, c.OutOrStdout(), ids[0]) })
		},
	}
	p.flags(c, false)
	return c
}
