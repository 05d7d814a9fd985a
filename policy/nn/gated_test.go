package nn

import (
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"mapo/game"
	"mapo/internal/check"
	"mapo/rng"
)

// gradedTable is a table of n rows with random shares and weights, asked once; where other, the last is "none of these".
func gradedTable(r *rand.Rand, n, d, budget int, other bool) *game.Problem {
	p := &game.Problem{Name: "graded", T: budget, AskOnce: true, X: make([]string, d), Names: make([]string, n),
		Seek: &game.Shares{Other: other}}
	for i := range d {
		p.X[i] = fmt.Sprint("query ", i)
	}
	for k := range n {
		p.Names[k] = fmt.Sprint("row ", k)
		p.Seek.(*game.Shares).Weight = append(p.Seek.(*game.Shares).Weight, float64(1+k%3))
		for range d {
			p.Seek.(*game.Shares).Yes = append(p.Seek.(*game.Shares).Yes, []float64{0, 1, r.Float64(), r.Float64() * r.Float64()}[r.IntN(4)])
		}
	}
	sum := 0.
	for _, w := range p.Seek.(*game.Shares).Weight {
		sum += w
	}
	for k := range p.Seek.(*game.Shares).Weight {
		p.Seek.(*game.Shares).Weight[k] /= sum
	}
	return p.Grade()
}

// onceStates are states in the middle of ask-once games, answered about some row of the table, the queries asked masked.
func onceStates(r *rand.Rand, p *game.Problem, b int) game.States {
	d := p.Queries()
	s := game.States{N: make([]float32, b*d), S: make([]float32, b*d), Mask: make([]bool, b*d)}
	for j := range b {
		row := p.Row(r.IntN(p.Hypotheses()))
		for _, i := range r.Perm(d)[:r.IntN(p.T)] {
			at := j*d + i
			s.N[at], s.S[at], s.Mask[at] = 1, -1, true
			yes := float64(row[i])
			if check.Is[*game.Shares](p) {
				yes = (1 + yes) / 2
			}
			if r.Float64() < 0.1+0.8*yes {
				s.S[at] = 1
			}
		}
	}
	return s
}

// slowGauge is the features of one state as their definitions read, and what the gates depend on.
func slowGauge(p *game.Problem, s game.States) (x [gatedFeatures][]float64, in [gatedInputs]float64) {
	d := p.Queries()
	var m [][]float64
	var weight []float64
	rows := p.Hypotheses()
	if check.Is[*game.Shares](p) && p.Seek.(*game.Shares).Other {
		rows--
	}
	for k := range rows {
		if s.Out != nil && s.Out[k] && slices.Contains(s.Out[:rows], false) {
			continue
		}
		row, w := make([]float64, d), 1.
		for i := range d {
			row[i] = 2*float64(p.Says(k)[i]) - 1
			if check.Is[*game.Shares](p) {
				row[i], w = 2*p.Seek.(*game.Shares).Row(k, d)[i]-1, p.Seek.(*game.Shares).Weight[k]
			}
		}
		m, weight = append(m, row), append(weight, w)
	}
	clip := func(m float64) float64 { return max(-0.96, min(0.96, m)) }
	likelihood := func(row []float64, c float64) float64 {
		product := 1.
		for i, n := range s.N {
			mean := c * row[i]
			if c == 1 {
				mean = clip(row[i])
			}
			switch y := float64(s.S[i]); {
			case n == 1:
				product *= (1 + y*mean) / 2
			default:
				product *= math.Pow((1+mean)/2, (float64(n)+y)/2) * math.Pow((1-mean)/2, (float64(n)-y)/2)
			}
		}
		return product
	}
	var total, mean float64
	for c, value := range []float64{1, 0.8, 0.6, 0.4, 0.2} {
		for k, row := range m {
			joint := weight[k] * []float64{0.35, 0.25, 0.2, 0.12, 0.08}[c] * likelihood(row, value)
			total, mean = total+joint, mean+joint*value
		}
	}
	asked := 0.
	for _, n := range s.N {
		asked += float64(n)
	}
	if s.Left != nil {
		asked = float64(p.T) - float64(s.Left[0])
	}
	in = [gatedInputs]float64{asked / float64(p.T), mean/total - 0.6}
	for f := range x {
		x[f] = make([]float64, d)
	}
	slowGains(x[gGain], m, weight, func(row []float64) float64 { return likelihood(row, 1) }, clip)
	slowUnlike(x[gUnlike], m, s)
	for f, least := range []float64{gGain: 1e-9, gUnlike: 0} {
		top := least
		for i, v := range x[f] {
			if s.Mask == nil || !s.Mask[i] {
				top = max(top, v)
			}
		}
		for i := range x[f] {
			if x[f][i] /= top; s.Mask != nil && s.Mask[i] || top == least {
				x[f][i] = 0
			}
		}
	}
	for i, g := range x[gGain] {
		if s.Mask == nil || !s.Mask[i] {
			x[gLogGain][i] = math.Log(g+0.01) / 4
		}
	}
	return x, in
}

