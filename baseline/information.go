package baseline

import (
	"math"
	"sync"

	"mapo"
	"mapo/posterior"
)

// alike is how far below the most information a query still counts as equally good, in nats.
const alike = 1e-6

// Information asks the query whose answer is expected to tell most about which of the problem's known instances is
// played (Lindley 1956): the largest mutual information under Bayes' posterior over them, each as likely before the
// game. It is how programs that guess what one thinks of ask, and the strongest rival here on average over those
// instances. It panics where p knows fewer than two instances. O(instances·|X|) a state.
func Information(p *mapo.Problem) mapo.Policy {
	d, n := p.Queries(), posterior.Instances(p)
	if n == 0 {
		panic("baseline: Information on a problem that knows no instances")
	}
	g := &information{d: d, n: n}
	for _, theta := range p.Known {
		even, tilt := posterior.Answer(float64(theta))
		share := posterior.Share(float64(theta))
		g.even, g.tilt = append(g.even, even), append(g.tilt, tilt)
		g.share, g.doubt = append(g.share, share), append(g.doubt, entropy(share))
	}
	g.pool.New = func() any {
		return &informationScratch{weight: make([]float64, n), yes: make([]float64, d), doubt: make([]float64, d), pick: make([]bool, d)}
	}
	return g
}

// information is read-only; each array is [n, |X|].
type information struct {
	d, n       int
	even, tilt []float64 // posterior.Answer
	share      []float64 // of yes
	doubt      []float64 // the entropy of an answer
	pool       sync.Pool
}

type informationScratch struct {
	weight     []float64 // the posterior, [n]
	yes, doubt []float64 // its means of share and doubt, [|X|]
	pick       []bool    // [|X|]
}

// String is the name in specs and results.
func (*information) String() string { return "information" }

// Probs is uniform over the tie.
func (g *information) Probs(dst []float32, s mapo.States) {
	sc := g.pool.Get().(*informationScratch)
	defer g.pool.Put(sc)
	rows(dst, s, g.d, func(row, n, sum []float32, mask []bool) {
		g.believe(sc.weight, n, sum)
		clear(sc.yes)
		clear(sc.doubt)
		for j, w := range sc.weight {
			if w < 1e-12 {
				continue
			}
			share, doubt := g.share[j*g.d:][:g.d], g.doubt[j*g.d:][:g.d]
			for i := range sc.yes {
				sc.yes[i] += w * share[i]
				sc.doubt[i] += w * doubt[i]
			}
		}
		most := math.Inf(-1)
		for i, yes := range sc.yes {
			sc.yes[i] = entropy(yes) - sc.doubt[i]
			if mask == nil || !mask[i] {
				most = max(most, sc.yes[i])
			}
		}
		for i, gain := range sc.yes {
			sc.pick[i] = gain >= most-alike
		}
		mapo.UniformOver(row, sc.pick, mask)
	})
}

// believe is the posterior after the answers of a state.
func (g *information) believe(weight []float64, n, sum []float32) {
	top := math.Inf(-1)
	for j := range weight {
		v := 0.
		for i, count := range n {
			if count != 0 {
				v += float64(count)*g.even[j*g.d+i] + float64(sum[i])*g.tilt[j*g.d+i]
			}
		}
		weight[j] = v
		top = max(top, v)
	}
	total := 0.
	for j, v := range weight {
		weight[j] = math.Exp(v - top)
		total += weight[j]
	}
	for j := range weight {
		weight[j] /= total
	}
}

// entropy of an answer that is a yes with probability q, in nats; q is neither 0 nor 1.
func entropy(q float64) float64 { return -q*math.Log(q) - (1-q)*math.Log(1-q) }
