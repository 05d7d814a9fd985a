package dataset

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"mapo/game"
	"mapo/rng"
)

// Cluster says how 𝒵 is made of users.
type Cluster struct {
	Clusters int    // |𝒵|; 0: the paper's 10
	Seed     uint64 // of the starts
	Restarts int    // starts, of which the best counts; 0: 10
}

// What a zero field of [Cluster] means.
const (
	DefaultClusters = 10
	DefaultRestarts = 10
)

// WithDefaults returns c with its zero fields filled in, except for the seed.
func (c Cluster) WithDefaults() Cluster {
	c.Clusters, c.Restarts = cmp.Or(c.Clusters, DefaultClusters), cmp.Or(c.Restarts, DefaultRestarts)
	return c
}

// Clustering is 𝒵 as k-means leaves it.
type Clustering struct {
	Z     []float32 // the clusters, the largest first, [clusters, d]
	Size  []int     // users of each, [clusters]
	Gap   float64   // the objective over the number of users: the mean regret of the best z
	Worst float64   // the largest Gap of any start
}

// Clusters groups users by App. J's variant of k-means, which minimises
//
//	Σ_users max_{z ∈ {0,1}^d} ⟨z, θ⟩ − max_{z ∈ 𝒵} ⟨z, θ⟩
//
// by turns: every user goes to the best z ∈ 𝒵 (the first of equally good ones),
// and every z becomes the best for its users, z_i = 1{Σ θ_i > 0}. Neither step can
// raise the objective, so a start ends after finitely many. An empty cluster,
// which the paper does not speak of, is given the user with the largest regret,
// which lowers it. A start takes distinct users drawn at random as its first
// clusters, z_i = 1{θ_i > 0}. users, [M] rows of d, are not changed. A round costs
// O(M·clusters·d); it panics where there are fewer users than clusters.
func Clusters(users [][]float64, c Cluster) Clustering {
	c = c.WithDefaults()
	if c.Clusters < 1 || len(users) < c.Clusters {
		panic(fmt.Sprintf("dataset: %d clusters of %d users", c.Clusters, len(users)))
	}
	k := newMeans(users, c.Clusters)
	var best Clustering
	for start := range c.Restarts {
		gap := k.run(rng.New(c.Seed).Name("clusters").At(start).Rand())
		if start == 0 || gap < best.Gap {
			best = Clustering{Z: slices.Clone(k.z), Size: slices.Clone(k.size), Gap: gap, Worst: best.Worst}
		}
		best.Worst = max(best.Worst, gap)
	}
	best.sort(k.d)
	return best
}

// Problem returns the game over the clusters, 𝒳 one query a joke (reading 14: simple
// regret in the units of ⟨z, θ⟩ with θ a rating/10). Clusters without a user are
// left out; note says so. It is an error where fewer than 2 are left.
func (r *Ratings) Problem(o Options, c Clustering) (p *game.Problem, note string, err error) {
	p = &game.Problem{Name: o.Name, T: o.T, AskOnce: o.AskOnce}
	if p.Name == "" {
		p.Name = "jester"
	}
	for i := range Jokes {
		p.X = append(p.X, fmt.Sprintf("joke %d", i+1))
	}
	for k, n := range c.Size {
		if n > 0 {
			p.Names = append(p.Names, fmt.Sprintf("cluster %d (%d users)", k+1, n))
			p.Z = append(p.Z, c.Z[k*Jokes:(k+1)*Jokes]...)
		}
	}
	if n := len(c.Size) - len(p.Names); n > 0 {
		note = fmt.Sprintf("%s: %d of %d clusters have no user and are left out", r.Name, n, len(c.Size))
	}
	if len(p.Names) < 2 {
		return nil, note, fmt.Errorf("%s:1: all users are served alike by one cluster: there is nothing to find out", r.Name)
	}
	return p, note, nil
}

// ProblemOf returns the game over the hypotheses of a table in place of clusters, which
// must have a column a joke; all are kept, also those on which the hypotheses
// agree. Rows that are alike are merged with a warning.
func (r *Ratings) ProblemOf(o Options, t *Table) (*game.Problem, []string, error) {
	if len(t.Queries) != Jokes {
		return nil, nil, fmt.Errorf("%s:1: the table has %d queries, want %d: one column a joke", t.Name, len(t.Queries), Jokes)
	}
	all := whole(t)
	kept := &reduced{t: t, cols: all.cols}
	merged, example := kept.merge(all)
	if len(kept.rows) < 2 {
		return nil, nil, fmt.Errorf("%s:%d: all hypotheses are alike: a game needs at least 2 that differ", t.Name, t.Lines[0])
	}
	var warnings []string
	if merged > 0 {
		warnings = append(warnings, fmt.Sprintf("%s: merged %d hypotheses into others that are alike (the first: %s)", t.Name, merged, example))
	}
	if o.Name == "" {
		o.Name = "jester"
	}
	return kept.problem(o), warnings, nil
}