// slowGains is Σ_j p_j·KL(answer given j ‖ answer).
func slowGains(dst []float64, m [][]float64, weight []float64, likelihood func(row []float64) float64, clip func(float64) float64) {
	p, sum := make([]float64, len(m)), 0.
	for k, row := range m {
		p[k] = weight[k] * likelihood(row)
		sum += p[k]
	}
	for i := range dst {
		mean := 0.
		for k, row := range m {
			p[k] /= sum
			mean += p[k] * clip(row[i])
		}
		sum = 1
		for k, row := range m {
			for _, side := range []float64{-1, 1} {
				q := (1 + side*clip(row[i])) / 2
				dst[i] += p[k] * q * math.Log(q/((1+side*mean)/2))
			}
		}
	}
}

// slowUnlike is Σ_j w_j |m_ji − m_bi|.
func slowUnlike(dst []float64, m [][]float64, s game.States) {
	score := make([]float64, len(m))
	for k, row := range m {
		for i, n := range s.N {
			if n > 0 {
				score[k] += row[i]*float64(s.S[i]/n) - row[i]*row[i]/2
			}
		}
	}
	top := slices.Max(score)
	best := slices.IndexFunc(score, func(v float64) bool { return v >= top-game.Tie })
	for k, row := range m {
		if k != best {
			for i := range dst {
				dst[i] += math.Exp(score[k]-score[best]) * math.Abs(row[i]-m[best][i])
			}
		}
	}
}

// gatedCase is a problem and states of it that the network is checked on.
type gatedCase struct {
	name string
	p    *game.Problem
	s    game.States
}

// gatedCases are cases of b states each.
func gatedCases(r *rand.Rand, b int) []gatedCase {
	once := func(name string, p *game.Problem) gatedCase { return gatedCase{name, p, onceStates(r, p, b)} }
	large := gradedTable(r, 40, 31, 20, false)
	probably, guessed := once("probably", large), once("guessed", gradedTable(r, 12, 31, 20, true))
	for at := range probably.s.S {
		if r.IntN(2) == 0 {
			probably.s.S[at] /= 2
		}
	}
	for at := range b * 12 {
		guessed.s.Out = append(guessed.s.Out, at < 12 || r.IntN(3) == 0) // in the first state all
	}
	return []gatedCase{
		once("graded", large), once("other", gradedTable(r, 21, 17, 12, true)), once("majority", randomTable(r, 30, 23, 15, 0.5)),
		once("two rows", gradedTable(r, 2, 9, 5, false)), once("one and other", gradedTable(r, 2, 9, 5, true)),
		once("far apart", randomTable(r, 5, 150, 130, 0.5)), {"repeated", large, full(r, b, 31, 20)}, probably, guessed,
	}
}

// TestGatedFeatures: what products of all states give is what the definitions do.
func TestGatedFeatures(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 5))
	const b = 150
	for _, c := range gatedCases(r, b) {
		name, p, s := c.name, c.p, c.s
		m := NewGated(p)
		tape := m.NewTape(b).(*gatedTape)
		d := p.Queries()
		m.Forward(sized(b*d), tape, s)
		for j := range b {
			want, in := slowGauge(p, s.Row(j, d))
			for k, v := range in {
				if got := tape.in[j*gatedInputs+k]; math.Abs(float64(got)-v) > 1e-4 { // log-likelihoods are sums of hundreds
					t.Fatalf("%s, state %d: input %d is %v, want %v", name, j, k, got, v)
				}
			}
			for f := range want {
				for i, v := range want[f] {
					if got := tape.row(j, f)[i]; !(math.Abs(float64(got)-v) < 2e-4) { // gains are differences
						t.Fatalf("%s, state %d: feature %d of query %d is %v, want %v", name, j, f, i, got, v)
					}
				}
			}
		}
	}
}

