package nn

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"mapo/game"
	"mapo/internal/check"
	"mapo/rng"
)

// thresholds is the paper's first problem: hypothesis k says yes to the queries below k.
func thresholds(d, budget int) *game.Problem {
	p := &game.Problem{Name: "thresholds", T: budget}
	for i := range d {
		p.X = append(p.X, fmt.Sprintf("is it above %d?", i))
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

// randomStates is b states after up to steps answers.
func randomStates(r *rand.Rand, b, d, steps int) game.States {
	s := game.States{N: make([]float32, b*d), S: make([]float32, b*d)}
	for i := range b {
		for range r.IntN(steps + 1) {
			q := i*d + r.IntN(d)
			s.N[q]++
			s.S[q] += float32(2*r.IntN(2) - 1)
		}
	}
	return s
}

// scramble gives a network weights with which every unit matters, and biases of that deviation.
func scramble(m Net, biases float64, r *rand.Rand) {
	for _, w := range Weights(m) {
		deviation := biases
		if len(w.Shape) == 2 {
			deviation = math.Sqrt(2 / float64(w.Shape[0]))
		}
		for i := range w.Data {
			w.Data[i] = float32(r.NormFloat64() * deviation)
		}
	}
}

// stage is a layer as a policy file has it: weights [in, out], and biases.
type stage struct {
	in, out int
	w, b    []float64
}

// stages cuts what is as long as a network's parameters into its layers.
func stages(m Net, params []float64) (out []stage) {
	blocks := Weights(m)
	for i := 0; i < len(blocks); i += 2 {
		w, b := len(blocks[i].Data), len(blocks[i+1].Data)
		out = append(out, stage{blocks[i].Shape[0], blocks[i].Shape[1], params[:w], params[w : w+b]})
		params = params[w+b:]
	}
	return out
}

// forward64 is the network as the formula reads, in float64, on one state. least is the least |v| at a kink.
func forward64(m *MLP, params []float64, n, s []float32) (logits []float64, least float64) {
	var x []float64
	for i, v := range n {
		if v == 0 {
			x = append(x, 0, 0, float64(s[i]))
		} else {
			x = append(x, float64(v), 1/float64(v), float64(s[i]))
		}
	}
	least = math.Inf(1)
	layers := stages(m, params)
	for li, l := range layers {
		y := make([]float64, l.out)
		for o := range y {
			y[o] = l.b[o]
			for i, v := range x {
				y[o] += v * l.w[i*l.out+o]
			}
			if li+1 < len(layers) {
				least = min(least, math.Abs(y[o]))
				if y[o] < 0 {
					y[o] *= float64(float32(.01))
				}
			}
		}
		x = y
	}
	return x, least
}

func wide(v []float32) []float64 {
	w := make([]float64, len(v))
	for i, x := range v {
		w[i] = float64(x)
	}
	return w
}

func TestForwardAgainstFloat64(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 0))
	p := thresholds(7, 12)
	m := NewMLP(p, []int{20, 33}, rng.New(1))
	scramble(m, 1, r)
	const b = 30
	s := randomStates(r, b, 7, 12)
	logits := make([]float32, b*7)
	m.Forward(logits, m.NewTape(b), s)
	for i := range b {
		want, _ := forward64(m, wide(m.Params()), s.N[i*7:(i+1)*7], s.S[i*7:(i+1)*7])
		for j, w := range want {
			if got := float64(logits[i*7+j]); math.Abs(got-w) > 1e-5*(1+math.Abs(w)) {
				t.Fatalf("state %d: logit %d is %v, want %v", i, j, got, w)
			}
		}
	}
}

