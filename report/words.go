package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"mapo/adversary/search"
)

// verdict is one sentence about mapo and its rivals, with the numbers case by case. Kind is better,
// worse or even, from mapo's side.
type verdict struct {
	Kind, Text string
	Cases      []string
}

// promise is one line of the table at the top: mapo's worst case at a level, and the least rival's.
type promise struct{ Level, Mean, Interval, Questions, Rival, RivalMean string }

// Lead says in a sentence or two what the run is about.
func (run page) Lead() string {
	once := ""
	if run.AskOnce {
		once = ", never the same query twice"
	}
	results := "Every result"
	if run.Headline() != nil {
		results = "Every other result"
	}
	return fmt.Sprintf(run.words().Lead+" %[5]s on this page is a loss, the %[6]s: lower is better.",
		thousands(run.asked()), thousands(run.Hypotheses), run.Budget, once, results, run.lossMeaning())
}

// lossMeaning explains the loss where it first appears.
func (run *Run) lossMeaning() string {
	what := run.words().Hypothesis
	if run.Loss == SimpleRegret && run.Pool > 0 {
		return "simple regret (on how many of the pool’s " + thousands(int(run.Pool)) + " items more the best model is right than the one named)"
	}
	if run.Loss == SimpleRegret {
		return "simple regret (by how much the score ⟨z, θ⟩ of the " + what + " named falls short of the best one’s)"
	}
	return "probability of naming a wrong " + what + " (best identification)"
}

// Learned says what the training produced.
func (run page) Learned() []string {
	var names []string
	for _, r := range run.Levels {
		names = append(names, level(r))
	}
	out := []string{fmt.Sprintf("Difficulty r is the paper’s %s(θ): it %s. ", run.measure().Symbol, run.measure().Grows) +
		"mapo is one policy for all difficulties at once. It was trained against an adversary that looks for the instances it " +
		"plays worst."}
	if k := len(names); k > 1 {
		out[0] += fmt.Sprintf(" Its aim: at each of the levels r\u00a0=\u00a0%s, a worst case close to that of a policy trained for that level alone "+
			"(pi-1 to pi-%d, which are its benchmarks).", list(names), k)
	} else if k == 1 {
		out[0] += " This run has the one level r\u00a0=\u00a0" + names[0] + ", so there is nothing to balance."
	}
	if run.Weight > 0 {
		out = append(out, "mapo was not trained for the worst alone but for "+run.objective()+": the trade-off weight under objective: in the spec.")
	}
	if run.LevelsNote != "" {
		out = append(out, run.LevelsNote)
	}
	return out
}

// Promises returns mapo's worst case level by level, beside that of its best rival.
func (run page) Promises() []promise {
	rows := leveled(run.pick(WorstCase, run.Loss))
	var out []promise
	for _, own := range where(rows, func(r Row) bool { return r.Policy == Mapo }) {
		p := promise{Level: level(own.Level), Mean: loss(own.Mean), Interval: interval(own.Lo, own.Hi), Questions: questions(own.Questions), Rival: "none played"}
		if best, ok := run.BestRival(own.Level); ok {
			p.Rival, p.RivalMean = best.Policy, loss(best.Mean)
		}
		out = append(out, p)
	}
	return out
}

// bestRival returns the strongest opponent, and so the one worth a column: the rival with the least mean of rows about one thing.
// Worst cases from short searches are left out, as their bounds are looser.
func bestRival(rows []Row) (best Row, ok bool) {
	for _, row := range compared(rows) {
		if !learned(row.Policy) && (!ok || row.Mean < best.Mean) {
			best, ok = row, true
		}
	}
	return best, ok
}

// compared leaves out what was found by short searches, which may not be set against other policies' worst cases.
func compared(rows []Row) []Row { return where(rows, func(r Row) bool { return !r.Screened() }) }

// BestRival returns the worst case of the rival with the least at a level, without those found by short searches.
func (run *Run) BestRival(level float64) (best Row, ok bool) {
	return bestRival(where(run.pick(WorstCase, run.Loss), func(r Row) bool { return r.Level == level }))
}

// The sentences of this file are all a hurried reader takes away, so each says no more than its rows do:
// "found" for worst cases, the interval beside every number, and no winner where intervals touch.

