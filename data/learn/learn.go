package learn

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"mapo/game/play"
)

// Base is the table that games update.
type Base struct {
	Queries int
	P       []float64 // P(yes), [rows, Queries]
	Kappa   []float64 // how many answers each share counts as, above 0, [rows, Queries]
}

// Rows returns the number of rows.
func (b *Base) Rows() int { return len(b.P) / b.Queries }

// Counts are the answers of games with a truth, in halves of an answer: 2 for yes and no, 1 for probably and probably
// not. The zero value holds none; see [NewCounts].
type Counts struct {
	Yes, No []int64 // [rows, queries]
}

// NewCounts returns counts of no answers for a base table.
func NewCounts(b *Base) *Counts {
	return &Counts{Yes: make([]int64, len(b.P)), No: make([]int64, len(b.P))}
}

// Add counts a game of row times over: 1 adds it, −1 takes it away again. Don't know counts for nothing. It panics where
// the row or a query does not exist.
func (c *Counts) Add(b *Base, row int, answers []play.Answered, times int64) {
	for _, a := range answers {
		if row < 0 || row >= b.Rows() || a.Query < 0 || a.Query >= b.Queries {
			panic(fmt.Sprintf("learn: an answer of row %d to query %d, want %d rows and %d queries", row, a.Query, b.Rows(), b.Queries))
		}
		at := row*b.Queries + a.Query
		halves := a.Answer.Halves()
		c.Yes[at] += times * max(halves, 0)
		c.No[at] += times * max(-halves, 0)
	}
}

// disagreements are the values that a question's share of disagreement may have.
var disagreements = [...]float64{0, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4}

const (
	priorWeight = 8    // answers that the prior of a disagreement counts as
	leastShare  = 0.02 // how far base shares are kept from 0 and 1 where disagreement is inferred
)

// Disagreement writes the posterior mean of each question's share of disagreement between games and base table to dst,
// [queries]. The prior is a Beta of weight 8 whose mean is the mean of p(1−p) over the question's rows: people disagree
// with a table where the table is undecided. Costs O(rows·queries).
func Disagreement(dst []float64, b *Base, c *Counts) {
	for i := range dst {
		dst[i] = disagreement(b, c, i)
	}
}

func disagreement(b *Base, c *Counts, i int) float64 {
	var log evidence
	for at := i; at < len(b.P); at += b.Queries {
		log.add(b.P[at], float64(c.Yes[at])/2, float64(c.No[at])/2)
	}
	prior := priorOf(b.spread(i))
	return posteriorMean(&prior, &log)
}

// evidence is a number for each value that a disagreement may have: its mass, or the log-likelihood of answers.
type evidence [len(disagreements)]float64

// add adds answers to a question in a row whose base share is p.
func (e *evidence) add(p, yes, no float64) {
	if yes == 0 && no == 0 {
		return
	}
	p = min(max(p, leastShare), 1-leastShare)
	for k, share := range disagreements {
		q := (1-2*share)*p + share
		if yes != 0 {
			e[k] += yes * math.Log(q)
		}
		if no != 0 {
			e[k] += no * math.Log(1-q)
		}
	}
}

// posteriorMean returns the mean disagreement under prior × likelihood.
func posteriorMean(prior, log *evidence) float64 {
	top := slices.Max(log[:])
	var mean, total float64
	for k, share := range disagreements {
		w := prior[k] * math.Exp(log[k]-top)
		mean, total = mean+w*share, total+w
	}
	return mean / total
}

// spread returns the mean of p(1−p) over the rows of question i, p kept from 0 and 1.
func (b *Base) spread(i int) float64 {
	sum := 0.
	for at := i; at < len(b.P); at += b.Queries {
		p := min(max(b.P[at], leastShare), 1-leastShare)
		sum += p * (1 - p)
	}
	return sum / float64(b.Rows())
}

// priorOf returns the mass that a Beta of that mean has between the midpoints of neighbouring disagreements, the outermost
// reaching to 0 and 1.
func priorOf(mean float64) (mass evidence) {
	beta := distuv.Beta{Alpha: priorWeight * mean, Beta: priorWeight * (1 - mean)}
	below := 0.
	for k := range mass {
		upTo := 1.
		if k+1 < len(disagreements) {
			upTo = beta.CDF((disagreements[k] + disagreements[k+1]) / 2)
		}
		mass[k], below = upTo-below, upTo
	}
	return mass
}

// Shares writes the learned shares to dst, [rows, queries], from each question's disagreement, [queries]; all of them 0
// leaves that part out. A share without answers to its question and without disagreement stays as it is.
func Shares(dst []float64, b *Base, c *Counts, disagreement []float64) {
	for at, p := range b.P {
		share := disagreement[at%b.Queries]
		yes, no := float64(c.Yes[at])/2, float64(c.No[at])/2
		dst[at] = (b.Kappa[at]*((1-2*share)*p+share) + yes) / (b.Kappa[at] + yes + no)
	}
}
