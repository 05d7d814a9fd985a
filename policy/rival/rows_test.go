package rival

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"mapo/game"
	"mapo/internal/check"
	"mapo/policy/nn"
	"mapo/policy/posterior"
)

// table has n rows of random shares over d queries, asked once. With steps above 0 shares are multiples of 1/steps.
func table(n, d, budget, steps int, r *rand.Rand) *game.Problem {
	p := &game.Problem{Name: "table", T: budget, AskOnce: true, X: make([]string, d), Names: make([]string, n), Seek: &game.Shares{}}
	for k := range n {
		p.Names[k] = fmt.Sprint("row ", k)
		p.Seek.(*game.Shares).Weight = append(p.Seek.(*game.Shares).Weight, 1/float64(n))
		for i := range d {
			p.X[i] = fmt.Sprint("query ", i)
			yes := r.Float64()
			if steps > 0 {
				yes = math.Round(yes*float64(steps)) / float64(steps)
			}
			p.Seek.(*game.Shares).Yes = append(p.Seek.(*game.Shares).Yes, yes)
		}
	}
	return p.Grade()
}

// close reports whether got is want to within tolerance.
func close(t *testing.T, what string, got []float32, want []float64, tolerance float64) {
	t.Helper()
	for i, v := range want {
		if math.Abs(float64(got[i])-v) > tolerance {
			t.Fatalf("%s: query %d has probability %v, want %v", what, i, got[i], v)
		}
	}
}

// normal divides weights by their sum over the queries that mask leaves.
func normal(weight []float64, mask []bool) []float64 {
	sum := 0.
	for i, w := range weight {
		if mask[i] {
			weight[i] = 0
			continue
		}
		sum += w
	}
	for i := range weight {
		weight[i] /= sum
	}
	return weight
}

// TestPower: the gains are those of the posterior of a known share of wrong answers, to a power.
func TestPower(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 7))
	wrong := 0.05
	graded := table(30, 20, 15, 0, r)
	graded.Seek.(*game.Shares).Weight = slices.Repeat([]float64{0.05, 0.01, 0.04}, 10)
	bits := random(20, 30, 15, r)
	bits.AskOnce = true
	for _, p := range []*game.Problem{graded, bits} {
		like := *p // with shares, and the share of wrong answers known
		like.Seek = &game.Shares{Wrong: &wrong, Weight: slices.Repeat([]float64{1. / 30}, 30)}
		for _, z := range p.Z {
			like.Seek.(*game.Shares).Yes = append(like.Seek.(*game.Shares).Yes, float64(z))
		}
		if check.Is[*game.Shares](p) {
			like.Seek.(*game.Shares).Yes, like.Seek.(*game.Shares).Weight = p.Seek.(*game.Shares).Yes, p.Seek.(*game.Shares).Weight
		}
		rows := posterior.NewRows(&like)
		s := games(20, 150, 15, true, r)
		for _, k := range []float64{1, 2.5} {
			got := make([]float32, len(s.N))
			Power(p, k).Probs(got, s)
			for b := range 150 {
				one, gain := s.Row(b, 20), make([]float64, 20)
				var belief posterior.Belief
				rows.Believe(&belief, one.N, one.S, nil)
				belief.Gain(gain)
				if slices.Max(gain) < 1e-4 { // its gains are rougher there
					continue
				}
				for i, g := range gain {
					gain[i] = math.Pow(g, k)
				}
				close(t, fmt.Sprint("state ", b), got[b*20:(b+1)*20], normal(gain, one.Mask), 2e-4)
			}
		}
	}
}

// TestPowerKnowsNothing: where no answer tells a row, all queries are alike.
func TestPowerKnowsNothing(t *testing.T) {
	p := table(2, 4, 2, 0, rand.New(rand.NewPCG(1, 1)))
	copy(p.Seek.(*game.Shares).Yes[4:], p.Seek.(*game.Shares).Yes[:4])
	got := make([]float32, 4)
	Power(p.Grade(), 1).Probs(got, game.States{N: make([]float32, 4), S: make([]float32, 4), Mask: []bool{true, false, false, false}})
	close(t, "alike", got, []float64{0, 1. / 3, 1. / 3, 1. / 3}, 1e-6)
}

// TestGradedUncertainty: probabilities are those of how far the best row is from the runner-up.
func TestGradedUncertainty(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 7))
	tied := 0
	for _, p := range []*game.Problem{table(25, 12, 9, 0, r), table(25, 12, 9, 2, r)} {
		s := games(12, 120, 9, true, r)
		got := make([]float32, len(s.N))
		Uncertainty(p).Probs(got, s)
		for b := range 120 {
			one := s.Row(b, 12)
			score := make([]float64, 25)
			for k := range score {
				for i, n := range one.N {
					if n > 0 {
						score[k] -= math.Pow(float64(one.S[i]/n)-float64(p.Row(k)[i]), 2) / 2
					}
				}
			}
			among := func(v float64) (set []int) {
				for k, x := range score {
					if math.Abs(x-v) < 1e-5 {
						set = append(set, k)
					}
				}
				return set
			}
			best, weight := among(slices.Max(score)), make([]float64, 12)
			from := best
			if len(best) == 1 {
				score[best[0]] = math.Inf(-1)
				best = among(slices.Max(score))
			} else {
				tied++
			}
			for i := range weight {
				mean := 0.
				for _, k := range from {
					mean += float64(p.Row(k)[i]) / float64(len(from))
				}
				for _, k := range best {
					weight[i] += math.Abs(float64(p.Row(k)[i]) - mean)
				}
			}
			want := normal(weight, one.Mask)
			if math.IsNaN(want[0]) { // what they differ in was asked
				for i := range want {
					want[i] = 1
				}
				want = normal(want, one.Mask)
			}
			close(t, fmt.Sprint("state ", b), got[b*12:(b+1)*12], want, 1e-5)
		}
	}
	if tied < 20 {
		t.Errorf("only %d states had several best rows", tied)
	}
}

