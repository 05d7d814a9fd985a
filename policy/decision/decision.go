package decision

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"mapo/game"
	"mapo/internal/names"
	"mapo/policy/posterior"
)

const (
	// LeastSquares is [game.LeastSquares], the paper's ẑ, and the nearest row where a problem has shares.
	LeastSquares = "least-squares"
	// Posterior recommends what costs least in expectation over the Bayes posterior.
	Posterior = "posterior"
	// Votes recommends, of a pool's classifiers, the one with the most agreements with the labels, an item without a label counting
	// for 0.15 of one, with the other classifiers' votes for its class.
	Votes = "votes"
)

// Names lists the decisions.
func Names() []string { return []string{LeastSquares, Posterior, Votes} }

// goals says what decisions are for that not every problem has.
var goals = map[string]string{Posterior: "queries that are not vectors", Votes: "classifiers on a pool of items"}

// Beta is the error rate of the posterior over 𝒵 where a problem has no shares. For identification any gives the same
// decision, as the exponent is the same.
const Beta = 0.1

// With returns policy with the decision of that name, as policy files name it: "" is least squares. The error is [New]'s.
func With(p *game.Problem, loss game.Loss, policy game.Policy, name string) (game.Policy, error) {
	if name == "" {
		return policy, nil
	}
	by, err := New(p, loss, name)
	if err != nil {
		return nil, err
	}
	return game.Deciding(policy, by), nil
}

// Check reports in one line why p has no decision of that name: there is none, or it reads other answers.
func Check(p *game.Problem, name string) error {
	switch {
	case !slices.Contains(Names(), name):
		if near, ok := names.Near(name, Names()); ok {
			return fmt.Errorf("unknown decision %q; did you mean %q?", name, near)
		}
		return fmt.Errorf("unknown decision %q; known are %s", name, strings.Join(Names(), ", "))
	case !slices.Contains(p.Goal().Decisions(), name):
		return fmt.Errorf("decision %s is for %s: write decision: %s", name, goals[name], LeastSquares)
	case !slices.Contains(p.Answer().Decisions(), name):
		return fmt.Errorf("decision %s is for answers of yes and no: write decision: %s", name, LeastSquares)
	}
	return nil
}

// New returns the decision of that name on p. The error is [Check]'s.
//
//   - least-squares: ẑ, the hypothesis nearest to the answers over the queries asked
//   - posterior: the hypothesis of the least expected loss by the posterior
//   - votes: of classifiers, the one that agrees with the most labels; an item without one counts
//     0.15 by the others' votes
//
// Over rows the posterior is of pairs of a row and a share ε of wrong answers, in {0, 0.05, 0.1,
// 0.2, 0.3} with prior {0.3, 0.25, 0.2, 0.15, 0.1}. An answer y has the likelihood ½(1 + y·m), with
// (1 + m)/2 = clip((1−2ε)·p + ε, 0.02, 0.98).
//
// The posterior minimises the expected loss over [posterior.Rows], the rows with the share of wrong answers inferred. Where p
// has no shares it is over 𝒵 with the error rate 0.1. For identification it recommends the hypothesis of the largest
// posterior, for regret the one of the best score at the posterior's mean θ. Ties share the probability. Costs
// O(|Z|·(queries asked)) a state, and O(|Z||X|) more for regret.
func New(p *game.Problem, loss game.Loss, name string) (game.Decider, error) {
	switch err := Check(p, name); {
	case err != nil:
		return nil, err
	case name == LeastSquares:
		return game.LeastSquares(p), nil
	case name == Votes:
		return newVotes(p), nil
	}
	rows := posterior.Of(p)
	if rows != nil && loss == game.BestIdentification {
		return rows, nil
	}
	return newBayes(p, loss, rows), nil
}

// bayes decides by a posterior over hypotheses.
type bayes struct {
	p     *game.Problem
	loss  game.Loss
	rows  *posterior.Rows      // of a problem with shares
	votes *posterior.Posterior // of one without
	means []float32            // θ of each hypothesis, [|Z|, |X|]
	pool  sync.Pool            // of *bayesScratch
}

type bayesScratch struct {
	belief posterior.Belief
	weight []float32 // [|Z|]
	theta  []float64 // [|X|]
	value  []float64 // [|Z|]
	lead   []int
}

func newBayes(p *game.Problem, loss game.Loss, rows *posterior.Rows) *bayes {
	b := &bayes{p: p, loss: loss, rows: rows, means: p.Z}
	if rows == nil {
		b.votes, b.means = posterior.New(p, Beta), slices.Clone(p.Bits())
		others := float32(p.Questions().Classes(0) - 1)
		for at, z := range b.means {
			if b.means[at] = 1 - 2*Beta; z == 0 {
				b.means[at] = 2*Beta/others - 1
			}
		}
	}
	b.pool.New = func() any {
		n := p.Hypotheses()
		return &bayesScratch{weight: make([]float32, n), theta: make([]float64, p.Queries()), value: make([]float64, n)}
	}
	return b
}

// Decide writes the distributions over ties.
func (b *bayes) Decide(dst []float32, s game.States) {
	sc := b.pool.Get().(*bayesScratch)
	defer b.pool.Put(sc)
	d, n := b.p.Queries(), b.p.Hypotheses()
	for at := range s.Len(d) {
		one := s.Row(at, d)
		b.believe(sc, one)
		row := dst[at*n : (at+1)*n]
		clear(row)
		b.lead(sc, one.Out)
		for _, k := range sc.lead {
			row[k] = 1 / float32(len(sc.lead))
		}
	}
}

// lead lists the hypotheses that cost least by the posterior, up to rounding, of those that are not ruled out, or of all where
// none is left.
func (b *bayes) lead(sc *bayesScratch, out []bool) {
	sc.lead = sc.lead[:0]
	none := !slices.Contains(out, false)
	for k := range sc.weight {
		if none || !out[k] {
			sc.lead = append(sc.lead, k)
		}
	}
	if b.loss == game.BestIdentification {
		most := float32(0)
		for _, k := range sc.lead {
			most = max(most, sc.weight[k])
		}
		least := most * (1 - Rounding)
		sc.lead = slices.DeleteFunc(sc.lead, func(k int) bool { return sc.weight[k] < least })
		return
	}
	b.score(sc)
	top := math.Inf(-1)
	for _, k := range sc.lead {
		top = max(top, sc.value[k])
	}
	sc.lead = slices.DeleteFunc(sc.lead, func(k int) bool { return sc.value[k] < top-Rounding*max(1, math.Abs(top)) })
}

// Rounding is how far below the best, as a share of it, counts as equal.
const Rounding = 1e-5

// believe works out the posterior after one state's answers.
func (b *bayes) believe(sc *bayesScratch, s game.States) {
	if b.rows == nil {
		b.votes.Weights(sc.weight, s.S)
		return
	}
	b.rows.Believe(&sc.belief, s.N, s.S, s.Out)
	for k, w := range sc.belief.Weight {
		sc.weight[k] = float32(w)
	}
}

// score works out the hypotheses' scores at the posterior's mean θ.
func (b *bayes) score(sc *bayesScratch) {
	d := len(sc.theta)
	clear(sc.theta)
	for k, w := range sc.weight {
		if w == 0 {
			continue
		}
		for i, m := range b.means[k*d : (k+1)*d] {
			sc.theta[i] += float64(w * m)
		}
	}
	in := game.Instance{Value: sc.value}
	b.p.Fill(&in, sc.theta)
}
