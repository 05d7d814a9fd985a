package decision_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"mapo/game"
	"mapo/internal/check"
	"mapo/policy/decision"
)

// table has n rows of shares that are multiples of a quarter, so that some tie.
func table(n, d int, r *rand.Rand) *game.Problem {
	p := &game.Problem{Name: "table", T: d, AskOnce: true, X: make([]string, d), Names: make([]string, n), Seek: &game.Shares{}}
	for k := range n {
		p.Names[k] = fmt.Sprint("row ", k)
		p.Seek.(*game.Shares).Weight = append(p.Seek.(*game.Shares).Weight, 1/float64(n))
		for i := range d {
			p.X[i] = fmt.Sprint("query ", i)
			p.Seek.(*game.Shares).Yes = append(p.Seek.(*game.Shares).Yes, float64(r.IntN(5))/4)
		}
	}
	return p.Grade()
}

// states are answers of ask-once games to some of the queries.
func states(b, d int, r *rand.Rand) game.States {
	s := game.States{N: make([]float32, b*d), S: make([]float32, b*d)}
	for j := range b {
		for _, i := range r.Perm(d)[:r.IntN(d+1)] {
			s.N[j*d+i], s.S[j*d+i] = 1, float32(2*r.IntN(2)-1)
		}
	}
	return s
}

// belief is Bayes' rule as it reads: the posterior of each hypothesis, and the θ that each stands for, [|Z|, |X|].
func belief(p *game.Problem, s game.States) (weight []float64, theta [][]float64) {
	d, sum := p.Queries(), 0.
	noise := map[float64]float64{0.1: 1} // ε over 𝒵, and below over rows
	if check.Is[*game.Shares](p) {
		noise = map[float64]float64{0: 0.3, 0.05: 0.25, 0.1: 0.2, 0.2: 0.15, 0.3: 0.1}
	}
	for k := range p.Hypotheses() {
		total, mean := 0., make([]float64, d)
		for e, prior := range noise {
			for i, n := range s.N {
				yes := e + (1-2*e)*float64(p.Row(k)[i])
				if mean[i] = 2*yes - 1; check.Is[*game.Shares](p) {
					share := p.Seek.(*game.Shares).Row(k, d)[i]
					yes, mean[i] = max(0.02, min(0.98, e+(1-2*e)*share)), 2*share-1
				}
				if n > 0 {
					prior *= (1 + float64(s.S[i])*(2*yes-1)) / 2
				}
			}
			total += prior
		}
		if check.Is[*game.Shares](p) {
			total *= p.Seek.(*game.Shares).Weight[k]
		}
		weight, theta, sum = append(weight, total), append(theta, mean), sum+total
	}
	for k := range weight {
		weight[k] /= sum
	}
	return weight, theta
}

// cost is the expected loss of every recommendation by its definition.
func cost(p *game.Problem, loss game.Loss, weight []float64, theta [][]float64) []float64 {
	costs := make([]float64, p.Hypotheses())
	for k, w := range weight {
		var in game.Instance
		p.Fill(&in, theta[k])
		for j := range costs {
			switch {
			case loss == game.SimpleRegret:
				costs[j] += w * (in.Max - in.Value[j])
			case j != k:
				costs[j] += w
			}
		}
	}
	return costs
}

// TestPosteriorCostsLeast: every hypothesis of the least expected loss has the same probability, and no other any, for
// both losses, over rows and over 𝒵.
func TestPosteriorCostsLeast(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 9))
	tied := map[string]int{}
	weighted := table(12, 7, r)
	for k := range weighted.Seek.(*game.Shares).Weight {
		weighted.Seek.(*game.Shares).Weight[k] = float64(1+k) / 78
	}
	for _, p := range []*game.Problem{table(12, 7, r), weighted, check.Thresholds(5, 5)} {
		d, n := p.Queries(), p.Hypotheses()
		s := states(200, d, r)
		for _, loss := range game.Losses() {
			rule, err := decision.New(p, loss, decision.Posterior)
			if err != nil {
				t.Fatal(err)
			}
			got := make([]float32, 200*n)
			rule.Decide(got, s)
			for b := range 200 {
				weight, theta := belief(p, s.Row(b, d))
				costs := cost(p, loss, weight, theta)
				row, least, lead := got[b*n:(b+1)*n], slices.Min(costs), 0
				for _, c := range costs {
					if c < least+1e-7 {
						lead++
					}
				}
				if lead > 1 {
					tied[fmt.Sprint(p.Name, loss)]++
				}
				for k, c := range costs {
					switch {
					case c < least+1e-7 && row[k] != 1/float32(lead):
						t.Fatalf("%s, %v, state %d: hypothesis %d, one of %d that cost least, has probability %v", p.Name, loss, b, k, lead, row[k])
					case c > least+1e-4 && row[k] != 0:
						t.Fatalf("%s, %v, state %d: hypothesis %d costs %v, the least is %v", p.Name, loss, b, k, c, least)
					}
				}
			}
		}
	}
	if len(tied) < 3 {
		t.Errorf("ties were met in %v only", tied)
	}
}