func sized(n int) []float32 { return make([]float32, n) }

// TestGatedGradient: logits are the formula's, and their gradient that of the formula.
func TestGatedGradient(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 5))
	const b = 40
	p := gradedTable(r, 20, 15, 10, false)
	d, s := p.Queries(), onceStates(r, p, b)
	m := NewGated(p)
	m.SetGate(0, -5.57, 0.41, 21.41)
	m.SetGate(1, 1.32, -2.06, 10.15)
	m.SetGate(2, 3.66, 10.47, 11.36)
	tape, logits, down, grad := m.NewTape(b), sized(b*d), sized(b*d), sized(GatedWeights)
	m.Forward(logits, tape, s)
	want := make([]float64, GatedWeights)
	for j := range b {
		x, in := slowGauge(p, s.Row(j, d))
		for i := range d {
			down[j*d+i] = float32(r.NormFloat64())
			logit := (-5.57+0.41*in[0]+21.41*in[1])*x[0][i] + (1.32-2.06*in[0]+10.15*in[1])*x[1][i] + (3.66+10.47*in[0]+11.36*in[1])*x[2][i]
			if math.Abs(logit-float64(logits[j*d+i])) > 2e-3 {
				t.Fatalf("state %d: logit %d is %v, want %v", j, i, logits[j*d+i], logit)
			}
			for f := range x {
				g := x[f][i] * float64(down[j*d+i])
				want[f], want[3+f], want[6+f] = want[f]+g*in[0], want[3+f]+g*in[1], want[6+f]+g
			}
		}
	}
	for range 2 { // it adds
		m.Forward(logits, tape, s)
		m.Backward(grad, tape, down)
	}
	for k, g := range grad {
		if math.Abs(float64(g)-2*want[k]) > 1e-3*(1+math.Abs(want[k])) {
			t.Errorf("gradient %d is %v, want %v", k, g, 2*want[k])
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("a second Backward without a Forward went through")
		}
	}()
	m.Backward(grad, tape, down)
}

// TestGatedRows: a state's probabilities do not depend on what it is computed with, bit for bit, masks hold, and nothing is
// allocated.
func TestGatedRows(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 5))
	const b = 250
	for _, c := range gatedCases(r, b) {
		name, p, s := c.name, c.p, c.s
		m := NewGated(p)
		for k := range m.Params() {
			m.Params()[k] = float32(3 * r.NormFloat64())
		}
		d, pi := p.Queries(), Policy(p, m)
		all, row := sized(b*d), sized(d)
		pi.Probs(all, s)
		for j := range b {
			pi.Probs(row, s.Row(j, d))
			if !slices.Equal(row, all[j*d:(j+1)*d]) {
				t.Fatalf("%s: state %d differs when alone", name, j)
			}
			for i, v := range row {
				if masked := s.Mask != nil && s.Mask[j*d+i]; masked != (v == 0) {
					t.Fatalf("%s, state %d: query %d has probability %v, mask %t", name, j, i, v, masked)
				}
			}
		}
		tape, grad := m.NewTape(b), sized(GatedWeights)
		if n := testing.AllocsPerRun(10, func() { m.Forward(all, tape, s); m.Backward(grad, tape, all) }); n >= 1 && !check.PoolsDrop() {
			t.Errorf("%s: a step allocates %v times", name, n)
		}
	}
}

// TestGatedStart: fresh weights ask uniformly, and all of them get a gradient.
func TestGatedStart(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 5))
	const b = 40
	p := gradedTable(r, 20, 15, 10, false)
	m, s := NewGated(p), onceStates(r, p, b)
	y, tape, grad := sized(b*15), m.NewTape(b), sized(GatedWeights)
	m.Forward(y, tape, s)
	if slices.Min(y) != 0 || slices.Max(y) != 0 {
		t.Errorf("logits go from %v to %v, want 0", slices.Min(y), slices.Max(y))
	}
	for i := range y {
		y[i] = float32(r.NormFloat64())
	}
	m.Backward(grad, tape, y)
	if slices.ContainsFunc(grad, func(g float32) bool { return math.Abs(float64(g)) < 1e-3 }) {
		t.Errorf("the gradient is %v", grad)
	}
}

