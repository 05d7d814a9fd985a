package nn

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"mapo/game"
	"mapo/internal/check"
	"mapo/rng"
)

// anyAdaptive is a network with weights of any kind.
func anyAdaptive(p *game.Problem, r *rand.Rand) *Adaptive {
	m := NewAdaptive(p, 5, 4, 0.4).Draw(rng.New(3))
	for i := range m.Params() {
		m.Params()[i] += float32(r.NormFloat64())
	}
	return m
}

// TestAdaptiveReadsItsDefinition compares features and inputs with what their definitions say.
func TestAdaptiveReadsItsDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 17))
	for _, c := range gatedCases(r, 12) {
		t.Run(c.name, func(t *testing.T) {
			d := c.p.Queries()
			m := anyAdaptive(c.p, r)
			states := c.s.Len(d)
			tape := m.NewTape(states).(*adaptiveTape)
			m.Forward(make([]float32, states*d), tape, c.s)
			for b := range states {
				x, in := slowAdaptive(c.p, c.s.Row(b, d), 0.4)
				for f, want := range x {
					for i, v := range want {
						if got := float64(tape.x[(b*iFeatures+f)*d+i]); math.Abs(got-v) > 5e-5 {
							t.Fatalf("feature %d of query %d in state %d is %v, want %v", f, i, b, got, v)
						}
					}
				}
				for k, v := range in {
					if got := float64(tape.in[b*(5+iContext)+5+k]); math.Abs(got-v) > 1e-5 {
						t.Fatalf("input %d of state %d is %v, want %v", k, b, got, v)
					}
				}
				second := func(f, i int) float32 { return tape.net.x[f*tape.net.ld+b*d+i] }
				for i := range d {
					for f := range iFeatures {
						if got, want := second(structuredFeatures+f, i), tape.x[(b*iFeatures+f)*d+i]; got != want {
							t.Fatalf("the second part reads %v for feature %d of query %d in state %d, which is %v", got, f, i, b, want)
						}
					}
					for k := range iContext {
						if got, want := second(structuredFeatures+iFeatures+k, i), tape.in[b*(5+iContext)+5+k]; got != want {
							t.Fatalf("the second part reads %v for input %d at query %d in state %d, which is %v", got, k, i, b, want)
						}
					}
				}
				own := newReader(c.p, 4)
				if c.p.Known != nil {
					continue
				}
				ld := d | 1
				alone := make([]float32, structuredFeatures*ld)
				own.read(alone, ld, c.s.Row(b, d), own.scratch())
				for f := range structuredFeatures {
					for i := range d {
						if got, want := second(f, i), alone[f*ld+i]; math.Abs(float64(got-want)) > 1e-5 {
							t.Fatalf("the second part reads %v for a structured network's feature %d of query %d in state %d, which is %v", got, f, i, b, want)
						}
					}
				}
			}
		})
	}
}

// slowAdaptive is the features of one state as their definitions read, and what the gates depend on.
func slowAdaptive(p *game.Problem, s game.States, w float64) (x [iFeatures][]float64, in [iContext]float64) {
	d := p.Queries()
	gated, fit := slowGauge(p, s)
	copy(x[:], gated[:])
	x[gUnlike] = slowEven(p, s, 1)
	near := slowEven(p, s, 4)
	x[iNoisy], x[iFresh], x[iSpread], x[iLogUnlike] = make([]float64, d), make([]float64, d), make([]float64, d), make([]float64, d)
	var m [][]float64
	var weight []float64
	rows := p.Hypotheses()
	if p.Shares != nil && p.Shares.Other {
		rows--
	}
	for k := range rows {
		row, prior := make([]float64, d), 1.
		for i := range d {
			row[i] = 2*float64(p.Says(k)[i]) - 1
			if p.Shares != nil {
				row[i], prior = 2*p.Shares.Row(k, d)[i]-1, p.Shares.Weight[k]
			}
		}
		m, weight = append(m, row), append(weight, prior)
	}
	for i := range d {
		var mean, square float64
		for _, row := range m {
			mean, square = mean+row[i]/float64(rows), square+row[i]*row[i]/float64(rows)
		}
		x[iSpread][i] = math.Sqrt(max(0, square-mean*mean))
		x[iFresh][i] = 1 / (1 + float64(s.N[i]))
	}
	for k := range m {
		if s.Out != nil && s.Out[k] && slices.Contains(s.Out[:rows], false) {
			weight[k] = 0
		}
	}
	clip := func(v float64) float64 { return max(-0.96, min(0.96, 0.6*v)) }
	slowGains(x[iNoisy], m, weight, func(row []float64) float64 {
		product := 1.
		for i, n := range s.N {
			if y := float64(s.S[i]); n == 1 {
				product *= (1 + y*clip(row[i])) / 2
			} else {
				product *= math.Pow((1+clip(row[i]))/2, (float64(n)+y)/2) * math.Pow((1-clip(row[i]))/2, (float64(n)-y)/2)
			}
		}
		return product
	}, clip)
	for f, least := range map[int]float64{iNoisy: 1e-9, iSpread: 0} {
		top := least
		for i, v := range x[f] {
			if s.Mask == nil || !s.Mask[i] {
				top = max(top, v)
			}
		}
		for i := range x[f] {
			if x[f][i] /= top; top == least {
				x[f][i] = 0
			}
		}
	}
	for i := range d {
		if s.Mask != nil && s.Mask[i] {
			x[iNoisy][i], x[iFresh][i], x[iSpread][i] = 0, 0, 0
		} else {
			x[iLogUnlike][i] = math.Log(near[i]+0.01) / 4
		}
	}
	in = [iContext]float64{fit[0], fit[1], w, w * fit[0], math.Log(float64(rows)) / 4, float64(p.T) / float64(d), 1, math.Log(float64(p.T)) / 4}
	if p.AskOnce {
		in[6] = 0
	}
	return x, in
}