// TestGradient: Backward agrees with central differences of the float64 network in every parameter.
func TestGradient(t *testing.T) {
	const d, b, h = 5, 4, 1e-6
	r := rand.New(rand.NewPCG(2, 0))
	m := NewMLP(thresholds(d, 6), []int{9, 17, 6}, rng.New(1))
	var s game.States
	for near := true; near; { // redraw what is close to a kink
		scramble(m, 1, r)
		s = randomStates(r, b, d, 6)
		near = false
		for i := range b {
			_, least := forward64(m, wide(m.Params()), s.N[i*d:(i+1)*d], s.S[i*d:(i+1)*d])
			near = near || least < 1e-3
		}
	}
	dlogits := make([]float32, b*d)
	for i := range dlogits {
		dlogits[i] = float32(r.NormFloat64())
	}
	value := func(params []float64) (sum float64) {
		for i := range b {
			y, _ := forward64(m, params, s.N[i*d:(i+1)*d], s.S[i*d:(i+1)*d])
			for j, v := range y {
				sum += v * float64(dlogits[i*d+j])
			}
		}
		return sum
	}
	tape := m.NewTape(b)
	grad := make([]float32, len(m.Params()))
	before := slices.Clone(m.Params())
	for range 2 { // += : twice
		m.Forward(make([]float32, b*d), tape, s)
		m.Backward(grad, tape, dlogits)
	}
	if !slices.Equal(before, m.Params()) {
		t.Fatal("Backward moved the parameters")
	}
	scale := 0.
	for _, g := range grad {
		scale = max(scale, math.Abs(float64(g))/2)
	}
	params := wide(m.Params())
	for i := range params {
		v := params[i]
		params[i] = v + h
		up := value(params)
		params[i] = v - h
		down := value(params)
		params[i] = v
		want := (up - down) / (2 * h)
		if got := float64(grad[i]) / 2; math.Abs(got-want) > 1e-5*scale {
			t.Fatalf("∂/∂ψ_%d is %v, want %v (largest %v)", i, got, want, scale)
		}
	}
}

// backward64 is the gradient of Σ logits·dlogits of one state, added to grad.
func backward64(m *MLP, params, grad []float64, n, s []float32, dlogits []float32) {
	x := make([]float64, 0, 3*len(n))
	for i, v := range n {
		if v == 0 {
			x = append(x, 0, 0, 0)
		} else {
			x = append(x, float64(v), 1/float64(v), float64(s[i]))
		}
	}
	acts, layers, grads := [][]float64{x}, stages(m, params), stages(m, grad)
	for li, l := range layers {
		y := slices.Clone(l.b)
		for i, v := range acts[li] {
			if v == 0 {
				continue
			}
			for o, w := range l.w[i*l.out : (i+1)*l.out] {
				y[o] += v * w
			}
		}
		if li+1 < len(layers) {
			for o, v := range y {
				if v < 0 {
					y[o] = float64(float32(.01)) * v
				}
			}
		}
		acts = append(acts, y)
	}
	dy := wide(dlogits)
	for li, l := range slices.Backward(layers) {
		dx := make([]float64, l.in)
		for i, v := range acts[li] {
			w, g := l.w[i*l.out:(i+1)*l.out], grads[li].w[i*l.out:(i+1)*l.out]
			for o, d := range dy {
				g[o] += v * d
				dx[i] += w[o] * d
			}
			if li > 0 && !(v > 0) {
				dx[i] *= float64(float32(.01))
			}
		}
		for o, d := range dy {
			grads[li].b[o] += d
		}
		dy = dx
	}
}

// TestPaperGradient: on the paper's network, as initialised and not, the gradient over several steps of a block
// equals that in float64 to 1e-5, of each layer's weights and biases.
func TestPaperGradient(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds in float64")
	}
	const d, b, steps = 25, 120, 3
	for _, drawn := range []bool{false, true} {
		r := rand.New(rand.NewPCG(21, 0))
		m := NewMLP(thresholds(d, 20), []int{256, 256, 256, 256}, rng.New(1))
		if drawn {
			scramble(m, 1, r)
		}
		tape, grad, logits := m.NewTape(b), make([]float32, len(m.Params())), make([]float32, b*d)
		params, want := wide(m.Params()), make([]float64, len(m.Params()))
		for range steps {
			s := randomStates(r, b, d, 20)
			dlogits := make([]float32, b*d)
			for i := range dlogits {
				dlogits[i] = float32(r.NormFloat64())
			}
			m.Forward(logits, tape, s)
			m.Backward(grad, tape, slices.Clone(dlogits))
			for i := range b {
				at, to := i*d, (i+1)*d
				backward64(m, params, want, s.N[at:to], s.S[at:to], dlogits[at:to])
			}
		}
		for _, x := range Weights(m) {
			n := len(x.Data)
			var diff, norm float64
			for i, w := range want[:n] {
				diff += (float64(grad[i]) - w) * (float64(grad[i]) - w)
				norm += w * w
			}
			if e := math.Sqrt(diff / norm); !(e <= 1e-5) {
				t.Errorf("drawn %v: the gradient at %s is off by %.2g of its length", drawn, x.Name, e)
			} else {
				t.Logf("drawn %v: %s to %.2g", drawn, x.Name, e)
			}
			grad, want = grad[n:], want[n:]
		}
	}
}

