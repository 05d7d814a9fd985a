package game

import (
	"math"
	"sync"
	"sync/atomic"
)

// Difference is z_a − z_b by the weights a of least ℓ1 norm with Σ_x a_x x = z_a − z_b. At most Rank of them are not 0.
type Difference struct {
	On   []int32   // the queries that have weights
	By   []float64 // the weights
	Norm float64   // ‖a‖₁, the most that the scores can differ by
}

// Difference returns z_a − z_b, a ≠ b, and the sign that its weights are to be multiplied with. The first call for a pair solves a
// linear programme: 10 ms for 1,000 queries of rank 100 on an idle core. What it returns does not depend on which pairs were asked for before.
func (p *Problem) Difference(a, b int) (*Difference, float64) {
	if a < b {
		return p.Span().difference(a, b), 1
	}
	return p.Span().difference(b, a), -1
}

// pairs are the differences found so far. Where several goroutines look for the same one, they find the same.
type pairs struct {
	of   []atomic.Pointer[Difference] // of hypotheses a < b, at b(b−1)/2 + a
	own  []atomic.Pointer[vertex]     // where the searches for the differences of hypothesis a from later ones begin, [|Z|]
	pool *sync.Pool                   // of *differ
}

func newPairs(n int) pairs {
	return pairs{of: make([]atomic.Pointer[Difference], n*(n-1)/2), own: make([]atomic.Pointer[vertex], n), pool: new(sync.Pool)}
}

// vertex is the basis of an optimum.
type vertex struct {
	basis []int
	sign  []float64
}

// differ is the scratch of one caller.
type differ struct {
	l       *L1
	w       []float64 // [Rank]
	a       int       // the hypothesis whose vertex inverse is of; −1: none
	inverse []float64 // [Rank, Rank]
}

// newDiffer: query i costs a little more than those before it, so that of several differences of least norm it is always the
// same one.
func (s *Span) newDiffer() *differ {
	d := len(s.U) / s.Rank
	l := NewL1(s.Rank)
	for x := range d {
		l.Add(s.Vector(x), 1+tieCost*math.Sqrt(float64(x+1)/float64(d)), false)
	}
	return &differ{l: l, w: make([]float64, s.Rank), a: -1, inverse: make([]float64, s.Rank*s.Rank)}
}

// difference returns z_a − z_b, a < b.
func (s *Span) difference(a, b int) *Difference {
	at := &s.pair.of[b*(b-1)/2+a]
	if known := at.Load(); known != nil {
		return known
	}
	f, _ := s.pair.pool.Get().(*differ)
	if f == nil {
		f = s.newDiffer()
	}
	defer s.pair.pool.Put(f)
	for j, v := range s.Hypothesis(a) {
		f.w[j] = v - s.Hypothesis(b)[j]
	}
	if !f.moved(s, a) {
		f.l.Start(f.w, s.Basis)
		f.l.Solve()
	}
	of := new(Difference)
	f.l.Basis(func(x int, by float64) {
		of.On, of.By = append(of.On, int32(x)), append(of.By, by)
		of.Norm += math.Abs(by)
	})
	at.CompareAndSwap(nil, of)
	return at.Load()
}

// fewMoved is up to which rank a new start costs about as little as one from the least weights of another vector.
const fewMoved = 16

// moved solves for w from where the least weights that make up z_a are, and reports whether that was worth it and led to w: where queries
// are nearly dependent it may not.
func (f *differ) moved(s *Span, a int) bool {
	if s.Rank <= fewMoved {
		return false
	}
	f.begin(s, a)
	f.l.Move(f.w)
	return f.l.off() <= spanTolerance
}

// begin takes f to the vertex of hypothesis a.
func (f *differ) begin(s *Span, a int) {
	own := s.pair.own[a].Load()
	if own == nil {
		f.l.Start(s.Hypothesis(a), s.Basis)
		f.l.Solve()
		own = &vertex{append([]int(nil), f.l.basis...), append([]float64(nil), f.l.sign...)}
		s.pair.own[a].Store(own)
	}
	copy(f.l.basis, own.basis)
	copy(f.l.sign, own.sign)
	if f.a != a {
		f.l.w = s.Hypothesis(a)
		f.l.renew()
		f.a = a
		copy(f.inverse, f.l.inverse)
	}
	copy(f.l.inverse, f.inverse)
	f.l.pivots = 0
}
