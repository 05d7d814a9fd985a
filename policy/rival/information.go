package rival

import (
	"math"
	"sync"

	"mapo/game"
	"mapo/internal/num"
	"mapo/policy/posterior"
)

const (
	alike  = 1e-5 // how far below the most information a query still counts as equally good, in nats: float32 sums are off by some 1e-6
	atOnce = 64   // states whose products are computed together
)

// Information asks the query whose answer is expected to tell most about which of the problem's known instances is
// played (Lindley 1956): the largest mutual information under Bayes' posterior over them, each as likely before the
// game. It is how programs that guess what one thinks of ask, and the strongest rival here on average over those
// instances. It panics where p knows fewer than two instances. O(instances·|X|) a state.
func Information(p *game.Problem) game.Policy {
	d, known := p.Queries(), posterior.NewKnown(p)
	if known == nil {
		panic("rival: Information on a problem that knows no instances")
	}
	n := known.N
	g := &information{known: known, d: d, zero: make([]float32, max(d, n)), share: make([]float32, n*d), doubt: make([]float32, n*d)}
	for at, theta := range p.Known {
		share := posterior.Share(float64(theta))
		g.share[at], g.doubt[at] = float32(share), float32(posterior.Entropy(share))
	}
	g.pool.New = func() any {
		v := func(n int) []float32 { return make([]float32, atOnce*n) }
		return &informationScratch{likely: v(n), more: v(n), weight: v(n), most: v(1), yes: v(d), doubt: v(d), pick: make([]bool, d)}
	}
	return g
}

// information is read-only.
type information struct {
	known        *posterior.Known
	d            int
	share, doubt []float32 // of yes, and the entropy of an answer, [N, |X|]
	zero         []float32 // no biases
	pool         sync.Pool
}

type informationScratch struct {
	likely, more []float32 // log-likelihoods, in two parts until they are summed, [atOnce, N]
	weight, most []float32 // the posterior and its largest, [atOnce, N] and [atOnce]
	yes, doubt   []float32 // its means of share and doubt, [atOnce, |X|]
	pick         []bool    // [|X|]
}

// String returns the name in specs and results.
func (*information) String() string { return "information" }

// Probs writes to dst, [B, |X|], the uniform distribution over the queries whose gain ties for the largest.
func (g *information) Probs(dst []float32, s game.States) {
	sc := g.pool.Get().(*informationScratch)
	defer g.pool.Put(sc)
	at := 0
	rows(dst, s, g.d, func(row, _, _ []float32, mask []bool) {
		if at%atOnce == 0 {
			lo, hi := at*g.d, min(len(s.N), (at+atOnce)*g.d)
			g.believe(sc, s.N[lo:hi], s.S[lo:hi])
		}
		from := at % atOnce * g.d
		at++
		gain, doubt := sc.yes[from:from+g.d], sc.doubt[from:from+g.d]
		best := float32(math.Inf(-1))
		for i, yes := range gain {
			gain[i] = float32(posterior.Entropy(float64(yes))) - doubt[i]
			if mask == nil || !mask[i] {
				best = max(best, gain[i])
			}
		}
		for i, v := range gain {
			sc.pick[i] = v >= best-alike
		}
		game.UniformOver(row, sc.pick, mask)
	})
}

// certain is the scale of a posterior that is Bayes' own.
var certain = []float32{1}

// believe works out the posterior after the answers of some states, and its means.
func (g *information) believe(sc *informationScratch, n, s []float32 /* [b, |X|] */) {
	b, of := len(n)/g.d, g.known
	likely, more, weight := sc.likely[:b*of.N], sc.more[:b*of.N], sc.weight[:b*of.N]
	num.Forward(likely, n, of.Even, g.zero[:of.N], b, g.d, of.N, num.Linear)
	num.Forward(more, s, of.Tilt, g.zero[:of.N], b, g.d, of.N, num.Linear)
	for i, v := range more {
		likely[i] += v
	}
	num.Tempered(weight, sc.most[:b], likely, certain, b, of.N)
	num.Forward(sc.yes[:b*g.d], weight, g.share, g.zero[:g.d], b, of.N, g.d, num.Linear)
	num.Forward(sc.doubt[:b*g.d], weight, g.doubt, g.zero[:g.d], b, of.N, g.d, num.Linear)
}
