package check

import (
	"math"
	"math/rand/v2"
	"strconv"
	"sync"

	"mapo/game"
	"mapo/internal/num"
)

// Thresholds returns the problem of 𝒵 = {1{i < k} : k = 0 … d}, the paper's first problem.
func Thresholds(d, budget int) *game.Problem {
	return problem("thresholds", d, d+1, budget, func(k, i int) bool { return i < k })
}

// BestArm returns the problem of 𝒵 = {e_1 … e_d}.
func BestArm(d, budget int) *game.Problem {
	return problem("best arm", d, d, budget, func(k, i int) bool { return i == k })
}

// Random returns a problem with n different hypotheses, entries 0 and 1 with equal probability; n at most 2^d / 2.
func Random(d, n, budget int, r *rand.Rand) *game.Problem {
	p := problem("random", d, n, budget, func(int, int) bool { return r.IntN(2) == 1 })
	for p.Check() != nil {
		at := r.IntN(len(p.Z))
		p.Z[at] = 1 - p.Z[at]
	}
	return p
}

func problem(name string, d, n, budget int, is func(k, i int) bool) *game.Problem {
	p := &game.Problem{Name: name, T: budget}
	for i := range d {
		p.X = append(p.X, "x"+strconv.Itoa(i))
	}
	for k := range n {
		p.Names = append(p.Names, "z"+strconv.Itoa(k))
		for i := range d {
			z := float32(0)
			if is(k, i) {
				z = 1
			}
			p.Z = append(p.Z, z)
		}
	}
	return p
}

// Permute returns p with its queries in another order: query i of the result is query order[i] of p.
func Permute(p *game.Problem, order []int) *game.Problem {
	q := *p
	q.X, q.Z, q.Known = make([]string, len(p.X)), make([]float32, len(p.Z)), make([]float32, len(p.Known))
	for i, from := range order {
		q.X[i] = p.X[from]
		for k := range p.Names {
			q.Row(k)[i] = p.Row(k)[from]
		}
		for at := i; at < len(p.Known); at += len(order) {
			q.Known[at] = p.Known[at-i+from]
		}
	}
	return &q
}

// Farthest returns the largest difference of two vectors' entries.
func Farthest(a, b []float64) float64 {
	var worst float64
	for i := range a {
		worst = max(worst, math.Abs(a[i]-b[i]))
	}
	return worst
}

// PoolsDrop reports whether sync.Pool drops what it is given, as it does at random under the race detector: allocations
// cannot be counted there.
func PoolsDrop() bool {
	made := 0
	pool := sync.Pool{New: func() any { made++; return new(int) }}
	for range 100 {
		pool.Put(pool.Get())
	}
	return made > 1
}

// Even asks every query that may be asked with the same probability.
type Even struct{ P *game.Problem }

// Probs writes the uniform distribution over the queries that may be asked to dst, [B, |X|].
func (e Even) Probs(dst []float32, s game.States) {
	d := e.P.Queries()
	for b := range s.Len(d) {
		game.UniformOver(dst[b*d:(b+1)*d], nil, s.Row(b, d).Mask)
	}
}

// Wavy is a policy without meaning whose probabilities depend on everything a
// state holds, Left and Level too, and differ from query to query: what a test
// wants that must not pass by symmetry.
type Wavy struct{ P *game.Problem }

// Probs writes the distributions over queries to dst, [B, |X|].
func (w Wavy) Probs(dst []float32, s game.States) {
	d := w.P.Queries()
	for b := range s.Len(d) {
		row := s.Row(b, d)
		x := 0.7 * float64(w.P.LeftOf(row, 0))
		if row.Level != nil {
			x += float64(row.Level[0])
		}
		for i := range d {
			x += float64(i+1) * (1.3*float64(row.N[i]) + 0.4*float64(row.S[i]))
		}
		logits := dst[b*d : (b+1)*d]
		for i := range logits {
			logits[i] = float32(math.Sin(x+float64(3*i)) + 0.3*float64(row.S[i]))
		}
		num.Softmax(logits, logits, row.Mask, 1, len(logits))
	}
}

// Tie returns the decision, [n], that recommends each of some hypotheses with the same probability.
func Tie(n int, tie []int) []float32 {
	decision := make([]float32, n)
	for _, k := range tie {
		decision[k] = 1 / float32(len(tie))
	}
	return decision
}
