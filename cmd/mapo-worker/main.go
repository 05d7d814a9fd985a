package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"go.temporal.io/sdk/client"

	"mapo/internal/num"
	"mapo/run"
	"mapo/run/cluster"
	"mapo/run/job"
	"mapo/run/remote"
	"mapo/run/store"
	"mapo/run/store/locate"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, func() { // a second Ctrl-C does not wait for checkpoints; the first comes twice, from the terminal and from mapo
		time.Sleep(time.Second)
		stop()
	})
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var leash bool
	root := &cobra.Command{
		Use: "mapo-worker", Short: "mapo's part that speaks with Temporal", Version: run.Version(),
		SilenceErrors: true, SilenceUsage: true,
		PersistentPreRunE: func(*cobra.Command, []string) error {
			if leash {
				go func() {
					_, _ = io.Copy(io.Discard, os.Stdin) // until mapo, which started this program, is gone
					cancel()
				}()
			}
			return num.Check()
		},
	}
	root.PersistentFlags().BoolVar(&leash, "leash", false, "stop when standard input ends, as it does when mapo dies")
	_ = root.PersistentFlags().MarkHidden("leash") // the flag is there; it is mapo's to set
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return fmt.Errorf("%w: see %s --help", err, asked.Replace(c.CommandPath()))
	})
	root.AddCommand(serveCommand(), followCommand(), runsCommand(), cancelCommand())
	if err := root.ExecuteContext(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "mapo-worker:", strings.ReplaceAll(err.Error(), "\n", "; "))
		os.Exit(1)
	}
}

// asked makes a command of this program that of mapo which starts it.
var asked = strings.NewReplacer("mapo-worker serve", "mapo worker", "mapo-worker follow", "mapo run", "mapo-worker", "mapo")

// args wants n arguments.
func args(n int) cobra.PositionalArgs {
	return func(c *cobra.Command, list []string) error {
		if len(list) == n {
			return nil
		}
		got := "an argument"
		if len(list) != 1 {
			got = fmt.Sprintf("%d arguments", len(list))
		}
		use := asked.Replace(strings.TrimSuffix(c.UseLine(), " [flags]"))
		return fmt.Errorf("usage: %s; got %s", use, got)
	}
}

// place says where a run is served.
type place struct {
	address, namespace, store string
	server                    string // what open has reached
	create                    bool   // make the store's identity, and the store, where there is none
}

func (p *place) flags(c *cobra.Command, stored bool) {
	f := c.Flags()
	f.StringVar(&p.address, "temporal", cluster.FromEnvironment, "the Temporal server, HOST:PORT, or env: the one of TEMPORAL_ADDRESS or of the profile")
	f.StringVar(&p.namespace, "namespace", "", "the server's namespace (default that of TEMPORAL_NAMESPACE or of the profile, else default)")
	if stored {
		f.StringVar(&p.store, "store", "", "where results and checkpoints are: a folder, or s3://BUCKET/PREFIX?endpoint=URL")
	}
}

// open reaches both, the store first: it is the more likely to be mistyped. Where it may make the identity, it
// does so last, so that a wrong address leaves none; made reports whether it did.
func (p *place) open(ctx context.Context) (s store.Store, m cluster.Identity, c client.Client, made bool, err error) {
	if p.store == "" {
		err = errors.New("--store is missing: give the folder or bucket that all workers reach")
		return
	}
	server, err := cluster.ServerOf(p.address, p.namespace)
	if err != nil {
		return
	}
	p.server = server.String()
	opened := locate.Existing
	if p.create {
		opened = locate.Open
	}
	if s, err = opened(ctx, p.store); err != nil {
		return
	}
	m, err = cluster.Find(ctx, s, run.Version())
	made = p.create && errors.Is(err, cluster.ErrNoIdentity)
	if err != nil && !made {
		return
	}
	if c, err = server.Dial(ctx); err == nil && made {
		m, err = cluster.IdentityOf(ctx, s, run.Version())
	}
	return
}

