package learn_test

import (
	"flag"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"mapo/data/dataset"
	"mapo/data/learn"
	"mapo/data/table"
	"mapo/game"
	"mapo/game/play"
	"mapo/game/sim"
	"mapo/policy/rival"
	"mapo/report"
	"mapo/rng"
)

// across is one group's table with the answers of another's.
type across struct {
	table   *table.Table
	problem *game.Problem
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
	if len(mine.Objects) != len(theirs.Objects) {
		t.Fatalf("%d objects, %d objects", len(mine.Objects), len(theirs.Objects))
	}
	return acrossOf(t, mine, theirs.P, 20)
}

// acrossOf is a table with the answers of others, who have the shares answers.
func acrossOf(t *testing.T, mine *table.Table, answers []float64, budget int) *across {
	t.Helper()
	p, _, err := dataset.Rows(mine, dataset.RowOptions{Options: dataset.Options{T: budget, AskOnce: true}})
	if err != nil {
		t.Fatal(err)
	}
	if p.Hypotheses() != len(mine.Objects) {
		t.Fatalf("%d hypotheses, %d objects", p.Hypotheses(), len(mine.Objects))
	}
	return &across{table: mine, problem: p, base: learn.BaseOf(mine, 2), answers: answers}
}

// with is the problem with other shares.
func (a *across) with(shares []float64) *game.Problem {
	p, s := *a.problem, *a.problem.Seek.(*game.Shares)
	s.Yes, p.Seek = shares, &s
	return &p
}

// playthrough plays games on shares and counts their answers under the truth.
func (a *across) playthrough(t *testing.T, shares []float64, c *learn.Counts, games int, key rng.Key) {
	t.Helper()
	a.play(t, shares, games, key, nil, func(_, row int, history []play.Answered) {
		c.Add(a.base, row, history, 1)
	})
}

// play plays games on shares about rows drawn uniformly, and calls each with every game's number, row and answers. flips
// says whether all answers of a game are the opposite of what was thought; nil: none are.
func (a *across) play(t *testing.T, shares []float64, games int, key rng.Key, flips func(m int) bool, each func(m, row int, history []play.Answered)) {
	t.Helper()
	p := a.with(shares)
	policy, err := rival.Parse(p, game.BestIdentification, "information:0.03")
	if err != nil {
		t.Fatal(err)
	}
	g := play.New(p, policy, false)
	for m := range games {
		k := key.At(m)
		stream, record := k.Stream(), play.Record{}
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
			i := play.Draw(probs, k.At(len(record.History)))
			answer := play.No
			if stream.Float64() < a.answers[row*p.Queries()+i] {
				answer = play.Yes
			}
			if flips != nil && flips(m) {
				answer = play.OfHalves(-answer.Halves())
			}
			record.History = append(record.History, play.Answered{Query: i, Answer: answer})
		}
		each(m, row, record.History)
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
	policy, err := rival.Parse(p, game.BestIdentification, "information:0.03")
	if err != nil {
		t.Fatal(err)
	}
	truth := a.with(a.answers)
	e, err := sim.Play{P: p, Policy: policy}.Average(t.Context(), game.DrawShares(truth, 0), games, key, game.BestIdentification)
	if err != nil {
		t.Fatal(err)
	}
	return 1 - e[0].Mean
}

var figure = flag.String("figure", "", "a file that TestAcross draws its figures to, with MAPO_LONG")

// TestAcross plays one group's table with another group's answers, learns from the games, and asks how often it is right
// afterwards: in both directions, with a new version every 68 games.
func TestAcross(t *testing.T) {
	if testing.Short() {
		t.Skip("thousands of games")
	}
	seeds, fresh, marks := 1, 600, []int{136, 544, 2176}
	if os.Getenv("MAPO_LONG") != "" {
		seeds, fresh, marks = 3, 4000, []int{0, 68, 136, 272, 544, 1088, 2176}
	}
	var lines []report.Learning
	for _, c := range []struct {
		own, other, name string
		least            map[int]float64
	}{
		{"cross_authors.csv", "cross_leuven.csv", "authors' table", map[int]float64{136: 0.74, 544: 0.85, 2176: 0.92}},
		{"cross_leuven.csv", "cross_authors.csv", "Leuven's table", map[int]float64{136: 0.80, 544: 0.88, 2176: 0.94}},
	} {
		a := load(t, c.own, c.other)
		own := load(t, c.own, c.own).right(t, a.base.P, fresh, rng.New(10))
		t.Logf("%s: before %.3f; its own people %.3f", c.own, a.right(t, a.base.P, fresh, rng.New(9)), own)
		for _, disagreement := range []bool{true, false} {
			mean := a.curve(t, disagreement, marks, seeds, fresh)
			t.Logf("%s: disagreement %v: after %v games right in %.3f", c.own, disagreement, marks, mean)
			if !disagreement {
				continue
			}
			line := report.Learning{Name: c.name, Right: mean, Own: own}
			for k, right := range mean {
				if least := c.least[marks[k]]; right < least-0.05 {
					t.Errorf("%s: after %d games right in %.3f, want %.2f", c.own, marks[k], right, least)
				}
				half := 1.96 * math.Sqrt(right*(1-right)/float64(seeds*fresh))
				line.Lo, line.Hi = append(line.Lo, right-half), append(line.Hi, min(right+half, 1))
			}
			lines = append(lines, line)
		}
	}
	if *figure != "" {
		if err := os.WriteFile(*figure, report.LearningCurve(marks, lines, "Share of games that end right while a table learns from them"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// curve returns how often fresh games are right after so many games played, the mean over seeds.
func (a *across) curve(t *testing.T, disagreement bool, marks []int, seeds, fresh int) []float64 {
	const version = 68
	mean := make([]float64, len(marks))
	for seed := range seeds {
		key := rng.New(uint64(seed))
		counts := learn.NewCounts(a.base)
		for played := 0; ; played += version {
			shares := a.learned(counts, disagreement)
			if k := slices.Index(marks, played); k >= 0 {
				mean[k] += a.right(t, shares, fresh, key.Name("fresh").At(k)) / float64(seeds)
			}
			if played >= marks[len(marks)-1] {
				break
			}
			a.playthrough(t, shares, counts, version, key.Name("play").At(played))
		}
	}
	return mean
}
