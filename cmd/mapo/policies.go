package main

import (
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"mapo/baseline"
	"mapo/dataset"
	"mapo/flow"
	"mapo/serve"
	"mapo/spec"
)

const (
	defaultAsk  = "information:0.03" // what plays a table that nothing was trained for
	defaultStop = 0.95               // where its games end
)

// source holds the flags that say what is played or served.
type source struct {
	problem string // the SPEC of policies by name
	stop    string
	weights string
	say     func(text string) // is told what reading a table assumed, and what looks wrong in it; nil: nothing is
}

// flags adds them to a command's.
func (o *source) flags(f *pflag.FlagSet) {
	f.StringVar(&o.problem, "problem", "", "the SPEC or table that a policy by name, such as information:0.03, is played on")
	f.StringVar(&o.weights, "weights", "", "the column of the table that holds prior weights (default that of SPEC, else mapo:weight)")
	f.StringVar(&o.stop, "stop", "", "stop asking once the recommendation has this probability, or off (default that of SPEC, else 0.95; off for trained policies)")
}

// open opens what a command line names: a policy file, a table or SPEC, or, with --problem, a policy by its name.
func (o *source) open(path string) (*serve.Policy, error) {
	switch {
	case strings.HasSuffix(path, policySuffix):
		if o.stop != "" && o.stop != "off" {
			return nil, fmt.Errorf("%s: --stop needs a posterior, which a trained policy does not have; play its table instead", path)
		}
		return serve.Open(path)
	case o.problem != "":
		return o.untrained(o.problem, path)
	}
	return o.untrained(path, "")
}

// untrained opens the policy called name on the problem of a SPEC; "": the one that suits a table.
func (o *source) untrained(path, name string) (*serve.Policy, error) {
	s, err := spec.Load(path, spec.Override{Truth: spec.Rows, Weights: o.weights})
	if err != nil {
		return nil, err
	}
	id := strings.ReplaceAll(name, ":", "-")
	switch {
	case name == "" && s.Problem.Shares == nil:
		return nil, fmt.Errorf("%s has no table of shares to play; name a policy, as in mapo play uncertainty --problem %s", path, quote(path))
	case name == "":
		name, id = defaultAsk, dataset.Base(path)
	}
	policy, err := baseline.Parse(s.Problem, name)
	if err != nil {
		return nil, err
	}
	rules := serve.Rules{DontKnow: s.DontKnow, Version: flow.Version(), Warnings: s.Warnings}
	if rules.Stop, err = o.stopAt(s); err != nil {
		return nil, err
	}
	if o.say != nil {
		tellData(s, o.say)
	}
	return serve.Untrained(id, s.Problem, policy, rules)
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

// stopAt returns the probability at which games end: --stop's, else the spec's, else 0.95.
func (o *source) stopAt(s *spec.Spec) (float64, error) {
	stop := defaultStop
	if s.Stop != nil {
		stop = *s.Stop
	}
	if o.stop != "" {
		v, err := spec.ParseStop(o.stop)
		if err != nil {
			return 0, fmt.Errorf("--stop: %w", err)
		}
		stop = v
	}
	if s.Problem.Shares == nil {
		return 0, nil
	}
	return stop, nil
}
