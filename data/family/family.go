package family

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"

	"mapo/game"
	"mapo/rng"
)

// Family is a distribution over problems whose hypotheses are the rows of a table of shares. Sizes and budgets are drawn so
// that their logarithms are uniform.
type Family struct {
	Kinds      Kinds   `yaml:"kinds"`
	Hypotheses []int   `yaml:"hypotheses"` // the least and the most rows
	Queries    []int   `yaml:"queries"`    // the least and the most columns
	Budget     []int   `yaml:"budget"`     // the fewest and the most answers of a game; of games that ask once at most half of the queries
	Once       float64 `yaml:"ask-once"`   // the share of problems that ask no query twice
}

// Kinds is how often each kind of table is drawn. They need not sum to 1.
type Kinds struct {
	Chains   float64 `yaml:"chains"`   // rows are 1 along an order of the queries, from a place of their own on, or up to another
	Random   float64 `yaml:"random"`   // cells are drawn, each column by a share of its own
	Clusters float64 `yaml:"clusters"` // rows differ in few queries from one of few others
	Trees    float64 `yaml:"trees"`    // rows inherit what arose at a branch of a tree
	Graded   float64 `yaml:"graded"`   // one of these as people would answer: each share from a Beta distribution
	LowRank  float64 `yaml:"low-rank"` // logits of shares are products of few hidden factors
}

// Default returns a family of tables of 10 × 15 to 60 × 60, about 25 × 30 in the middle, and
// budgets of 3 to 40.
func Default() Family {
	return Family{
		Kinds:      Kinds{Chains: 1, Random: 1, Clusters: 1, Trees: 1, Graded: 2, LowRank: 2},
		Hypotheses: []int{10, 60}, Queries: []int{15, 60}, Budget: []int{3, 40}, Once: 0.8,
	}
}

// kind is a way to fill a table.
type kind struct {
	name  string
	share float64
	fill  func(t *table, r *rand.Rand)
}

// kinds lists them with their shares.
func (f *Family) kinds() []kind {
	k := &f.Kinds
	return []kind{
		{"chains", k.Chains, (*table).chains},
		{"random", k.Random, (*table).random},
		{"clusters", k.Clusters, (*table).clusters},
		{"trees", k.Trees, (*table).trees},
		{"graded", k.Graded, (*table).graded},
		{"low-rank", k.LowRank, (*table).lowRank},
	}
}

// mostSize bounds rows, columns and budgets: one table is kept in memory many times over.
const mostSize = 200

// Check reports the first reason why nothing can be drawn: the key that is at fault, and what is wrong.
func (f *Family) Check() (key string, err error) {
	var sum float64
	for _, k := range f.kinds() {
		if !(k.share >= 0) || math.IsInf(k.share, 1) {
			return "kinds." + k.name, fmt.Errorf("the share of tables of kind %s is %v; it must be at least 0", k.name, k.share)
		}
		sum += k.share
	}
	switch {
	case sum == 0:
		return "kinds", errors.New("no kind of table has a share above 0")
	case !(f.Once >= 0 && f.Once <= 1):
		return "ask-once", fmt.Errorf("the share of problems that ask once is %v; it must be from 0 to 1", f.Once)
	}
	for _, x := range []struct {
		name  string
		span  []int
		least int
	}{{"hypotheses", f.Hypotheses, 2}, {"queries", f.Queries, 2}, {"budget", f.Budget, 1}} {
		if len(x.span) != 2 || x.span[0] < x.least || x.span[1] > mostSize || x.span[0] > x.span[1] {
			return x.name, fmt.Errorf("%s are %v; write the least and the most, from %d to %d, such as [%d, 60]", x.name, x.span, x.least, mostSize, 10)
		}
	}
	return "", nil
}

// mostTries is how often a table is drawn anew whose rows are too much alike.
const mostTries = 100

// Draw returns the problem that key names. It is an error where no table of mostTries has as many rows that differ as the
// least.
func (f *Family) Draw(key rng.Key) (*game.Problem, error) {
	for try := range mostTries {
		r := key.At(try).Rand()
		if p := f.draw(r); p != nil {
			return p, p.Check()
		}
	}
	return nil, fmt.Errorf("none of %d tables drawn has %d rows that differ: let the family have more queries, or other kinds", mostTries, f.Hypotheses[0])
}

// draw returns nil where fewer rows differ than the least.
func (f *Family) draw(r *rand.Rand) *game.Problem {
	k := f.kind(r)
	t := &table{n: between(r, f.Hypotheses), d: between(r, f.Queries)}
	t.yes = make([]float64, t.n*t.d)
	k.fill(t, r)
	if t.distinct(); t.n < f.Hypotheses[0] {
		return nil
	}
	once, budget := r.Float64() < f.Once, between(r, f.Budget)
	if once {
		budget = max(1, min(budget, t.d/2))
	}
	s := &game.Shares{Yes: t.yes}
	p := &game.Problem{Name: k.name, T: budget, AskOnce: once, Seek: s}
	for i := range t.d {
		p.X = append(p.X, "q"+strconv.Itoa(i+1))
	}
	for j := range t.n {
		p.Names, s.Weight = append(p.Names, "h"+strconv.Itoa(j+1)), append(s.Weight, 1/float64(t.n))
	}
	return p.Grade()
}

// kind draws one by its share.
func (f *Family) kind(r *rand.Rand) kind {
	all := f.kinds()
	var sum float64
	for _, k := range all {
		sum += k.share
	}
	u, last := sum*r.Float64(), all[0]
	for _, k := range all {
		if k.share == 0 {
			continue
		}
		if last = k; u < k.share {
			break
		}
		u -= k.share
	}
	return last
}

// between draws a whole number whose logarithm is uniform.
func between(r *rand.Rand, span []int) int {
	lo, hi := math.Log(float64(span[0])), math.Log(float64(span[1])+1)
	return min(span[1], int(math.Exp(lo+(hi-lo)*r.Float64())+1e-9))
}
