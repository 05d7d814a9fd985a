package learn_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"mapo"
	"mapo/baseline"
	"mapo/dataset"
	"mapo/game"
	"mapo/learn"
	"mapo/rng"
	"mapo/sim"
)

// across is one group's table with the answers of another's.
type across struct {
	problem *mapo.Problem
	base    *learn.Base
	answers []float64 // the other group's shares, [rows, queries]
}

func load(t *testing.T, own, other string) *across {
	t.Helper()
	folder := os.Getenv("MAPO_DATA")
	if folder == "" {
		t.Skip("MAPO_DATA is not set")
	}
	mine, err := dataset.ReadTable(filepath.Join(folder, own), "")
	if err != nil {
		t.Fatal(err)
	}
	theirs, err := dataset.ReadTable(filepath.Join(folder, other), "")
	if err != nil {
		t.Fatal(err)
	}
	p, _, err := dataset.Rows(mine.Table, dataset.RowOptions{Options: dataset.Options{T: 20, AskOnce: true}})
	if err != nil {
		t.Fatal(err)
	}
	if p.Hypotheses() != len(theirs.Objects) {
		t.Fatalf("%d hypotheses, %d objects", p.Hypotheses(), len(theirs.Objects))
	}
	a := &across{problem: p, base: &learn.Base{Queries: p.Queries(), P: p.Shares.Yes}, answers: theirs.P}
	for range a.base.P {
		a.base.Kappa = append(a.base.Kappa, 2)
	}
	return a
}

// with is the problem with other shares.
func (a *across) with(shares []float64) *mapo.Problem {
	p, s := *a.problem, *a.problem.Shares
	s.Yes, p.Shares = shares, &s
	return &p
}

// playthrough plays games on shares and counts their answers under the truth.
func (a *across) playthrough(t *testing.T, shares []float64, c *learn.Counts, games int, key rng.Key) {
	t.Helper()
	p := a.with(shares)
	policy, err := baseline.Parse(p, "information:0.03")
	if err != nil {
		t.Fatal(err)
	}
	g := game.New(p, policy, false)
	for m := range games {
		k := key.At(m)
		stream, record := k.Stream(), game.Record{}
		row := int(stream.Uint64() % uint64(p.Hypotheses()))
		for {
			at, err := g.At(record)
			if err != nil {
				t.Fatal(err)
			}
			probs, err := at.Probabilities()
			if err != nil {
				t.Fatal(err)
			}
			if probs == nil {
				break
			}
			i := game.Draw(probs, k.At(len(record.History)))
			answer := game.No
			if stream.Float64() < a.answers[row*p.Queries()+i] {
				answer = game.Yes
			}
			record.History = append(record.History, game.Answered{Query: i, Answer: answer})
		}
		c.Add(a.base, row, record.History, 1)
	}
}

// learned is the table after the games counted.
func (a *across) learned(c *learn.Counts, disagreement bool) []float64 {
	delta, out := make([]float64, a.base.Queries), make([]float64, len(a.base.P))
	if disagreement {
		learn.Disagreement(delta, a.base, c)
	}
	learn.Shares(out, a.base, c, delta)
	return out
}

// right is how often the drawn row is named in fresh games with the table frozen.
func (a *across) right(t *testing.T, shares []float64, games int, key rng.Key) float64 {
	t.Helper()
	p := a.with(shares)
	policy, err := baseline.Parse(p, "information:0.03")
	if err != nil {
		t.Fatal(err)
	}
	truth := a.with(a.answers)
	e, err := sim.Play{P: p, Policy: policy}.Identify(context.Background(), mapo.DrawShares(truth, 0), games, key)
	if err != nil {
		t.Fatal(err)
	}
	return 1 - e.Mean
}

// TestAcross plays one group's table with another group's answers, learns from the games, and asks how often it is right
// afterwards: in both directions, with a new version every 68 games.
func TestAcross(t *testing.T) {
	if testing.Short() {
		t.Skip("thousands of games")
	}
	seeds, fresh := 1, 600
	if os.Getenv("MAPO_LONG") != "" {
		seeds, fresh = 3, 4000
	}
	const version = 68
	marks := []int{136, 544, 2176}
	for _, c := range []struct {
		own, other string
		least      []float64
	}{
		{"cross_authors.csv", "cross_leuven.csv", []float64{0.74, 0.85, 0.92}},
		{"cross_leuven.csv", "cross_authors.csv", []float64{0.80, 0.88, 0.94}},
	} {
		a := load(t, c.own, c.other)
		for _, disagreement := range []bool{true, false} {
			sum := make([]float64, len(marks))
			for seed := range seeds {
				key := rng.New(uint64(seed))
				counts := learn.NewCounts(a.base)
				for played := 0; played < marks[len(marks)-1]; {
					a.playthrough(t, a.learned(counts, disagreement), counts, version, key.Name("play").At(played))
					played += version
					if k := slices.Index(marks, played); k >= 0 {
						sum[k] += a.right(t, a.learned(counts, disagreement), fresh, key.Name("fresh").At(k)) / float64(seeds)
					}
				}
			}
			t.Logf("%s: before %.3f; disagreement %v: after %v games right in %.3f", c.own, a.right(t, a.base.P, fresh, rng.New(9)), disagreement, marks, sum)
			for k, least := range c.least {
				if disagreement && sum[k] < least-0.05 {
					t.Errorf("%s: after %d games right in %.3f, want %.2f", c.own, marks[k], sum[k], least)
				}
			}
		}
	}
}
