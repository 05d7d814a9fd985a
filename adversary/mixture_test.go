package adversary

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"mapo/difficulty"
	"mapo/game"
	"mapo/internal/check"
	"mapo/rng"
)

// features are bounded by 1: first and second moments, and how much of the
// distribution is near the walk's start and near a corner.
func features(dst, theta []float64, z []float32) {
	middle, corner := 1.0, 1.0
	for i, x := range theta {
		dst[i], dst[3+i], dst[6+i] = x, x*x, x*theta[(i+1)%3]
		if y := x * (2*float64(z[i]) - 1); math.Abs(y-.5) > .25 {
			middle = 0
		}
		if math.Abs(x) < .6 {
			corner = 0
		}
	}
	dst[9], dst[10] = middle, corner
}

const manyFeatures = 11

// truth is the features' means under the uniform distribution on the cone of
// hypothesis k, by a midpoint rule whose error is below .002: the share of cells
// that a face cuts, which err both ways.
func truth(p *game.Problem, k int) []float64 {
	const cells = 120
	at := func(i int) float64 { return (2*(float64(i)+.5)/cells - 1) * (1 - game.Edge) }
	sum, f, count := make([]float64, manyFeatures), make([]float64, manyFeatures), 0.0
	theta := make([]float64, 3)
	for i := range cells {
		for j := range cells {
			for l := range cells {
				theta[0], theta[1], theta[2] = at(i), at(j), at(l)
				if in := p.Instance(theta); in.Best != k || in.Many {
					continue
				}
				features(f, theta, p.Row(k))
				for n, x := range f {
					sum[n] += x
				}
				count++
			}
		}
	}
	for n := range sum {
		sum[n] /= count
	}
	return sum
}

// TestBestAt: draws from the cone of a hypothesis are uniform at d = 3, by
// rejection and by the walk alone (reading 19). A mean that is gap away from the
// truth is found; each comparison fails wrongly at most once in 10⁹ tests.
func TestBestAt(t *testing.T) {
	const gap = .05
	n := check.Draws(-1, 1, gap)
	arm := check.BestArm(3, 4)
	graded, anchored := check.Graded(3, 4, 4, rng.New(3).Rand()), check.Graded(3, 4, 4, rng.New(3).Rand())
	anchored.Ease(difficulty.Anchors(anchored))
	for _, c := range []struct {
		p *game.Problem
		k int
	}{{check.Thresholds(3, 4), 0}, {check.Thresholds(3, 4), 2}, {arm, 1}, {graded, 0}, {graded, 2}, {anchored, 3}} {
		want := truth(c.p, c.k)
		for name, draw := range map[string]func([]float64, *game.Problem, int, *rand.Rand){"BestAt": BestAt, "walk": walk} {
			r := rng.New(7).Name(name).Rand()
			theta, f, mean := make([]float64, 3), make([]float64, manyFeatures), make([]float64, manyFeatures)
			for range n {
				draw(theta, c.p, c.k, r)
				if in := c.p.Instance(theta); in.Best != c.k && !in.Many || slices.ContainsFunc(theta, func(x float64) bool { return math.Abs(x) > 1-game.Edge+1e-12 }) {
					t.Fatalf("%s, hypothesis %d of %s: %v is outside", name, c.k, c.p.Name, theta)
				}
				features(f, theta, c.p.Row(c.k))
				for i, x := range f {
					mean[i] += x / float64(n)
				}
			}
			for i := range mean {
				if math.Abs(mean[i]-want[i]) > gap/2 {
					t.Errorf("%s, hypothesis %d of %s: feature %d has mean %.4f of %d draws, want %.4f", name, c.k, c.p.Name, i, mean[i], n, want[i])
				}
			}
		}
	}
}

// TestStart: two thirds of the particles from the box, one third from the cones in
// equal shares (App. D), w = 0, and all but the draws' own key without effect.
func TestStart(t *testing.T) {
	p := check.Thresholds(4, 4)
	const n = 3000
	ps := Start(p, n, rng.New(1))
	if ps.N() != n || len(ps.Theta) != n*p.Queries() || slices.Max(ps.W) != 0 || slices.Min(ps.W) != 0 {
		t.Fatalf("%d particles, %d coordinates", ps.N(), len(ps.Theta))
	}
	count := make([]int, p.Hypotheses())
	for m := n - n/3; m < n; m++ {
		count[p.Instance(ps.Theta[m*4:m*4+4]).Best]++
	}
	for k, c := range count {
		if c != n/3/p.Hypotheses() {
			t.Errorf("%d of %d particles are in the cone of hypothesis %d", c, n/3, k)
		}
	}
	// A coordinate of the box is uniform: mean square (1 − ε)²/3.
	var square float64
	box := ps.Theta[:(n-n/3)*4]
	for _, x := range box {
		square += x * x / float64(len(box))
	}
	slack := math.Sqrt(math.Log(2/check.Alarm) / (2 * float64(len(box)))) // Hoeffding, squares in [0, 1]
	if want := (1 - game.Edge) * (1 - game.Edge) / 3; math.Abs(square-want) > slack {
		t.Errorf("mean square %v, want %v ± %v", square, want, slack)
	}
	if again := Start(p, n, rng.New(1)); !slices.Equal(again.Theta, ps.Theta) {
		t.Error("the same key gave other particles")
	}
}

// TestWalkOfAnimals: where rows of a real table are the hypotheses, a walk stays in the box and where its hypothesis is best,
// with anchors and without, and it moves along every query.
func TestWalkOfAnimals(t *testing.T) {
	p := check.GradedFile(t, "../examples/animals.csv", 20)
	ks := []int{0, 50, 125}
	anchors := make([]float32, len(p.Z))
	d := p.Queries()
	for j, v := range difficulty.AnchorsOf(p, ks) {
		anchors[ks[j/d]*d+j%d] = v
	}
	for _, easy := range [][]float32{nil, anchors} {
		p.Ease(easy)
		for _, k := range ks {
			start, theta := make([]float64, d), make([]float64, d)
			within(start, p, k, movesOf(p).easy)
			walk(theta, p, k, rng.New(1).Rand())
			if got := p.Instance(theta); got.Best != k || got.Many {
				t.Errorf("a walk for %s ends where %s is best", p.Names[k], p.Names[got.Best])
			}
			for i, v := range theta {
				if math.Abs(v) > 1-game.Edge+1e-12 || v == start[i] || math.Abs(start[i]) >= 1-game.Edge {
					t.Errorf("a walk for %s goes from %v to %v at query %d", p.Names[k], start[i], v, i)
				}
			}
		}
	}
}
