package dataset

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strings"
	"testing"

	"mapo/game"
	"mapo/rng"
)

// mean is the objective as App. J writes it, over the number of users.
func mean(users [][]float64, z []float32) float64 {
	d := len(users[0])
	var sum float64
	for _, theta := range users {
		ideal, best := 0.0, math.Inf(-1)
		for _, v := range theta {
			ideal += max(v, 0)
		}
		for k := 0; k < len(z)/d; k++ {
			var value float64
			for i, v := range theta {
				value += v * float64(z[k*d+i])
			}
			best = max(best, value)
		}
		sum += ideal - best
	}
	return sum / float64(len(users))
}

func someUsers(seed uint64, n, d int) [][]float64 {
	r := rng.New(seed).Rand()
	users := make([][]float64, n)
	for m := range users {
		for range d {
			users[m] = append(users[m], math.Round(200*r.Float64()-100)/100)
		}
	}
	return users
}

// With d = 3 every 𝒵 can be tried: many starts find the best of them.
func TestClustersExhaustive(t *testing.T) {
	const d = 3
	for seed := range uint64(20) {
		users := someUsers(seed, 30, d)
		for n := 1; n <= 4; n++ {
			least := math.Inf(1)
			for set := range 1 << (1 << d) {
				if bits.OnesCount(uint(set)) != n {
					continue
				}
				var z []float32
				for v := range 1 << d {
					if set>>v&1 == 1 {
						z = append(z, float32(v&1), float32(v>>1&1), float32(v>>2&1))
					}
				}
				least = min(least, mean(users, z))
			}
			c := Clusters(users, Cluster{Clusters: n, Seed: seed, Restarts: 200})
			if got := mean(users, c.Z); math.Abs(got-c.Gap) > 1e-6 || got > least+1e-6 {
				t.Errorf("seed %d, %d clusters: objective %v, said to be %v; the least is %v", seed, n, got, c.Gap, least)
			}
		}
	}
}

// No step of a start raises the objective, users belong to their best cluster in
// the end, and nobody could move.
func TestClustersDescend(t *testing.T) {
	users := someUsers(5, 400, 20)
	k := newMeans(users, 6)
	for c, m := range rng.New(1).Rand().Perm(len(users))[:6] {
		k.take(c, m)
	}
	last := math.Inf(1)
	for k.assign() {
		if gap := k.gap(); gap > last {
			t.Errorf("the objective rises from %v to %v", last, gap)
		} else {
			last = gap
		}
		if got := mean(users, k.z); math.Abs(got-last) > 1e-5 {
			t.Errorf("the objective is %v, said to be %v", got, last)
		}
		k.update()
	}
	a := Clusters(users, Cluster{Clusters: 6, Seed: 1})
	if b := Clusters(users, Cluster{Clusters: 6, Seed: 1}); !slices.Equal(a.Z, b.Z) || a.Gap > a.Worst {
		t.Errorf("the same seed gives two clusterings, or the best start is the worst: %v, %v", a.Gap, a.Worst)
	}
	if !slices.IsSortedFunc(a.Size, func(x, y int) int { return y - x }) {
		t.Errorf("sizes %v do not fall", a.Size)
	}
	p := &game.Problem{X: make([]string, 20), Names: make([]string, 6), Z: a.Z}
	if got := MeanGap(users, p); math.Abs(got-a.Gap) > 1e-9 {
		t.Errorf("the same 𝒵 has the objective %v and %v", a.Gap, got)
	}
}

func TestClustersWithoutUsers(t *testing.T) {
	// Three kinds of users for five clusters: two stay empty.
	var users [][]float64
	for m := range 30 {
		theta := []float64{-1, -1, -1}
		theta[m%3] = 1
		users = append(users, theta)
	}
	c := Clusters(users, Cluster{Clusters: 5, Seed: 2})
	if c.Gap != 0 || fmt.Sprint(c.Size) != "[10 10 10 0 0]" {
		t.Errorf("gap %v, sizes %v", c.Gap, c.Size)
	}
	// Two kinds, and a first cluster between them: a start that left a cluster empty
	// would end with a regret.
	users = [][]float64{{1, 1, -1}, {1, -1, 1}, {1, 1, -1}, {1, -1, 1}}
	for seed := range uint64(20) {
		if c := Clusters(users, Cluster{Clusters: 2, Seed: seed, Restarts: 1}); c.Gap != 0 {
			t.Errorf("seed %d leaves a regret of %v", seed, c.Gap)
		}
	}
}