// slowEven is Σ_j w_j |m_ji − m̄_i| over its largest that may be asked, with weights ∝ exp(sharp·score), m̄ being the mean of the rows that tie for the best, which
// are among the j where there are several.
func slowEven(p *game.Problem, s game.States, sharp float64) []float64 {
	d := p.Queries()
	var m [][]float64
	var score []float64
	rows := p.Hypotheses()
	if p.Shares != nil && p.Shares.Other {
		rows--
	}
	for k := range rows {
		if s.Out != nil && s.Out[k] && slices.Contains(s.Out[:rows], false) {
			continue
		}
		row, v := make([]float64, d), 0.
		for i, n := range s.N {
			row[i] = 2*float64(p.Says(k)[i]) - 1
			if p.Shares != nil {
				row[i] = 2*p.Shares.Row(k, d)[i] - 1
			}
			if n > 0 {
				v += row[i]*float64(s.S[i]/n) - row[i]*row[i]/2
			}
		}
		m, score = append(m, row), append(score, v)
	}
	top := slices.Max(score)
	second := top
	if len(score) > 1 && slices.Sorted(slices.Values(score))[len(score)-2] < top-game.Tie {
		second = slices.Sorted(slices.Values(score))[len(score)-2]
	}
	var tied [][]float64
	for k, row := range m {
		if score[k] >= top-game.Tie {
			tied = append(tied, row)
		}
	}
	out, most := make([]float64, d), 0.
	for i := range d {
		if s.Mask != nil && s.Mask[i] {
			continue
		}
		mean := 0.
		for _, row := range tied {
			mean += row[i] / float64(len(tied))
		}
		for k, row := range m {
			if len(tied) > 1 || score[k] < top-game.Tie {
				out[i] += math.Exp(sharp*(score[k]-second)) * math.Abs(row[i]-mean)
			}
		}
		most = max(most, out[i])
	}
	for i := range out {
		out[i] /= max(most, 1e-300)
	}
	return out
}

// TestAdaptiveGradient checks Backward by central differences of Forward.
func TestAdaptiveGradient(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 17))
	p := gradedTable(r, 9, 7, 5, false)
	s := onceStates(r, p, 6)
	m := anyAdaptive(p, r)
	down := make([]float32, len(s.N))
	for i := range down {
		down[i] = float32(r.NormFloat64())
	}
	logits, tape := make([]float32, len(s.N)), m.NewTape(6)
	loss := func() (sum float64) {
		m.Forward(logits, tape, s)
		for i, v := range logits {
			sum += float64(v) * float64(down[i])
		}
		return sum
	}
	loss()
	grad := make([]float32, len(m.Params()))
	m.Backward(grad, tape, down)
	for i := range m.Params() {
		was := m.Params()[i]
		const by = 1e-2
		m.Params()[i] = was + by
		up := loss()
		m.Params()[i] = was - by
		want := (up - loss()) / (2 * by)
		m.Params()[i] = was
		if math.Abs(float64(grad[i])-want) > 5e-3*max(1, math.Abs(want)) {
			t.Errorf("parameter %d has the gradient %v, by differences %v", i, grad[i], want)
		}
	}
}

