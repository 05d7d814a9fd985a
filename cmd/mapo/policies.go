package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"mapo/data/dataset"
	"mapo/data/table"
	"mapo/game"
	"mapo/policy/external"
	"mapo/policy/nn"
	"mapo/policy/rival"
	"mapo/policy/stopping"
	"mapo/run"
	"mapo/serve/policies"
	"mapo/spec"
)

// source holds the flags that say what is played or served.
type source struct {
	problem  string // the SPEC of policies by name
	stop     string
	weights  string
	explore  float64           // the share of a pool's items that are drawn uniformly
	timeout  time.Duration     // what a program's reply may take
	say      func(text string) // is told what reading a table assumed, and what looks wrong in it; nil: nothing is
	measures bool              // whether what a policy without training gives on average is measured before it is opened
	programs programOptions
	asked    struct{ spec, name, items bool } // whether a SPEC or table was read, whether for a policy by name, and whether items are asked
}

// programOptions say how programs are run.
type programOptions struct {
	lasting bool        // a dead process is replaced
	failed  func(error) // is told every fault of a lasting one's
}

// What a program may take for a reply unless told.
const (
	playTimeout  = 30 * time.Second
	serveTimeout = 5 * time.Second // and at most: a request is answered within 8 s
)

// longest is what a player may wait for.
const longest = time.Hour

// firstReply is what the first reply of a program may take where it is served: it may have to load a model.
const firstReply = 30 * time.Second

// flags adds them to a command's.
func (o *source) flags(f *pflag.FlagSet, timeout time.Duration) {
	f.StringVar(&o.problem, "problem", "", "the SPEC or table that a policy by name or a cmd: program is played on, such as information:0.03")
	f.StringVar(&o.weights, "weights", "", "the column of the table that holds prior weights (default that of SPEC, else mapo:weight)")
	f.StringVar(&o.stop, "stop", "", "stop asking once the recommendation has this probability, or off (default that of SPEC or of the policy file, else 0.95 without training and off with it)")
	f.Float64Var(&o.explore, "explore", 0, "of a pool of items: the share of them, such as 0.1, that is drawn uniformly, so that mapo recommend can estimate accuracies from the labels")
	f.DurationVar(&o.timeout, "timeout", timeout, "how long a cmd: program may take for a reply")
}

// checkFlags refuses a time for replies that is not positive, or longer than most, and a share outside 0 to 1.
func (o *source) checkFlags(most time.Duration) error {
	if !(o.explore >= 0 && o.explore <= 1) {
		return fmt.Errorf("--explore is %g; it must be a share, from 0 to 1", o.explore)
	}
	if o.timeout <= 0 || o.timeout > most {
		return fmt.Errorf("--timeout is %v; it must be positive, and at most %v", o.timeout, most)
	}
	return nil
}

// idle returns an error where a flag has no effect on any of the policies opened: --problem where
// all are files, --weights where all are policy files, and --explore where none asks about items.
func (o *source) idle(all ...*policies.Policy) error {
	switch {
	case o.problem != "" && !o.asked.name:
		return fmt.Errorf("--problem is %s, and is for a policy by name; %s is not one: remove --problem", o.problem, all[0].ID)
	case o.weights != "" && !o.asked.spec:
		return fmt.Errorf("--weights is %q, and is for a table or a spec; %s is a policy file, which has its own weights: remove --weights", o.weights, all[0].ID)
	}
	if o.explore == 0 || o.asked.items {
		return nil
	}
	return fmt.Errorf("--explore is %g, and is for the items of a pool of classifiers; %s asks queries: remove --explore", o.explore, all[0].ID)
}

// open opens what a command line names, to explore as told. A program is killed when ctx ends.
func (o *source) open(ctx context.Context, path string) (*policies.Policy, error) {
	defer loosely(ctx)()
	p, err := o.named(ctx, path)
	if err == nil && p.Game.ExploreItems(o.explore) {
		o.asked.items = true
	}
	return p, err
}

// named opens a policy file, a table or SPEC, or, with --problem, a policy by its name or a program.
func (o *source) named(ctx context.Context, path string) (*policies.Policy, error) {
	_, err := os.Stat(path)
	isFile := err == nil
	_, moves := transferred(path)
	switch {
	case strings.HasSuffix(path, policySuffix) && !moves:
		return o.trained(path)
	case isFile:
		return o.untrained(ctx, path, "")
	case o.problem != "":
		return o.untrained(ctx, o.problem, path)
	case isCommand(path) || moves || rival.IsName(path):
		return nil, fmt.Errorf("%s is not a file but a policy by name; say what it is played on, as in --problem TABLE.csv", path)
	}
	return o.untrained(ctx, path, "")
}

