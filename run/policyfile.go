package run

import (
	"fmt"
	"strconv"
	"strings"

	"mapo/difficulty"
	"mapo/game"
	"mapo/internal/num"
	"mapo/judge"
	"mapo/policy/decision"
	"mapo/policy/nn"
	"mapo/policy/stopping"
	"mapo/record"
)

// asks begins the rule of every policy file; when its games end and how it recommends follow.
const asks = "ask a query drawn from the softmax over those that may be asked; after the last answer"

// ends says in words when games of the plan end before that.
func (p *Plan) ends() string {
	if at := stopping.Probability(p.Stopping); at > 0 {
		return fmt.Sprintf(", or as soon as a row has the probability %g by the Bayes posterior after at least one answer,", at)
	}
	return ""
}

// recommends says in words how a policy of the plan recommends.
func (p *Plan) recommends() string {
	switch {
	case p.Decision == decision.Posterior:
		return "costs least in expectation over the Bayes posterior of the answers, ties broken uniformly at random"
	case p.Decision == decision.Votes:
		return "agrees with the most labels, an item without one counting 0.15 by the other classifiers’ votes, ties broken uniformly at random"
	}
	return p.Problem.Goal().Words().Maximises
}

// Contract returns what p's policy file says of it: its judged worst cases beside the ladder's
// benchmarks.
func Contract(f *Flow, p *Policy, ladder *Ladder) nn.Contract {
	c := nn.Contract{
		Name: p.Name, Problem: f.Problem, Loss: f.Loss.String(), DontKnow: f.DontKnow, Rule: asks + f.ends() + " name a hypothesis that " + f.recommends(),
		Decision: f.Decision, Stopping: f.Stopping, Seed: f.Seed, Version: f.Version,
		Trained: trainedHow(f, p.Net), Warnings: f.Warnings,
		Notes: []string{"a level's worst is the worst instance found by search, replayed on fresh games: a lower bound on the true worst case"},
	}
	if f.TradesOff(p.Name) {
		c.Trained["objective"] = record.Objective(f.Average.Name(), f.Weight, len(f.Levels))
	}
	if name := f.from.name; name != "" {
		c.Trained["init"] = name
	}
	if p.Net.Done < p.Net.Iters {
		c.Warnings = append(c.Warnings[:len(c.Warnings):len(c.Warnings)], fmt.Sprintf("training was stopped by the clock after %d of %d iterations", p.Net.Done, p.Net.Iters))
	}
	covers := f.Coverage(0)
	if note := f.Sampled(); note != "" {
		c.Notes = append(c.Notes, note)
	}
	for k, w := range p.Worst {
		level := nn.Level{Worst: w, Benchmark: ladder.B[k]}
		if covers != nil {
			level.Covers = covers[k]
		}
		c.Levels = append(c.Levels, level)
	}
	if covers != nil && f.Loss == game.BestIdentification {
		for _, a := range p.Averages {
			c.Averages = append(c.Averages, AverageOf(a))
		}
	}
	return c
}

// AverageOf returns an average as policy files have it.
func AverageOf(a judge.Average) nn.Average {
	return nn.Average{Prior: a.Prior, Wrong: a.Mean, Lo: a.Lo, Hi: a.Hi, Games: a.Games, Questions: nn.QuestionsOf(a.Estimate)}
}

// Sampled says where the shares of rows are of a sample; "" where they are of all.
func (p *Plan) Sampled() string {
	if !difficulty.Large(p.Problem) {
		return ""
	}
	return "how many of the rows a level covers is told of " + difficulty.SampleWords(p.Problem)
}

// Coverage returns, level by level, the share of a table's rows whose answers are of difficulty at most that level's, with a share
// of the answers flipped; nil where the hypotheses are not rows.
func (p *Plan) Coverage(flipped float64) []float64 {
	if cells, _ := shareCells(p.Problem); cells == 0 || len(p.Levels) == 0 {
		return nil
	}
	return difficulty.Coverage(p.Problem, p.Levels, flipped)
}

// trainedHow returns what of the machine and the scale a policy's weights depend on.
func trainedHow(f *Flow, t *Trained) map[string]string {
	out := map[string]string{"scale": f.Scale, "iterations": strconv.Itoa(t.Done)}
	for _, e := range num.Environment() {
		name, value, _ := strings.Cut(e, "=")
		out[name] = value
	}
	return out
}

// PolicyFile returns the policy file of p, a trained policy.
func PolicyFile(f *Flow, p *Policy, ladder *Ladder) ([]byte, error) {
	net, _, err := nn.Decode(p.Net.File)
	if err != nil {
		return nil, err
	}
	return nn.Encode(net, Contract(f, p, ladder))
}
