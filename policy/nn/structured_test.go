package nn

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"mapo/game"
)

// randomTable is n distinct random hypotheses on d queries, each entry 1 with probability share.
func randomTable(r *rand.Rand, n, d, budget int, share float64) *game.Problem {
	p := &game.Problem{Name: "random", T: budget}
	for i := range d {
		p.X = append(p.X, fmt.Sprintf("query %d", i))
	}
	for k := range n {
		p.Names = append(p.Names, fmt.Sprintf("hypothesis %d", k))
		for range d {
			z := float32(0)
			if r.Float64() < share {
				z = 1
			}
			p.Z = append(p.Z, z)
		}
	}
	if p.Check() != nil {
		return randomTable(r, n, d, budget, share)
	}
	return p
}

// knowing is p with so many known instances: mean answers near a hypothesis', some of them certain.
func knowing(p *game.Problem, n int, r *rand.Rand) *game.Problem {
	q := *p
	q.Known = nil
	for range n {
		for _, z := range p.Row(r.IntN(p.Hypotheses())) {
			theta := 2*float64(z) - 1
			if r.IntN(4) > 0 {
				theta += .7 * r.NormFloat64()
			}
			q.Known = append(q.Known, float32(max(-1, min(1, theta))))
		}
	}
	return &q
}

// unfold gives a structured network weights with which every unit matters.
func unfold(m *Structured, r *rand.Rand) *Structured {
	scramble(m, 0.5, r)
	return m
}

// full is random states with what is left and the level.
func full(r *rand.Rand, b, d, budget int) game.States {
	s := randomStates(r, b, d, budget)
	for i := range b {
		left := float32(budget)
		for _, n := range s.N[i*d : (i+1)*d] {
			left -= n
		}
		s.Left, s.Level = append(s.Left, left), append(s.Level, float32(3+r.IntN(5)))
	}
	return s
}

// structured64 is the layers as the formulas read, in float64, on one state's features.
func structured64(m *Structured, params, x []float64) (logits []float64, least float64) {
	layers := stages(m, params)
	features, u := layers[0].in, layers[0].out
	d := len(x) / features
	least = math.Inf(1)
	layer := func(l stage, x []float64, kink bool) []float64 {
		y := make([]float64, l.out)
		for o := range y {
			y[o] = l.b[o]
			for i, v := range x {
				y[o] += v * l.w[i*l.out+o]
			}
			if kink {
				least = min(least, math.Abs(y[o]))
				if y[o] < 0 {
					y[o] *= float64(float32(.01))
				}
			}
		}
		return y
	}
	pool := make([]float64, u)
	var h [][]float64
	for i := range d {
		h = append(h, layer(layers[0], x[i*features:(i+1)*features], true))
		for j, v := range h[i] {
			pool[j] += v / float64(d)
		}
	}
	for i := range d {
		g := layer(layers[1], slices.Concat(h[i], pool), true)
		logits = append(logits, layer(layers[2], g, false)...)
	}
	return logits, least
}

// byQuery is x, [features, ld], as [n, features].
func byQuery(x []float32, features, ld, n int) (y []float32) {
	for i := range n {
		for f := range features {
			y = append(y, x[f*ld+i])
		}
	}
	return y
}

// TestStructuredGradient: Forward agrees with the formulas in float64 and Backward with their central
// differences in every parameter.
func TestStructuredGradient(t *testing.T) {
	const d, b, h = 5, 4, 1e-6
	for _, units := range []int{3, 16} {
		r := rand.New(rand.NewPCG(2, 0))
		p := thresholds(d, 6)
		if units == 16 {
			p = knowing(p, 9, r)
		}
		m, f := newStructured(p, units), classOf(p).encoder(p, units)
		features := f.count()
		tape := m.NewTape(b)
		logits := make([]float32, b*d)
		var s game.States
		var x []float64
		value := func(params []float64, dlogits []float32) (sum, least float64) {
			least = math.Inf(1)
			for i := range b {
				y, near := structured64(m, params, x[i*d*features:(i+1)*d*features])
				least = min(least, near)
				for j, v := range y {
					sum += v * float64(dlogits[i*d+j])
				}
			}
			return sum, least
		}
		for near := 0.; near < 1e-4; _, near = value(wide(m.Params()), logits) { // redraw what is close to a kink
			unfold(m, r)
			s = full(r, b, d, 6)
			m.Forward(logits, tape, s)
			read := make([]float32, b*d*features)
			f.read(read, b*d, s, f.scratch())
			x = wide(byQuery(read, features, b*d, b*d))
		}
		dlogits := make([]float32, b*d)
		for i := range dlogits {
			dlogits[i] = float32(r.NormFloat64())
			want, _ := structured64(m, wide(m.Params()), x[i/d*d*features:][:d*features])
			if math.Abs(want[i%d]-float64(logits[i])) > 1e-5*(1+math.Abs(want[i%d])) {
				t.Fatalf("logit %d is %v, want %v", i, logits[i], want[i%d])
			}
		}
		grad := make([]float32, len(m.Params()))
		for range 2 { // += : twice
			m.Forward(logits, tape, s)
			m.Backward(grad, tape, dlogits)
		}
		scale := 0.
		for _, g := range grad {
			scale = max(scale, math.Abs(float64(g))/2)
		}
		params := wide(m.Params())
		for i, v := range params {
			params[i] = v + h
			up, _ := value(params, dlogits)
			params[i] = v - h
			down, _ := value(params, dlogits)
			params[i] = v
			want := (up - down) / (2 * h)
			if got := float64(grad[i]) / 2; math.Abs(got-want) > 1e-5*scale {
				t.Fatalf("%d units: ∂/∂ψ_%d is %v, want %v (largest %v)", units, i, got, want, scale)
			}
		}
	}
}

