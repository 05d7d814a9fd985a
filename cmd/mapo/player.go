package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"mapo/data/table"
	"mapo/game"
	"mapo/internal/disk"
	"mapo/internal/names"
	"mapo/judge"
	"mapo/policy/decision"
	"mapo/policy/nn"
	"mapo/policy/rival"
	"mapo/policy/stopping"
	"mapo/serve/policies"
	"mapo/spec"
)

// policySuffix ends a policy file's name.
const policySuffix = ".safetensors"

// players returns the policies that a command line names, each a file, a rival or a
// program. loss is what they are judged by. stop returns the rule by which a policy's games end early, given that of its file.
func players(p *game.Problem, loss game.Loss, names []string, g *programs, stop func(own string) string) ([]judge.Player, error) {
	var out []judge.Player
	for _, name := range names {
		one, own, err := judge.Player{}, "", error(nil)
		if isCommand(name) {
			one, err = g.start(p, loss, name)
		} else {
			one, own, err = open(p, loss, name)
		}
		if err != nil {
			return nil, err
		}
		if rule := stop(own); rule != "" && rule != spec.Off {
			if one.Policy, err = stopping.With(p, one.Policy, rule); err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
		}
		if slices.ContainsFunc(out, func(o judge.Player) bool { return o.Name == one.Name }) {
			return nil, fmt.Errorf("two policies are called %s: rename a file, results go by its base name", one.Name)
		}
		out = append(out, one)
	}
	return out, nil
}

// open returns one of them, with the rule of stopping that its file names.
func open(p *game.Problem, loss game.Loss, name string) (player judge.Player, stop string, err error) {
	_, moves := transferred(name)
	_, err = os.Stat(name)
	if isPolicy := strings.HasSuffix(name, policySuffix); moves || !isPolicy && errors.Is(err, fs.ErrNotExist) {
		policy, stop, err := byName(p, loss, name)
		switch s, ok := policy.(fmt.Stringer); {
		case moves:
			name = idOf(name)
		case ok:
			name = s.String()
		}
		return judge.Player{Policy: policy, Name: name}, stop, err
	}
	if disk.IsFolder(name) {
		return player, "", fmt.Errorf("%s is a folder: name a policy file (%s) in it", name, policySuffix)
	}
	net, contract, err := policies.ReadFile(name)
	if err != nil {
		return player, "", err
	}
	if what := contract.Problem.Mismatch(p); what != "" {
		return player, "", fmt.Errorf("%s: the policy is for another problem: %s: give the spec it was trained on by --problem", name, what)
	}
	own, err := game.ParseLoss(contract.Loss) // what it decides for, whatever it is judged by
	if err != nil {
		return player, "", fmt.Errorf("%s: %w", name, err)
	}
	policy, err := decision.With(p, own, nn.Policy(p, net), contract.Decision)
	if err != nil {
		return player, "", fmt.Errorf("%s: %w: was it written by a later version?", name, err)
	}
	one := judge.Player{Policy: policy, Name: strings.TrimSuffix(filepath.Base(name), policySuffix)}
	for _, level := range contract.Levels {
		if level.Theta != nil {
			one.Hardest.Put(level.Theta)
		}
	}
	return one, contract.Stopping, nil
}

// noPolicy returns the fault of a name that may have been meant for a file, given that of reading it as a policy's, nil for none.
func noPolicy(name string, err error) error {
	if !errors.Is(err, rival.ErrUnknown) {
		return err
	}
	if _, ok := names.Near(name, rival.Names()); ok {
		return err
	}
	if near, ok := names.NearFile(name); ok {
		return fmt.Errorf("%s is neither a file nor a policy by name; did you mean %s?", table.Shell(name), file(near))
	}
	return fmt.Errorf("%w; and there is no such file", err)
}

// byName returns the policy called name on p, as every command measures, plays, serves and exports it: a rival, or the weights of a policy
// file of another problem, with the rule of stopping that the file names. loss is what games on p are for.
func byName(p *game.Problem, loss game.Loss, name string) (policy game.Policy, stop string, err error) {
	if file, is := transferred(name); is {
		return transfer(p, loss, file)
	}
	policy, err = rival.Parse(p, loss, name)
	return policy, "", noPolicy(name, err)
}

// transferPrefix begins the name of a policy whose weights are a policy file's of another problem.
const transferPrefix = "transfer:"

// transferred returns the policy file that follows the prefix.
func transferred(name string) (file string, is bool) { return strings.CutPrefix(name, transferPrefix) }

// transfer returns the policy on p with the weights of a policy file, its decision and its rule of stopping.
func transfer(p *game.Problem, loss game.Loss, file string) (policy game.Policy, stop string, err error) {
	net, contract, err := policies.ReadFile(file)
	if err != nil {
		return nil, "", err
	}
	on, err := nn.Transfer(net, p)
	if err != nil {
		return nil, "", fmt.Errorf("%s%s: %w", transferPrefix, file, err)
	}
	rule := cmp.Or(contract.Decision, decision.LeastSquares)
	by, err := decision.New(p, loss, rule)
	if err != nil {
		return nil, "", fmt.Errorf("%s%s: %w", transferPrefix, file, err)
	}
	return transferredPolicy{nn.Policy(p, on), by, idOf(transferPrefix+file) + "+" + rule}, contract.Stopping, nil
}

// transferredPolicy prints itself with its decision, as a rival does.
type transferredPolicy struct {
	game.Policy
	game.Decider
	name string
}

func (t transferredPolicy) String() string { return t.name }
