package report

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"mapo/record"
)

// published is a table of the paper, by the names policies have here.
type published struct {
	title, prior, loss string
	accuracy           bool // in percent, higher is better; else the loss itself
	values             map[string]float64
}

// Tables 1 and 2 of the paper, as printed. π* there is π̂.
var (
	table1 = published{
		title: "Table 1: 20 Questions, accuracy in percent, higher is better", prior: "table", loss: BestIdentification, accuracy: true,
		values: map[string]float64{
			Mapo: 17.9, "sgbs:0.01": 26.5, "sgbs:0.03": 26.2, "sgbs:0.1": 27.2, "sgbs:0.2": 26.5, "sgbs:0.3": 21.4, "sgbs:0.4": 12.8,
			"uncertainty": 14.3, "bayes-lal": 4.1, "uniform": 6.9,
		},
	}
	table2 = published{
		title: "Table 2: Jester, mean regret, lower is better", prior: "users", loss: SimpleRegret,
		values: map[string]float64{
			Mapo: 3.209, "sgbs:0.01": 3.180, "sgbs:0.03": 3.224, "sgbs:0.1": 3.278, "sgbs:0.2": 3.263, "sgbs:0.3": 3.153, "sgbs:0.4": 3.090,
			"uncertainty": 3.027, "bayes-lal": 3.610, "uniform": 3.877,
		},
	}
)

// beside is the page's section on the paper's numbers and words.
type beside struct {
	Text, Title string
	table
	Claims []claim
}

// claim is a sentence of the paper's results and what this run has to it.
type claim struct{ Paper, Here string }

// Beside sets what the paper prints against this run, nil where this is none of its
// experiments.
func (run page) Beside() *beside {
	var b beside
	switch run.Experiment {
	case Thresholds:
		b.Text = "The paper shows this experiment in its Figures 2 to 5, without numbers."
		b.Claims = run.claims(run.closeClaim("2 and 3", "π̂ “performs almost as well as the r-dependent baseline policies over the range of r”"),
			run.failClaim("4"), run.flipClaim())
	case TwentyQ:
		b.values(run.Run, table1)
		b.Claims = run.claims(run.failClaim("6"), run.uncertaintyClaim())
	case Birds:
		b.Text = "These birds stand in for the paper’s 20 Questions: the same kind of table with other contents, so that the order of the methods can be compared, not their numbers."
		b.values(run.Run, table1)
		b.Claims = run.claims(run.failClaim("6"), run.uncertaintyClaim())
	case Jester:
		b.Text = "The paper’s numbers are over 14,116 users and its own 10 clusters. Another start of k-means alone moves them by some ±0.2."
		b.values(run.Run, table2)
		b.Claims = run.claims(run.closeClaim("7", "“our policy alone nearly achieves the r-dependent baseline for all r”"), run.failClaim("7"))
	default:
		return nil
	}
	return &b
}

// values fills in the paper's values beside the run's averages.
func (b *beside) values(run *Run, p published) {
	rows := where(run.pick(Average, p.loss), func(r Row) bool {
		_, known := p.values[r.Policy]
		return known && r.Prior == p.prior
	})
	if len(rows) == 0 {
		return
	}
	slices.SortStableFunc(rows, func(x, y Row) int { return comparePolicies(x.Policy, y.Policy) })
	b.Title, b.Head = p.title, []string{"policy", "the paper", "this run", confidence(rows)}
	for _, row := range rows {
		line := []string{row.Policy, strconv.FormatFloat(p.values[row.Policy], 'f', 3, 64), loss(row.Mean), interval(row.Lo, row.Hi)}
		if p.accuracy {
			line = []string{row.Policy, percentage(p.values[row.Policy]), percentage(100 * (1 - row.Mean)), "[" + percentage(100*(1-row.Hi)) + ", " + percentage(100*(1-row.Lo)) + "]"}
		}
		b.Cells = append(b.Cells, line)
	}
}

// percentage prints with one decimal, as the paper does.
func percentage(v float64) string {
	if !finite(v) {
		return "–"
	}
	return strconv.FormatFloat(v, 'f', 1, 64)
}

// claims leaves out those the run has nothing to say to.
func (run *Run) claims(all ...claim) []claim {
	return slices.DeleteFunc(all, func(c claim) bool { return c.Here == "" })
}