func TestBackwardUsesTapeUp(t *testing.T) {
	m := NewMLP(thresholds(3, 3), []int{4}, rng.New(1))
	tape := m.NewTape(2)
	logits := make([]float32, 6)
	m.Forward(logits, tape, randomStates(rand.New(rand.NewPCG(1, 1)), 2, 3, 3))
	grad := make([]float32, len(m.Params()))
	m.Backward(grad, tape, logits)
	defer func() {
		if recover() == nil {
			t.Error("a second Backward without a Forward went through")
		}
	}()
	m.Backward(grad, tape, logits)
}

func TestInitialWeights(t *testing.T) {
	p := thresholds(25, 20)
	m := NewMLP(p, []int{256, 256, 256, 256}, rng.New(7))
	if want := "mlp 75-256-256-256-256-25"; m.Arch() != want {
		t.Errorf("Arch is %q, want %q", m.Arch(), want)
	}
	if want := 76*256 + 3*257*256 + 257*25; len(m.Params()) != want {
		t.Errorf("%d parameters, want %d", len(m.Params()), want)
	}
	for i, l := range stages(m, wide(m.Params())) {
		var sum2 float64
		for _, v := range l.w {
			sum2 += v * v
		}
		// Σv²/σ² is χ² of n degrees: seven standard deviations √(2n), fixed seed
		n, want := float64(len(l.w)), 1e-4*2/float64(l.in+l.out)
		if math.Abs(sum2/want-n) > 7*math.Sqrt(2*n) {
			t.Errorf("layer %d: variance %v, want %v", i, sum2/n, want)
		}
		for _, v := range l.b {
			if v != 0 {
				t.Fatalf("layer %d: bias %v", i, v)
			}
		}
	}
	if again := NewMLP(p, []int{256, 256, 256, 256}, rng.New(7)); !slices.Equal(again.Params(), m.Params()) {
		t.Error("the same key gave other weights")
	}
}

// TestPolicy: distributions, masks respected, rows as alone, callers at the same time, no allocation.
func TestPolicy(t *testing.T) {
	const d, b = 11, 250
	r := rand.New(rand.NewPCG(5, 0))
	p := thresholds(d, 9)
	m := NewMLP(p, []int{24, 40}, rng.New(2))
	scramble(m, 1, r)
	pi := Policy(p, m)
	s := randomStates(r, b, d, 9)
	s.Mask = make([]bool, b*d)
	for i := range s.Mask {
		s.Mask[i] = i%d > 0 && r.IntN(3) == 0
	}
	want := make([]float32, b*d)
	pi.Probs(want, s)
	for i := range b {
		sum := 0.
		for j := range d {
			v := want[i*d+j]
			if s.Mask[i*d+j] != (v == 0) {
				t.Fatalf("state %d: query %d has probability %v, mask %t", i, j, v, s.Mask[i*d+j])
			}
			sum += float64(v)
		}
		if math.Abs(sum-1) > 1e-6 {
			t.Fatalf("state %d: probabilities sum to %v", i, sum)
		}
		row := make([]float32, d)
		pi.Probs(row, s.Row(i, d))
		if !slices.Equal(row, want[i*d:(i+1)*d]) {
			t.Fatalf("state %d differs when alone: %v, %v", i, row, want[i*d:(i+1)*d])
		}
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			got := make([]float32, b*d)
			for range 5 {
				pi.Probs(got, s)
				if !slices.Equal(got, want) {
					t.Error("two callers at a time get other probabilities")
				}
			}
		})
	}
	wg.Wait()
	if n := testing.AllocsPerRun(20, func() { pi.Probs(want, s) }); n >= 1 && !check.PoolsDrop() {
		t.Errorf("Probs allocates %v times", n)
	}
}

func TestStepAllocatesNothing(t *testing.T) {
	const d, b = 9, 60
	p := thresholds(d, 9)
	m := NewMLP(p, []int{33, 16}, rng.New(2))
	tape, grad, logits := m.NewTape(b), make([]float32, len(m.Params())), make([]float32, b*d)
	s := randomStates(rand.New(rand.NewPCG(5, 0)), b, d, 9)
	step := func() {
		m.Forward(logits, tape, s)
		m.Backward(grad, tape, logits)
	}
	if n := testing.AllocsPerRun(20, step); n >= 1 && !check.PoolsDrop() {
		t.Errorf("a step allocates %v times", n)
	}
}
