package rival

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"sync"

	"mapo/game"
	"mapo/policy/decision"
)

// Rivals over a pool of items. They draw an item that is open; those of a cell are as likely.

// drawItem writes to row, [|X|], the distribution of an open item drawn at random from the cells whose value, [cells], is within
// sameValue of the largest; nil: from all.
func drawItem(q game.Questions, row []float32, value []float64, n []float32, mask []bool) {
	q.Open(row, n)
	for i := range row {
		if mask != nil && mask[i] {
			row[i] = 0
		}
	}
	if value != nil {
		most := math.Inf(-1)
		for c, v := range value {
			if lo, _ := q.Columns(c); row[lo] > 0 {
				most = max(most, v)
			}
		}
		for c, v := range value {
			if v < most-sameValue {
				lo, hi := q.Columns(c)
				clear(row[lo:hi])
			}
		}
	}
	var sum float32
	for _, v := range row {
		sum += v
	}
	if sum == 0 {
		panic("rival: no item of the pool is open")
	}
	for i := range row {
		row[i] /= sum
	}
}

// sameValue is how far below the largest value of an item one may be, by rounding, and tie with it.
const sameValue = 1e-9

// Disagreement asks an item on which the classifiers' votes are divided most, by their entropy over the classes, each classifier
// having one vote whatever the labels so far say: query by committee (Dagan and Engelson 1995). Ties are drawn at random.
// O(|X|) a state. It panics where p has no labels.
func Disagreement(p *game.Problem) game.Policy {
	g := &disagreement{p.Questions(), make([]float64, p.Questions().Len())}
	bits, n, d := p.Bits(), p.Hypotheses(), p.Queries()
	for c := range g.entropy {
		lo, hi := g.asks.Columns(c)
		rest := float64(n)
		add := func(votes float64) {
			if votes > 0 {
				share := votes / float64(n)
				g.entropy[c] -= share * math.Log(share)
			}
		}
		for i := lo; i < hi; i++ {
			votes := 0.
			for k := range n {
				votes += float64(bits[k*d+i])
			}
			add(votes)
			rest -= votes
		}
		add(rest) // the first of two classes
	}
	return g
}

type disagreement struct {
	asks    game.Questions
	entropy []float64 // [cells]
}

func (*disagreement) String() string { return "disagreement" }

func (g *disagreement) Probs(dst []float32, s game.States) {
	rows(dst, s, g.asks.Width(), func(row, n, _ []float32, mask []bool) { drawItem(g.asks, row, g.entropy, n, mask) })
}

// ModelSelector returns Model Selector (Okanovic et al. 2025). Of the classifiers it holds p(k) ∝ γ^agreements with the
// labels so far, γ = (1−ε)/ε, and it asks the open item that leaves p the least expected entropy. As published each class
// counts alike in that expectation, those that no classifier predicts too. Ties are drawn at random. It recommends the one
// with the most agreements. ε is in (0, ½). O(|Z||X|) a state. It panics where p has no labels.
func ModelSelector(p *game.Problem, epsilon float64) game.Policy {
	g := &modelSelector{p: p, asks: p.Questions(), epsilon: epsilon, gamma: (1 - epsilon) / epsilon, bits: p.Bits()}
	g.pool.New = func() any {
		return &selectorScratch{
			p: make([]float64, p.Hypotheses()), share: make([]float64, p.Queries()), part: make([]float64, p.Queries()),
			value: make([]float64, p.Questions().Len()),
		}
	}
	return g
}

type modelSelector struct {
	p              *game.Problem
	asks           game.Questions
	epsilon, gamma float64
	bits           []float32 // [|Z|, |X|]
	pool           sync.Pool // of *selectorScratch
}

type selectorScratch struct {
	p           []float64 // of each classifier, [|Z|]
	share, part []float64 // Σ p and Σ p·log p over those that a query's bit is 1 of, [|X|]
	value       []float64 // the entropy expected, negated, [cells]
}

func (g *modelSelector) String() string { return numbered("model-selector", g.epsilon) }

func (g *modelSelector) Probs(dst []float32, s game.States) {
	sc := g.pool.Get().(*selectorScratch)
	defer g.pool.Put(sc)
	rows(dst, s, g.p.Queries(), func(row, n, sum []float32, mask []bool) {
		g.believe(sc.p, n, sum)
		all := g.split(sc)
		for c := range sc.value {
			sc.value[c] = -g.expected(sc, c, all)
		}
		drawItem(g.asks, row, sc.value, n, mask)
	})
}