// TestStructuredFeatures compares what is read of random states with the definitions. Where hypotheses are many, some sums of
// answers are whole numbers and hypotheses share scores, and some are not.
func TestStructuredFeatures(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 0))
	for _, p := range []*game.Problem{thresholds(7, 9), randomTable(r, 20, 70, 9, .5), randomTable(r, 9, 12, 6, .3), knowing(thresholds(7, 9), 20, r), randomTable(r, 300, 30, 12, .4)} {
		d, n := p.Queries(), p.Hypotheses()
		f := newReader(p, 1)
		const b = 40
		s := full(r, b, d, p.T)
		for i := range s.S {
			if n == 300 && i/d%8 == 7 {
				s.S[i] /= 4
			}
		}
		x := make([]float32, b*d*f.count())
		f.read(x, b*d, s, f.scratch())
		x = byQuery(x, f.count(), b*d, b*d)
		score := make([]float32, n)
		for at := range b * d {
			row, i := s.Row(at/d, d), at%d
			got := x[at*f.count():][:structuredFeatures]
			if slices.ContainsFunc(got, func(v float32) bool { return !(math.Abs(float64(v)) <= 4) }) {
				t.Fatalf("features %v are not of the order of 1", got)
			}
			p.Scores(score, row.N, row.S)
			set := symDiffPlain(p, score)
			gap := gapPlain(p, score, i)
			raw := make([]float32, n)
			p.Scores(raw, slices.Repeat([]float32{1}, d), row.S)
			side := sidePlain(p, raw, i)
			lean := leanPlain(side)
			if p.Known != nil {
				lean = 1
			}
			entropy, whole := 0., 0.
			for _, w := range weightsPlain(raw, readBetas[3]) {
				whole += w
			}
			for _, w := range weightsPlain(raw, readBetas[3]) {
				entropy -= w / whole * math.Log(w/whole) / math.Log(float64(n))
			}
			for _, c := range []struct {
				name string
				at   int
				want float64
			}{
				{"count", fCount, float64(row.N[i]) / 4},
				{"uncertain", fUncertain, set[i]},
				{"mean", fMean, lean * float64(row.S[i]/max(1, row.N[i]))},
				{"side", fSide, lean * side},
				{"gap", fGap, lean * gap / (1 + math.Abs(gap))},
				{"raw gap", fRawGap, lean * gapPlain(p, raw, i) / (2 + math.Abs(gapPlain(p, raw, i)))},
				{"split", fSplit + middle, 1 - math.Abs(side)},
				{"gain", fGain, information(side) / information(0)},
				{"left", fLeft, float64(row.Left[0]) / float64(p.T)},
				{"level", fLevel, float64(row.Level[0]) / 8},
				{"entropy", fEntropy + 1, entropy},
			} {
				if math.Abs(float64(got[c.at])-c.want) > 1e-4 {
					t.Fatalf("|X| = %d, state %d, query %d: %s is %v, want %v", d, at/d, i, c.name, got[c.at], c.want)
				}
			}
		}
	}
}

// TestStructuredAnyState: states of no game, with more answers than the budget or sums that are no whole
// numbers, have finite features and as good an entropy.
func TestStructuredAnyState(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 0))
	p := thresholds(6, 3)
	f := newReader(p, 1)
	const b, d = 20, 6
	for _, factor := range []float32{1, .7} {
		s := randomStates(r, b, d, 40)
		for i := range s.S {
			s.S[i] *= factor
		}
		x := make([]float32, b*d*structuredFeatures)
		f.read(x, b*d, s, f.scratch())
		x = byQuery(x, f.count(), b*d, b*d)
		for i := range b {
			raw := make([]float32, p.Hypotheses())
			p.Scores(raw, slices.Repeat([]float32{1}, d), s.S[i*d:(i+1)*d])
			var sum, entropy float64
			w := weightsPlain(raw, readBetas[1])
			for _, v := range w {
				sum += v
			}
			for _, v := range w {
				if v > 0 {
					entropy -= v / sum * math.Log(v/sum) / math.Log(float64(len(w)))
				}
			}
			if got := float64(x[i*d*structuredFeatures+fEntropy]); math.Abs(got-entropy) > 1e-4 {
				t.Errorf("entropy is %v, want %v", got, entropy)
			}
		}
		if i := slices.IndexFunc(x, func(v float32) bool { return math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) }); i >= 0 {
			t.Errorf("feature %d is %v", i%structuredFeatures, x[i])
		}
	}
}

