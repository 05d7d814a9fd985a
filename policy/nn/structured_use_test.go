package nn

import (
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"slices"
	"sync"
	"testing"

	"mapo/game"
	"mapo/internal/check"
	"mapo/rng"
)

// TestStructuredPolicy: distributions under ask-once masks, rows as alone, callers at the same time, nothing
// allocated.
func TestStructuredPolicy(t *testing.T) {
	const b = 130
	r := rand.New(rand.NewPCG(5, 0))
	for _, p := range []*game.Problem{thresholds(11, 9), randomTable(r, 30, 37, 20, .5)} {
		d := p.Queries()
		pi := Policy(p, unfold(newStructured(p, 16), r))
		s := full(r, b, d, p.T)
		s.Mask = make([]bool, b*d)
		for i := range s.Mask {
			s.Mask[i] = i%d > 0 && s.N[i] > 0
		}
		want := make([]float32, b*d)
		pi.Probs(want, s)
		for i := range b {
			sum := 0.
			for j := range d {
				v := want[i*d+j]
				if s.Mask[i*d+j] && v != 0 || v < 0 {
					t.Fatalf("state %d: query %d has probability %v, mask %t", i, j, v, s.Mask[i*d+j])
				}
				sum += float64(v)
			}
			row := make([]float32, d)
			pi.Probs(row, s.Row(i, d))
			if math.Abs(sum-1) > 1e-6 || !slices.Equal(row, want[i*d:(i+1)*d]) {
				t.Fatalf("state %d: sum %v; alone %v, in a batch %v", i, sum, row, want[i*d:(i+1)*d])
			}
		}
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				got := make([]float32, b*d)
				for range 5 {
					if pi.Probs(got, s); !slices.Equal(got, want) {
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
}

func TestStructuredStepAllocatesNothing(t *testing.T) {
	const d, b = 9, 60
	m := NewStructured(thresholds(d, 9), 16, rng.New(2))
	tape, grad, logits := m.NewTape(b), make([]float32, len(m.Params())), make([]float32, b*d)
	s := randomStates(rand.New(rand.NewPCG(5, 0)), b, d, 9)
	step := func() {
		m.Forward(logits, tape, s)
		m.Backward(grad, tape, logits)
	}
	if n := testing.AllocsPerRun(20, step); n >= 1 && !check.PoolsDrop() {
		t.Errorf("a step allocates %v times", n)
	}
	defer func() {
		if recover() == nil {
			t.Error("a second Backward without a Forward went through")
		}
	}()
	m.Backward(grad, tape, logits)
}

// TestStructuredStart: near uniform, and not dead: every layer gets a gradient.
func TestStructuredStart(t *testing.T) {
	const d, b = 25, 40
	p := thresholds(d, 20)
	m := NewStructured(p, 16, rng.New(7))
	if again := NewStructured(p, 16, rng.New(7)); !slices.Equal(again.Params(), m.Params()) {
		t.Error("the same key gave other weights")
	}
	s := full(rand.New(rand.NewPCG(6, 0)), b, d, p.T)
	probs, grad, tape := make([]float32, b*d), make([]float32, len(m.Params())), m.NewTape(b)
	Policy(p, m).Probs(probs, s)
	if lo, hi := slices.Min(probs), slices.Max(probs); lo < .5/d || hi > 2./d {
		t.Errorf("probabilities go from %v to %v, want them near %v", lo, hi, 1./d)
	}
	m.Forward(make([]float32, b*d), tape, s)
	m.Backward(grad, tape, permuted(probs, identity(d)))
	for i, l := range stages(m, wide(grad)) {
		var sum float64
		for _, g := range l.w {
			sum += g * g
		}
		if math.Sqrt(sum) < 1e-3 {
			t.Errorf("layer %d: gradient of size %v", i, math.Sqrt(sum))
		}
	}
}

// TestStructuredUnasked: of queries alike, one that was not asked is likelier, by logits of 3 less 3/2; so with one unit.
func TestStructuredUnasked(t *testing.T) {
	const d = 25
	p := thresholds(d, 20)
	s := full(rand.New(rand.NewPCG(6, 0)), 1, d, p.T)
	clear(s.S)
	clear(s.N)
	s.N[0], s.N[d-1] = 1, 1 // the ends of the table are each other's mirror
	probs := make([]float32, d)
	for _, units := range []int{1, 2, 16} {
		Policy(p, NewStructured(p, units, rng.New(7)).LeanToUnasked()).Probs(probs, s)
		for _, i := range []int{0, d - 1} {
			if ratio := float64(probs[d/2] / probs[i]); ratio < math.Exp(1) || ratio > math.Exp(2) {
				t.Errorf("%d units: a query not asked is %.2f times as likely as query %d, asked once; want e^1.5 or about that", units, ratio, i)
			}
		}
	}
}

// TestStructuredLean: near the rivals' level from the start, which is to ask what uncertainty sampling might, and of that
// what divides a posterior best.
func TestStructuredLean(t *testing.T) {
	const d, b = 25, 60
	p := thresholds(d, 20)
	s := full(rand.New(rand.NewPCG(6, 0)), b, d, p.T)
	var want []float64
	for j := range b {
		score := make([]float32, p.Hypotheses())
		p.Scores(score, s.N[j*d:(j+1)*d], s.S[j*d:(j+1)*d])
		want = append(want, symDiffPlain(p, score)...)
	}
	probs := make([]float32, b*d)
	for _, units := range []int{1, 2, 16} {
		Policy(p, NewStructured(p, units, rng.New(7)).LeanToRivals()).Probs(probs, s)
		for at := 0; at < len(probs); at += d {
			var there float32
			for i, q := range want[at : at+d] {
				if q > 0 {
					there += probs[at+i]
				}
			}
			if there < .8 { // 6 in the logit outweighs the rest but where that rest divides the posterior far better
				t.Errorf("%d units: %v of state %d is on what uncertainty sampling may ask, want .8", units, there, at/d)
			}
		}
	}
	f, x := classOf(p).encoder(p, 16), make([]float32, structuredFeatures*b*d)
	f.read(x, b*d, s, f.scratch())
	var disorder, pairs int
	for at := 0; at < b*d; at += d {
		for i := range d {
			for j := range i {
				same := x[fUncertain*b*d+at+i] == x[fUncertain*b*d+at+j]
				if apart := x[(fSplit+lower)*b*d+at+i] - x[(fSplit+lower)*b*d+at+j]; same && abs(apart) > .5 {
					if pairs++; (apart > 0) != (probs[at+i] > probs[at+j]) {
						disorder++
					}
				}
			}
		}
	}
	if pairs < 100 || 10*disorder > pairs { // the other units, a tenth in the last layer, turn few around
		t.Errorf("%d of %d pairs of queries are not ordered by how they divide the posterior", disorder, pairs)
	}
}

// TestStructuredFile: a policy file keeps the network, and its weights run on a table of another size.
func TestStructuredFile(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 0))
	p := knowing(randomTable(r, 14, 9, 6, .5), 20, r)
	m := unfold(newStructured(p, 8), r)
	path := filepath.Join(t.TempDir(), "p.safetensors")
	c := Contract{Name: "mapo", Problem: p, Loss: "simple-regret", Rule: "least squares, ties at random", Version: "v0"}
	if err := WriteFile(path, m, c); err != nil {
		t.Fatal(err)
	}
	net, got, err := ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if want := "structured 29-8-8"; net.Arch() != want || m.Arch() != want || !slices.Equal(net.Params(), m.Params()) {
		t.Errorf("the network became %q, want %q with the same parameters", net.Arch(), want)
	}
	if !reflect.DeepEqual(got.Problem, p) {
		t.Errorf("the problem became %v", got.Problem)
	}
	const b = 7
	run := func(p *game.Problem, net Net) []float32 {
		s := full(rand.New(rand.NewPCG(9, 0)), b, p.Queries(), p.T)
		y := make([]float32, b*p.Queries())
		net.Forward(y, net.NewTape(b), s)
		return y
	}
	if !slices.Equal(run(p, net), run(p, m)) {
		t.Error("the network read gives other logits")
	}
	q := knowing(thresholds(21, 30), 7, r)
	other := NewStructured(q, 8, rng.New(1))
	if other.Arch() != net.Arch() || len(other.Params()) != len(net.Params()) {
		t.Fatalf("on another table it is %s", other.Arch())
	}
	copy(other.Params(), net.Params())
	y := run(q, other)
	if slices.ContainsFunc(y, func(v float32) bool { return math.IsNaN(float64(v)) }) || slices.Min(y) == slices.Max(y) {
		t.Errorf("on another table its logits are %v", y)
	}
}

func TestStructuredArchIsChecked(t *testing.T) {
	p := thresholds(3, 3)
	size := len(newStructured(p, 4).Params())
	for _, arch := range []string{"structured", "structured even 24", "structured even 24-4", "structured even 24-5-4", "structured even 23-4-4", "structured even 24-4-04",
		"structured even 24-4-0", "structured even 24-4-99999999999", "structured even 24-4-4-4", "structured even 24-5-5", "structured 24-4-4", "structured even", "structured even even 24-4-4"} {
		if _, err := empty(arch, p, size); err == nil {
			t.Errorf("arch %q: accepted", arch)
		}
	}
	if _, err := empty("structured even 24-4-4", p, size); err != nil {
		t.Error(err)
	}
	if _, err := empty("structured even 24-4-4", thresholds(3, 1<<40), size); err == nil {
		t.Error("a budget of 2⁴⁰ is tabulated")
	}
}

// TestWhole: sums that are whole numbers, so that hypotheses share scores, are told from others.
func TestWhole(t *testing.T) {
	if !whole([]float32{-3, 0, 7}) || whole([]float32{-3, 0.25, 7}) || whole([]float32{1, 40_000}) {
		t.Error("whole numbers are not told from others, or from those beyond 16 bits")
	}
}

func benchmarkStructured(b *testing.B, task func(p *game.Problem, m *Structured, tape Tape, s game.States, y, grad []float32) func()) {
	r := rand.New(rand.NewPCG(1, 0))
	for _, p := range []*game.Problem{thresholds(25, 20), randomTable(r, 126, 116, 20, .5), knowing(randomTable(r, 126, 116, 20, .5), 126, r), knowing(randomTable(r, 200, 100, 20, .5), 200, r), randomTable(r, 1000, 100, 20, .5)} {
		for _, batch := range []int{1, 96} {
			d := p.Queries()
			m := NewStructured(p, 16, rng.New(1))
			tape, y, grad := m.NewTape(batch), make([]float32, batch*d), make([]float32, len(m.Params()))
			s := randomStates(r, batch, d, p.T)
			run := task(p, m, tape, s, y, grad)
			b.Run(fmt.Sprintf("%dx%d+%d/batch=%d", p.Hypotheses(), d, len(p.Known)/d, batch), func(b *testing.B) {
				for b.Loop() {
					run()
				}
				b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/float64(batch), "µs/state")
			})
		}
	}
}

func BenchmarkStructuredForward(b *testing.B) {
	benchmarkStructured(b, func(_ *game.Problem, m *Structured, tape Tape, s game.States, y, _ []float32) func() {
		return func() { m.Forward(y, tape, s) }
	})
}

func BenchmarkStructuredBoth(b *testing.B) {
	benchmarkStructured(b, func(_ *game.Problem, m *Structured, tape Tape, s game.States, y, grad []float32) func() {
		return func() {
			m.Forward(y, tape, s)
			m.Backward(grad, tape, y)
		}
	})
}

func BenchmarkStructuredFeatures(b *testing.B) {
	benchmarkStructured(b, func(p *game.Problem, _ *Structured, _ Tape, s game.States, _, _ []float32) func() {
		f := classOf(p).encoder(p, 16)
		n, scratch := len(s.N), f.scratch()
		x := make([]float32, n*f.count())
		return func() { f.read(x, n, s, scratch) }
	})
}
