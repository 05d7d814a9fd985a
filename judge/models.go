package judge

import (
	"cmp"
	"fmt"
	"slices"

	"mapo/game"
	"mapo/record"
)

// Labelled is a label of an item of a problem's pool.
type Labelled struct {
	Item       int     // an index of [game.Problem.Texts]
	Class      int     // of the answer's names
	Propensity float64 // with which the item was asked for among those without a label; 0: it was not logged
}

// Model is what labels say of a model.
type Model struct {
	Hypothesis int
	Agrees     int             // how many labels it predicts
	Share      float64         // of the recommendation
	Accuracy   record.Estimate // on the pool's items on which models differ; zero where no propensity was logged
}

// Models ranks the models of p, which has labels, the recommended one first: by their share of the decision, then by how many
// labels they predict. floor is the least share of the draws that was uniform over the items without a label; 0: no accuracy is
// estimated. The labels are in the order in which they were drawn, each item once.
func Models(p *game.Problem, by game.Decider, labels []Labelled, floor float64) ([]Model, error) {
	n, s := make([]float32, p.Queries()), make([]float32, p.Queries())
	q := p.Questions()
	for _, l := range labels {
		lo, hi := q.Columns(q.Item(l.Item))
		for i := lo; i < hi; i++ {
			n[i]++
			if q.Class(i) == l.Class {
				s[i]++
			} else {
				s[i]--
			}
		}
	}
	decision := make([]float32, p.Hypotheses())
	by.Decide(decision, game.States{N: n, S: s})
	pool := newPool(p, floor)
	if floor > 0 {
		if err := pool.check(labels); err != nil {
			return nil, err
		}
	}
	out := make([]Model, p.Hypotheses())
	for k := range out {
		out[k] = pool.model(k, labels)
		out[k].Share = float64(decision[k])
	}
	slices.SortStableFunc(out, func(a, b Model) int {
		return cmp.Or(cmp.Compare(b.Share, a.Share), cmp.Compare(b.Agrees, a.Agrees), cmp.Compare(b.Accuracy.Mean, a.Accuracy.Mean))
	})
	return out, nil
}

// poolOf is the items in play.
type poolOf struct {
	Drawn
	p      *game.Problem
	q      game.Questions
	weight []float64   // how many items of the pool stand behind one of a cell, [cells]
	says   [][]int     // the class that each model predicts, [models][cells]
	guess  [][]float64 // the share of the models that predict the same there, [models][cells]
}

func newPool(p *game.Problem, floor float64) *poolOf {
	q := p.Questions()
	pool := &poolOf{Drawn: Drawn{Items: len(p.Texts()), Floor: floor}, p: p, q: q}
	for k := range p.Hypotheses() {
		says := make([]int, q.Len())
		for c := range says {
			says[c] = predicted(p, k, c)
		}
		pool.says, pool.guess = append(pool.says, says), append(pool.guess, make([]float64, len(says)))
	}
	for c, worth := range p.Weights() {
		for k := range pool.says {
			for _, says := range pool.says {
				if says[c] == pool.says[k][c] {
					pool.guess[k][c] += 1 / float64(len(pool.says))
				}
			}
		}
		pool.weight = append(pool.weight, worth/float64(q.Room(c)))
		pool.Weight += worth
		pool.Most = max(pool.Most, pool.weight[c])
	}
	return pool
}

// predicted returns the class that model k predicts in a cell.
func predicted(p *game.Problem, k, cell int) int {
	q := p.Questions()
	lo, hi := q.Columns(cell)
	for i := lo; i < hi; i++ {
		if p.Says(k)[i] == 1 {
			return q.Class(i)
		}
	}
	return 0 // two classes: not the second
}

// check refuses propensities below the floor, those so large that the other items were below it,
// and what is not a probability. Items without a label may have been out of play, but not those
// that got one later.
func (d *poolOf) check(labels []Labelled) error {
	for k, l := range labels {
		if !(l.Propensity <= 1) {
			return fmt.Errorf("label %d, of %q, has propensity %v; it must be a probability", k+1, d.p.Texts()[l.Item], l.Propensity)
		}
		least := d.Floor / float64(d.Items-k)
		if l.Propensity < least*(1-1e-4) {
			return fmt.Errorf("label %d, of %q, has propensity %.3g; with a share of %g of the draws uniform over the %d items without a label it is at least %.3g",
				k+1, d.p.Texts()[l.Item], l.Propensity, d.Floor, d.Items-k, least)
		}
		open := len(labels) - k
		if most := 1 - d.Floor*(1-1/float64(open)); l.Propensity > most+1e-4 {
			return fmt.Errorf("label %d, of %q, has propensity %.3g; with a share of %g of the draws uniform over %d items or more it is at most %.3g",
				k+1, d.p.Texts()[l.Item], l.Propensity, d.Floor, open, most)
		}
	}
	return nil
}

// model returns what the labels say of model k.
func (d *poolOf) model(k int, labels []Labelled) Model {
	out := Model{Hypothesis: k}
	var draws []Drew
	for _, l := range labels {
		c := d.q.Item(l.Item)
		right := d.says[k][c] == l.Class
		if right {
			out.Agrees++
		}
		draws = append(draws, Drew{d.weight[c], l.Propensity, right, d.guess[k][c]})
	}
	if d.Floor == 0 {
		return out
	}
	var guess float64
	for c, g := range d.guess[k] {
		guess += g * d.weight[c] * float64(d.q.Room(c)) / d.Weight
	}
	out.Accuracy = d.Accuracy(draws, guess)
	return out
}
