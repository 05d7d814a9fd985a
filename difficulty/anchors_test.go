package difficulty

import (
	"math"
	"runtime"
	"slices"
	"testing"

	"mapo/game"
	"mapo/internal/check"
	"mapo/rng"
)

// leastOf is the least ρ̃ of each hypothesis over a grid of the box with steps of 2/n, [|Z|].
func leastOf(p *game.Problem, n int) []float64 {
	least := slices.Repeat([]float64{math.Inf(1)}, p.Hypotheses())
	theta, c := make([]float64, p.Queries()), game.RhoTilde(p)
	var at func(i int)
	at = func(i int) {
		if i == len(theta) {
			best := p.Instance(theta).Best
			least[best] = min(least[best], c.Of(theta))
			return
		}
		for j := range n + 1 {
			theta[i] = (1 - game.Edge) * (2*float64(j)/float64(n) - 1)
			at(i + 1)
		}
	}
	at(0)
	return least
}

// anchorOf is hypothesis k's, [|X|].
func anchorOf(anchors []float32, k, d int) []float64 {
	theta := make([]float64, d)
	for i, v := range anchors[k*d : (k+1)*d] {
		theta[i] = float64(v)
	}
	game.Clip(theta)
	return theta
}

// TestAnchorsExhaustive: no point of a grid is easier than the anchor of its hypothesis by 0.5 %, and the best comes as near
// as the grid allows. The lower bound holds of the grid as well.
func TestAnchorsExhaustive(t *testing.T) {
	r := rng.New(3).Rand()
	for _, c := range []struct{ d, n, steps int }{{1, 3, 20000}, {2, 3, 400}, {2, 5, 400}, {3, 4, 80}, {3, 7, 80}} {
		p := check.Graded(c.d, c.n, 1, r)
		anchors := Anchors(p)
		p.Ease(anchors)
		rho, least := Cells(p), leastOf(p, c.steps)
		for k := range rho {
			theta := anchorOf(anchors, k, c.d)
			if got := p.Instance(theta).Best; got != k {
				t.Errorf("%d×%d: at the anchor of hypothesis %d the best is %d", c.n, c.d, k, got)
			}
			if got := game.RhoTilde(p).Of(theta); got != rho[k] {
				t.Errorf("%d×%d: Cells is %v, ρ̃ of the anchor %v", c.n, c.d, rho[k], got)
			}
			if !(rho[k] <= least[k]*1.005) || least[k] < 1000 && rho[k] < least[k]*0.9 {
				t.Errorf("%d×%d: the anchor of hypothesis %d has ρ̃ = %v, the best of a grid %v", c.n, c.d, k, rho[k], least[k])
			}
		}
	}
}

// TestAnchorsOfAnimals: the anchors of a real table are as easy as a ten times longer descent's, which are easier than
// the rows by far. ρ̃ rises along segments from them.
func TestAnchorsOfAnimals(t *testing.T) {
	p := check.GradedFile(t, "../examples/animals.csv", 20)
	p.Ease(Anchors(p))
	d, c, rho := p.Queries(), game.RhoTilde(p), Cells(p)
	if median := slices.Sorted(slices.Values(rho))[len(rho)/2]; median < 7.5 || median > 8 {
		t.Errorf("the median of the least ρ̃ is %v, want 7.6", median)
	}
	if got := Least(p); got != slices.Min(rho) {
		t.Errorf("Least is %v, want %v", got, slices.Min(rho))
	}
	long, r := newCell(p), rng.New(5).Rand()
	for k := 0; k < len(rho); k += 9 {
		if long.of(k); rho[k] > 1.005*long.descend(10*anchorSteps) {
			t.Errorf("the anchor of %s has ρ̃ = %v, ten times as many steps reach %v", p.Names[k], rho[k], long.again())
		}
		from, row := anchorOf(p.Easy(), k, d), make([]float64, d)
		for i, m := range p.Row(k) {
			row[i] = max(-1, min(1, float64(m)+0.1*r.NormFloat64()))
		}
		last := rho[k] * (1 - 1e-9)
		for step := range 20 {
			theta := make([]float64, d)
			for i := range theta {
				theta[i] = from[i] + float64(step)/20*(row[i]-from[i])
			}
			now := c.Of(theta)
			if p.Instance(theta).Best != k {
				break
			}
			if now < last*(1-2e-3) { // the anchor is the least up to some thousandths
				t.Errorf("from the anchor of %s ρ̃ falls from %v to %v", p.Names[k], last, now)
			}
			last = now
		}
	}
}

// TestAnchorsAlike: the anchor of a hypothesis that equals another is its row, where ρ̃ is infinite.
func TestAnchorsAlike(t *testing.T) {
	p := check.Graded(3, 4, 1, rng.New(6).Rand())
	copy(p.Seek.(*game.Shares).Yes[9:12], p.Seek.(*game.Shares).Yes[:3])
	p.Grade()
	p.Ease(Anchors(p))
	rho := Cells(p)
	for k, inf := range []bool{true, false, false, true} {
		if math.IsInf(rho[k], 1) != inf {
			t.Errorf("hypothesis %d has the least ρ̃ %v", k, rho[k])
		}
		want := make([]float64, 3)
		for i, m := range p.Row(k) {
			want[i] = float64(m)
		}
		game.Clip(want)
		if got := anchorOf(p.Easy(), k, 3); inf && check.Farthest(got, want) > 1e-6 {
			t.Errorf("the anchor of hypothesis %d is %v, its row %v", k, got, want)
		}
	}
}

