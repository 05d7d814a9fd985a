package game

import (
	"math"
	"slices"
)

// L1 solves linear programmes by the simplex method:
//
//	min Σ_j cost_j·|a_j|  subject to  Σ_j a_j c_j = w
//
// over columns c_j of m entries each. A column may be one-sided: a_j ≥ 0. Costs must not be negative. Its dual is
// max ⟨w, y⟩ subject to |⟨c_j, y⟩| ≤ cost_j, without the absolute value for one-sided columns. Ties are broken by the least
// index. It is scratch of one caller.
type L1 struct {
	m       int
	cols    []float64 // [columns, m]
	cost    []float64 // [columns]
	oneSide []bool    // [columns]

	w       []float64 // [m]
	basis   []int     // the columns of the basis, [m]
	sign    []float64 // theirs, ±1, [m]
	inverse []float64 // of the matrix with columns sign·c, [m, m]
	value   []float64 // |a| of the basis, [m]
	dual    []float64 // y, [m]
	move    []float64 // how an entering column changes value, [m]
	pivots  int       // since inverse was worked out anew

	at, rate []float64 // of [L1.Move]: ⟨c_j, y⟩, and how it changes along an edge, [columns]
	square   []float64 // the squared lengths of the edges, [m]
}

const (
	l1Tolerance = 1e-9 // reduced costs and pivots below count as 0
	l1Anew      = 50   // pivots until the inverse is worked out anew
	l1Dantzig   = 20   // times m pivots, from where on Bland's rule is followed, which ends but for rounding
	l1Most      = 200  // times m pivots, after which rounding has led it in a circle
)

// NewL1 returns a programme without columns.
func NewL1(m int) *L1 {
	v := func(n int) []float64 { return make([]float64, n) }
	return &L1{m: m, sign: v(m), inverse: v(m * m), value: v(m), dual: v(m), move: v(m), basis: make([]int, m)}
}

// Add appends a column, which it copies, and returns its index.
func (l *L1) Add(column []float64, cost float64, oneSided bool) int {
	l.cols, l.cost, l.oneSide = append(l.cols, column...), append(l.cost, cost), append(l.oneSide, oneSided)
	return len(l.cost) - 1
}

// Start sets w, which it keeps, and a basis of m independent columns in which one-sided ones are not negative.
func (l *L1) Start(w []float64, basis []int) {
	l.w = w
	copy(l.basis, basis)
	for i := range l.sign {
		l.sign[i] = 1
	}
	l.renew()
	for i, v := range l.value {
		if v < 0 {
			l.sign[i], l.value[i] = -1, -v
			for j := range l.m {
				l.inverse[i*l.m+j] *= -1
			}
		}
	}
}

// Solve moves on to the optimum, also after more columns were added, and returns its value. Where columns are so nearly
// dependent that rounding leads it in a circle, it ends in the last solution, which may not be the best.
func (l *L1) Solve() float64 {
	for step := 0; ; step++ {
		l.price()
		if step == l1Most*l.m {
			break
		}
		j, sign := l.enter(step > l1Dantzig*l.m)
		if j < 0 || !l.pivot(j, sign) {
			break
		}
	}
	var sum float64
	for i, v := range l.value {
		sum += l.cost[l.basis[i]] * v
	}
	return sum
}

// Basis calls yield with each column of the optimum and its a, zeros left out.
func (l *L1) Basis(yield func(column int, a float64)) {
	for i, v := range l.value {
		if v > l1Tolerance {
			yield(l.basis[i], l.sign[i]*v)
		}
	}
}

// Dual returns y at the optimum, [m]. It aliases l.
func (l *L1) Dual() []float64 { return l.dual }

func (l *L1) column(j int) []float64 { return l.cols[j*l.m : (j+1)*l.m] }

// price works out y.
func (l *L1) price() {
	clear(l.dual)
	for i, j := range l.basis {
		for k := range l.m {
			l.dual[k] += l.cost[j] * l.inverse[i*l.m+k]
		}
	}
}

// enter returns the column whose reduced cost is least, or the first that has a negative one, with its sign; −1 at the optimum.
func (l *L1) enter(first bool) (best int, sign float64) {
	best = -1
	least := -l1Tolerance
	for j := range l.cost {
		v := inner(l.column(j), l.dual)
		s := 1.0
		if v < 0 && !l.oneSide[j] {
			v, s = -v, -1
		}
		if reduced := l.cost[j] - v; reduced < least {
			best, sign, least = j, s, reduced
			if first {
				return best, sign
			}
		}
	}
	return best, sign
}