func TestRatingsProblem(t *testing.T) {
	r := &Ratings{Name: "r.csv"}
	z := make([]float32, 3*Jokes)
	z[0], z[Jokes+1] = 1, 1
	p, note, err := r.Problem(Options{T: 20}, Clustering{Z: z, Size: []int{7, 5, 0}})
	if err != nil || note != "r.csv: 1 of 3 clusters have no user and are left out" {
		t.Fatal(note, err)
	}
	if p.Check() != nil || p.Queries() != 100 || p.Names[1] != "cluster 2 (5 users)" || p.X[99] != "joke 100" || p.Name != "jester" {
		t.Errorf("%v %v", p.Names, p.Check())
	}
	if _, _, err := r.Problem(Options{T: 20}, Clustering{Z: z, Size: []int{7, 0, 0}}); err == nil {
		t.Error("one cluster is a game")
	}
	head := "object"
	for i := range Jokes {
		head += fmt.Sprintf(",j%d", i)
	}
	row := func(name string, one int) string {
		cells := slices.Repeat([]string{"0"}, Jokes)
		cells[one] = "1"
		return "\n" + name + "," + strings.Join(cells, ",")
	}
	p, warnings, err := r.ProblemOf(Options{T: 5}, parse(t, head+row("a", 3)+row("b", 4)+row("c", 3)))
	if err != nil || p.Queries() != 100 || fmt.Sprint(p.Names) != "[a / c b]" || p.Check() != nil {
		t.Errorf("%v, %v", p, err)
	}
	if fmt.Sprint(warnings) != `[t.csv: merged 1 hypotheses into others that are alike (the first: "c" is like "a")]` {
		t.Errorf("%q", warnings)
	}
	if _, _, err := r.ProblemOf(Options{T: 5}, parse(t, "object,a,b\nx,1,0\ny,0,1\n")); err == nil || err.Error() != "t.csv:1: the table has 2 queries, want 100: one column a joke" {
		t.Error(err)
	}
	if _, _, err := r.ProblemOf(Options{T: 5}, parse(t, head+row("a", 3)+strings.Replace(row("b", 3), ",1", ",0.9", 1))); err == nil || !strings.HasPrefix(err.Error(), "t.csv:2: all hypotheses are alike") {
		t.Error(err)
	}
}

// The 7,200 users of part 1: an independent program found objectives from 8.575 to
// 8.653 over ten starts and left the best 𝒵 in jester_z10.csv.
func TestJesterMatchesAnIndependentProgram(t *testing.T) {
	r, err := ReadJester(data(t, "jester_complete.csv.gz"))
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Users) != 7200 || r.All != 7200 || math.Abs(r.Users[0][0]-.408) > 1e-12 {
		t.Fatalf("%d users of %d, the first %v", len(r.Users), r.All, r.Users[0][:3])
	}
	table, err := ReadTable(data(t, "jester_z10.csv"), "")
	if err != nil {
		t.Fatal(err)
	}
	p, _, err := r.ProblemOf(Options{T: 20}, table)
	if err != nil {
		t.Fatal(err)
	}
	if gap := MeanGap(r.Users, p); math.Abs(gap-8.575) > .0005 {
		t.Errorf("the given 𝒵 has the objective %v, want 8.575", gap)
	}
	c := Clusters(r.Users, Cluster{Seed: 1})
	if c.Gap < 8.5 || c.Gap > 8.6 || c.Worst > 8.75 {
		t.Errorf("ten starts end from %v to %v", c.Gap, c.Worst)
	}
	t.Logf("ten starts: %.3f to %.3f, sizes %v", c.Gap, c.Worst, c.Size)
}