// TestAdaptivePermutes: permuting queries permutes logits, permuting rows changes nothing, a batch's rows equal single ones.
func TestAdaptivePermutes(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 17))
	p := gradedTable(r, 11, 8, 5, false)
	s := onceStates(r, p, 20)
	d, n := p.Queries(), p.Hypotheses()
	order, rows := r.Perm(d), r.Perm(n)
	q := &game.Problem{X: make([]string, d), Names: make([]string, n), T: p.T, AskOnce: true, Shares: &game.Shares{}}
	for _, k := range rows {
		q.Shares.Weight = append(q.Shares.Weight, p.Shares.Weight[k])
		for _, i := range order {
			q.Shares.Yes = append(q.Shares.Yes, p.Shares.Yes[k*d+i])
		}
	}
	q.Grade()
	moved := game.States{N: make([]float32, len(s.N)), S: make([]float32, len(s.S)), Mask: make([]bool, len(s.Mask))}
	for b := range 20 {
		for j, i := range order {
			moved.N[b*d+j], moved.S[b*d+j], moved.Mask[b*d+j] = s.N[b*d+i], s.S[b*d+i], s.Mask[b*d+i]
		}
	}
	a := anyAdaptive(p, r)
	c := NewAdaptive(q, 5, 4, 0.4)
	copy(c.Params(), a.Params())
	got, want, one := make([]float32, len(s.N)), make([]float32, len(s.N)), make([]float32, d)
	Policy(p, a).Probs(want, s)
	Policy(q, c).Probs(got, moved)
	for b := range 20 {
		for j, i := range order {
			if math.Abs(float64(got[b*d+j]-want[b*d+i])) > 1e-4 {
				t.Fatalf("state %d: query %d has %v, permuted %v", b, i, want[b*d+i], got[b*d+j])
			}
		}
		Policy(p, a).Probs(one, s.Row(b, d))
		if !slices.Equal(one, want[b*d:(b+1)*d]) {
			t.Fatalf("state %d alone is %v, in a batch %v", b, one, want[b*d:(b+1)*d])
		}
	}
}

// TestAdaptiveFile: a policy file keeps the weights and the trade-off weight, on another problem, too.
func TestAdaptiveFile(t *testing.T) {
	r := rand.New(rand.NewPCG(10, 17))
	p := gradedTable(r, 6, 7, 4, false)
	m := anyAdaptive(p, r)
	data, err := Encode(m, Contract{Name: "x", Problem: p, Loss: "best-identification", Rule: "least squares", Version: "1"})
	if err != nil {
		t.Fatal(err)
	}
	net, _, err := Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	if net.Arch() != "adaptive 5-4-0.4" || !slices.Equal(net.Params(), m.Params()) {
		t.Errorf("the file has %s with other weights", net.Arch())
	}
	for _, arch := range []string{"adaptive 5-4", "adaptive 0-4-0.4", "adaptive 5-0-0.4", "adaptive 5-4-1.4", "adaptive x-4-0.4", "adaptive 6-4-0.4", "adaptive 5-4-x"} {
		if _, err := empty(arch, p, len(m.Params())); err == nil {
			t.Errorf("the architecture %q is read", arch)
		}
	}
}

// TestAdaptiveSoften: softened by a half, every logit is half of what it was, that of either part.
func TestAdaptiveSoften(t *testing.T) {
	r := rand.New(rand.NewPCG(12, 17))
	for _, c := range gatedCases(r, 4) {
		m, d := anyAdaptive(c.p, r), c.p.Queries()
		n := c.s.Len(d)
		was, is := make([]float32, n*d), make([]float32, n*d)
		m.Forward(was, m.NewTape(n), c.s)
		Soften(m, 0.5)
		m.Forward(is, m.NewTape(n), c.s)
		for i := range was {
			if math.Abs(float64(is[i]-was[i]/2)) > 1e-4*(1+math.Abs(float64(was[i]))) {
				t.Fatalf("%s: logit %d was %v and is %v", c.name, i, was[i], is[i])
			}
		}
	}
}

// TestAdaptiveTransfers: trained weights serve on another table, and on nothing else.
func TestAdaptiveTransfers(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 2))
	m := anyAdaptive(check.Graded(6, 9, 4, r), r)
	on, err := Transfer(m, check.Graded(8, 5, 3, r))
	if err != nil || !slices.Equal(on.Params(), m.Params()) || on.Arch() != m.Arch() || on == Net(m) {
		t.Errorf("on another table it is %v (%v)", on, err)
	}
	gaussian := check.Graded(8, 5, 3, r)
	gaussian.Answers = game.Answers{Sigma: 1, Bound: 1}
	for name, p := range map[string]*game.Problem{"a pool": check.Pool(8, 4, 3, 3, false, r), "vectors": check.RandomVectors(3, 7, 5, 12, r), "Gaussian answers": gaussian} {
		if _, err := Transfer(m, p); err == nil || !strings.Contains(err.Error(), "it is for tables with answers of yes and no") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
