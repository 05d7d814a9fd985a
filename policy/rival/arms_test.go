package rival

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"mapo/game"
	"mapo/game/exact"
	"mapo/internal/check"
)

// one is the probabilities of policy in one state.
func one(policy game.Policy, n, s []float32) []float32 {
	dst := make([]float32, len(n))
	policy.Probs(dst, game.States{N: n, S: s})
	return dst
}

// TestSchedules: by the formulas, worked out by hand.
func TestSchedules(t *testing.T) {
	for _, c := range []struct {
		policy game.Policy
		want   []phase
	}{
		{SuccessiveRejects(check.BestArm(3, 12)), []phase{{3, 2}, {4, 1}}},
		{SuccessiveRejects(check.BestArm(3, 3)), nil},
		{SequentialHalving(check.BestArm(8, 48)), []phase{{2, 4}, {6, 2}, {14, 1}}},
		{SequentialHalving(check.BestArm(5, 45)), []phase{{3, 3}, {8, 2}, {15, 1}}},
		{SequentialHalving(check.BestArm(8, 23)), nil},
	} {
		if got := c.policy.(*elimination).phases; !slices.Equal(got, c.want) {
			t.Errorf("%v has phases %v, want %v", c.policy, got, c.want)
		}
	}
	// Three arms and 12 pulls: 3 + 4 + 4 are planned, and the twelfth is one of the last two arms'.
	policy := SuccessiveRejects(check.BestArm(3, 12))
	if got, want := one(policy, []float32{4, 4, 3}, []float32{2, 0, -3}), []float32{.5, .5, 0}; !slices.Equal(got, want) {
		t.Errorf("the pull that is over goes to %v, want %v", got, want)
	}
}

// remembered plays an elimination as it is published: with the arms that are left in memory, ties broken at random.
type remembered struct {
	phases []phase
	left   []int
	at     int
	r      *rand.Rand
}

func newRemembered(e *elimination, r *rand.Rand) *remembered {
	m := &remembered{phases: e.phases, r: r}
	for i := range e.arms {
		m.left = append(m.left, i)
	}
	return m
}

// next returns the arms to pull from in a state. It may only be told the states of one game in order.
func (m *remembered) next(n, s []float32) []int {
	for m.at < len(m.phases) {
		var due []int
		for _, i := range m.left {
			if int(n[i]) < m.phases[m.at].pulls {
				due = append(due, i)
			}
		}
		if due != nil {
			return due
		}
		m.r.Shuffle(len(m.left), func(a, b int) { m.left[a], m.left[b] = m.left[b], m.left[a] })
		slices.SortStableFunc(m.left, func(a, b int) int { return -cmp.Compare(s[a], s[b]) })
		m.left = m.left[:max(2, m.phases[m.at].keep)]
		m.at++
	}
	least := n[m.left[0]]
	for _, i := range m.left {
		least = min(least, n[i])
	}
	return slices.DeleteFunc(slices.Clone(m.left), func(i int) bool { return n[i] > least })
}

// play plays a game on theta to its end, and calls each before every pull.
func (m *remembered) play(theta []float64, budget int, each func(n, s []float32, due []int)) (n, s []float32) {
	n, s = make([]float32, len(theta)), make([]float32, len(theta))
	for range budget {
		due := m.next(n, s)
		each(n, s, due)
		i := due[m.r.IntN(len(due))]
		n[i]++
		if m.r.Float64() < (1+theta[i])/2 {
			s[i]++
		} else {
			s[i]--
		}
	}
	return n, s
}

// TestEliminationNeedsNoMemory: in every state of its games a policy may pull whatever one may that remembers which arms are left.
func TestEliminationNeedsNoMemory(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, of := range []func(*game.Problem) game.Policy{SuccessiveRejects, SequentialHalving} {
		for range 300 {
			theta := make([]float64, 2+r.IntN(9))
			budget := len(theta) * (2 + r.IntN(6))
			policy := of(check.BestArm(len(theta), budget)).(*elimination)
			newRemembered(policy, r).play(theta, budget, func(n, s []float32, due []int) {
				got, sum := one(policy, n, s), float32(0)
				for _, i := range due {
					if got[i] == 0 {
						t.Fatalf("%v after %v with sums %v: %v, and arm %d is due", policy, n, s, got, i)
					}
				}
				for i, p := range got {
					if sum += p; p > 0 && n[i] >= n[due[0]]+float32(budget) {
						t.Fatalf("%v after %v: %v", policy, n, got)
					}
				}
				if math.Abs(float64(sum)-1) > 1e-5 {
					t.Fatalf("%v after %v with sums %v: probabilities %v sum to %v", policy, n, s, got, sum)
				}
			})
		}
	}
}