// trained opens a policy file.
func (o *source) trained(path string) (*policies.Policy, error) {
	if o.stop == "" {
		return policies.Open(path)
	}
	at, err := spec.ParseStop(o.stop)
	if err != nil {
		return nil, fmt.Errorf("--stop: %w", err)
	}
	return policies.OpenStopping(path, at)
}

// untrained opens the policy called name on the problem of a SPEC; "": the one that suits a table.
func (o *source) untrained(ctx context.Context, path, name string) (*policies.Policy, error) {
	o.asked.spec, o.asked.name = true, o.asked.name || name != ""
	s, err := spec.Load(path, spec.Override{Truth: spec.Rows, Weights: o.weights})
	if err != nil {
		return nil, err
	}
	id := idOf(name)
	if name == "" {
		if name, id = rival.Unnamed(s.Problem), dataset.Base(path); name == "" {
			return nil, fmt.Errorf("%s has no table of shares to play; name a policy, as in %s play uncertainty --problem %s", path, self(), table.Shell(path))
		}
	}
	rules := policies.Rules{Loss: s.Loss, DontKnow: s.DontKnow, Version: run.Version(), Warnings: s.Warnings}
	if rules.Stop, err = o.stopAt(s); err != nil {
		return nil, err
	}
	rules.Table = s.Table
	if s.Table != nil && !isCommand(name) {
		rules.OnTable = func(t *table.Table) (*policies.Policy, error) {
			p, err := s.Play(t)
			if err != nil {
				return nil, err
			}
			again := rules
			again.Table, again.Averages = t, nil
			return o.played(ctx, id, name, p, s.Decision, again)
		}
	}
	if o.measures && !isCommand(name) && s.Table != nil {
		if rules.Averages, err = o.averages(ctx, s, name, rules.Stop); err != nil {
			return nil, err
		}
	}
	policy, err := o.played(ctx, id, name, s.Problem, s.Decision, rules)
	if err == nil && o.say != nil {
		tellData(s, o.say)
	}
	return policy, err
}

// averages measures what the policy called name gives on the rows of a table where games end once the recommendation has a
// probability; 0: never.
func (o *source) averages(ctx context.Context, s *spec.Spec, name string, stop float64) (all []nn.Average, err error) {
	policy, err := o.policy(ctx, s.Problem, s.Loss, name, s.Decision)
	if err != nil {
		return nil, err
	}
	if stop > 0 {
		if policy, err = stopping.With(s.Problem, policy, stopping.Name(stopping.Confidence, stop)); err != nil {
			return nil, err
		}
	}
	list, err := run.AveragesOfRows(ctx, s.Problem, policy, s.Seed, 0)
	for _, a := range list {
		all = append(all, run.AverageOf(a))
	}
	return all, err
}

// played returns the policy called name at work on p. decide is for programs, as for policy.
func (o *source) played(ctx context.Context, id, name string, p *game.Problem, decide string, rules policies.Rules) (*policies.Policy, error) {
	policy, err := o.policy(ctx, p, rules.Loss, name, decide)
	if err != nil {
		return nil, err
	}
	return policies.Untrained(id, p, policy, rules)
}

// tellData tells say what reading the data of a SPEC assumed, and what looks wrong in them.
func tellData(s *spec.Spec, say func(text string)) {
	for _, text := range s.Notes {
		say(text)
	}
	for _, text := range s.Warnings {
		say("warning: " + text)
	}
}

// idOf returns the id of a policy by name where the command line gives none. A program's command is not shown to others.
func idOf(name string) string {
	if isCommand(name) {
		return "program"
	}
	if file, is := transferred(name); is {
		return "transfer-" + strings.TrimSuffix(filepath.Base(file), policySuffix)
	}
	return strings.NewReplacer(":", "-", "+", "-").Replace(name)
}

// policy returns the policy or program called name on p, for a loss, as [players] does for mapo eval. A program recommends by decide, a
// name of package decision or "".
func (o *source) policy(ctx context.Context, p *game.Problem, loss game.Loss, name, decide string) (game.Policy, error) {
	if !isCommand(name) {
		policy, _, err := byName(p, loss, name)
		return policy, err
	}
	command := strings.TrimPrefix(name, external.Prefix)
	options := external.Options{Decision: decide, Loss: loss, Timeout: o.timeout, Lasting: o.programs.lasting, Fail: o.programs.failed, Workers: 1}
	if options.Lasting {
		options.Workers, options.First = 0, max(firstReply, o.timeout)
	}
	return external.Start(ctx, p, command, options)
}

// stopAt returns the probability at which games end: --stop's, which replaces the spec's, else the spec's.
func (o *source) stopAt(s *spec.Spec) (float64, error) {
	if o.stop != "" {
		if err := s.SetStop(o.stop); err != nil {
			return 0, fmt.Errorf("--stop: %w", err)
		}
	}
	return s.StopAt(), nil
}