// sort puts larger clusters first; equally large ones keep their order.
func (c *Clustering) sort(d int) {
	order := upTo(len(c.Size))
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(c.Size[b], c.Size[a]) })
	z, size := slices.Clone(c.Z), slices.Clone(c.Size)
	for to, from := range order {
		copy(c.Z[to*d:(to+1)*d], z[from*d:(from+1)*d])
		c.Size[to] = size[from]
	}
}

// means is one start's clusters and scratch.
type means struct {
	d     int
	theta []float32 // users in one piece, [M, d]
	ideal []float64 // max_{z ∈ {0,1}^d} ⟨z, θ⟩, [M]
	z     []float32 // [clusters, d]
	to    []int     // each user's cluster, [M]
	best  []float64 // max_{z ∈ 𝒵} ⟨z, θ⟩, [M]
	size  []int     // [clusters]
	sum   []float64 // Σ θ over a cluster's users, [clusters, d]
}

func newMeans(users [][]float64, n int) *means {
	d := len(users[0])
	k := &means{
		d: d, theta: make([]float32, 0, len(users)*d), ideal: make([]float64, len(users)), z: make([]float32, n*d),
		to: make([]int, len(users)), best: make([]float64, len(users)), size: make([]int, n), sum: make([]float64, n*d),
	}
	for m, theta := range users {
		for _, v := range theta {
			k.theta = append(k.theta, float32(v))
			k.ideal[m] += max(v, 0)
		}
	}
	return k
}

// run returns one start, from clusters drawn by r to where no user moves; it returns
// the mean regret.
func (k *means) run(r *rand.Rand) float64 {
	for c, m := range r.Perm(len(k.to))[:len(k.size)] {
		k.take(c, m)
	}
	for m := range k.to {
		k.to[m] = -1
	}
	last := math.Inf(1)
	for k.assign() {
		// Rounding could make users go back and forth between clusters as good as equal.
		gap := k.gap()
		if gap >= last {
			break
		}
		last = gap
		k.update()
	}
	return k.gap()
}

// take makes cluster c what user m wants.
func (k *means) take(c, m int) {
	for i, v := range k.theta[m*k.d : (m+1)*k.d] {
		k.z[c*k.d+i] = 0
		if v > 0 {
			k.z[c*k.d+i] = 1
		}
	}
}

// assign sends every user to the best cluster and reports whether one moved.
func (k *means) assign() (moved bool) {
	clear(k.size)
	for m := range k.to {
		theta := k.theta[m*k.d : (m+1)*k.d]
		at, best := 0, dot(k.z[:k.d], theta)
		for c := 1; c < len(k.size); c++ {
			if v := dot(k.z[c*k.d:(c+1)*k.d], theta); v > best {
				at, best = c, v
			}
		}
		moved = moved || k.to[m] != at
		k.to[m], k.best[m] = at, float64(best)
		k.size[at]++
	}
	return moved
}

// dot returns ⟨z, θ⟩, added up in four sums, which the processor computes side by side.
func dot(z, theta []float32) float32 {
	var a, b, c, d float32
	for len(z) >= 4 && len(theta) >= 4 {
		a += z[0] * theta[0]
		b += z[1] * theta[1]
		c += z[2] * theta[2]
		d += z[3] * theta[3]
		z, theta = z[4:], theta[4:]
	}
	for i, v := range z {
		a += v * theta[i]
	}
	return (a + b) + (c + d)
}

// update makes every cluster the best for its users, an empty one for the user who
// is served worst.
func (k *means) update() {
	clear(k.sum)
	for m, c := range k.to {
		for i, v := range k.theta[m*k.d : (m+1)*k.d] {
			k.sum[c*k.d+i] += float64(v)
		}
	}
	for c, n := range k.size {
		if n == 0 {
			m := k.neediest()
			k.take(c, m)
			k.best[m] = k.ideal[m] // the next empty cluster goes to another
			continue
		}
		for i := range k.d {
			k.z[c*k.d+i] = 0
			if k.sum[c*k.d+i] > 0 {
				k.z[c*k.d+i] = 1
			}
		}
	}
}

// neediest returns the user with the largest regret, the first of several.
func (k *means) neediest() int {
	at := 0
	for m := range k.to {
		if k.ideal[m]-k.best[m] > k.ideal[at]-k.best[at] {
			at = m
		}
	}
	return at
}

// gap returns the mean regret of the clusters.
func (k *means) gap() float64 {
	var sum float64
	for m, v := range k.best {
		sum += k.ideal[m] - v
	}
	return sum / float64(len(k.best))
}

// MeanGap returns the objective of [Clusters] for a 𝒵 given, over the number of users.
func MeanGap(users [][]float64, p *game.Problem) float64 {
	k := newMeans(users, p.Hypotheses())
	copy(k.z, p.Z)
	k.assign()
	return k.gap()
}