// TestEliminationLosesAlike: the loss on an instance is that of the policy with a memory. Many games tie.
func TestEliminationLosesAlike(t *testing.T) {
	theta, r := []float64{.3, .1, -.2, 0}, rand.New(rand.NewPCG(2, 1))
	for _, of := range []func(*game.Problem) game.Policy{SuccessiveRejects, SequentialHalving} {
		p := check.BestArm(4, 9)
		policy := of(p).(*elimination)
		g, err := exact.New(p)
		if err != nil {
			t.Fatal(err)
		}
		want := g.Decided(policy).Flow(policy).Loss(game.BestIdentification, theta)
		check.Mean(t, want, 0, 1, .02, func(dst []float64) {
			for at := range dst {
				m := newRemembered(policy, r)
				n, s := m.play(theta, p.T, func([]float32, []float32, []int) {})
				m.next(n, s)
				var best []int
				for _, i := range m.left {
					switch {
					case best == nil || mean(n, s, i) > mean(n, s, best[0]):
						best = []int{i}
					case mean(n, s, i) == mean(n, s, best[0]):
						best = append(best, i)
					}
				}
				dst[at] = 1
				if slices.Contains(best, 0) {
					dst[at] = 1 - 1/float64(len(best))
				}
			}
		})
	}
}

// TestTopTwoOfTwoArms: either is drawn with ½ whatever was seen.
func TestTopTwoOfTwoArms(t *testing.T) {
	policy := TopTwo(check.BestArm(2, 40))
	for _, c := range [][2][]float32{{{0, 0}, {0, 0}}, {{10, 4}, {8, -4}}, {{20, 20}, {20, -20}}} {
		if got := one(policy, c[0], c[1]); math.Abs(float64(got[0])-.5) > 1e-6 {
			t.Errorf("after %v pulls with sums %v the first of two arms has %v, want ½", c[0], c[1], got[0])
		}
	}
}

// TestTopTwo: α of draws from the Beta posteriors, and ψ by its formula.
func TestTopTwo(t *testing.T) {
	const arms, draws = 4, 200_000
	n, s := []float32{3, 7, 0, 5}, []float32{1, 3, 0, -3}
	r := rand.New(rand.NewPCG(1, 1))
	alpha := make([]float64, arms)
	for range draws {
		best, top := 0, -1.
		for i := range arms {
			// The (a+1)-th least of a+b+1 uniform numbers is Beta(a+1, b+1).
			a, all := int(n[i]+s[i])/2, int(n[i])+1
			order := make([]float64, all)
			for j := range order {
				order[j] = r.Float64()
			}
			slices.Sort(order)
			if v := order[a]; v > top {
				best, top = i, v
			}
		}
		alpha[best] += 1. / draws
	}
	want := make([]float64, arms)
	for i, a := range alpha {
		want[i] = a / 2
		for j, b := range alpha {
			if j != i {
				want[i] += a / 2 * b / (1 - b)
			}
		}
	}
	kept, large := one(TopTwo(check.BestArm(arms, 40)), n, s), one(TopTwo(check.BestArm(arms, 1000)), n, s)
	for i, got := range kept {
		if math.Abs(float64(got)-want[i]) > 0.01 { // 9 standard deviations of α, and what ψ makes of it
			t.Errorf("arm %d is drawn with %v, want %v", i, got, want[i])
		}
	}
	if !slices.Equal(kept, large) {
		t.Errorf("with %d pulls a game arms are drawn with %v, with 40 with %v", 1000, large, kept)
	}
}

