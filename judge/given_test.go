package judge_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"mapo/game"
	"mapo/judge"
	"mapo/policy/nn"
	"mapo/record"
)

func about(mean float64) record.Estimate {
	return record.Estimate{Mean: mean, Lo: mean - 0.003, Hi: mean + 0.003, Confidence: 0.95, Games: 20000}
}

// TestWords: what is given of each kind of answers, as the head of a line and as a sentence, with its interval.
func TestWords(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		g              judge.Given
		answers, words string
	}{
		{judge.Given{Prior: "table", Estimate: about(0.056)},
			"the table’s own answers", "If answers are as the table says: right in 94.4 % [94.1, 94.7] of full games"},
		{judge.Given{Prior: "table+flip:0.1", Estimate: about(0.22)},
			"one answer in ten wrong", "If one answer in ten is wrong: right in 78.0 % [77.7, 78.3] of full games"},
		{judge.Given{Prior: "table+flip:0.25", Estimate: about(0.5)},
			"25 % of the answers wrong", "If 25 % of the answers are wrong: right in 50.0 % [49.7, 50.3] of full games"},
		{judge.Given{Prior: "table+flip:0.05-0.2", Estimate: about(0.5)},
			"5 to 20 % of the answers wrong", "If 5 to 20 % of the answers are wrong: right in 50.0 % [49.7, 50.3] of full games"},
		{judge.Given{Prior: "answers:theirs", Estimate: about(0.5)},
			"the answers of theirs", "With the answers of theirs: right in 50.0 % [49.7, 50.3] of full games"},
		{judge.Given{Prior: "flip:0.8", Estimate: record.Estimate{Mean: 0.5, Lo: nan, Hi: nan}},
			"the prior flip:0.8", "On average over the prior flip:0.8: right in 50.0 % of full games"},
		{judge.Given{Level: 16, Covers: 0.687, Estimate: record.Estimate{Mean: 0.999, Lo: 0.99, Hi: 1.004}},
			"the worst case found, up to r = 16 (69 % of the rows)", "At worst, at difficulty up to 16, which covers 69 % of the table’s rows: right in 0.1 % [0.0, 1.0] of full games"},
		{judge.Given{Level: 11.3137085, Loss: game.SimpleRegret, Estimate: about(0.25)},
			"the worst case found, up to r = 11.31", "At worst, at difficulty up to 11.31: 0.25 [0.247, 0.253] short of the best after full games"},
	} {
		answers, words := strings.ReplaceAll(c.g.Answers(), "\u00a0", " "), strings.ReplaceAll(c.g.Words(), "\u00a0", " ")
		if answers != c.answers || words != c.words {
			t.Errorf("%q, %q; want %q, %q", answers, words, c.answers, c.words)
		}
	}
	early := judge.Given{Prior: "table", Stopping: "confidence:0.95", Estimate: about(0.02)}
	early.Questions = record.Questions{Mean: 13.94, Lo: 13.8, Hi: 14.1}
	if got := early.Words(); !strings.HasSuffix(got, "of games that end once sure to 95\u00a0%, after 13.9 questions on average") {
		t.Errorf("of games that end early: %q", got)
	}
}

