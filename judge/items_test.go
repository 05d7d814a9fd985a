package judge_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"mapo/game"
	"mapo/game/sim"
	"mapo/internal/check"
	"mapo/judge"
	"mapo/policy/rival"
	"mapo/rng"
)

// labelled plays a session on items of known classes, and returns by how many of them the recommended model has fewer right than the best.
func labelled(p *game.Problem, policy game.Policy, class []int, r *rand.Rand) float64 {
	l, d := p.Seek.(*game.Labels), p.Queries()
	s := game.States{N: make([]float32, d), S: make([]float32, d), Mask: make([]bool, d), Left: []float32{float32(p.T)}}
	probs, left := make([]float32, d), make([][]int, l.Cells()) // the items of each cell without a label
	for i := range class {
		c := l.CellOfItem(i)
		left[c] = append(left[c], i)
	}
	for range p.T {
		for i := range d {
			s.Mask[i] = len(left[l.CellOf(i)]) == 0
		}
		policy.Probs(probs, s)
		c := l.CellOf(sim.Draw(probs, r.Float32()))
		at := r.IntN(len(left[c]))
		item := left[c][at]
		left[c] = append(left[c][:at:at], left[c][at+1:]...)
		lo, hi := l.Queries(c)
		for i := lo; i < hi; i++ {
			s.N[i]++
			if classOfQuery(l, i) == class[item] {
				s.S[i]++
			} else {
				s.S[i]--
			}
		}
		s.Left[0]--
	}
	choice, right, most := make([]float32, p.Hypotheses()), make([]float64, p.Hypotheses()), 0.
	game.DeciderOf(p, policy).Decide(choice, s)
	for k := range right {
		for i, truth := range class {
			if predictedBy(p, k, l.CellOfItem(i)) == truth {
				right[k]++
			}
		}
		most = max(most, right[k])
	}
	lost := 0.
	for k, share := range choice {
		lost += float64(share) * (most - right[k])
	}
	return lost
}

func classOfQuery(l *game.Labels, i int) int {
	if l.Of == nil {
		return 1
	}
	return int(l.Of[i])
}

func predictedBy(p *game.Problem, k, cell int) int {
	lo, hi := p.Seek.(*game.Labels).Queries(cell)
	for i := lo; i < hi; i++ {
		if p.Says(k)[i] == 1 {
			return classOfQuery(p.Seek.(*game.Labels), i)
		}
	}
	return 0
}

// classes draws the class of each item by theta, [|X|].
func classes(p *game.Problem, theta []float64, r *rand.Rand) []int {
	class := make([]int, len(p.Seek.(*game.Labels).Items))
	for item := range class {
		lo, hi := p.Seek.(*game.Labels).Queries(p.Seek.(*game.Labels).CellOfItem(item))
		u, rest := r.Float64(), map[int]bool{}
		for k := range p.Seek.(*game.Labels).Classes {
			rest[k] = true
		}
		class[item] = -1
		for i := lo; i < hi; i++ {
			delete(rest, classOfQuery(p.Seek.(*game.Labels), i))
			if u -= (1 + theta[i]) / 2; u < 0 && class[item] < 0 {
				class[item] = classOfQuery(p.Seek.(*game.Labels), i)
			}
		}
		for k := range rest { // one that no model predicts: which of them does not matter
			if class[item] < 0 {
				class[item] = k
			}
		}
	}
	return class
}

// shares returns the instance that says the classes of all items.
func shares(p *game.Problem, class []int) []float64 {
	theta := make([]float64, p.Queries())
	for i := range theta {
		c := p.Seek.(*game.Labels).CellOf(i)
		for item := p.Seek.(*game.Labels).Cell[c]; item < p.Seek.(*game.Labels).Cell[c+1]; item++ {
			if class[item] == classOfQuery(p.Seek.(*game.Labels), i) {
				theta[i] += 2 / float64(p.Seek.(*game.Labels).Room(c))
			}
		}
		theta[i]--
	}
	return theta
}

