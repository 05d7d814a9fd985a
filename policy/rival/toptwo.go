package rival

import (
	"math"
	"sync"

	"mapo/game"
)

// grid is how many values of an arm's mean the posterior is summed over.
const grid = 256

// mostKept is up to how many pulls of a game the arms' posteriors are kept, 4 KB for each number of successes and failures.
const mostKept = 64

// TopTwo returns top-two Thompson sampling (Russo 2016) as a distribution: with α_i the probability that arm i is the best,
//
//	ψ_i = α_i·(½ + ½ Σ_{j≠i} α_j/(1 − α_j))
//
// so that the arm is drawn as the best one half of the time, and else as the best of the others. α_i = ∫ f_i Π_{j≠i} F_j is
// summed over values of a mean. Of two arms either has ½. With answers of ±1 means have independent uniform priors on [−1, 1],
// and there are 256 values. This costs 3·256·|X| products a state, and above 64 pulls a game as many exponentials. With
// Gaussian answers means have flat priors that no bound cuts off ([gaussianTopTwo]).
func TopTwo(p *game.Problem) game.Policy {
	if sameNoise(p) {
		return gaussianTopTwo(p)
	}
	t := &topTwo{arms: p.Queries(), answers: p.Answer()}
	for n := 0; n <= p.T && p.T <= mostKept; n++ {
		for successes := range n + 1 {
			a := newArmPosterior(grid)
			t.fill(a, float64(n), float64(2*successes-n))
			t.kept = append(t.kept, a)
		}
	}
	t.pool.New = func() any { return newTopTwoScratch(t.arms, grid) }
	return t
}

type topTwo struct {
	arms    int
	answers game.Answer
	kept    []*armPosterior // of n pulls with s successes, at n(n+1)/2 + s; nil: none is kept
	pool    sync.Pool
}

// armPosterior is of one arm, at each value of its mean, the density up to a factor that all arms share, and the probability of
// a lower mean.
type armPosterior struct{ density, below []float64 }

func newArmPosterior(values int) *armPosterior {
	return &armPosterior{density: make([]float64, values), below: make([]float64, values)}
}

type topTwoScratch struct {
	own          []*armPosterior // of the state, where none are kept, [|X|]
	arm          []*armPosterior // [|X|]
	before       []float64       // the weight of a value times the product of below of all arms before this one
	after        [][]float64     // the product of below of this arm and all after it, [|X| + 1]
	best, weight []float64       // α and ψ, [|X|]
}

func newTopTwoScratch(arms, values int) *topTwoScratch {
	sc := &topTwoScratch{
		own: make([]*armPosterior, arms), arm: make([]*armPosterior, arms), after: make([][]float64, arms+1),
		before: make([]float64, values), best: make([]float64, arms), weight: make([]float64, arms),
	}
	for i := range sc.after {
		sc.after[i] = make([]float64, values)
	}
	for i := range sc.own {
		sc.own[i] = newArmPosterior(values)
	}
	return sc
}

// String returns the name in specs and results.
func (*topTwo) String() string { return "top-two" }

// Probs writes ψ, uniform where the mask leaves nothing of it.
func (t *topTwo) Probs(dst []float32, s game.States) {
	sc := t.pool.Get().(*topTwoScratch)
	defer t.pool.Put(sc)
	rows(dst, s, t.arms, func(row, n, sum []float32, mask []bool) {
		t.probabilities(sc, n, sum)
		sc.topTwo()
		proportional(row, sc.weight, mask)
	})
}

// probabilities fills α.
func (t *topTwo) probabilities(sc *topTwoScratch, n, sum []float32) {
	for i := range n {
		sc.arm[i] = t.posterior(sc.own[i], n[i], sum[i])
	}
	sc.summed(sc.arm, grid)
}

// posterior returns an arm's after pulls whose rewards sum to sum, kept or in own.
func (t *topTwo) posterior(own *armPosterior, pulls, sum float32) *armPosterior {
	if n := int(pulls); n*(n+1)/2+n < len(t.kept) {
		return t.kept[n*(n+1)/2+int(pulls+sum)/2]
	}
	t.fill(own, float64(pulls), float64(sum))
	return own
}

// fill works an arm's posterior out.
func (t *topTwo) fill(a *armPosterior, pulls, sum float64) {
	t.likelihoods(a, pulls, sum)
	var total, lower float64
	for _, v := range a.density {
		total += v
	}
	for g := range a.density {
		a.density[g] /= total
		a.below[g] = lower + a.density[g]/2
		lower += a.density[g]
	}
}

// likelihoods fills a.density with the likelihood of each value, the largest 1.
func (t *topTwo) likelihoods(a *armPosterior, pulls, sum float64) {
	top := math.Inf(-1)
	for g := range a.density {
		a.density[g] = t.answers.LogLikelihood((2*float64(g)+1)/grid-1, pulls, sum)
		top = max(top, a.density[g])
	}
	for g, log := range a.density {
		a.density[g] = math.Exp(log - top)
	}
}

// summed fills α from the arms' posteriors at the first so many values.
func (sc *topTwoScratch) summed(arm []*armPosterior, values int) {
	arms, before := len(arm), sc.before[:values]
	for g := range values {
		before[g], sc.after[arms][g] = 1, 1
	}
	for i := arms - 1; i >= 0; i-- {
		after, next, below := sc.after[i][:values], sc.after[i+1][:values], arm[i].below[:values]
		for g, v := range below {
			after[g] = next[g] * v
		}
	}
	var total float64
	for i, a := range arm {
		var mass float64
		after, density, below := sc.after[i+1][:values], a.density[:values], a.below[:values]
		for g, v := range before {
			mass += density[g] * v * after[g]
			before[g] = v * below[g]
		}
		sc.best[i] = mass
		total += mass
	}
	for i := range sc.best {
		sc.best[i] /= total
	}
}

// topTwo fills ψ from α. 1 − α_j is summed over the others, as it may be far below rounding.
func (sc *topTwoScratch) topTwo() {
	clear(sc.weight)
	for j, alpha := range sc.best {
		var rest float64
		for i, v := range sc.best {
			if i != j {
				rest += v
			}
		}
		sc.weight[j] += alpha / 2
		for i, v := range sc.best {
			switch {
			case i == j:
			case rest > 0:
				sc.weight[i] += alpha / 2 * v / rest
			default:
				sc.weight[i] += alpha / 2 / float64(len(sc.best)-1)
			}
		}
	}
}