// Guarantees says what follows from the table of promises, and what a certificate adds.
func (run page) Guarantees() []string {
	var out []string
	top, ok := widestGap(run.pick(Gap, run.Loss))
	switch {
	case ok && len(run.Levels) == 1:
		out = append(out, fmt.Sprintf("mapo’s worst case lies %s %s above the least worst case of every policy of this run.",
			loss(top.Mean), interval(top.Lo, top.Hi)))
	case ok:
		out = append(out, fmt.Sprintf("The cost of one policy for all levels: where it is farthest from the best policy of this run, "+
			"at r\u00a0=\u00a0%s, mapo’s worst case lies %s %s above it.", level(top.Level), loss(top.Mean), interval(top.Lo, top.Hi)))
	}
	for _, b := range run.brackets() {
		out = append(out, run.certified(b))
	}
	return out
}

// widestGap returns mapo's row with the largest gap; ok reports whether it has any.
func widestGap(rows []Row) (top Row, ok bool) {
	for _, row := range leveled(rows) {
		if row.Policy == Mapo && (!ok || row.Mean > top.Mean) {
			top, ok = row, true
		}
	}
	return top, ok
}

// found says how much of the true worst case the search finds where that is known.
func found(s search.Shortfall) string {
	return fmt.Sprintf("On %d games small enough to be solved exactly it found %.3f of the true worst case of trained policies on average, %.3f at least; "+
		"of Uniform %.3f, %.3f at least.", s.Games, s.Mean["trained"], s.Least["trained"], s.Mean["uniform"], s.Least["uniform"])
}

// Limits says what the numbers do not promise.
func (run page) Limits() []string {
	sure := cmp.Or(sureness(run.Rows), "the stated") + " confidence"
	out := []string{
		"A worst case is the worst the search found, replayed on fresh games. It is a lower bound on the true worst case: " +
			"an instance that the search did not find may be worse. " + found(search.Measured()),
		"Each interval has " + sure + ", two-sided and for one number at a time. It covers the chance of the games, not what the search missed.",
	}
	// What ask-once changes is which assumption a real person is likely to break.
	asked, what := run.words().Assumed, "probability"
	switch {
	case run.Pool > 0:
		what = "distribution over the classes"
	case run.Answers != "":
		what = "mean"
	}
	if run.AskOnce {
		asked = "Nothing is known of games in which a query may be repeated."
	}
	if slices.ContainsFunc(run.Rows, Row.Screened) {
		out = append(out, "Of rivals that ask alike and differ in their decision, the one that a short search finds best is searched in full. "+
			"The worst cases of the others are looser lower bounds: in tables they are marked "+ScreenEffort+", and no comparison counts them.")
	}
	if run.NoBracket != "" {
		out = append(out, run.NoBracket)
	}
	out = append(out, "Answers are assumed to be "+cmp.Or(run.Answers, "yes or no")+" and, given the instance, independent of each other, with a "+
		what+" for each "+run.words().Query+" that stays the same for the whole game. "+asked)
	if n := len(run.Levels); n > 0 {
		out = append(out, "Instances harder than r\u00a0=\u00a0"+level(run.Levels[n-1])+" were neither trained on nor searched, and may be worse.")
	}
	if run.Loss == SimpleRegret {
		return append(out, "A small regret means that the "+run.words().Hypothesis+" named is nearly as good as the best, not that it is the best.")
	}
	return append(out, "Best identification counts a nearly right "+run.words().Hypothesis+" as wrong, and says nothing of how wrong a wrong one is.")
}

// Verdicts compares mapo with every rival, level by level and prior by prior, by its rows alone.
func (run page) Verdicts() []verdict {
	rows := compared(leveled(run.pick(WorstCase, run.Loss)))
	var cases []duel
	for _, r := range levelsOf(rows) {
		cases = append(cases, newDuel("r\u00a0=\u00a0"+level(r), where(rows, func(row Row) bool { return row.Level == r })))
	}
	out := sentences(cases, "At r\u00a0=\u00a0%s", "At r\u00a0=\u00a0%s", "worst case")
	for _, kind := range run.losses() {
		averages := run.pick(Average, kind)
		sortAverages(averages)
		cases = nil
		for len(averages) > 0 {
			prior := averages[0].Prior
			own := where(averages, func(row Row) bool { return row.Prior == prior })
			averages = where(averages, func(row Row) bool { return row.Prior != prior })
			cases = append(cases, newDuel(prior, own))
		}
		out = append(out, sentences(cases, "On average over the prior %s", "On average over the priors %s", "mean loss ("+lossName(kind)+")")...)
	}
	if len(out) == 0 {
		out = append(out, verdict{Kind: "even", Text: "This run holds no pair of mapo and a rival to compare."})
	}
	return out
}

