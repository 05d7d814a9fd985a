package rival

import (
	"errors"
	"math"

	"mapo/game"
	"mapo/policy/posterior"
)

// family is which policies suit a kind of problem. The errors say why others do not, of a policy by its name; nil: they do.
type family struct {
	unnamed                          string   // what plays where no policy is named; "": one has to be named
	usual                            []string // whom a run compares with
	arms, vectors, pools, rows, once error
	only                             []string // the kinds that read its games; nil: all
	what                             string   // what the others are told of themselves before these
	graded                           bool     // whether uncertainty goes by what hypotheses are worth, and not by what they expect
	trained                          error    // why [BayesLAL] is not for p; nil: it is
}

var (
	errArms    = errors.New("is for arms, and hypotheses here are not single queries: write problem: {arms: {count: 10}}, or name another")
	errVectors = errors.New("is for queries that are vectors, and this problem has none: write problem: {vectors: {queries: FILE}}, or name another")
	errPools   = errors.New("is for classifiers on a pool of items: write problem: {classifiers: FILE}, or name another")
	errRows    = errors.New("reads the shares of a table's rows and the hypotheses here are majorities; say truth: rows in the spec")
	errTrained = errors.New("is trained where answers are what a hypothesis expects, and vectors expect none: remove it")
	errOnce    = errors.New("counts the answers to a query, and an item of a pool has one: name uniform")
)

// familyOf returns that of p.
func familyOf(p *game.Problem) family {
	f := family{arms: errArms, vectors: errVectors, pools: errPools, rows: errRows, usual: []string{"uniform", "uncertainty", BayesLAL}}
	if sameNoise(p) {
		f.what, f.only = "reads answers of yes and no; with Gaussian ones there are", anyAnswers
	} else {
		f.usual = []string{"uniform", "uncertainty", "sgbs:0.01", "sgbs:0.1", "sgbs:0.3", BayesLAL}
		if posterior.Instances(p) > 0 {
			f.usual = append(f.usual, "information")
		}
	}
	switch p.Goal().(type) {
	case game.Arms:
		f.arms = nil
		f.usual = []string{"uniform", "round-robin", "successive-rejects", "sequential-halving", "top-two", "ugapeb:2", "ucb-e:2", "eb-tc:0.5", BayesLAL}
	case *game.Shares:
		f.rows, f.graded, f.unnamed = nil, true, Untrained
		f.usual = []string{"uniform", "uncertainty", "sgbs:0.1", "gain:1", "instant:0", "instant:0.7", "information:0.03"}
	case *game.Vectors:
		f.vectors, f.what, f.only, f.unnamed, f.trained = nil, "does not read vectors; for queries that are vectors there are", vectorKinds, "linear-top-two:0.5", errTrained
		f.usual = []string{"uniform", "xy-static", "lin-gap-e:1", "linear-top-two", "linear-top-two:0.5"}
	case *game.Labels:
		f.pools, f.once, f.graded, f.unnamed = nil, errOnce, true, "uncertainty"
		f.usual = []string{"uniform", "disagreement", "model-selector:0.46", "model-selector:0.4", "gain:1"}
	}
	return f
}

// BayesLAL is the rival that is trained (App. H).
const BayesLAL = "bayes-lal"

// Usual returns the names of the rivals that a run on p compares with, [BayesLAL] among them.
func Usual(p *game.Problem) []string { return familyOf(p).usual }

// Trained reports why p has no rival that is trained, [BayesLAL].
func Trained(p *game.Problem) error { return familyOf(p).trained }

// sameNoise reports whether answers vary alike whatever their mean is, so that the posteriors of means are normal.
func sameNoise(p *game.Problem) bool {
	a := p.Answer()
	return a.Variance(0) == a.Variance(0.5)
}

// noise returns the standard deviation of an answer, at most: 1 for answers of ±1.
func noise(p *game.Problem) float64 { return math.Sqrt(p.Answer().Variance(0)) }