// rule says what Decide does.
func (*modelSelector) rule() string { return "the classifier that agrees with the most labels" }

// Decide recommends a classifier of the most agreements.
func (g *modelSelector) Decide(dst []float32, s game.States) {
	d, n := g.p.Queries(), g.p.Hypotheses()
	sc := g.pool.Get().(*selectorScratch)
	defer g.pool.Put(sc)
	for b := range s.Len(d) {
		g.believe(sc.p, s.N[b*d:(b+1)*d], s.S[b*d:(b+1)*d])
		row, tie := dst[b*n:(b+1)*n], float32(0)
		most := slices.Max(sc.p)
		for k, p := range sc.p {
			if row[k] = 0; p >= most*(1-sameValue) {
				row[k] = 1
				tie++
			}
		}
		for k := range row {
			row[k] /= tie
		}
	}
}

// believe writes p of each classifier to dst, [|Z|]. Agreements are counted up to what all classifiers share.
func (g *modelSelector) believe(dst []float64, n, s []float32) {
	d, log := len(n), math.Log(g.gamma)/g.asks.Tells()
	most := math.Inf(-1)
	for k := range dst {
		dst[k] = 0
		for i, sum := range s {
			dst[k] += float64(g.bits[k*d+i]) * float64(sum) * log
		}
		most = max(most, dst[k])
	}
	total := 0.
	for k, v := range dst {
		dst[k] = math.Exp(v - most)
		total += dst[k]
	}
	for k := range dst {
		dst[k] /= total
	}
}

// split fills in what the queries divide p into, and returns Σ p·log p.
func (g *modelSelector) split(sc *selectorScratch) (all float64) {
	clear(sc.share)
	clear(sc.part)
	d := len(sc.share)
	for k, p := range sc.p {
		if p == 0 {
			continue
		}
		part := p * math.Log(p)
		all += part
		for i, bit := range g.bits[k*d : (k+1)*d] {
			sc.share[i] += float64(bit) * p
			sc.part[i] += float64(bit) * part
		}
	}
	return all
}

// expected returns the entropy of p after the label of an item of cell c, the mean over all classes.
func (g *modelSelector) expected(sc *selectorScratch, c int, all float64) float64 {
	lo, hi := g.asks.Columns(c)
	classes := g.asks.Classes(c)
	if g.asks.Tells() == 1 { // one column stands for both classes
		return (g.after(sc.share[lo], sc.part[lo], all) + g.after(1-sc.share[lo], all-sc.part[lo], all)) / 2
	}
	sum := -all * float64(classes-(hi-lo))
	for i := lo; i < hi; i++ {
		sum += g.after(sc.share[i], sc.part[i], all)
	}
	return sum / float64(classes)
}

// after returns the entropy of p after a label with which classifiers of so much of p agree, of which part is Σ p·log p, of all of them
// all.
func (g *modelSelector) after(share, part, all float64) float64 {
	total := 1 + (g.gamma-1)*share
	return math.Log(total) - (all+(g.gamma-1)*part+g.gamma*math.Log(g.gamma)*share)/total
}

// publishedEpsilon is Model Selector's where none is given.
const publishedEpsilon = 0.46

func parseModelSelector(p *game.Problem, name, rest string, has bool) (recipe, error) {
	epsilon := publishedEpsilon
	if has {
		v, err := strconv.ParseFloat(rest, 64)
		if err != nil || !(v > 0 && v < 0.5) {
			return recipe{}, fmt.Errorf("policy %q: ε must be a number in (0, 0.5), such as model-selector:0.46", name)
		}
		epsilon = v
	}
	if err := familyOf(p).pools; err != nil {
		return recipe{}, fmt.Errorf("policy %q %w", name, err)
	}
	return recipe{numbered("model-selector", epsilon), "", func() (game.Policy, error) { return ModelSelector(p, epsilon), nil }}, nil
}

func parseDisagreement(p *game.Problem, name, _ string, has bool) (recipe, error) {
	if has {
		return recipe{}, numberless(name, "disagreement")
	}
	if err := familyOf(p).pools; err != nil {
		return recipe{}, fmt.Errorf("policy %q %w", name, err)
	}
	return recipe{"disagreement", decision.LeastSquares, func() (game.Policy, error) { return Disagreement(p), nil }}, nil
}
