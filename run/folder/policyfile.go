package folder

import (
	"fmt"

	"mapo/policy/nn"
	"mapo/report"
	"mapo/run"
)

// rule is the decision rule of every policy file.
const rule = "ask a query drawn from the softmax over those that may be asked; after the last answer name a hypothesis that maximises ⟨z, θ̂⟩, θ̂ the mean answer to each query and 0 where there is none, ties (within 1e-5) broken uniformly at random"

// Contract is what p's file says of it: its judged worst cases beside the ladder's
// benchmarks.
func Contract(f *run.Flow, p *run.Policy, ladder *run.Ladder) nn.Contract {
	c := nn.Contract{
		Name: p.Name, Problem: f.Problem, Loss: f.Loss.String(), DontKnow: f.DontKnow, Rule: rule, Seed: f.Seed, Version: f.Version,
		Trained: trainedHow(f, p.Net), Warnings: f.Warnings,
		Notes: []string{"a level's worst is the worst instance found by search, replayed on fresh games: a lower bound on the true worst case"},
	}
	if f.TradesOff(p.Name) {
		c.Trained["objective"] = report.Objective(f.Average.Name(), f.Weight, len(f.Levels))
	}
	if name := f.InitName(); name != "" {
		c.Trained["init"] = name
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
func WritePolicy(f *run.Flow, path string, p *run.Policy, ladder *run.Ladder) error {
	return policyFile(f, path, p, ladder, nn.WriteFile)
}

// CreatePolicy is WritePolicy where path must not be there yet: else its error wraps [fs.ErrExist].
func CreatePolicy(f *run.Flow, path string, p *run.Policy, ladder *run.Ladder) error {
	return policyFile(f, path, p, ladder, nn.CreateFile)
}

func policyFile(f *run.Flow, path string, p *run.Policy, ladder *run.Ladder, write func(string, nn.Net, nn.Contract) error) error {
	net, _, err := nn.Decode(p.Net.File)
	if err != nil {
		return err
	}
	return write(path, net, Contract(f, p, ladder))
}
