package judge

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"mapo/game"
	"mapo/policy/nn"
	"mapo/policy/stopping"
	"mapo/record"
)

// Given is how well a policy does where answers are of one kind: an average over a prior, or the worst case at a level. Its
// methods are the words in which reports, policy files and pages say so.
type Given struct {
	Prior    string  // of an average; "" of a worst case
	Level    float64 // of a worst case
	Covers   float64 // of a worst case: the share of a table's rows that the level covers; 0 where hypotheses are not rows
	Loss     game.Loss
	Pool     float64 // how many items a pool has; 0: there is none. A regret is then told in points of accuracy
	Stopping string  // the rule by which the games ended early, by its name; "": they had all their answers
	record.Estimate
}

// Priors of a pool.
const (
	ofModels = "models"
	ofVotes  = "votes"
)

// tenFlipped is the prior of a table's rows with one answer in ten flipped.
const tenFlipped = "table+flip:0.1"

// GivenOf returns what a policy file says of its policy, averages first. The error is that of an unknown loss.
func GivenOf(c *nn.Contract) (out []Given, err error) {
	loss, err := game.ParseLoss(c.Loss)
	if err != nil {
		return nil, err
	}
	for _, a := range c.Averages { // they are of identification
		g := Given{Prior: a.Prior, Loss: game.BestIdentification, Stopping: c.Stopping, Estimate: record.Estimate{Mean: a.Wrong, Lo: a.Lo, Hi: a.Hi, Games: a.Games}}
		if a.Questions != nil {
			g.Questions = record.Questions(*a.Questions)
		}
		out = append(out, g)
	}
	pool, unit := 0.0, 1.0
	if c.Problem != nil {
		pool, unit = c.Problem.Pooled(), loss.Unit(c.Problem)
	}
	for _, l := range c.Levels {
		out = append(out, Given{Level: l.Level, Covers: l.Covers, Loss: loss, Pool: pool, Stopping: c.Stopping, Estimate: l.Estimate.Times(unit)})
	}
	return out, nil
}

// Headline returns what a reader should know first of all that is given. First come the averages: with the table's own answers,
// with one in ten wrong, with other sources' answers, over the priors of a pool. Then come worst cases: of rows at the lowest
// level that covers half of them, else at the highest; of others at the lowest and the highest level.
func Headline(all []Given) []Given {
	var out, worst []Given
	keep := func(is func(prior string) bool) {
		for _, g := range all {
			if g.Level == 0 && is(g.Prior) {
				out = append(out, g)
			}
		}
	}
	keep(func(prior string) bool { return prior == "table" })
	keep(func(prior string) bool { return prior == tenFlipped })
	keep(func(prior string) bool { return prior == ofModels })
	keep(func(prior string) bool { return prior == ofVotes })
	keep(func(prior string) bool {
		return strings.HasPrefix(prior, game.PeopleOf) && !strings.HasSuffix(prior, game.WorstTenth)
	})
	for _, g := range all {
		if g.Level > 0 {
			worst = append(worst, g)
		}
	}
	slices.SortStableFunc(worst, func(a, b Given) int { return cmp.Compare(a.Level, b.Level) })
	ofRows := slices.ContainsFunc(worst, func(g Given) bool { return g.Covers > 0 })
	for i, g := range worst {
		last := i == len(worst)-1
		if last || g.Covers >= 0.5 || !ofRows && i == 0 {
			out = append(out, g)
		}
		if g.Covers >= 0.5 {
			break
		}
	}
	return out
}

// Answers says what the answers are, for the head of a line: "one answer in ten wrong".
func (g Given) Answers() string {
	head, _ := g.phrases()
	return head
}

// Case says the same as the beginning of a sentence: "If one answer in ten is wrong".
func (g Given) Case() string {
	_, begin := g.phrases()
	return begin
}

