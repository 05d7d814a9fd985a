package report

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
)

// piIndex reads the k of π_k from its file's base name, pi-k.
func piIndex(policy string) (int, bool) {
	digits, ok := strings.CutPrefix(policy, "pi-")
	k, err := strconv.Atoi(digits)
	return k, ok && err == nil && k > 0
}

// isPi reports whether a policy is a π_k.
func isPi(policy string) bool { _, pi := piIndex(policy); return pi }

// learned says whether the policy came out of Algorithm 1: π̂ or a π_k. All others are rivals.
func learned(policy string) bool {
	return isPi(policy) || policy == Mapo
}

// rank orders policies the same in every figure and table: π̂, the π_k, then the rivals from the
// simplest on, SGBS by β.
func rank(policy string) (int, float64) {
	if k, ok := piIndex(policy); ok {
		return 1, float64(k)
	}
	if beta, ok := strings.CutPrefix(policy, "sgbs:"); ok {
		b, _ := strconv.ParseFloat(beta, 64)
		return 4, b
	}
	if policy == "information" {
		return 4, 1 // behind every β
	}
	for i, name := range []string{Mapo, "", "uniform", "uncertainty", "sgbs", "bayes-lal"} {
		if policy == name {
			return i, 0
		}
	}
	return 6, 0
}

// comparePolicies compares two policies by rank, ties by name.
func comparePolicies(a, b string) int {
	i, x := rank(a)
	j, y := rank(b)
	return cmp.Or(cmp.Compare(i, j), cmp.Compare(x, y), strings.Compare(a, b))
}

// policies lists the policies of rows in report order.
func policies(rows []Row) []string {
	var out []string
	for _, row := range rows {
		out = append(out, row.Policy)
	}
	slices.SortFunc(out, comparePolicies)
	return slices.Compact(out)
}

// pick returns where every figure and sentence gets its numbers: the rows of one metric under one loss that hold a number to show.
func (run *Run) pick(metric, loss string) []Row {
	return where(run.Rows, func(row Row) bool { return row.Metric == metric && row.Loss == loss && finite(row.Mean) })
}

// where returns the rows that satisfy keep, in their order, in a slice of its own.
func where(rows []Row, keep func(Row) bool) []Row {
	var out []Row
	for _, row := range rows {
		if keep(row) {
			out = append(out, row)
		}
	}
	return out
}

// leveled returns the rows with a finite level, in the order of levels and policies.
func leveled(rows []Row) []Row {
	out := where(rows, func(r Row) bool { return r.Level > 0 && finite(r.Level) })
	slices.SortStableFunc(out, func(a, b Row) int {
		return cmp.Or(cmp.Compare(a.Level, b.Level), comparePolicies(a.Policy, b.Policy))
	})
	return out
}

// levelsOf lists the levels of rows, increasing, each once. Levels are compared exactly: all rows of a
// run copy them from the same ladder.
func levelsOf(rows []Row) []float64 {
	var out []float64
	for _, row := range rows {
		out = append(out, row.Level)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// at finds a policy's row at a level; the first one, if rows of several files were put together.
func at(rows []Row, policy string, r float64) (Row, bool) {
	for _, row := range rows {
		if row.Policy == policy && row.Level == r {
			return row, true
		}
	}
	return Row{}, false
}

// brackets returns every certified minimax row of the run's loss.
func (run *Run) brackets() []Row {
	keep := func(r Row) bool {
		return r.Metric == Minimax && r.Loss == run.Loss && finite(r.Lo) && finite(r.Hi)
	}
	return leveled(where(run.Rows, keep))
}

// flip reads h from the prior flip:h.
func flip(prior string) (float64, bool) {
	text, ok := strings.CutPrefix(prior, "flip:")
	h, err := strconv.ParseFloat(text, 64)
	return h, ok && err == nil && finite(h)
}

// losses returns the run's loss and then the other, the order in which averages are shown.
func (run *Run) losses() []string {
	if run.Loss == SimpleRegret {
		return []string{SimpleRegret, BestIdentification}
	}
	return []string{BestIdentification, SimpleRegret}
}

// lossLabel names a loss on an axis, with its unit. Regret is not normalised (reading 14).
func lossLabel(loss string) string {
	if loss == SimpleRegret {
		return "simple regret, in units of ⟨z, θ⟩"
	}
	return "probability of a wrong answer"
}

// lossName names a loss in a sentence, as the paper does.
func lossName(loss string) string {
	if loss == SimpleRegret {
		return "simple regret"
	}
	return "best identification"
}

// name returns how a figure calls a policy: π_k says which level it was trained for.
func (run *Run) name(policy string) string {
	if k, ok := piIndex(policy); ok && k <= len(run.Levels) {
		return policy + " (r\u00a0=\u00a0" + level(run.Levels[k-1]) + ")"
	}
	return policy
}

// line returns one policy's series over x, with the ring of a π_k at its level. x is a level or an h.
func (run *Run) line(rows []Row, policy string, x func(Row) float64) series {
	own := where(rows, func(r Row) bool { return r.Policy == policy })
	slices.SortStableFunc(own, func(a, b Row) int { return cmp.Compare(x(a), x(b)) })
	s := series{name: run.name(policy), short: policy, style: styleOf(policy)}
	for _, row := range own {
		s.x, s.mean = append(s.x, x(row)), append(s.mean, row.Mean)
		s.lo, s.hi = append(s.lo, row.Lo), append(s.hi, row.Hi)
	}
	if k, ok := piIndex(policy); ok && k <= len(run.Levels) {
		s.ring = run.Levels[k-1]
	}
	return s
}

// family folds all SGBS lines into one band, as the paper draws them; a single β stays a line, and
// so does SGBS with another decision.
func family(all []series) ([]series, []band) {
	var rest, sgbs []series
	for _, s := range all {
		if strings.HasPrefix(s.short, "sgbs:") && !strings.Contains(s.short, "+") {
			sgbs = append(sgbs, s)
		} else {
			rest = append(rest, s)
		}
	}
	if len(sgbs) < 2 { // a band of one is a line
		return all, nil
	}
	first, last := strings.TrimPrefix(sgbs[0].short, "sgbs:"), strings.TrimPrefix(sgbs[len(sgbs)-1].short, "sgbs:")
	b := band{name: "SGBS, β " + first + "–" + last, short: "SGBS", color: green}
	for _, s := range sgbs {
		for i, x := range s.x {
			// Not every β need be there at every x, so the band's own x grow as they come.
			j, found := slices.BinarySearch(b.x, x)
			if !found {
				b.x, b.lo, b.hi = slices.Insert(b.x, j, x), slices.Insert(b.lo, j, s.mean[i]), slices.Insert(b.hi, j, s.mean[i])
			}
			b.lo[j], b.hi[j] = math.Min(b.lo[j], s.mean[i]), math.Max(b.hi[j], s.mean[i])
		}
	}
	return rest, []band{b}
}