// closeClaim returns how far π̂ stays above the best of all policies.
func (run *Run) closeClaim(figure, paper string) claim {
	c := claim{Paper: "Figure " + figure + ": " + paper + "."}
	var largest Row
	rows := where(leveled(run.pick(Gap, run.Loss)), func(r Row) bool { return r.Policy == Mapo })
	for _, row := range rows {
		if largest.Policy == "" || row.Mean > largest.Mean {
			largest = row
		}
	}
	if len(rows) > 1 {
		c.Here = fmt.Sprintf("mapo’s largest gap over %d levels is %s, at r\u00a0=\u00a0%s.", len(rows), numbers(largest), level(largest.Level))
	}
	return c
}

// failClaim returns the worst case of the deterministic policies at the top level.
func (run *Run) failClaim(figure string) claim {
	c := claim{Paper: "Figure " + figure + ": the deterministic policies, SGBS and Bayes-LAL, fail on worst-case instances."}
	rows := compared(leveled(run.pick(WorstCase, run.Loss)))
	if len(rows) == 0 {
		return c
	}
	top := rows[len(rows)-1].Level
	least, most := math.Inf(1), math.Inf(-1)
	for _, row := range rows {
		if kind, _, _ := strings.Cut(row.Policy, ":"); row.Level == top && kind == "sgbs" {
			least, most = math.Min(least, row.Mean), math.Max(most, row.Mean)
		}
	}
	own, ok := at(rows, Mapo, top)
	if !ok || !finite(least) {
		return c
	}
	c.Here = fmt.Sprintf("At r\u00a0=\u00a0%s the worst case of SGBS is %s to %s", level(top), loss(least), loss(most))
	if bayes, ok := at(rows, "bayes-lal-argmax", top); ok {
		c.Here += ", of Bayes-LAL, argmaxed, " + loss(bayes.Mean)
	}
	c.Here += ", mapo’s " + loss(own.Mean) + "."
	return c
}

// flipClaim returns the order of the averages over P_h.
func (run *Run) flipClaim() claim {
	c := claim{Paper: "Figure 5: averaged over P_h, π̂ is superior to SGBS, Uniform and Uncertainty, and Bayes-LAL is best overall."}
	rows := where(run.pick(Average, run.Loss), func(r Row) bool { _, ok := flip(r.Prior); return ok })
	all, ahead, bayes := 0, 0, 0
	for _, own := range rows {
		if own.Policy != Mapo {
			continue
		}
		all++
		best, beaten := own, true
		for _, row := range rows {
			if row.Prior != own.Prior || learned(row.Policy) && row.Policy != Mapo {
				continue
			}
			if row.Mean < best.Mean {
				best = row
			}
			switch kind, _, _ := strings.Cut(row.Policy, ":"); {
			case strings.Contains(row.Policy, "+"): // another decision than the paper's
			case kind == "sgbs", kind == "uniform", kind == "uncertainty":
				beaten = beaten && own.Mean <= row.Mean
			}
		}
		if beaten {
			ahead++
		}
		if strings.HasPrefix(best.Policy, record.BayesLAL) {
			bayes++
		}
	}
	if all > 0 {
		c.Here = fmt.Sprintf("mapo’s mean is at most that of SGBS, Uniform and Uncertainty at %d of %d h; Bayes-LAL has the least of all at %d.", ahead, all, bayes)
	}
	return c
}

// uncertaintyClaim returns the paper's claim on uncertainty sampling, with its
// worst case here beside π̂'s.
func (run *Run) uncertaintyClaim() claim {
	c := claim{Paper: "Figure 6: “on 20 questions, uncertainty sampling performs remarkably well”."}
	rows := compared(leveled(run.pick(WorstCase, run.Loss)))
	var parts []string
	for _, r := range levelsOf(rows) {
		own, ok := at(rows, Mapo, r)
		other, there := at(rows, "uncertainty", r)
		if ok && there {
			parts = append(parts, fmt.Sprintf("%s against mapo’s %s at r\u00a0=\u00a0%s", loss(other.Mean), loss(own.Mean), level(r)))
		}
	}
	if len(parts) > 0 {
		c.Here = "Its worst case is " + list(parts) + "."
	}
	return c
}
