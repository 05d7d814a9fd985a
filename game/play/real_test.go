package play_test

import (
	"cmp"
	"math"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"mapo/data/dataset"
	"mapo/game"
	"mapo/game/play"
	"mapo/policy/rival"
	"mapo/rng"
)

// open is a table's game of information:0.03 over all rows, T = 20, each question at most once.
func open(t *testing.T, path string, o dataset.RowOptions) *play.Game {
	t.Helper()
	raw, err := dataset.ReadTable(path, "")
	if err != nil {
		t.Fatal(err)
	}
	o.T, o.AskOnce = 20, true
	p, _, err := dataset.Rows(raw, o)
	if err != nil {
		t.Fatal(err)
	}
	policy, err := rival.Parse(p, game.BestIdentification, "information:0.03")
	if err != nil {
		t.Fatal(err)
	}
	return play.New(p, policy, false)
}

// end is what a game came to.
type end struct {
	right      bool
	questions  int
	confidence float64
	misfits    bool
	leading    []play.Text // the recommendation and the runners-up
}

// play plays games of rows that prior draws, answered by them, and returns how they ended, in order.
func plays(t *testing.T, g *play.Game, prior game.Prior, stop float64, games int, random bool) []end {
	t.Helper()
	ends := make([]end, games)
	var wg sync.WaitGroup
	for w := range 4 {
		wg.Go(func() {
			theta := make([]float64, g.Problem.Queries())
			for m := w; m < games; m += 4 {
				key := rng.New(11).At(m)
				drawn := prior.Draw(theta, key.Rand())
				if random {
					clear(theta)
				}
				ends[m] = one(t, g, theta, drawn, stop, key)
			}
		})
	}
	wg.Wait()
	return ends
}

func one(t *testing.T, g *play.Game, theta []float64, drawn int, stop float64, key rng.Key) end {
	record, stream := play.Record{Stop: stop}, key.Name("answers").Stream()
	for {
		at, err := g.At(record)
		if err != nil {
			t.Error(err)
			return end{}
		}
		probs, err := at.Probabilities()
		if err != nil {
			t.Fatal(err)
		}
		if probs == nil {
			now := at.Standing(key, 5)
			e := end{now.Recommendation.Index == drawn, len(record.History), *now.Confidence, at.Misfits(key), []play.Text{*now.Recommendation}}
			for _, r := range now.RunnersUp {
				e.leading = append(e.leading, r.Text)
			}
			return e
		}
		i := play.Draw(probs, key.At(len(record.History)))
		answer := play.No
		if stream.Float64() < (1+theta[i])/2 {
			answer = play.Yes
		}
		record.History = append(record.History, play.Answered{Query: i, Answer: answer})
	}
}

// share is that of the games for which is holds.
func share(ends []end, is func(end) bool) float64 {
	n := 0
	for _, e := range ends {
		if is(e) {
			n++
		}
	}
	return float64(n) / float64(len(ends))
}

func isRight(e end) bool { return e.right }

// calibration returns the expected calibration error over ten bins of equal mass.
func calibration(ends []end) float64 {
	ends = slices.Clone(ends)
	slices.SortStableFunc(ends, func(a, b end) int { return cmp.Compare(a.confidence, b.confidence) })
	sum := 0.
	for bin := range 10 {
		part := ends[bin*len(ends)/10 : (bin+1)*len(ends)/10]
		stated := 0.
		for _, e := range part {
			stated += e.confidence
		}
		sum += math.Abs(share(part, isRight)-stated/float64(len(part))) / 10
	}
	return sum
}