// TestEvalIsSessions: what an evaluation gives of a pool is what sessions of people lose who label its items, each at most once: on
// items of given classes, and on average where classes are drawn by a prior. Sessions are played by a plain loop over items.
func TestEvalIsSessions(t *testing.T) {
	const sessions, evaluated = 2000, 8000
	r := rng.New(11).Rand()
	differs := false
	for n, p := range []*game.Problem{check.Pool(24, 3, 3, 18, false, r), check.Pool(24, 4, 2, 12, false, r), check.Pool(24, 4, 2, 18, true, r)} {
		box := make([]float64, p.Queries())
		p.Anywhere(box, r)
		class := classes(p, box, r)
		theta := shares(p, class)
		for _, name := range []string{"uniform", "uncertainty", "model-selector"} {
			policy, err := rival.Parse(p, game.SimpleRegret, name)
			if err != nil {
				t.Fatal(err)
			}
			agrees := func(what string, mean, half float64, draw func() []int) {
				t.Helper()
				var sum, square float64
				for range sessions {
					lost := labelled(p, policy, draw(), r)
					sum, square = sum+lost, square+lost*lost
				}
				real := sum / sessions
				// The half-width is 1.96 standard errors and a little; 5 of the difference's: a false alarm in two million.
				if far, most := math.Abs(real-mean), 5*math.Hypot(math.Sqrt((square/sessions-real*real)/sessions), half/1.96); far > most {
					t.Errorf("pool %d, %s, %s: an evaluation gives %.4f, sessions %.4f", n, name, what, mean, real)
				}
			}
			play := sim.Play{P: p, Policy: policy, Items: true}
			got, err := judge.Instances(t.Context(), play, [][]float64{theta}, evaluated, rng.New(3))
			if err != nil {
				t.Fatal(err)
			}
			of := got[1].Estimate
			agrees("given classes", of.Mean, (of.Hi-of.Lo)/2, func() []int { return class })

			play.Items = false
			anew, err := judge.Instances(t.Context(), play, [][]float64{theta}, evaluated, rng.New(3))
			if err != nil {
				t.Fatal(err)
			}
			differs = differs || anew[1].Lo > of.Hi

			for _, prior := range []game.Prior{game.Models(p), game.Votes(p)} {
				as, err := judge.Averages(t.Context(), sim.Play{P: p, Policy: policy}, []game.Prior{prior}, evaluated, rng.New(4), game.SimpleRegret)
				if err != nil {
					t.Fatal(err)
				}
				drawn := make([]float64, p.Queries())
				agrees(fmt.Sprint("prior ", prior.Name()), as[0].Mean, (as[0].Hi-as[0].Lo)/2, func() []int {
					prior.Draw(drawn, r)
					return classes(p, drawn, r)
				})
			}
		}
	}
	if !differs {
		t.Error("labels that are drawn anew lose no more on any of these: the test cannot tell the two")
	}
}

// TestRoundedInstances: an instance that is not of whole items is played as one that differs from it by less than an item, the same one
// on average.
func TestRoundedInstances(t *testing.T) {
	r := rng.New(12).Rand()
	for _, p := range []*game.Problem{check.Pool(30, 3, 3, 5, false, r), check.Pool(30, 3, 2, 5, false, r)} {
		theta, got := make([]float64, p.Queries()), make([]float64, p.Queries())
		p.Anywhere(theta, r)
		if p.IsItems(theta) {
			t.Fatal("the instance is of whole items")
		}
		const draws = 20_000
		mean := make([]float64, len(theta))
		for range draws {
			p.RoundItems(got, theta, r)
			if !p.IsItems(got) {
				t.Fatalf("%v is rounded to %v", theta, got)
			}
			for i, v := range got {
				if far := math.Abs(v-theta[i]) / 2 * float64(p.Seek.(*game.Labels).Room(p.Seek.(*game.Labels).CellOf(i))); far >= 1 {
					t.Fatalf("query %d: %v is rounded to %v, by %v items", i, theta[i], v, far)
				}
				mean[i] += v / draws
			}
		}
		for i, v := range mean {
			if math.Abs(v-theta[i]) > 2*5*.5/math.Sqrt(draws) {
				t.Errorf("query %d: %v is rounded to %v on average", i, theta[i], v)
			}
		}
		whole := make([]float64, len(got))
		if p.RoundItems(whole, got, r); check.Farthest(whole, got) > 1e-12 {
			t.Errorf("whole items %v are rounded to %v", got, whole)
		}
	}
}
