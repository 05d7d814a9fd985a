package family

import (
	"math"
	"slices"
	"testing"

	"mapo/game"
	"mapo/rng"
)

// TestDraw: every problem is a game within the family's bounds, and a key draws the same one again.
func TestDraw(t *testing.T) {
	f := Default()
	kinds, once, sizes := map[string]int{}, 0, 0.
	const n = 400
	for i := range n {
		key := rng.New(1).At(i)
		p, err := f.Draw(key)
		if err != nil {
			t.Fatal(err)
		}
		if err := p.Check(); err != nil {
			t.Fatalf("problem %d: %v", i, err)
		}
		rows, cols := p.Hypotheses(), p.Queries()
		if rows < 10 || rows > 60 || cols < 15 || cols > 60 || p.T < 1 || p.T > 40 || p.AskOnce && p.T > cols/2 {
			t.Fatalf("problem %d is %d×%d with budget %d, ask-once %v", i, rows, cols, p.T, p.AskOnce)
		}
		again, err := f.Draw(key)
		if err != nil || again.T != p.T || !slices.Equal(again.Seek.(*game.Shares).Yes, p.Seek.(*game.Shares).Yes) {
			t.Fatalf("problem %d is another when drawn again: %v", i, err)
		}
		kinds[p.Name]++
		if p.AskOnce {
			once++
		}
		sizes += math.Log(float64(rows))
	}
	of := f.Kinds
	for name, share := range map[string]float64{"chains": of.Chains, "random": of.Random, "clusters": of.Clusters, "trees": of.Trees, "graded": of.Graded, "low-rank": of.LowRank} {
		if want := share / 8 * n; math.Abs(float64(kinds[name])-want) > 45 { // standard deviations are below 9
			t.Errorf("%d of %d tables are %s, want about %.0f", kinds[name], n, name, want)
		}
	}
	if once < 270 || once > 370 {
		t.Errorf("%d of %d games ask once, want about 320", once, n)
	}
	if middle := math.Exp(sizes / n); middle < 18 || middle > 30 {
		t.Errorf("the geometric mean of rows is %.1f, want about 24", middle)
	}
}

// only is a family of one kind.
func only(kinds Kinds) *Family {
	f := Default()
	f.Kinds = kinds
	return &f
}

// TestKinds: each kind is what it says.
func TestKinds(t *testing.T) {
	draw := func(k Kinds, i int) *game.Problem {
		p, err := only(k).Draw(rng.New(2).At(i))
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	zeroOne := func(p *game.Problem) bool {
		return !slices.ContainsFunc(p.Seek.(*game.Shares).Yes, func(v float64) bool { return v != 0 && v != 1 })
	}
	for i := range 20 {
		for name, k := range map[string]Kinds{"chains": {Chains: 1}, "random": {Random: 1}, "clusters": {Clusters: 1}, "trees": {Trees: 1}} {
			if p := draw(k, i); !zeroOne(p) || p.Name != name {
				t.Errorf("a table of kind %s is called %s, and has entries of 0 and 1 alone: %v", name, p.Name, zeroOne(p))
			}
		}
		for name, k := range map[string]Kinds{"graded": {Graded: 1}, "low-rank": {LowRank: 1}} {
			if p := draw(k, i); zeroOne(p) || p.Name != name {
				t.Errorf("a table of kind %s is called %s, and has entries of 0 and 1 alone: %v", name, p.Name, zeroOne(p))
			}
		}
	}
}

func TestDrawFails(t *testing.T) {
	f := only(Kinds{Random: 1})
	f.Queries = []int{2, 3} // at most 8 rows differ
	if _, err := f.Draw(rng.New(3)); err == nil {
		t.Error("a family whose tables have too few rows that differ draws one")
	}
}

func TestCheck(t *testing.T) {
	for key, change := range map[string]func(f *Family){
		"kinds":        func(f *Family) { f.Kinds = Kinds{} },
		"kinds.trees":  func(f *Family) { f.Kinds.Trees = -1 },
		"kinds.graded": func(f *Family) { f.Kinds.Graded = math.NaN() },
		"ask-once":     func(f *Family) { f.Once = 1.5 },
		"hypotheses":   func(f *Family) { f.Hypotheses = []int{1, 5} },
		"queries":      func(f *Family) { f.Queries = []int{9, 5} },
		"budget":       func(f *Family) { f.Budget = []int{3} },
	} {
		t.Run(key, func(t *testing.T) {
			f := Default()
			if at, err := f.Check(); err != nil {
				t.Fatalf("the default is refused at %s: %v", at, err)
			}
			change(&f)
			if at, err := f.Check(); err == nil || at != key {
				t.Errorf("the fault is at %q: %v", at, err)
			}
		})
	}
}

// TestTrees: the rows that have an attribute are those below the branch where it arose, so of two attributes one's rows are among
// the other's or apart, but for some that lost it.
func TestTrees(t *testing.T) {
	clean, pairs, crossed := 0, 0, 0
	for n := range 60 {
		tree := &table{n: 24, d: 20, yes: make([]float64, 24*20)}
		tree.trees(rng.New(uint64(n)).Rand())
		before := crossed
		for i := range 20 {
			for j := range i {
				both, one, other := false, false, false
				for k := range 24 {
					a, b := tree.row(k)[i] == 1, tree.row(k)[j] == 1
					both, one, other = both || a && b, one || a && !b, other || b && !a
				}
				pairs++
				if both && one && other {
					crossed++
				}
			}
		}
		if crossed == before {
			clean++
		}
	}
	if crossed == 0 || crossed > pairs/10 || clean == 0 {
		t.Errorf("%d of %d pairs of attributes cross each other, and none in %d of 60 tables; want a few, by losses", crossed, pairs, clean)
	}
}

// TestKindsByShare: each kind is drawn as often as its share says, the first and the last among them.
func TestKindsByShare(t *testing.T) {
	f, r, drawn := Default(), rng.New(5).Rand(), map[string]float64{}
	const draws = 20_000
	for range draws {
		drawn[f.kind(r).name] += 1. / draws
	}
	for name, want := range map[string]float64{"chains": 1. / 8, "random": 1. / 8, "clusters": 1. / 8, "trees": 1. / 8, "graded": 2. / 8, "low-rank": 2. / 8} {
		// By Hoeffding 20,000 draws are 0.03 off once in e⁻³⁶.
		if math.Abs(drawn[name]-want) > 0.03 {
			t.Errorf("%s are drawn at a share of %v, want %v", name, drawn[name], want)
		}
	}
}
