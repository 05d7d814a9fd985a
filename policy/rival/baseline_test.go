package rival

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"mapo/game"
	"mapo/internal/check"
)

// thresholds is z_k = the first k ones, k = 0 … d.
func thresholds(d, budget int) *game.Problem {
	p := &game.Problem{Name: "thresholds", T: budget}
	for i := range d {
		p.X = append(p.X, fmt.Sprintf("x%d", i+1))
	}
	for k := range d + 1 {
		p.Names = append(p.Names, fmt.Sprintf("threshold %d", k))
		for i := range d {
			z := float32(0)
			if i < k {
				z = 1
			}
			p.Z = append(p.Z, z)
		}
	}
	return p
}

// random has n different hypotheses over d queries.
func random(d, n, budget int, r *rand.Rand) *game.Problem {
	p := &game.Problem{Name: "random", T: budget, X: make([]string, d)}
	seen := map[string]bool{}
	for len(p.Names) < n {
		row := make([]float32, d)
		for i := range row {
			row[i] = float32(r.IntN(2))
		}
		if key := fmt.Sprint(row); !seen[key] {
			seen[key] = true
			p.Z, p.Names = append(p.Z, row...), append(p.Names, fmt.Sprint("z", len(p.Names)))
		}
	}
	return p
}

// games is a batch of states in the middle of random games, asking once or not.
func games(d, states, budget int, once bool, r *rand.Rand) game.States {
	s := game.States{N: make([]float32, states*d), S: make([]float32, states*d)}
	if once {
		s.Mask = make([]bool, states*d)
	}
	for b := range states {
		order := r.Perm(d)
		for t := range b % (budget + 1) {
			i := b*d + r.IntN(d)
			if once {
				i = b*d + order[t]
				s.Mask[i] = true
			}
			s.N[i]++
			s.S[i] += float32(2*r.IntN(2) - 1)
		}
	}
	return s
}

// knowing is p with so many known instances.
func knowing(p *game.Problem, n int, r *rand.Rand) *game.Problem {
	for range n * p.Queries() {
		p.Known = append(p.Known, min(1, 3*r.Float32()-1))
	}
	return p
}

func policies(p *game.Problem) []game.Policy {
	list := []game.Policy{Uniform(p), RoundRobin(p), Uncertainty(p), SGBS(p, 0.01), SGBS(p, 0.3)}
	if p.Known != nil {
		list = append(list, Information(p))
	}
	return list
}

// slow is what each rival asks, as the paper reads: sets and sums of sets.
func slow(p *game.Problem, policy game.Policy, n, s []float32, mask []bool) []float64 {
	d := p.Queries()
	good := make([]bool, d)
	switch policy := policy.(type) {
	case uniform:
		for i := range good {
			good[i] = true
		}
	case *roundRobin:
		for i := range good {
			good[i] = true
			for j := range n {
				if (mask == nil || !mask[j]) && n[j] < n[i] {
					good[i] = false
				}
			}
		}
	case *uncertainty:
		good = slowSymDiff(p, n, s)
	case *sgbs:
		var beta float64
		if _, err := fmt.Sscanf(policy.String(), "sgbs:%g", &beta); err != nil {
			panic(err)
		}
		good = slowHalving(p, beta, s, mask)
	case *information:
		good = slowInformation(p, n, s, mask)
	}
	out := make([]float64, d)
	for range 2 {
		var count float64
		for i := range d {
			if good[i] && (mask == nil || !mask[i]) {
				count++
			}
		}
		for i := range d {
			if count > 0 && good[i] && (mask == nil || !mask[i]) {
				out[i] = 1 / count
			}
			good[i] = good[i] || count == 0
		}
		if count > 0 {
			break
		}
	}
	return out
}

func slowSymDiff(p *game.Problem, n, s []float32) []bool {
	scores := make([]float32, p.Hypotheses())
	p.Scores(scores, n, s)
	set := game.Recommend(nil, scores)
	if len(set) == 1 {
		scores[set[0]] = float32(math.Inf(-1))
		set = game.Recommend(set, scores)
	}
	good := make([]bool, p.Queries())
	for _, a := range set {
		for _, b := range set {
			for i := range good {
				good[i] = good[i] || p.Row(a)[i] != p.Row(b)[i]
			}
		}
	}
	return good
}

func slowHalving(p *game.Problem, beta float64, s []float32, mask []bool) []bool {
	m := make([]float64, p.Queries())
	var total float64
	for k := range p.Hypotheses() {
		w := 1.0
		for i, z := range p.Row(k) {
			w *= math.Pow((1-beta)/beta, float64((2*z-1)*s[i])/2)
		}
		total += w
		for i, z := range p.Row(k) {
			m[i] += w * float64(2*z-1)
		}
	}
	least := math.Inf(1)
	for i := range m {
		m[i] = math.Abs(m[i] / total)
		if mask == nil || !mask[i] {
			least = min(least, m[i])
		}
	}
	good := make([]bool, len(m))
	for i := range m {
		good[i] = m[i] <= least+1e-6
	}
	return good
}