// TestGradedUncertaintyOfBits: a table of zeros and ones is asked what its majorities are, as likely where two
// hypotheses lead.
func TestGradedUncertaintyOfBits(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 7))
	bits := random(14, 20, 9, r)
	bits.AskOnce = true
	rows := *bits
	rows.Seek = &game.Shares{Weight: slices.Repeat([]float64{0.05}, 20)}
	for _, z := range bits.Z {
		rows.Seek.(*game.Shares).Yes = append(rows.Seek.(*game.Shares).Yes, float64(z))
	}
	rows.Grade()
	s := games(14, 200, 9, true, r)
	a, b := make([]float32, len(s.N)), make([]float32, len(s.N))
	Uncertainty(bits).Probs(a, s)
	Uncertainty(&rows).Probs(b, s)
	alike := 0
	for j := range 200 {
		if one := slices.Equal(a[j*14:(j+1)*14], b[j*14:(j+1)*14]); one {
			alike++
		}
	}
	for at := range a {
		if (a[at] > 0) != (b[at] > 0) {
			t.Fatalf("state %d: query %d has %v by majorities, %v by shares", at/14, at%14, a[at], b[at])
		}
	}
	if alike < 30 {
		t.Errorf("only %d of 200 states ask the same", alike)
	}
}

// TestInstant: it asks as a gated network of its weights does, on rows and on majorities.
func TestInstant(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 7))
	bits := random(14, 20, 9, r)
	bits.AskOnce = true
	for _, p := range []*game.Problem{table(25, 14, 9, 0, r), bits} {
		net := nn.NewGated(p)
		net.SetGate(0, -5.57, 0.41, 21.41)
		net.SetGate(1, 1.32, -2.06, 10.15)
		net.SetGate(2, 3.66, 10.47, 11.36)
		g, ok := gatesOf(0.7)
		policy := newInstant(p, 0.7, g)
		if !ok || fmt.Sprint(policy) != "instant:0.7" {
			t.Fatalf("instant:0.7 is %v", policy)
		}
		if has := Network(policy); has == nil || !slices.Equal(has.Params(), net.Params()) {
			t.Errorf("the network of instant:0.7 is %v", has)
		}
		s := games(14, 50, 9, true, r)
		got, want := make([]float32, len(s.N)), make([]float32, len(s.N))
		policy.Probs(got, s)
		nn.Policy(p, net).Probs(want, s)
		if !slices.Equal(got, want) {
			t.Error("instant:0.7 asks otherwise than its weights")
		}
	}
}

// TestRevision: what a session is tied to changes with the weights, whatever the policy recommends by.
func TestRevision(t *testing.T) {
	p := table(5, 4, 3, 0, rand.New(rand.NewPCG(8, 7)))
	bits := thresholds(3, 2)
	revision := func(p *game.Problem, name string) string {
		policy, err := Parse(p, game.BestIdentification, name)
		if err != nil {
			t.Fatal(err)
		}
		return Revision(policy)
	}
	if got, want := revision(p, "instant:0.7+posterior"), " {[-5.57 0.41 21.41] [1.32 -2.06 10.15] [3.66 10.47 11.36]}"; got != want {
		t.Errorf("instant:0.7+posterior is of revision %q, want %q", got, want)
	}
	if of, by := revision(bits, "uncertainty"), revision(p, "uncertainty"); of != "" || by == "" || revision(p, "gain:1") != "" {
		t.Errorf("uncertainty is of revision %q on majorities and %q on rows", of, by)
	}
}

// TestRowsAlone: batches equal their rows, and nothing is allocated.
func TestRowsAlone(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 7))
	p := table(25, 14, 9, 0, r)
	s := games(14, 150, 9, true, r)
	for _, name := range []string{"uncertainty", "gain:1", "gain:3", "instant:0", "instant:0.7", "information:0.1"} {
		policy, err := Parse(p, game.BestIdentification, name)
		if err != nil {
			t.Fatal(err)
		}
		all, row := make([]float32, len(s.N)), make([]float32, 14)
		policy.Probs(all, s)
		for b := range 150 {
			if policy.Probs(row, s.Row(b, 14)); !slices.Equal(row, all[b*14:(b+1)*14]) {
				t.Fatalf("%s: state %d differs alone", name, b)
			}
		}
		if n := testing.AllocsPerRun(20, func() { policy.Probs(all, s) }); n >= 1 && !check.PoolsDrop() {
			t.Errorf("%s: %v allocations a batch", name, n)
		}
	}
}
