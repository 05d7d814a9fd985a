package judge_test

import (
	"math"
	"os"
	"slices"
	"testing"

	"mapo/data/dataset"
	"mapo/game"
	"mapo/game/sim"
	"mapo/policy/decision"
	"mapo/policy/nn"
	"mapo/policy/rival"
	"mapo/rng"
)

// truePool is a drawn pool with the true class of each of its problem's items, and how often each hypothesis is right on all of it.
type truePool struct {
	*game.Problem
	class    []int32
	accuracy []float64
}

// drawPool draws one whose models share errors with a correlation of 0.3 to 0.8 and have accuracies of 0.5 to 0.9.
func drawPool(t *testing.T, items, models, classes, budget int, seed uint64) truePool {
	t.Helper()
	o := dataset.Pool{Items: items, Models: models, Classes: classes, Low: .5, High: .9, Seed: seed}
	o.Correlation = .3 + .5*rng.New(seed).Name("correlation").Rand().Float64()
	drawn, truth, err := o.Generate()
	if err != nil {
		t.Fatal(err)
	}
	made, err := drawn.Problem(dataset.PoolOptions{T: budget})
	if err != nil {
		t.Fatal(err)
	}
	p := truePool{Problem: made.Problem}
	for _, name := range made.Seek.(*game.Labels).Items {
		p.class = append(p.class, truth[slices.Index(drawn.Items, name)])
	}
	for _, model := range made.Model {
		right := 0.
		for i, class := range truth {
			if drawn.Row(i)[model] == class {
				right++
			}
		}
		p.accuracy = append(p.accuracy, right/float64(items))
	}
	return p
}

// lost plays one session to its end, and returns the points of accuracy that it loses after so many labels each.
func (p *truePool) lost(policy game.Policy, after []int, key rng.Key) (points []float64) {
	d, l, r := p.Queries(), p.Seek.(*game.Labels), key.Rand()
	by := game.DeciderOf(p.Problem, policy)
	order := make([][]int, l.Cells()) // in which a cell's items are asked
	for c := range order {
		order[c] = r.Perm(l.Room(c))
	}
	s := game.States{N: make([]float32, d), S: make([]float32, d), Mask: make([]bool, d), Left: []float32{float32(p.T)}}
	probs, choice := make([]float32, d), make([]float32, p.Hypotheses())
	best := slices.Max(p.accuracy)
	for t := range p.T {
		policy.Probs(probs, s)
		cell := l.CellOf(sim.Draw(probs, r.Float32()))
		lo, _ := l.Queries(cell)
		class := p.class[int(l.Cell[cell])+order[cell][int(s.N[lo])]]
		l.Label(s.N, s.S, cell, l.Came(cell, int(class)))
		s.Mask = p.Questions().Mask(s.Mask, s.N)
		s.Left[0]--
		if slices.Contains(after, t+1) {
			by.Decide(choice, s)
			points = append(points, 0)
			for k, share := range choice {
				points[len(points)-1] += 100 * float64(share) * (best - p.accuracy[k])
			}
		}
	}
	return points
}

// TestPoolsOfOthers: weights put on drawn pools of 500 items × 8 models of 4 classes lose at most half a point of accuracy more than Model
// Selector does after 20 and 50 labels. MAPO_POLICY names a policy file; without it the weights are those at which a training of a
// gated network begins. MAPO_LONG=1 draws 200 pools. Both play the same pools, and the seeds are fixed.
func TestPoolsOfOthers(t *testing.T) {
	pools, after := uint64(30), []int{20, 50}
	if os.Getenv("MAPO_LONG") != "" {
		pools = 200
	}
	const sessions = 4 // on each pool
	names := []string{"weights", "model-selector:0.46", "model-selector:0.46+least-squares", "disagreement+posterior", "uniform+posterior"}
	sum, square := make([][2]float64, len(names)), make([][2]float64, len(names))
	for seed := range pools {
		p := drawPool(t, 500, 8, 4, 50, 1000+seed)
		for j, name := range names {
			policy := weights(t, p.Problem)
			if j > 0 {
				var err error
				if policy, err = rival.Parse(p.Problem, game.SimpleRegret, name); err != nil {
					t.Fatal(err)
				}
			}
			var mean [2]float64
			for session := range sessions {
				for m, v := range p.lost(policy, after, rng.New(seed).At(session)) {
					mean[m] += v / sessions
				}
			}
			for m, v := range mean {
				sum[j][m], square[j][m] = sum[j][m]+v, square[j][m]+v*v
			}
		}
	}
	n := float64(pools)
	for j, name := range names {
		for m, labels := range after {
			mean := sum[j][m] / n
			t.Logf("%s, %d labels: %.3f points, ± %.3f", name, labels, mean, 1.96*math.Sqrt((square[j][m]/n-mean*mean)/n))
		}
	}
	for m, labels := range after {
		if more := (sum[0][m] - sum[1][m]) / n; more > .5 {
			t.Errorf("after %d labels the weights lose %.3f points more than %s", labels, more, names[1])
		}
	}
}

// weights is the policy with MAPO_POLICY's weights on p, and its decision.
func weights(t *testing.T, p *game.Problem) game.Policy {
	t.Helper()
	gated := nn.NewGated(p)
	gated.SetGate(0, 15, 0, 0)
	net, by := nn.Net(gated), decision.Votes
	if file := os.Getenv("MAPO_POLICY"); file != "" {
		of, contract, err := nn.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if net, err = nn.Transfer(of, p); err != nil {
			t.Fatal(err)
		}
		by = contract.Decision
	}
	policy, err := decision.With(p, game.SimpleRegret, nn.Policy(p, net), by)
	if err != nil {
		t.Fatal(err)
	}
	return policy
}