func serveCommand() *cobra.Command {
	var p place
	var slots string
	var cores int
	var every time.Duration
	c := &cobra.Command{
		Use: "serve", Short: "Do the jobs of the runs on a store (mapo worker)", Args: args(0),
		RunE: func(c *cobra.Command, _ []string) error {
			n, err := cluster.ParseSlots(slots)
			if err != nil {
				return fmt.Errorf("--slots: %w", err)
			}
			s, m, t, made, err := p.open(c.Context())
			if errors.Is(err, cluster.ErrNoIdentity) || errors.Is(err, locate.ErrNone) {
				return fmt.Errorf("--store is %s: %w: is it mistyped? mapo run --temporal makes it, and so does this command with --create", p.store, err)
			}
			if err != nil {
				return err
			}
			defer t.Close()
			w := cluster.NewWorker(&job.Local{Store: s, Steps: run.Steps(), Cores: cores, Every: max(every, 1)}, m, n)
			w.Log = logTo(c.ErrOrStderr())
			known := map[bool]string{true: "new store", false: "store"}[made]
			w.Log("", fmt.Sprintf("serving %s jobs of the %s %s; server %s, queue %s",
				strings.Join(n.Classes(), " and "), known, whole(p.store), p.server, w.Queue))
			return w.Serve(c.Context(), t)
		},
	}
	p.flags(c, true)
	c.Flags().BoolVar(&p.create, "create", false, "make the store where there is none that served a run before")
	c.Flags().StringVar(&slots, "slots", "1", "jobs of each class at once, which share the cores; train=1,judge=4 gives each its own, and a class that is not named is not served")
	c.Flags().IntVar(&cores, "workers", 0, "cores to use (default all)")
	c.Flags().DurationVar(&every, "checkpoint-every", 10*time.Second, "time between a job's checkpoints; a training has none while it searches, up to half a minute")
	return c
}

// whole returns a store's place by which it can be recognised from any folder.
func whole(place string) string {
	if strings.Contains(place, "://") {
		return place
	}
	if path, err := filepath.Abs(place); err == nil {
		return path
	}
	return place
}

// logTo writes lines with the time and the run that they are about.
func logTo(w io.Writer) func(one, text string) {
	var mu sync.Mutex
	return func(one, text string) {
		if one != "" {
			text = one + " " + text
		}
		mu.Lock()
		defer mu.Unlock()
		fmt.Fprintln(w, time.Now().Format(time.RFC3339), text)
	}
}

func followCommand() *cobra.Command {
	var p place
	var plan string
	var attach, detach bool
	var most int
	var heartbeat time.Duration
	c := &cobra.Command{
		Use: "follow", Short: "Start a plan of the store, or find it under way, and tell of it (mapo run --temporal)", Args: args(0),
		RunE: func(c *cobra.Command, _ []string) error {
			if heartbeat < time.Second {
				return fmt.Errorf("--heartbeat is %v; it must be at least 1s", heartbeat)
			}
			p.create = !attach
			s, m, t, made, err := p.open(c.Context())
			if errors.Is(err, cluster.ErrNoIdentity) {
				return fmt.Errorf("--store is %s: %w: leave out --attach to start one", p.store, err)
			}
			if err != nil {
				return err
			}
			defer t.Close()
			key := store.Key(plan)
			loaded, err := run.LoadPlan(c.Context(), s, key)
			if err != nil {
				return err
			}
			if loaded.Version != m.Version {
				return fmt.Errorf("mapo is version %s and mapo-worker beside it %s: build both from the same source", loaded.Version, m.Version)
			}
			out := json.NewEncoder(c.OutOrStdout())
			id := cluster.ID(loaded, key, m)
			cl := &cluster.Client{Temporal: t, Store: s, Most: most, Events: func(e job.Event) { _ = out.Encode(remote.LineOf(e)) }}
			if !attach {
				if err := cl.Start(c.Context(), id, key, m, heartbeat); err != nil {
					return err
				}
			}
			if err := out.Encode(remote.Line{ID: id, New: made}); err != nil {
				return err
			}
			if detach {
				return nil
			}
			err = cl.Watch(c.Context(), id, m)
			if errors.Is(err, cluster.ErrNoRun) {
				return fmt.Errorf("%w: leave out --attach to start it", err)
			}
			return err
		},
	}
	p.flags(c, true)
	c.Flags().StringVar(&plan, "plan", "", "the plan's key")
	c.Flags().BoolVar(&attach, "attach", false, "do not start it")
	c.Flags().BoolVar(&detach, "detach", false, "do not watch it")
	c.Flags().IntVar(&most, "events", 0, "events of a history on the server, from which on the run goes on in a new one (default 10,000)")
	c.Flags().DurationVar(&heartbeat, "heartbeat", 90*time.Second, "a worker that sends no heartbeat for so long is considered dead")
	return c
}