// pivot lets column j into the basis; false where nothing bounds it, which rounding alone can cause.
func (l *L1) pivot(j int, sign float64) bool {
	out, least := -1, math.Inf(1)
	for i := range l.m {
		l.move[i] = sign * inner(l.inverse[i*l.m:(i+1)*l.m], l.column(j))
		if l.move[i] <= l1Tolerance {
			continue
		}
		ratio := l.value[i] / l.move[i]
		if ratio < least-l1Tolerance || ratio < least+l1Tolerance && l.basis[i] < l.basis[out] {
			out, least = i, min(least, ratio)
		}
	}
	if out < 0 {
		return false
	}
	for i := range l.m {
		if i != out {
			l.value[i] = max(0, l.value[i]-least*l.move[i])
		}
	}
	l.value[out], l.basis[out], l.sign[out] = least, j, sign
	if l.pivots++; l.pivots >= l1Anew {
		l.renew()
		return true
	}
	row := l.inverse[out*l.m : (out+1)*l.m]
	for k := range row {
		row[k] /= l.move[out]
	}
	for i := range l.m {
		if i == out || l.move[i] == 0 {
			continue
		}
		for k, v := range row {
			l.inverse[i*l.m+k] -= l.move[i] * v
		}
	}
	return true
}

// renew works the inverse and the values of the basis out from its columns.
func (l *L1) renew() {
	m := l.m
	a := make([]float64, m*m) // the basis by rows
	for i, j := range l.basis {
		for k, v := range l.column(j) {
			a[k*m+i] = l.sign[i] * v
		}
	}
	invert(l.inverse, a, m)
	for i := range m {
		l.value[i] = inner(l.inverse[i*m:(i+1)*m], l.w)
	}
	l.pivots = 0
}

// invert writes the inverse of a, [m, m], to dst; a is lost. Gauss and Jordan, with row pivots.
func invert(dst, a []float64, m int) {
	clear(dst)
	for i := range m {
		dst[i*m+i] = 1
	}
	for c := range m {
		top := c
		for i := c + 1; i < m; i++ {
			if math.Abs(a[i*m+c]) > math.Abs(a[top*m+c]) {
				top = i
			}
		}
		if top != c {
			for k := range m {
				a[c*m+k], a[top*m+k] = a[top*m+k], a[c*m+k]
				dst[c*m+k], dst[top*m+k] = dst[top*m+k], dst[c*m+k]
			}
		}
		by := 1 / a[c*m+c]
		for k := range m {
			a[c*m+k] *= by
			dst[c*m+k] *= by
		}
		for i := range m {
			if by := a[i*m+c]; i != c && by != 0 {
				for k := range m {
					a[i*m+k] -= by * a[c*m+k]
					dst[i*m+k] -= by * dst[c*m+k]
				}
			}
		}
	}
}

func inner(a, b []float64) (sum float64) {
	b = b[:len(a)]
	for i, v := range a {
		sum += v * b[i]
	}
	return sum
}

// orthonormal returns an orthonormal basis of the span of n vectors of m entries each, [rank, m], and which of them it was
// made from. Each next one is that with the largest rest; it ends where no rest is above tolerance (Gram and Schmidt, twice).
func orthonormal(vectors []float64 /* [n, m] */, m int, tolerance float64) (basis []float64, of []int) {
	rest := slices.Clone(vectors)
	n := len(vectors) / m
	for len(of) < m {
		best, most := -1, tolerance*tolerance
		for i := range n {
			v := rest[i*m : (i+1)*m]
			if square := inner(v, v); square > most*(1+1e-12) {
				best, most = i, square
			}
		}
		if best < 0 {
			break
		}
		q := slices.Clone(rest[best*m : (best+1)*m])
		without(q, basis)
		by := 1 / math.Sqrt(inner(q, q))
		for i := range q {
			q[i] *= by
		}
		basis, of = append(basis, q...), append(of, best)
		for i := range n {
			without(rest[i*m:(i+1)*m], q)
		}
		clear(rest[best*m : (best+1)*m])
	}
	return basis, of
}

// without takes the parts along orthonormal vectors, [any, m], from v, [m].
func without(v, basis []float64) {
	for at := 0; at < len(basis); at += len(v) {
		q := basis[at : at+len(v)]
		part := inner(q, v)
		for i := range v {
			v[i] -= part * q[i]
		}
	}
}
