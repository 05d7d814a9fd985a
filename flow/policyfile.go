package flow

import (
	"fmt"

	"mapo/nn"
	"mapo/report"
)

// rule is the decision rule of every policy file.
const rule = "ask a query drawn from the softmax over those that may be asked; after the last answer name a hypothesis that maximises ⟨z, θ̂⟩, θ̂ the mean answer to each query and 0 where there is none, ties (within 1e-5) broken uniformly at random"

// Contract is what p's file says of it: its judged worst cases beside the ladder's
// benchmarks.
func (f *Flow) Contract(p *Policy, ladder *Ladder) nn.Contract {
	c := nn.Contract{
		Name: p.Name, Problem: f.Problem, Loss: f.Loss.String(), DontKnow: f.DontKnow, Rule: rule, Seed: f.Seed, Version: f.Version,
		Trained: f.trained(p.Net), Warnings: f.Warnings,
		Notes: []string{"a level's worst is the worst instance found by search, replayed on fresh games: a lower bound on the true worst case"},
	}
	if f.dialled(p.Name) {
		c.Trained["objective"] = report.Objective(f.Average.Name(), f.Weight, len(f.Levels))
	}
	if f.from.key != "" {
		c.Trained["init"] = f.from.name
	}
	if p.Net.Done < p.Net.Iters {
		c.Warnings = append(c.Warnings[:len(c.Warnings):len(c.Warnings)], fmt.Sprintf("training was stopped by the clock after %d of %d iterations", p.Net.Done, p.Net.Iters))
	}
	for k, w := range p.Worst {
		c.Levels = append(c.Levels, nn.Level{Worst: w, Benchmark: ladder.B[k]})
	}
	return c
}

// WritePolicy writes p, a trained policy, as a policy file.
func (f *Flow) WritePolicy(path string, p *Policy, ladder *Ladder) error {
	return f.policyFile(path, p, ladder, nn.WriteFile)
}

// CreatePolicy is WritePolicy where path must not be there yet: else its error wraps [fs.ErrExist].
func (f *Flow) CreatePolicy(path string, p *Policy, ladder *Ladder) error {
	return f.policyFile(path, p, ladder, nn.CreateFile)
}

func (f *Flow) policyFile(path string, p *Policy, ladder *Ladder, write func(string, nn.Net, nn.Contract) error) error {
	net, _, err := nn.Decode(p.Net.File)
	if err != nil {
		return err
	}
	return write(path, net, f.Contract(p, ladder))
}