// slowInformation is the mutual information of an answer and the instance by its definition: the sum of
// P(j, y) log P(j, y)/(P(j) P(y)) over instances j and answers y.
func slowInformation(p *game.Problem, n, s []float32, mask []bool) []bool {
	d := p.Queries()
	yes := func(j, i int) float64 { return min(max((1+float64(p.Known[j*d+i]))/2, .02), .98) }
	weight, total := make([]float64, len(p.Known)/d), 0.
	for j := range weight {
		weight[j] = 1
		for i := range d {
			weight[j] *= math.Pow(yes(j, i), float64(n[i]+s[i])/2) * math.Pow(1-yes(j, i), float64(n[i]-s[i])/2)
		}
		total += weight[j]
	}
	gain, most := make([]float64, d), math.Inf(-1)
	for i := range d {
		for _, answer := range []float64{0, 1} {
			joint, sum := make([]float64, len(weight)), 0.
			for j, w := range weight {
				joint[j] = w / total * math.Abs(1-answer-yes(j, i))
				sum += joint[j]
			}
			for j, v := range joint {
				if v > 0 {
					gain[i] += v * math.Log(v/(weight[j]/total)/sum)
				}
			}
		}
		if mask == nil || !mask[i] {
			most = max(most, gain[i])
		}
	}
	good := make([]bool, d)
	for i, v := range gain {
		good[i] = v >= most-1e-5
	}
	return good
}

func TestAgreesWithThePaper(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, p := range []*game.Problem{thresholds(25, 20), random(30, 70, 20, r), random(70, 20, 20, r), random(5, 32, 5, r), knowing(random(12, 30, 9, r), 40, r)} {
		for _, once := range []bool{false, true} {
			const states = 150
			d := p.Queries()
			s := games(d, states, min(p.T, d-1), once, r)
			got := make([]float32, states*d)
			for _, policy := range policies(p) {
				policy.Probs(got, s)
				for b := range states {
					one := s.Row(b, d)
					for i, want := range slow(p, policy, one.N, one.S, one.Mask) {
						if math.Abs(float64(got[b*d+i])-want) > 1e-6 {
							t.Fatalf("%v on %s, once %v, state %d, query %d: %v, want %v\nN %v\nS %v",
								policy, p.Name, once, b, i, got[b*d+i], want, one.N, one.S)
						}
					}
				}
			}
		}
	}
}

func TestHandMade(t *testing.T) {
	p := thresholds(3, 9)
	third := float32(1) / 3
	for _, c := range []struct {
		why    string
		policy game.Policy
		n, s   []float32
		mask   []bool
		want   []float32
	}{
		{"all thresholds tie", Uncertainty(p), []float32{0, 0, 0}, []float32{0, 0, 0}, nil, []float32{third, third, third}},
		{"1, 2 and 3 tie", Uncertainty(p), []float32{1, 0, 0}, []float32{1, 0, 0}, nil, []float32{0, .5, .5}},
		{"1 is best, 0 and 2 tie behind it", Uncertainty(p), []float32{1, 1, 1}, []float32{1, -1, -1}, nil, []float32{.5, .5, 0}},
		{"1 is best, 2 follows", Uncertainty(p), []float32{1, 4, 4}, []float32{1, -2, -2}, nil, []float32{0, 1, 0}},
		{"the set agrees on all that may be asked", Uncertainty(p), []float32{1, 4, 4}, []float32{1, -2, -2}, []bool{false, true, false}, []float32{.5, 0, .5}},
		{"the middle halves the thresholds", SGBS(p, .1), []float32{0, 0, 0}, []float32{0, 0, 0}, nil, []float32{0, 1, 0}},
		{"the outer two are alike", SGBS(p, .1), []float32{0, 0, 0}, []float32{0, 0, 0}, []bool{false, true, false}, []float32{.5, 0, .5}},
		{"a yes in the middle leaves 2 and 3", SGBS(p, .1), []float32{0, 1, 0}, []float32{0, 1, 0}, nil, []float32{0, 0, 1}},
		{"what is left", Uniform(p), []float32{0, 0, 0}, []float32{0, 0, 0}, []bool{true, false, true}, []float32{0, 1, 0}},
	} {
		got := make([]float32, 3)
		c.policy.Probs(got, game.States{N: c.n, S: c.s, Mask: c.mask})
		for i := range got {
			if math.Abs(float64(got[i]-c.want[i])) > 1e-6 {
				t.Errorf("%v, %s: %v, want %v", c.policy, c.why, got, c.want)
				break
			}
		}
	}
}