// TestLeastSquares: it is the nearest row over the queries asked, whatever the loss.
func TestLeastSquares(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 9))
	p := table(12, 7, r)
	s := states(200, 7, r)
	for _, loss := range game.Losses() {
		rule, err := decision.New(p, loss, decision.LeastSquares)
		if err != nil {
			t.Fatal(err)
		}
		got := make([]float32, 200*12)
		rule.Decide(got, s)
		for b := range 200 {
			far := make([]float64, 12)
			for k := range far {
				for i, n := range s.N[b*7 : (b+1)*7] {
					if n > 0 {
						far[k] += math.Pow(float64(s.S[b*7+i])-float64(p.Row(k)[i]), 2)
					}
				}
			}
			for k, v := range far {
				if nearest := v < slices.Min(far)+1e-6; nearest != (got[b*12+k] > 0) {
					t.Fatalf("state %d: row %d is at %v, the nearest at %v, and has probability %v", b, k, v, slices.Min(far), got[b*12+k])
				}
			}
		}
	}
}

// TestPosteriorLeavesOut: a hypothesis that was guessed and is wrong is not recommended while there are others, for both losses,
// over rows and over 𝒵.
func TestPosteriorLeavesOut(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 9))
	for _, p := range []*game.Problem{table(12, 7, r), check.Thresholds(6, 6)} {
		for _, loss := range game.Losses() {
			d, n := p.Queries(), p.Hypotheses()
			s := states(50, d, r)
			rule, err := decision.New(p, loss, decision.Posterior)
			if err != nil {
				t.Fatal(err)
			}
			got := make([]float32, 50*n)
			s.Out = make([]bool, 50*n)
			for left := n; left > 0; {
				rule.Decide(got, s)
				left = n
				for b := range 50 {
					out, row := s.Out[b*n:(b+1)*n], got[b*n:(b+1)*n]
					all := !slices.Contains(out, false)
					for k, v := range row {
						if v > 0 && out[k] && !all {
							t.Fatalf("%s, %v, state %d: hypothesis %d is recommended again", p.Name, loss, b, k)
						}
						out[k] = out[k] || v > 0
					}
					if slices.Max(row) == 0 {
						t.Fatalf("%s, %v, state %d: nothing is recommended", p.Name, loss, b)
					}
					left = min(left, count(out, false))
				}
			}
		}
	}
}

func count(list []bool, of bool) (n int) {
	for _, v := range list {
		if v == of {
			n++
		}
	}
	return n
}

// TestDecideAllocatesNothing: after warm-up.
func TestDecideAllocatesNothing(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 9))
	for _, p := range []*game.Problem{table(12, 7, r), check.Thresholds(6, 6)} {
		s := states(20, p.Queries(), r)
		dst := make([]float32, 20*p.Hypotheses())
		rule, err := decision.New(p, game.SimpleRegret, decision.Posterior)
		if err != nil {
			t.Fatal(err)
		}
		if n := testing.AllocsPerRun(20, func() { rule.Decide(dst, s) }); n >= 1 && !check.PoolsDrop() {
			t.Errorf("%s: %v allocations a batch", p.Name, n)
		}
	}
}

func TestUnknownDecision(t *testing.T) {
	_, err := decision.New(check.Thresholds(3, 2), game.BestIdentification, "postrior")
	if want := `unknown decision "postrior"; did you mean "posterior"?`; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}