// TestHeadline: averages in their order, and of rows the worst case at the lowest level that covers half of them, else at the
// highest; of other hypotheses at the lowest and the highest.
func TestHeadline(t *testing.T) {
	var averages []judge.Given
	for _, prior := range []string{"answers:theirs, worst tenth", "answers:theirs", "table+flip:0.05-0.2", "table+flip:0.1", "flip:0.8", "table"} {
		averages = append(averages, judge.Given{Prior: prior})
	}
	for _, c := range []struct {
		covers []float64
		want   string
	}{
		{[]float64{0.6, 0.9, 1}, "[8]"}, {[]float64{0.1, 0.5, 0.9}, "[16]"}, {[]float64{0, 0.1, 0.2}, "[32]"}, {[]float64{0, 0, 0}, "[8 32]"}, {[]float64{0}, "[8]"}, {nil, "[]"},
	} {
		all := slices.Clone(averages)
		for k := range slices.Backward(c.covers) {
			all = append(all, judge.Given{Level: math.Exp2(float64(3 + k)), Covers: c.covers[k]})
		}
		var priors []string
		levels := []float64{}
		for _, g := range judge.Headline(all) {
			if g.Level > 0 {
				levels = append(levels, g.Level)
				continue
			}
			priors = append(priors, g.Prior)
		}
		if want := []string{"table", "table+flip:0.1", "answers:theirs"}; !slices.Equal(priors, want) || fmt.Sprint(levels) != c.want {
			t.Errorf("levels that cover %v: %q and %v, want %q and %s", c.covers, priors, levels, want, c.want)
		}
	}
}

// TestGivenOf: a policy file gives its averages and its levels, with the games that they are of.
func TestGivenOf(t *testing.T) {
	c := &nn.Contract{
		Loss: game.BestIdentification.String(), Stopping: "confidence:0.9",
		Averages: []nn.Average{{Prior: "table", Wrong: 0.1, Lo: 0.09, Hi: 0.11, Games: 500, Questions: &nn.Questions{Mean: 4, Lo: 3, Hi: 5}}},
		Levels:   []nn.Level{{Worst: record.Worst{Level: 8, Estimate: about(0.4)}, Covers: 0.7}},
	}
	got, err := judge.GivenOf(c)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"If answers are as the table says: right in 90.0 % [89.0, 91.0] of games that end once sure to 90 %, after 4.0 questions on average",
		"At worst, at difficulty up to 8, which covers 70 % of the table’s rows: right in 60.0 % [59.7, 60.3] of games that end once sure to 90 %",
	}
	for i, g := range got {
		if text := strings.ReplaceAll(g.Words(), "\u00a0", " "); len(got) != len(want) || text != want[i] {
			t.Errorf("%d of %d is %q, want %q", i, len(got), text, want[i])
		}
	}
	if c.Loss = "blame"; len(got) == 2 && got[0].Games != 500 {
		t.Errorf("of %d games", got[0].Games)
	}
	if _, err := judge.GivenOf(c); err == nil {
		t.Error("an unknown loss is taken")
	}
}

// TestGivenOfPool: regret on a pool is told in points of accuracy.
func TestGivenOfPool(t *testing.T) {
	all := []judge.Given{
		{Level: 30, Loss: game.SimpleRegret, Pool: 60, Estimate: record.Estimate{Mean: 6, Lo: 5.4, Hi: 6.6}},
		{Level: 20, Loss: game.SimpleRegret, Pool: 60, Estimate: record.Estimate{Mean: 3, Lo: 2.4, Hi: 3.6}},
		{Level: 10, Loss: game.SimpleRegret, Pool: 60, Estimate: record.Estimate{Mean: 1.5, Lo: 1.2, Hi: 1.8}},
		{Prior: "votes", Loss: game.SimpleRegret, Pool: 60, Estimate: record.Estimate{Mean: 0.6, Lo: 0.54, Hi: 0.66}},
		{Prior: "models", Loss: game.SimpleRegret, Pool: 60, Estimate: record.Estimate{Mean: 0.3, Lo: 0.24, Hi: 0.36}},
	}
	want := []string{
		"If one model is right as often as it agrees with the others: 0.50 [0.40, 0.60] points of accuracy short of the best after full games",
		"If classes are as the models vote: 1.00 [0.90, 1.10] points of accuracy short of the best after full games",
		"At worst, at difficulty up to 10: 2.50 [2.00, 3.00] points of accuracy short of the best after full games",
		"At worst, at difficulty up to 30: 10.00 [9.00, 11.00] points of accuracy short of the best after full games",
	}
	var got []string
	for _, g := range judge.Headline(all) {
		got = append(got, strings.ReplaceAll(g.Words(), "\u00a0", " "))
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