func TestPermutingQueriesPermutesEverything(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	const d, n, states = 12, 40, 60
	p := knowing(random(d, n, 20, r), 30, r)
	xs, zs := r.Perm(d), r.Perm(n)
	moved := &game.Problem{X: p.X, Names: p.Names, T: p.T, Z: make([]float32, n*d), Known: make([]float32, len(p.Known))}
	for at, theta := range p.Known {
		moved.Known[at/d*d+xs[at%d]] = theta
	}
	for k := range n {
		for i := range d {
			moved.Z[zs[k]*d+xs[i]] = p.Z[k*d+i]
		}
	}
	s := games(d, states, 11, true, r)
	m := game.States{N: make([]float32, states*d), S: make([]float32, states*d), Mask: make([]bool, states*d)}
	for b := range states {
		for i := range d {
			m.N[b*d+xs[i]], m.S[b*d+xs[i]], m.Mask[b*d+xs[i]] = s.N[b*d+i], s.S[b*d+i], s.Mask[b*d+i]
		}
	}
	other := policies(moved)
	a, c := make([]float32, states*d), make([]float32, states*d)
	for j, policy := range policies(p) {
		policy.Probs(a, s)
		other[j].Probs(c, m)
		for b := range states {
			for i := range d {
				if a[b*d+i] != c[b*d+xs[i]] {
					t.Fatalf("%v: state %d, query %d: %v, permuted %v", policy, b, i, a[b*d+i], c[b*d+xs[i]])
				}
			}
		}
	}
}

func TestBatchIsRowsAndSafe(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	const d, states = 25, 64
	p := knowing(thresholds(d, 20), 9, r)
	s := games(d, states, 20, false, r)
	for _, policy := range policies(p) {
		all := make([]float32, states*d)
		policy.Probs(all, s)
		var wg sync.WaitGroup
		for b := range states {
			wg.Go(func() {
				row := make([]float32, d)
				policy.Probs(row, s.Row(b, d))
				for i, v := range row {
					if v != all[b*d+i] {
						t.Errorf("%v: state %d, query %d differs alone", policy, b, i)
					}
				}
			})
		}
		wg.Wait()
	}
}

func TestNoAllocation(t *testing.T) {
	if check.PoolsDrop() {
		t.Skip("the pools drop their scratch here (race detector)")
	}
	r := rand.New(rand.NewPCG(7, 8))
	p := knowing(random(20, 60, 20, r), 25, r)
	s := games(20, 32, 19, true, r)
	dst := make([]float32, 32*20)
	for _, policy := range policies(p) {
		if n := testing.AllocsPerRun(50, func() { policy.Probs(dst, s) }); n > 0.1 {
			t.Errorf("%v: %v allocations a batch", policy, n)
		}
	}
}

func TestWrongShapePanics(t *testing.T) {
	defer func() {
		if msg, _ := recover().(string); !strings.Contains(msg, "want 3") {
			t.Errorf("panic %q", msg)
		}
	}()
	Uniform(thresholds(3, 2)).Probs(make([]float32, 2), game.States{N: make([]float32, 3), S: make([]float32, 3)})
}

func BenchmarkProbs(b *testing.B) {
	r := rand.New(rand.NewPCG(9, 10))
	for _, p := range []*game.Problem{thresholds(25, 20), random(100, 200, 20, r), random(100, 1000, 20, r)} {
		const states = 210
		d := p.Queries()
		s := games(d, states, 20, true, r)
		dst := make([]float32, states*d)
		for _, policy := range policies(p) {
			b.Run(fmt.Sprintf("%d/%v", p.Hypotheses(), policy), func(b *testing.B) {
				for b.Loop() {
					policy.Probs(dst, s)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/states, "ns/state")
			})
		}
	}
}

// A query that may not be asked is as if it were not there, for the scale of the gains as well.
func TestMaskedQueriesSetNoScale(t *testing.T) {
	p := &game.Problem{Name: "table", X: []string{"best", "good", "fair"}, Names: []string{"a", "b", "c", "d"}, T: 2, AskOnce: true,
		Seek: &game.Shares{Yes: []float64{1, .9, .6, 1, .7, .4, 0, .3, .6, 0, .2, .3}, Weight: []float64{.25, .25, .25, .25}}}
	less := &game.Problem{Name: "less", X: p.X[1:], Names: p.Names, T: 2, AskOnce: true,
		Seek: &game.Shares{Weight: p.Seek.(*game.Shares).Weight}}
	for k := range p.Names {
		less.Seek.(*game.Shares).Yes = append(less.Seek.(*game.Shares).Yes, p.Seek.(*game.Shares).Yes[3*k+1:3*k+3]...)
	}
	p.Grade()
	less.Grade()
	got, want := make([]float32, 3), make([]float32, 2)
	Randomized(p, .3).Probs(got, game.States{N: make([]float32, 3), S: make([]float32, 3), Mask: []bool{true, false, false}})
	Randomized(less, .3).Probs(want, game.States{N: make([]float32, 2), S: make([]float32, 2)})
	for i, v := range want {
		if math.Abs(float64(got[i+1]-v)) > 1e-6 || v > .99 || got[0] != 0 {
			t.Fatalf("masked %v, without it %v", got, want)
		}
	}
}
