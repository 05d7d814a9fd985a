package servetest

import (
	"path/filepath"
	"testing"

	"mapo/data/dataset"
	"mapo/game"
	"mapo/policy/nn"
	"mapo/record"
	"mapo/rng"
	"mapo/serve/policies"
)

// Animals returns the problem of examples/animals.csv.
func Animals(t testing.TB) *game.Problem {
	t.Helper()
	table, err := dataset.ReadTable(inModule("examples/animals.csv"), "")
	if err != nil {
		t.Fatal(err)
	}
	p, _, _, err := dataset.Majorities(table, dataset.Options{Name: "animals", T: 20, AskOnce: true})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Write makes a policy file for p with an untrained network and returns its path.
func Write(t testing.TB, dir, id string, p *game.Problem, change func(*nn.Contract)) string {
	t.Helper()
	c := nn.Contract{Name: "mapo", Problem: p, Loss: game.BestIdentification.String(), Rule: "made for a test"}
	theta := make([]float64, p.Queries())
	for i, z := range p.Row(0) {
		theta[i] = .9 * (2*float64(z) - 1)
	}
	for i, r := range []float64{8, 16, 32} {
		worst := .2 + .1*float64(i)
		c.Levels = append(c.Levels, nn.Level{Benchmark: worst - .05, Worst: record.Worst{Level: r, Theta: theta, Estimate: record.Estimate{Mean: worst, Lo: worst - .01, Hi: worst + .01, Games: 10000}}})
	}
	if change != nil {
		change(&c)
	}
	path := filepath.Join(dir, id+policies.Suffix)
	if err := nn.WriteFile(path, nn.NewStructured(p, 16, rng.New(1)), c); err != nil {
		t.Fatal(err)
	}
	return path
}

// Policy returns such a file, opened.
func Policy(t testing.TB, id string, p *game.Problem, change func(*nn.Contract)) *policies.Policy {
	t.Helper()
	got, err := policies.Open(Write(t, t.TempDir(), id, p, change))
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func Spending(c *nn.Contract) { c.DontKnow = nn.DontKnowSpends }