// phrases returns both.
func (g Given) phrases() (head, begin string) {
	source, people := strings.CutPrefix(g.Prior, game.PeopleOf)
	share, flipped := flippedShare(g.Prior)
	switch {
	case g.Level > 0:
		head = fmt.Sprintf("the worst case found, up to r\u00a0=\u00a0%.4g", g.Level)
		begin = fmt.Sprintf("At worst, at difficulty up to %.4g", g.Level)
		if g.Covers > 0 {
			head += fmt.Sprintf(" (%.0f\u00a0%% of the rows)", 100*g.Covers)
			begin += fmt.Sprintf(", which covers %.0f\u00a0%% of the table’s rows", 100*g.Covers)
		}
		return head, begin
	case g.Prior == "table":
		return "the table’s own answers", "If answers are as the table says"
	case g.Prior == tenFlipped:
		return "one answer in ten wrong", "If one answer in ten is wrong"
	case g.Prior == ofModels:
		return "one model right at its rate of agreement with the others", "If one model is right as often as it agrees with the others"
	case g.Prior == ofVotes:
		return "classes as the models vote", "If classes are as the models vote"
	case flipped:
		return share + " of the answers wrong", "If " + share + " of the answers are wrong"
	case people:
		return "the answers of " + source, "With the answers of " + source
	}
	return "the prior " + g.Prior, "On average over the prior " + g.Prior
}

// flippedShare returns the share of wrong answers that a prior over a table's rows names, in words.
func flippedShare(prior string) (text string, ok bool) {
	text, ok = strings.CutPrefix(prior, "table+flip:")
	if !ok {
		return "", false
	}
	var parts []string
	for part := range strings.SplitSeq(text, "-") {
		share, err := strconv.ParseFloat(part, 64)
		if err != nil {
			return "", false
		}
		parts = append(parts, fmt.Sprintf("%.3g", 100*share))
	}
	return strings.Join(parts, " to ") + "\u00a0%", true
}

// Amount returns the loss with its interval: of identification as the share of games that end right, "94.4 % [94.1, 94.7]", of regret on
// a pool in points of accuracy, "0.84 [0.60, 1.10] points".
func (g Given) Amount() string {
	if g.inPoints() {
		point := 100 / g.Pool
		return fmt.Sprintf("%.2f [%.2f,\u00a0%.2f]\u00a0points", g.Mean*point, g.Lo*point, g.Hi*point)
	}
	mean, lo, hi, format, unit := g.Mean, g.Lo, g.Hi, "%.3g", ""
	if g.Loss == game.BestIdentification {
		right := func(wrong float64) float64 { return 100 * max(0, min(1-wrong, 1)) } // an interval may pass 0 and 1
		mean, lo, hi, format, unit = right(g.Mean), right(g.Hi), right(g.Lo), "%.1f", "\u00a0%"
	}
	text := fmt.Sprintf(format, mean) + unit
	if math.IsNaN(lo) || math.IsNaN(hi) {
		return text
	}
	return text + fmt.Sprintf(" ["+format+",\u00a0"+format+"]", lo, hi)
}

// Does says how well the policy does: "right in 94.4 % [94.1, 94.7]".
func (g Given) Does() string {
	if g.Loss == game.BestIdentification {
		return "right in " + g.Amount()
	}
	if g.inPoints() {
		return g.Amount() + " of accuracy short of the best"
	}
	return g.Amount() + " short of the best"
}

// inPoints reports whether the loss is told in points of accuracy.
func (g Given) inPoints() bool { return g.Pool > 0 && g.Loss == game.SimpleRegret }

// Words returns all of it in a sentence without its full stop, with the games that it is of.
func (g Given) Words() string {
	text := g.Case() + ": " + g.Does()
	if g.Loss == game.BestIdentification {
		text += " of " + GamesOf(g.Stopping)
	} else {
		text += " after " + GamesOf(g.Stopping)
	}
	if g.Questions.Hi > 0 {
		text += fmt.Sprintf(", after %.1f questions on average", g.Questions.Mean)
	}
	return text
}

// GamesOf says in words which games end by a rule of stopping, by its name.
func GamesOf(stop string) string {
	if at := stopping.Probability(stop); at > 0 {
		return fmt.Sprintf("games that end once sure to %.4g\u00a0%%", 100*at)
	}
	return "full games"
}
