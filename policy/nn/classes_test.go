package nn

import (
	"math"
	"math/rand/v2"
	"testing"

	"mapo/game"
	"mapo/internal/check"
	"mapo/rng"
)

// labelled is a state of some labels of a pool, and the same of a plain pool of two classes where plain is given.
func labelled(p, plain *game.Problem, labels int, r *rand.Rand) (s, other game.States) {
	state := func(d int) game.States {
		return game.States{N: make([]float32, d), S: make([]float32, d), Mask: make([]bool, d)}
	}
	s = state(p.Queries())
	if plain != nil {
		other = state(plain.Queries())
	}
	for range labels {
		cell := r.IntN(p.Seek.(*game.Labels).Cells())
		lo, _ := p.Seek.(*game.Labels).Queries(cell)
		if p.Closed(lo, s.N[lo]) {
			continue
		}
		class := r.IntN(len(p.Seek.(*game.Labels).Classes))
		p.Seek.(*game.Labels).Label(s.N, s.S, cell, p.Seek.(*game.Labels).Came(cell, class))
		if plain != nil {
			other.N[cell]++
			other.S[cell] += float32(2*class - 1)
		}
	}
	s.Mask = p.Questions().Mask(s.Mask, s.N)
	if plain != nil {
		other.Mask = plain.Questions().Mask(other.Mask, other.N)
	}
	return s, other
}

// cells sums a distribution over queries to one over cells.
func cells(p *game.Problem, probs []float32) []float64 {
	out := make([]float64, p.Seek.(*game.Labels).Cells())
	for i, v := range probs {
		out[p.Seek.(*game.Labels).CellOf(i)] += float64(v)
	}
	return out
}

// TestGatedTwoClassesEitherWay: a gated network asks the same whether a cell has one query or one for each class.
func TestGatedTwoClassesEitherWay(t *testing.T) {
	r := rng.New(2).Rand()
	for seed := range uint64(5) {
		plain, general := check.Pool(14, 5, 2, 6, false, rng.New(seed).Rand()), check.Pool(14, 5, 2, 6, true, rng.New(seed).Rand())
		a, b := NewGated(plain), NewGated(general)
		for i := range a.Params() {
			a.Params()[i] = float32(3 * r.NormFloat64())
			b.Params()[i] = a.Params()[i]
		}
		for range 20 {
			s, other := labelled(general, plain, r.IntN(6), r)
			x, y := make([]float32, plain.Queries()), make([]float32, general.Queries())
			Policy(plain, a).Probs(x, other)
			Policy(general, b).Probs(y, s)
			if far := check.Farthest(cells(plain, x), cells(general, y)); far > 1e-4 {
				t.Fatalf("probabilities of cells differ by %v", far)
			}
		}
	}
}

// TestGatedReadsClasses compares the gain and c̄ with their definitions.
func TestGatedReadsClasses(t *testing.T) {
	r := rng.New(5).Rand()
	p := check.Pool(12, 5, 4, 6, false, r)
	d, n := p.Queries(), p.Hypotheses()
	f := newGauge(p)
	for range 20 {
		s, _ := labelled(p, nil, r.IntN(6), r)
		likely := func(k int, wrong float64) float64 {
			product := 1.
			for c := range p.Seek.(*game.Labels).Cells() {
				lo, hi := p.Seek.(*game.Labels).Queries(c)
				right := 0.
				for i := lo; i < hi; i++ {
					if p.Says(k)[i] == 1 {
						right = float64(s.N[i]+s.S[i]) / 2
					}
				}
				product *= math.Pow(1-wrong, right) * math.Pow(wrong/3, float64(s.N[lo])-right)
			}
			return product
		}
		var total, mean float64
		for k := range n {
			for c, value := range fits {
				joint := fitPrior[c] * likely(k, max(.02, (1-value)/2))
				total, mean = total+joint, mean+joint*value
			}
		}
		x, in := make([]float32, gatedFeatures*d), make([]float32, gatedInputs)
		f.read(x, in, s, f.scratch())
		if got := float64(in[1]); math.Abs(got-(mean/total-.6)) > 1e-5 {
			t.Errorf("c̄ − 0.6 is %v, by its definition %v", got, mean/total-.6)
		}
		best, all := make([]float64, n), 0.
		for k := range best {
			right := 0.
			for i, bit := range p.Says(k) {
				right += float64(bit*(s.N[i]+s.S[i])) / 2
			}
			best[k] = math.Pow(1.2, right)
			all += best[k]
		}
		gains, most := make([]float64, p.Seek.(*game.Labels).Cells()), 0.
		for c := range gains {
			lo, hi := p.Seek.(*game.Labels).Queries(c)
			for i := lo; i < hi; i++ {
				says := 0.
				for k := range n {
					says += best[k] / all * float64(p.Says(k)[i])
				}
				gains[c] -= says * math.Log(says)
			}
			if !s.Mask[lo] {
				most = max(most, gains[c])
			}
		}
		for i := range d {
			want := gains[p.Seek.(*game.Labels).CellOf(i)] / most
			if s.Mask[i] {
				want = 0
			}
			if got := float64(x[gGain*d+i]); math.Abs(got-want) > 1e-5 {
				t.Errorf("g of query %d is %v, by its definition %v", i, got, want)
			}
		}
	}
}

