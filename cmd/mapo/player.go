package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"mapo"
	"mapo/baseline"
	"mapo/nn"
	"mapo/search"
	"mapo/serve"
)

// policySuffix ends a policy file's name.
const policySuffix = ".safetensors"

// player is a policy by its name in results.
type player struct {
	mapo.Policy
	name    string
	hardest search.Bank // the worst instances that its file names: where a search begins, among others
}

// players are the policies that a command line names, each a file, a rival or a
// program.
func players(p *mapo.Problem, names []string, g *programs) ([]player, error) {
	var out []player
	for _, name := range names {
		load := open
		if isCommand(name) {
			load = g.start
		}
		one, err := load(p, name)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(out, func(o player) bool { return o.name == one.name }) {
			return nil, fmt.Errorf("two policies are called %s: rename a file, results go by its base name", one.name)
		}
		out = append(out, one)
	}
	return out, nil
}

// open is one of them.
func open(p *mapo.Problem, name string) (player, error) {
	_, err := os.Stat(name)
	if isPolicy := strings.HasSuffix(name, policySuffix); !isPolicy && errors.Is(err, fs.ErrNotExist) {
		policy, err := baseline.Parse(p, name)
		if err != nil {
			return player{}, fmt.Errorf("%w; and there is no such file", err)
		}
		if s, ok := policy.(fmt.Stringer); ok {
			name = s.String()
		}
		return player{Policy: policy, name: name}, nil
	}
	if isFolder(name) {
		return player{}, fmt.Errorf("%s is a folder: name a policy file (%s) in it", name, policySuffix)
	}
	net, contract, err := serve.ReadFile(name)
	if err != nil {
		return player{}, err
	}
	if what := difference(contract.Problem, p); what != "" {
		return player{}, fmt.Errorf("%s: the policy is for another problem: %s: give the spec it was trained on by --problem", name, what)
	}
	one := player{Policy: nn.Policy(p, net), name: strings.TrimSuffix(filepath.Base(name), policySuffix)}
	for _, level := range contract.Levels {
		if level.Theta != nil {
			one.hardest.Put(level.Theta)
		}
	}
	return one, nil
}

// difference says what the policy's problem has otherwise than the spec's, ""
// for nothing that a game depends on.
func difference(policy, spec *mapo.Problem) string {
	switch {
	case policy.Queries() != spec.Queries():
		return fmt.Sprintf("it has %d queries, the spec %d", policy.Queries(), spec.Queries())
	case policy.Hypotheses() != spec.Hypotheses():
		return fmt.Sprintf("it has %d hypotheses, the spec %d", policy.Hypotheses(), spec.Hypotheses())
	case policy.T != spec.T:
		return fmt.Sprintf("its budget is %d, the spec's %d", policy.T, spec.T)
	case policy.AskOnce != spec.AskOnce:
		return fmt.Sprintf("its ask-once is %v, the spec's %v", policy.AskOnce, spec.AskOnce)
	}
	for i, text := range policy.X {
		if text != spec.X[i] {
			return fmt.Sprintf("its query %d is %q, the spec's %q", i, text, spec.X[i])
		}
	}
	for k := range policy.Hypotheses() {
		if !slices.Equal(policy.Row(k), spec.Row(k)) {
			return fmt.Sprintf("its hypothesis %d, %q, answers otherwise than the spec's, %q", k, policy.Names[k], spec.Names[k])
		}
	}
	return ""
}