// duel is mapo against the rivals on one footing: one level, or one prior.
type duel struct {
	name         string
	own          Row
	found        bool
	ahead, level []Row // rivals that beat mapo, and those the games cannot tell from it
	rivals       int
}

// newDuel sorts the rivals of rows. Only intervals that do not overlap decide; a missing interval never does.
func newDuel(name string, rows []Row) duel {
	d := duel{name: name}
	for _, row := range rows {
		if row.Policy == Mapo {
			d.own, d.found = row, true
		}
	}
	for _, row := range rows {
		if learned(row.Policy) {
			continue
		}
		d.rivals++
		switch { // comparisons with NaN are false, so a missing interval ends undecided
		case row.Hi < d.own.Lo:
			d.ahead = append(d.ahead, row)
		case d.own.Hi < row.Lo: // mapo ahead: nothing to list
		default:
			d.level = append(d.level, row)
		}
	}
	return d
}

// sentences turns duels into words: first where rivals win, then what is undecided, then mapo's wins.
// One and many are formats that name the place of one duel and of several.
func sentences(cases []duel, one, many, what string) []verdict {
	worse, even := verdict{Kind: "worse"}, verdict{Kind: "even"}
	var lost, open, won []string
	for _, d := range cases {
		if !d.found || d.rivals == 0 {
			continue
		}
		if len(d.ahead) > 0 {
			lost = append(lost, d.name)
			worse.Cases = append(worse.Cases, d.against(d.ahead))
		}
		if len(d.level) > 0 {
			open = append(open, d.name)
			even.Cases = append(even.Cases, d.against(d.level))
		}
		if len(d.ahead)+len(d.level) == 0 {
			won = append(won, d.name)
		}
	}
	place := func(names []string) string {
		format := one
		if len(names) > 1 {
			format = many
		}
		for i, name := range names {
			names[i] = strings.TrimPrefix(name, "r\u00a0=\u00a0")
		}
		return fmt.Sprintf(format, list(names))
	}
	var out []verdict
	if len(lost) > 0 {
		worse.Text = fmt.Sprintf("%s a rival does better: its %s is below mapo’s and the intervals do not overlap.", place(lost), what)
		out = append(out, worse)
	}
	if len(open) > 0 {
		even.Text = fmt.Sprintf("%s there is no significant difference between mapo’s %s and that of these rivals.", place(open), what)
		out = append(out, even)
	}
	if len(won) > 0 {
		out = append(out, verdict{Kind: "better", Text: fmt.Sprintf("%s mapo’s %s is below that of every rival; the intervals do not overlap.", place(won), what)})
	}
	return out
}

// against returns a duel's numbers: mapo's, then those of the rivals given.
func (d duel) against(rivals []Row) string {
	return d.name + ": mapo " + numbers(d.own) + ", " + roll(rivals)
}

// roll lists rivals with their numbers, best first. Beyond four only the best three are named: the
// table under the figure has the others.
func roll(rows []Row) string {
	rows = slices.Clone(rows)
	slices.SortStableFunc(rows, func(a, b Row) int {
		return cmp.Or(cmp.Compare(a.Mean, b.Mean), comparePolicies(a.Policy, b.Policy))
	})
	var names []string
	for i, row := range rows {
		if i == 3 && len(rows) > 4 {
			names = append(names, fmt.Sprintf("%d more", len(rows)-3))
			break
		}
		names = append(names, row.Policy+" "+numbers(row))
	}
	return list(names)
}

// numbers returns a row's mean with its interval, or says that it has no interval.
func numbers(row Row) string {
	if math.IsNaN(row.Lo) || math.IsNaN(row.Hi) {
		return loss(row.Mean) + " (no interval)"
	}
	return loss(row.Mean) + " " + interval(row.Lo, row.Hi)
}

// list joins names as in a sentence: a, b and c.
func list(names []string) string {
	if n := len(names); n > 1 {
		return strings.Join(names[:n-1], ", ") + " and " + names[n-1]
	}
	return strings.Join(names, "")
}