// TestFreshNetworksDrawItems: networks that tell no query from another draw an open item at random.
func TestFreshNetworksDrawItems(t *testing.T) {
	r := rng.New(6).Rand()
	for _, p := range []*game.Problem{check.Pool(12, 4, 3, 6, false, r), check.Pool(12, 4, 2, 6, false, r)} {
		blank := newStructured(p, 4)
		for _, net := range []Net{NewGated(p), blank} {
			s, _ := labelled(p, nil, 0, r)
			if !(p.Questions().Tells() == 2) {
				s.N[0] = 1
				s.S[0] = 1
				s.Mask = p.Questions().Mask(s.Mask, s.N)
			}
			probs := make([]float32, p.Queries())
			Policy(p, net).Probs(probs, s)
			got := cells(p, probs)
			var open float64
			for c := range got {
				lo, _ := p.Seek.(*game.Labels).Queries(c)
				open += float64(p.Seek.(*game.Labels).Room(c)) - float64(s.N[lo])
			}
			for c := range got {
				lo, _ := p.Seek.(*game.Labels).Queries(c)
				if want := (float64(p.Seek.(*game.Labels).Room(c)) - float64(s.N[lo])) / open; math.Abs(got[c]-want) > 1e-6 {
					t.Errorf("%s asks cell %d with probability %v, want %v", net.Arch(), c, got[c], want)
				}
			}
		}
	}
}

// TestStructuredReadsClasses: marginals are those of ((1−β)/β)^agreements, and what is left counts labels.
func TestStructuredReadsClasses(t *testing.T) {
	r := rng.New(7).Rand()
	p := check.Pool(12, 5, 3, 6, false, r)
	d, n := p.Queries(), p.Hypotheses()
	f := classOf(p).encoder(p, 4)
	for range 10 {
		s, _ := labelled(p, nil, 4, r)
		ld := d
		x := make([]float32, f.count()*ld)
		f.read(x, ld, s, f.scratch())
		post, sum := make([]float64, n), 0.
		beta := readBetas[middle]
		for k := range n {
			right := 0.
			for i, bit := range p.Says(k) {
				right += float64(bit*(s.N[i]+s.S[i])) / 2
			}
			post[k] = math.Pow((1-beta)/beta, right)
			sum += post[k]
		}
		for i := range d {
			marginal := 0.
			for k := range n {
				marginal += post[k] / sum * (2*float64(p.Says(k)[i]) - 1)
			}
			if got := float64(x[(fSplit+middle)*ld+i]); math.Abs(got-(1-math.Abs(marginal))) > 1e-5 {
				t.Errorf("query %d: split %v, by its definition %v", i, got, 1-math.Abs(marginal))
			}
			if got, want := x[fLeft*ld+i], p.LeftOf(s, 0)/6; got != want {
				t.Errorf("left is %v, want %v", got, want)
			}
		}
	}
}