// TestAnchorsAreReproducible: the anchors of some hypotheses are those of all, and no anchor depends on how many
// processors there are.
func TestAnchorsAreReproducible(t *testing.T) {
	p := check.Graded(6, 9, 1, rng.New(7).Rand())
	all := Anchors(p)
	if got := AnchorsOf(p, []int{8, 2}); !slices.Equal(got, slices.Concat(all[48:], all[12:18])) {
		t.Error("anchors of two hypotheses are not those of all")
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	if !slices.Equal(all, Anchors(p)) {
		t.Error("one processor finds other anchors")
	}
}

// TestStarOfGraded: (max_z ‖a‖₁/gap)² ≤ ρ_* ≤ ρ̃ where hypotheses are graded, λ attains ρ_*, and its gradient is that of
// differences.
func TestStarOfGraded(t *testing.T) {
	r := rng.New(8).Rand()
	for range 40 {
		d := 2 + r.IntN(6)
		p := check.Graded(d, 2+r.IntN(10), 1, r)
		theta := draw(r, d)
		in := p.Instance(theta)
		rho, lambda, gap, err := Star(p, theta)
		if err != nil {
			t.Fatal(err)
		}
		sound(t, lambda, gap)
		attained, below := 0.0, 0.0
		for k, v := range in.Value {
			if k == in.Best {
				continue
			}
			var sum float64
			for i, z := range p.Row(k) {
				if a := float64(p.Row(in.Best)[i]) - float64(z); a != 0 {
					sum += a * a / lambda[i]
				}
			}
			lead := (in.Max - v) * (in.Max - v)
			attained = max(attained, sum/lead)
			below = max(below, p.Distance(k, in.Best)*p.Distance(k, in.Best)/lead)
		}
		tilde := game.RhoTilde(p).Of(theta)
		if !same(attained, rho) || rho < below*(1-1e-6) || rho*(1-gap) > tilde*(1+1e-6) {
			t.Errorf("ρ_* = %v; λ attains %v, the least may be %v and the most ρ̃ = %v", rho, attained, below, tilde)
		}
	}
}

// TestDesignReadsMajorities: a graded problem's design is that of the answers its hypotheses expect.
func TestDesignReadsMajorities(t *testing.T) {
	r := rng.New(9).Rand()
	p := check.Random(8, 12, 1, r)
	_, want, _, err := Design(p)
	if err != nil {
		t.Fatal(err)
	}
	graded := check.Graded(8, 12, 1, r)
	for at, z := range p.Z {
		graded.Seek.(*game.Shares).Yes[at] = 0.6*float64(z) + 0.2*r.Float64() // above ½ for 1, below for 0
	}
	if _, got, _, err := Design(graded.Grade()); err != nil || got != want {
		t.Errorf("the design attains %v, %v; by majorities %v", got, err, want)
	}
}

// TestSettle: where there are many hypotheses, looking at few of them finds anchors as easy as looking at all, and one that
// equals another has none.
func TestSettle(t *testing.T) {
	p := check.Graded(30, fewHypotheses+60, 1, rng.New(10).Rand())
	copy(p.Seek.(*game.Shares).Yes[30*9:30*10], p.Seek.(*game.Shares).Yes[30*200:])
	p.Grade()
	c, tilde := newCell(p), game.RhoTilde(p)
	for _, k := range []int{0, 7, 150, len(p.Names) - 1} {
		c.of(k)
		all := c.descend(anchorSteps)
		c.of(k)
		few := c.settle(anchorSteps)
		if got := tilde.Of(c.least); few > 1.005*all || math.Abs(got-few) > 1e-6*few || p.Instance(c.least).Best != k {
			t.Errorf("hypothesis %d: few find ρ̃ = %v, which is %v, all find %v", k, few, got, all)
		}
		if len(c.on) != len(p.Names)-1 {
			t.Errorf("hypothesis %d leaves %d to look at", k, len(c.on))
		}
	}
	if c.of(9); !math.IsInf(c.settle(anchorSteps), 1) || check.Farthest(c.least, anchorOf(p.Z, 9, 30)) > 1e-6 {
		t.Error("a hypothesis that equals another has an anchor")
	}
}

// TestSettleAlike: queries on which all rows agree change no anchor where there are many hypotheses.
func TestSettleAlike(t *testing.T) {
	const n, d, alike = fewHypotheses + 44, 8, 2
	p := check.Graded(d, n, 1, rng.New(11).Rand())
	for at := range p.Seek.(*game.Shares).Yes {
		if at%d >= d-alike {
			p.Seek.(*game.Shares).Yes[at] = 1
		}
	}
	p.Grade()
	c, tilde := newCell(p), game.RhoTilde(p)
	for k := range 60 {
		c.of(k)
		if rho := c.settle(anchorSteps); !math.IsInf(rho, 1) && math.Abs(tilde.Of(c.least)-rho) > 1e-6*rho {
			t.Errorf("hypothesis %d: an anchor of ρ̃ = %v is said to have %v", k, tilde.Of(c.least), rho)
		}
	}
}