// TestAnimals plays the table of examples/ on itself: how often it is right, what it states, when it stops, and what it
// says of answers that no row gives.
func TestAnimals(t *testing.T) {
	games := 1000
	if os.Getenv("MAPO_LONG") != "" {
		games = 20_000
	} else if testing.Short() {
		t.Skip("thousands of games")
	}
	g := open(t, "../../examples/animals.csv", dataset.RowOptions{})
	for _, c := range []struct{ flipped, least, most float64 }{{0, 0.97, 0.06}, {0.05, 0.85, 0.06}, {0.1, 0.7, 0.06}, {0.2, 0.35, 0.08}} {
		ends := plays(t, g, game.DrawShares(g.Problem, c.flipped), 0, games, false)
		right, error := share(ends, isRight), calibration(ends)
		t.Logf("%g flipped: right in %.4f, calibration error %.4f, misfits %.4f", c.flipped, right, error, share(ends, func(e end) bool { return e.misfits }))
		// Four standard errors of chance on both.
		slack := 2 / math.Sqrt(float64(games))
		if right < c.least-slack*math.Sqrt(1-c.least) || error > c.most+slack/2 {
			t.Errorf("%g flipped: right in %.4f, want %.2f; calibration error %.4f, want at most %.2f", c.flipped, right, c.least, error, c.most)
		}
		if misfits := share(ends, func(e end) bool { return e.misfits }); c.flipped == 0 && misfits > 0.02+slack/4 {
			t.Errorf("%.4f of the table's own games are called a misfit, want at most 0.02", misfits)
		}
	}
	ends, questions := plays(t, g, game.DrawShares(g.Problem, 0), 0.95, games, false), 0.
	for _, e := range ends {
		questions += float64(e.questions) / float64(games)
	}
	t.Logf("stopped at 0.95: right in %.4f after %.2f questions", share(ends, isRight), questions)
	if share(ends, isRight) < 0.955 || questions > 14.5+0.4 {
		t.Errorf("stopped at 0.95: right in %.4f after %.2f questions, want 0.97 after 14.5", share(ends, isRight), questions)
	}
	ends = plays(t, g, game.DrawShares(g.Problem, 0), 0, games, true)
	t.Logf("random answers: misfits %.4f", share(ends, func(e end) bool { return e.misfits }))
	if share(ends, func(e end) bool { return e.misfits }) < 0.5 {
		t.Error("less than half of the games with random answers are called a misfit")
	}
}

// TestOther: with a row taken out of the table, its answers bring "none of these" to the recommendation and the five
// runners-up, which is what a reply shows, in about half of the games.
func TestOther(t *testing.T) {
	if testing.Short() {
		t.Skip("hundreds of games")
	}
	raw, err := dataset.ReadTable("../../examples/animals.csv", "")
	if err != nil {
		t.Fatal(err)
	}
	full := raw
	d, found, games := len(full.Queries), 0, 0
	for row := 0; row < len(full.Objects); row++ {
		less := *full
		less.Objects = slices.Delete(slices.Clone(full.Objects), row, row+1)
		less.P = slices.Delete(slices.Clone(full.P), row*d, (row+1)*d)
		less.Lines = full.Lines[1:]
		o := dataset.RowOptions{Other: 0.05}
		o.T, o.AskOnce = 20, true
		p, _, err := dataset.Rows(&less, o)
		if err != nil {
			t.Fatal(err)
		}
		policy, err := rival.Parse(p, game.BestIdentification, "information:0.03")
		if err != nil {
			t.Fatal(err)
		}
		g, theta := play.New(p, policy, false), make([]float64, d)
		for i, yes := range full.Row(row) {
			theta[i] = 2*yes - 1
		}
		for m := range 4 {
			e := one(t, g, theta, -1, 0, rng.New(5).At(row).At(m))
			games++
			if slices.ContainsFunc(e.leading, func(x play.Text) bool { return x.Text == dataset.Other }) {
				found++
			}
		}
	}
	t.Logf("none of these is shown in %d of %d games", found, games)
	// At one half, 200 of 504 are undercut with probability 3e-6.
	if found < 200 {
		t.Errorf("none of these is shown in %d of %d games, want half", found, games)
	}
}

// TestBirdsAndLeuven play real tables, where they are.
func TestBirdsAndLeuven(t *testing.T) {
	folder := os.Getenv("MAPO_DATA")
	if folder == "" {
		t.Skip("MAPO_DATA is not set")
	}
	games := 400
	if os.Getenv("MAPO_LONG") != "" {
		games = 20_000
	} else if testing.Short() {
		t.Skip("hundreds of games")
	}
	for _, c := range []struct {
		file    string
		queries int
		least   float64
	}{{"cub_pyes.csv.gz", 100, 0.5}, {"leuven_animal_pyes.csv.gz", 0, 0.98}} {
		g := open(t, filepath.Join(folder, c.file), dataset.RowOptions{Options: dataset.Options{Select: dataset.Select{Queries: c.queries}}})
		ends := plays(t, g, game.DrawShares(g.Problem, 0), 0, games, false)
		t.Logf("%s: right in %.4f, calibration error %.4f", c.file, share(ends, isRight), calibration(ends))
		if slack := 4 * math.Sqrt(c.least*(1-c.least)/float64(games)); share(ends, isRight) < c.least-slack {
			t.Errorf("%s: right in %.4f, want %.2f", c.file, share(ends, isRight), c.least)
		}
	}
}