func weightsPlain(raw []float32, beta float64) (w []float64) {
	for _, v := range raw {
		w = append(w, math.Pow((1-beta)/beta, float64(v-slices.Max(raw))))
	}
	return w
}

// sidePlain is Σ_z p_β(z)(2z_i−1) of the middle posterior.
func sidePlain(p *game.Problem, raw []float32, i int) float64 {
	total, side := 0., 0.
	for k, w := range weightsPlain(raw, readBetas[middle]) {
		total += w
		side += w * float64(2*p.Row(k)[i]-1)
	}
	return side / total
}

// leanPlain is σ_i.
func leanPlain(side float64) float64 { return max(-1, min(1, 8*side)) }

func gapPlain(p *game.Problem, score []float32, i int) float64 {
	best := [2]float64{math.Inf(-1), math.Inf(-1)}
	for k, v := range score {
		z := int(p.Row(k)[i])
		best[z] = max(best[z], float64(v))
	}
	if gap := best[1] - best[0]; !math.IsInf(gap, 0) {
		return gap
	}
	return 0
}

func symDiffPlain(p *game.Problem, score []float32) []float64 {
	order := slices.Sorted(slices.Values(score))
	top, second := order[len(order)-1], order[len(order)-2]
	from := top - game.Tie
	if second < from {
		from = second - game.Tie
	}
	set := make([]float64, p.Queries())
	for i := range set {
		seen := [2]bool{}
		for k, v := range score {
			if v >= from {
				seen[int(p.Row(k)[i])] = true
			}
		}
		if seen[0] && seen[1] {
			set[i] = 1
		}
	}
	return set
}

// TestStructuredEquivariance: permuting queries permutes logits; permuting hypotheses changes nothing, nor does asking
// queries the other way round.
func TestStructuredEquivariance(t *testing.T) {
	const b = 30
	r := rand.New(rand.NewPCG(4, 0))
	for _, p := range []*game.Problem{thresholds(9, 12), randomTable(r, 33, 40, 15, .5), randomTable(r, 12, 11, 8, .2), knowing(thresholds(9, 12), 20, r)} {
		d, n := p.Queries(), p.Hypotheses()
		m := unfold(newStructured(p, 16), r)
		s := full(r, b, d, p.T)
		logits := make([]float32, b*d)
		m.Forward(logits, m.NewTape(b), s)
		px, pz := r.Perm(d), r.Perm(n)
		turned := make([]bool, d)
		for i := range turned {
			turned[i] = r.IntN(2) == 0
		}
		for _, c := range []struct {
			px, pz []int
			turned []bool
		}{{px, identity(n), make([]bool, d)}, {identity(d), pz, make([]bool, d)}, {identity(d), identity(n), turned}, {px, pz, turned}} {
			if p.Known != nil && slices.Contains(c.turned, true) {
				continue // it tells yes from no
			}
			q := *p
			q.X, q.Z, q.Known = slices.Clone(p.X), slices.Clone(p.Z), permuted(p.Known, c.px)
			for k := range n {
				for i := range d {
					q.Z[k*d+i] = p.Row(c.pz[k])[c.px[i]]
				}
			}
			moved := s
			moved.N, moved.S = permuted(s.N, c.px), permuted(s.S, c.px)
			for i, t := range c.turned {
				if !t {
					continue
				}
				for at := i; at < len(q.Z); at += d {
					q.Z[at] = 1 - q.Z[at]
				}
				for at := i; at < len(moved.S); at += d {
					moved.S[at] = -moved.S[at]
				}
			}
			other := newStructured(&q, 16)
			copy(other.Params(), m.Params())
			got := make([]float32, b*d)
			other.Forward(got, other.NewTape(b), moved)
			for i, want := range permuted(logits, c.px) {
				if math.Abs(float64(got[i]-want)) > 1e-4*(1+math.Abs(float64(want))) {
					t.Fatalf("|X| = %d: logit %d is %v after the change, want %v", d, i, got[i], want)
				}
			}
		}
	}
}

func identity(n int) (p []int) {
	for i := range n {
		p = append(p, i)
	}
	return p
}

// permuted is v, [B, len(perm)], with entry perm[i] of each row at place i.
func permuted(v []float32, perm []int) []float32 {
	w := make([]float32, len(v))
	for at := range v {
		w[at] = v[at/len(perm)*len(perm)+perm[at%len(perm)]]
	}
	return w
}

func TestWork(t *testing.T) {
	if got := Work(thresholds(25, 20)); got != 1 {
		t.Errorf("the paper's thresholds cost %g of themselves", got)
	}
	p := thresholds(100, 20)
	plain := Work(p)
	p.Known = make([]float32, 200*100)
	if got := Work(p); plain <= 4 || got/plain < 1.3 || got/plain > 1.5 {
		t.Errorf("four times the queries cost %.3g, with 200 known instances %.3g", plain, got)
	}
}
