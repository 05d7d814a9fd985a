package family

import (
	"encoding/binary"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/stat/distuv"
)

// table is a table in the making.
type table struct {
	n, d int
	yes  []float64 // [n, d]
}

func (t *table) row(j int) []float64 { return t.yes[j*t.d : (j+1)*t.d] }

// distinct drops rows that equal an earlier one.
func (t *table) distinct() {
	seen, kept := map[string]bool{}, 0
	for j := range t.n {
		var key []byte
		for _, v := range t.row(j) {
			key = binary.LittleEndian.AppendUint64(key, math.Float64bits(v))
		}
		if !seen[string(key)] {
			seen[string(key)] = true
			copy(t.row(kept), t.row(j))
			kept++
		}
	}
	t.n, t.yes = kept, t.yes[:kept*t.d]
}

// chains orders the queries; a row is 1 from its own place on, some rows only up to a second place.
func (t *table) chains(r *rand.Rand) {
	order, intervals := r.Perm(t.d), r.IntN(2) == 0
	for j := range t.n {
		from, to := r.IntN(t.d+1), t.d
		if intervals {
			to = from + r.IntN(t.d-from+1)
		}
		for _, i := range order[from:to] {
			t.row(j)[i] = 1
		}
	}
}

// random draws every cell, each column by a share of its own.
func (t *table) random(r *rand.Rand) {
	for i := range t.d {
		share := 0.15 + 0.7*r.Float64()
		for j := range t.n {
			t.row(j)[i] = bit(r, share)
		}
	}
}

// clusters turns few cells of some random rows.
func (t *table) clusters(r *rand.Rand) {
	centers, turned := 2+r.IntN(max(1, t.n/4)), 0.03+0.15*r.Float64()
	rows := &table{n: centers, d: t.d, yes: make([]float64, centers*t.d)}
	rows.random(r)
	for j := range t.n {
		copy(t.row(j), rows.row(r.IntN(centers)))
		for i, v := range t.row(j) {
			if r.Float64() < turned {
				t.row(j)[i] = 1 - v
			}
		}
	}
}

// trees lets every attribute arise at a random branch of a binary tree over the rows, and some be lost below.
func (t *table) trees(r *rand.Rand) {
	// Nodes n … 2n−2 join two of those that have no parent yet.
	parent, open := make([]int, 2*t.n-1), make([]int, t.n)
	for j := range open {
		open[j] = j
	}
	for node := t.n; node < len(parent); node++ {
		for range 2 {
			at := r.IntN(len(open))
			parent[open[at]] = node
			open[at] = open[len(open)-1]
			open = open[:len(open)-1]
		}
		open = append(open, node)
	}
	lost := 0.05 * r.Float64()
	has := make([]bool, len(parent))
	for i := range t.d {
		arose := r.IntN(len(parent) - 1)
		for node := len(parent) - 1; node >= 0; node-- {
			has[node] = node == arose || node < len(parent)-1 && has[parent[node]] && r.Float64() >= lost
		}
		for j := range t.n {
			if has[j] {
				t.row(j)[i] = 1
			}
		}
	}
}

// graded fills the table as another kind does, and draws each share from a Beta distribution about it, as sure as the query is.
func (t *table) graded(r *rand.Rand) {
	[]func(*table, *rand.Rand){(*table).random, (*table).clusters, (*table).trees}[r.IntN(3)](t, r)
	middle, spread := 1+3*r.Float64(), r.Float64()
	for i := range t.d {
		sure := math.Exp(math.Log(middle) + spread*r.NormFloat64())
		off := 0.02 + 0.2*r.Float64() // how often people differ from the row
		for j := range t.n {
			mean := off + (1-2*off)*t.row(j)[i]
			beta := distuv.Beta{Alpha: sure * mean * 4, Beta: sure * (1 - mean) * 4, Src: r}
			t.row(j)[i] = math.Round(100*beta.Rand()) / 100
		}
	}
}

// lowRank takes the logits from few hidden factors of rows and queries.
func (t *table) lowRank(r *rand.Rand) {
	rank, scale := 2+r.IntN(8), 1+3*r.Float64()
	factors := func(n int) []float64 {
		v := make([]float64, n*rank)
		for i := range v {
			v[i] = r.NormFloat64()
		}
		return v
	}
	rows, queries := factors(t.n), factors(t.d)
	for i := range t.d {
		bias := 0.8 * scale * r.NormFloat64()
		for j := range t.n {
			logit := bias
			for k := range rank {
				logit += scale / math.Sqrt(float64(rank)) * rows[j*rank+k] * queries[i*rank+k]
			}
			t.row(j)[i] = math.Round(100/(1+math.Exp(-logit))) / 100
		}
	}
}

// bit returns 1 with probability share, else 0.
func bit(r *rand.Rand, share float64) float64 {
	if r.Float64() < share {
		return 1
	}
	return 0
}