// TestArmsPolicies: batches equal single rows, masked arms have no probability, and other problems are refused.
func TestArmsPolicies(t *testing.T) {
	p, r := check.BestArm(5, 20), rand.New(rand.NewPCG(4, 1))
	for _, name := range []string{"successive-rejects", "sequential-halving", "top-two", "ugapeb:2", "ucb-e:1", "eb-tc:0.2"} {
		policy, err := Parse(p, game.BestIdentification, name)
		if err != nil || fmt.Sprint(policy) != name {
			t.Fatalf("Parse(%q) = %v, %v", name, policy, err)
		}
		other, err := Parse(p, game.BestIdentification, name+"+least-squares")
		want := name + "+least-squares"
		if _, own := policy.(*elimination); !own {
			want = name
		}
		if err != nil || fmt.Sprint(other) != want {
			t.Errorf("Parse(%q) = %v, %v, want %s", name+"+least-squares", other, err, want)
		}
		if got, err := Name(p, game.BestIdentification, name+"+least-squares"); err != nil || got != want {
			t.Errorf("Name(%q) = %v, %v, want %s", name+"+least-squares", got, err, want)
		}
		s := games(5, 40, 20, false, r)
		batch := make([]float32, len(s.N))
		policy.Probs(batch, s)
		for b := range s.Len(5) {
			row := make([]float32, 5)
			policy.Probs(row, s.Row(b, 5))
			if !slices.Equal(row, batch[b*5:(b+1)*5]) {
				t.Fatalf("%s: state %d alone gives %v, in a batch %v", name, b, row, batch[b*5:(b+1)*5])
			}
			for i, masked := range s.Row(b, 5).Mask {
				if masked && row[i] != 0 {
					t.Fatalf("%s: arm %d is masked and has %v", name, i, row[i])
				}
			}
		}
		want = fmt.Sprintf("policy %q is for arms, and hypotheses here are not single queries: write problem: {arms: {count: 10}}, or name another", name)
		if _, err := Parse(thresholds(3, 2), game.BestIdentification, name); err == nil || err.Error() != want {
			t.Errorf("Parse(%q) of thresholds: %v, want %s", name, err, want)
		}
	}
}

// TestTopTwoOfGaussianArms: α of draws from the posteriors, normal distributions that the bound does not cut off. Here an arm's
// average is beyond it. An arm without pulls comes first.
func TestTopTwoOfGaussianArms(t *testing.T) {
	const draws = 200_000
	p, r := check.BestArm(3, 20), rand.New(rand.NewPCG(3, 1))
	p.Reply = game.Answers{Sigma: 1, Bound: 2}
	n, s := []float32{4, 2, 1}, []float32{1.3, -.8, 1.2}
	alpha := make([]float64, 3)
	for range draws {
		best, top := 0, math.Inf(-1)
		for i := range alpha {
			if v := (float64(s[i]) + .5*math.Sqrt(float64(n[i]))*r.NormFloat64()) / float64(n[i]); v > top {
				best, top = i, v
			}
		}
		alpha[best] += 1. / draws
	}
	got := one(TopTwo(p), n, s)
	for i, want := range leaderOrChallenger(alpha) {
		if math.Abs(float64(got[i])-want) > 0.01 { // 9 standard deviations of α, and what ψ makes of it
			t.Errorf("arm %d is drawn with %v, want %v", i, got[i], want)
		}
	}
	if got, want := one(TopTwo(p), []float32{4, 0, 0}, []float32{1.3, 0, 0}), []float32{0, .5, .5}; !slices.Equal(got, want) {
		t.Errorf("two arms without pulls: %v, want %v", got, want)
	}
}

// TestMills: the table is Mills' ratio as it reads, and as its bounds 1/(u + 1/u) and 1/u have it where that underflows.
func TestMills(t *testing.T) {
	for u := 0.0; u < 37; u += 0.0137 {
		got := mills(u)
		if want := math.Sqrt(math.Pi/2) * math.Exp(u*u/2) * math.Erfc(u/math.Sqrt2); u < 12 && math.Abs(got-want) > 2e-7*want {
			t.Fatalf("R(%v) is %v, want %v", u, got, want)
		}
		if u >= 12 && !(got > 1/(u+1/u) && got < 1/u) {
			t.Fatalf("R(%v) is %v, beyond its bounds", u, got)
		}
	}
}