// TestGatedFile: a policy file holds the network, and its weights serve on another table.
func TestGatedFile(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	p := randomTable(r, 14, 9, 6, 0.5)
	m := NewGated(p)
	for k := range m.Params() {
		m.Params()[k] = float32(r.NormFloat64())
	}
	path := filepath.Join(t.TempDir(), "p.safetensors")
	if err := WriteFile(path, m, Contract{Name: "mapo", Problem: p, Loss: "simple-regret", Rule: "least squares, ties at random", Version: "v0"}); err != nil {
		t.Fatal(err)
	}
	net, _, err := ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if net.Arch() != "gated 9" || !slices.Equal(net.Params(), m.Params()) {
		t.Errorf("the network became %q with %v", net.Arch(), net.Params())
	}
	other := NewGated(gradedTable(r, 30, 21, 20, false))
	if other.Arch() != net.Arch() || len(other.Params()) != len(net.Params()) {
		t.Errorf("on another table it is %s", other.Arch())
	}
	for _, arch := range []string{"gated", "gated 8", "gated 09", "gated 9-9"} {
		if _, err := empty(arch, p, GatedWeights); err == nil {
			t.Errorf("arch %q: accepted", arch)
		}
	}
	if _, err := empty("gated 9", p, GatedWeights+1); err == nil {
		t.Error("a file of ten weights is accepted")
	}
}

// BenchmarkGated is the time a state takes beside a structured network's on the same problem, of the size of animals.
func BenchmarkGated(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 0))
	const batch = 96
	p := gradedTable(r, 126, 116, 20, false)
	for _, yes := range p.Seek.(*game.Shares).Yes {
		p.Known = append(p.Known, float32(2*yes-1))
	}
	s := onceStates(r, p, batch)
	bits := game.Problem{X: p.X, Names: p.Names, Z: p.Bits(), T: p.T, AskOnce: p.AskOnce, Known: p.Known}
	for _, net := range []Net{NewGated(p), NewStructured(&bits, 16, rng.New(1))} {
		tape, y, grad := net.NewTape(batch), sized(batch*116), sized(len(net.Params()))
		for name, run := range map[string]func(){
			"forward": func() { net.Forward(y, tape, s) },
			"both":    func() { net.Forward(y, tape, s); net.Backward(grad, tape, y) },
		} {
			b.Run(net.Arch()+"/"+name, func(b *testing.B) {
				for b.Loop() {
					run()
				}
				b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/batch, "µs/state")
			})
		}
	}
}

// TestSoften: all logits are multiplied.
func TestSoften(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	p := gradedTable(r, 6, 8, 4, false)
	gated := NewGated(p)
	for i := range gated.Params() {
		gated.Params()[i] = float32(r.NormFloat64())
	}
	for _, net := range []Net{gated, NewStructured(p, 8, rng.New(1))} {
		s := onceStates(r, p, 20)
		before, after := make([]float32, len(s.N)), make([]float32, len(s.N))
		net.Forward(before, net.NewTape(20), s)
		Soften(net, 0.5)
		net.Forward(after, net.NewTape(20), s)
		for i, v := range before {
			if math.Abs(float64(after[i]-v/2)) > 1e-5 || v == 0 && after[i] != 0 {
				t.Fatalf("%s: a logit of %v becomes %v", net.Arch(), v, after[i])
			}
		}
	}
}

// TestTransfer: the weights of a gated or structured network serve on another table, those of an MLP do not.
func TestTransfer(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	p, other := gradedTable(r, 6, 8, 4, false), gradedTable(r, 9, 5, 3, false)
	gated := NewGated(p)
	gated.SetGate(0, 1, 2, 3)
	for _, net := range []Net{gated, NewStructured(p, 8, rng.New(1))} {
		on, err := Transfer(net, other)
		if err != nil || on.Arch() != net.Arch() || !slices.Equal(on.Params(), net.Params()) {
			t.Errorf("%s: %v, %v", net.Arch(), on, err)
		}
	}
	mlp := NewMLP(p, []int{4}, rng.New(1))
	if _, err := Transfer(mlp, other); err == nil || err.Error() != `the weights of a "mlp 24-4-8" belong to one problem; those of structured and gated policies go over to others` {
		t.Errorf("an MLP: %v", err)
	}
}

// TestFormerNetwork: a policy file of a network that earlier versions had is refused with what to use.
func TestFormerNetwork(t *testing.T) {
	_, err := empty("adaptive 8-16-0.5", gradedTable(rand.New(rand.NewPCG(5, 5)), 6, 8, 4, false), 1376)
	if want := `the network "adaptive 8-16-0.5" is no longer part of mapo; use the policy instant:0.7, or train again`; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}
