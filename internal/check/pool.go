package check

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"

	"mapo/game"
)

// Pool returns a pool of some items on which so many random classifiers, no two alike, predict one of some classes.
// Where general is false and there are two classes it is the plain problem, with one query a cell; else with one for
// each class predicted.
func Pool(items, models, classes, budget int, general bool, r *rand.Rand) *game.Problem {
	type cell struct {
		votes []int
		items int
	}
	var cells []*cell
	at := make(map[string]*cell)
	for range items {
		votes := make([]int, models)
		for k := range votes {
			votes[k] = r.IntN(classes)
		}
		votes[r.IntN(models)] = (votes[0] + 1) % classes // mostly not all alike
		if slices.Max(votes) == slices.Min(votes) {
			votes[0] = (votes[0] + 1) % classes
		}
		name := fmt.Sprint(votes)
		if at[name] == nil {
			at[name] = &cell{votes: votes}
			cells = append(cells, at[name])
		}
		at[name].items++
	}
	p := &game.Problem{Name: "pool", T: budget, Seek: &game.Labels{Cell: []int32{0}, Pool: float64(items)}}
	for c := range classes {
		p.Seek.(*game.Labels).Classes = append(p.Seek.(*game.Labels).Classes, "class"+strconv.Itoa(c))
	}
	general = general || classes > 2
	if general {
		p.Seek.(*game.Labels).First = []int32{0}
	}
	var columns [][]float32 // bits of a query
	var weights []float32
	for c, it := range cells {
		for range it.items {
			p.Seek.(*game.Labels).Items = append(p.Seek.(*game.Labels).Items, "item"+strconv.Itoa(len(p.Seek.(*game.Labels).Items)))
		}
		p.Seek.(*game.Labels).Cell = append(p.Seek.(*game.Labels).Cell, int32(len(p.Seek.(*game.Labels).Items)))
		for class := range classes {
			if general && !slices.Contains(it.votes, class) || !general && class == 0 {
				continue
			}
			bits := make([]float32, models)
			for k, vote := range it.votes {
				if vote == class {
					bits[k] = 1
				}
			}
			columns, weights = append(columns, bits), append(weights, float32(it.items))
			p.X = append(p.X, fmt.Sprintf("cell %d %s", c, p.Seek.(*game.Labels).Classes[class]))
			if general {
				p.Seek.(*game.Labels).Of = append(p.Seek.(*game.Labels).Of, int32(class))
				weights[len(weights)-1] /= 2
			}
		}
		if general {
			p.Seek.(*game.Labels).First = append(p.Seek.(*game.Labels).First, int32(len(p.X)))
		}
	}
	var says []float32
	for k := range models {
		p.Names = append(p.Names, "model"+strconv.Itoa(k))
		for i, bits := range columns {
			says, p.Z = append(says, bits[k]), append(p.Z, bits[k]*weights[i])
		}
	}
	if p.Expecting(says).Check() != nil { // two classifiers are alike
		return Pool(items, models, classes, budget, general, r)
	}
	return p
}

// Played is a whole game of a pool.
type Played struct {
	States []game.States // before each question, one row each, and at the end
	Asked  []int         // the query of each
	Prob   float64
}

// Games lists every game that policy may play on an instance of p, which has labels, with its probability. They sum to 1.
func Games(p *game.Problem, policy game.Policy, theta []float64) (all []Played) {
	d := p.Queries()
	var play func(g Played)
	play = func(g Played) {
		now := g.States[len(g.States)-1]
		if len(g.Asked) == p.T {
			all = append(all, g)
			return
		}
		probs := make([]float32, d)
		policy.Probs(probs, now)
		for i, prob := range probs {
			lo, hi := p.Together(i)
			rest := 1.0
			for came := lo; came < hi && prob > 0; came++ {
				share := (1 + theta[came]) / 2
				rest -= share
				if share > 0 {
					play(g.then(p, i, came, float64(prob)*share))
				}
			}
			if prob > 0 && rest > 1e-12 {
				play(g.then(p, i, -1, float64(prob)*rest))
			}
		}
	}
	start := game.States{N: make([]float32, d), S: make([]float32, d), Mask: make([]bool, d), Left: []float32{float32(p.T)}}
	play(Played{States: []game.States{start}, Prob: 1})
	return all
}

// then returns the game after one more answer.
func (g Played) then(p *game.Problem, i, came int, prob float64) Played {
	now := g.States[len(g.States)-1]
	next := game.States{N: slices.Clone(now.N), S: slices.Clone(now.S), Mask: make([]bool, len(now.N)), Left: []float32{now.Left[0] - 1}}
	switch {
	case (p.Questions().Tells() == 2):
		p.Seek.(*game.Labels).Label(next.N, next.S, p.Seek.(*game.Labels).CellOf(i), came)
	case came == i:
		next.N[i], next.S[i] = next.N[i]+1, next.S[i]+1
	default:
		next.N[i], next.S[i] = next.N[i]+1, next.S[i]-1
	}
	next.Mask = p.Questions().Mask(next.Mask, next.N)
	return Played{append(slices.Clone(g.States), next), append(slices.Clone(g.Asked), i), g.Prob * prob}
}

// End returns the state at the end of the game.
func (g Played) End() game.States { return g.States[len(g.States)-1] }

// Lost returns the game's loss with least squares, and its decision, [|Z|].
func (g Played) Lost(p *game.Problem, loss game.Loss, theta []float64) (float64, []float32) {
	decision := make([]float32, p.Hypotheses())
	game.LeastSquares(p).Decide(decision, g.End())
	return loss.Of(p.Instance(theta), decision), decision
}