// TestFewValues: on Gaussian arms ψ is that of a sum over many values, whatever was drawn.
func TestFewValues(t *testing.T) {
	for _, c := range []struct {
		sigma float64
		n, s  []float32
		why   string
	}{
		{1, []float32{1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, []float32{0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, "all alike"},
		{1, []float32{1, 1, 1, 9, 1}, []float32{0, 0, 0, 7, 0}, "one arm was pulled"},
		{1, []float32{10, 2, 2, 12, 3, 10, 2, 1, 4, 2}, []float32{12.5, 0.7, 0.4, 2.7, -0.1, 13.6, 2, 2.4, 2.8, -2.3}, "means beyond the bound"},
		{2, []float32{9, 8, 8}, []float32{9.7, 6.2, 4.8}, "more noise"},
		{1, []float32{20, 20, 19}, []float32{18, 2, -18}, "one arm is ahead by far"},
		{1, []float32{1, 1, 1}, []float32{20, 3, -25}, "means far beyond"},
		{0.3, []float32{20, 20, 19}, []float32{6, 5, -7}, "little noise"},
		{0.1, []float32{9, 20, 3}, []float32{1, 2.1, 0.2}, "less noise"},
		{1, []float32{900, 1, 2}, []float32{100, .2, -1}, "one arm has nearly all pulls"},
	} {
		p := check.BestArm(len(c.n), 60)
		p.Reply = game.Answers{Sigma: c.sigma, Bound: 1}
		got, want := one(TopTwo(p), c.n, c.s), manyValues(c.sigma, c.n, c.s)
		for i, w := range want {
			if !(math.Abs(float64(got[i])-w) <= 1e-5) {
				t.Errorf("%s: arm %d is drawn with %v, want %v", c.why, i, got[i], w)
			}
		}
	}
	p := check.BestArm(3, 60)
	p.Reply = game.Answers{Sigma: 1, Bound: 1}
	if got := one(TopTwo(p), []float32{1, 1, 1}, []float32{900, 3, -40}); got[0] != .5 || got[1] != .25 {
		t.Errorf("behind a reward from nowhere, where no α is above 0: %v", got)
	}
}

// leaderOrChallenger is ψ of α: the best arm of a draw, or that of draws until it is another one.
func leaderOrChallenger(alpha []float64) (psi []float64) {
	for i, a := range alpha {
		drawn := a / 2
		for j, b := range alpha {
			rest := 0. // 1 − b, of which little may be left
			for k, v := range alpha {
				if k != j {
					rest += v
				}
			}
			if j != i {
				drawn += b / 2 * a / rest
			}
		}
		psi = append(psi, drawn)
	}
	return psi
}

// manyValues is ψ by the distribution functions at 65,536 values.
func manyValues(sigma float64, n, s []float32) []float64 {
	const values = 1 << 16
	lo, hi := math.Inf(1), math.Inf(-1)
	for i := range n {
		mean, deviation := float64(s[i]/n[i]), sigma/math.Sqrt(float64(n[i]))
		lo, hi = min(lo, mean-8*deviation), max(hi, mean+8*deviation)
	}
	alpha, total := make([]float64, len(n)), 0.
	for g := range values {
		x := lo + (hi-lo)*float64(g)/values
		for i := range n {
			v := 1.
			for j := range n {
				deviation := sigma / math.Sqrt(float64(n[j]))
				if u := (x - float64(s[j])/float64(n[j])) / deviation; j == i {
					v *= math.Exp(-u*u/2) / deviation
				} else {
					v *= math.Erfc(-u/math.Sqrt2) / 2
				}
			}
			alpha[i] += v
			total += v
		}
	}
	for i := range alpha {
		alpha[i] /= total
	}
	return leaderOrChallenger(alpha)
}

// TestGaussianPolicies: what reads yes and no is refused.
func TestGaussianPolicies(t *testing.T) {
	p := check.BestArm(3, 20)
	p.Reply = game.Answers{Sigma: 1, Bound: 2}
	for _, name := range anyAnswers {
		if _, err := Parse(p, game.BestIdentification, name); err != nil {
			t.Errorf("Parse(%q): %v", name, err)
		}
	}
	for name, want := range map[string]string{
		"gain:1":            `policy "gain:1" reads answers of yes and no; with Gaussian ones there are uniform, round-robin, uncertainty, successive-rejects, sequential-halving, top-two, ugapeb, ucb-e, eb-tc`,
		"uniform+posterior": `policy "uniform+posterior": decision posterior is for answers of yes and no: write decision: least-squares`,
	} {
		if _, err := Parse(p, game.BestIdentification, name); err == nil || err.Error() != want {
			t.Errorf("Parse(%q): %v, want %s", name, err, want)
		}
	}
}

func BenchmarkArms(b *testing.B) {
	p, r := check.BestArm(10, 40), rand.New(rand.NewPCG(1, 1))
	s := games(10, 64, 40, false, r)
	dst := make([]float32, len(s.N))
	gaussian := *p
	gaussian.Reply = game.Answers{Sigma: 1, Bound: 1}
	for _, c := range []struct {
		name string
		game.Policy
	}{{"successive-rejects", SuccessiveRejects(p)}, {"top-two", TopTwo(p)}, {"top-two/gaussian", TopTwo(&gaussian)}, {"ugapeb", UGapEb(p, 2)}, {"ucb-e", UCBE(p, 1)}, {"eb-tc", EBTC(p, .2)}} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				c.Probs(dst, s)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*64), "ns/state")
		})
	}
}
