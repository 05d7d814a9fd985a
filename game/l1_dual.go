package game

import "math"

// Move sets another w, which it keeps, and returns what [L1.Solve] does. It continues from the optimum of the last w by the
// dual simplex method along steepest edges, in a third of the pivots that a new start takes with 100 rows. No column may be
// one-sided.
func (l *L1) Move(w []float64) float64 {
	if len(l.at) != len(l.cost) {
		l.at, l.rate, l.square = make([]float64, len(l.cost)), make([]float64, len(l.cost)), make([]float64, l.m)
	}
	l.w = w
	l.refresh()
	for range l1Dantzig * l.m {
		out := l.leave()
		if out < 0 {
			return l.Solve() // which looks once at all columns, and ends at once but for rounding
		}
		l.turn(out)
		if l.pivots >= 2*l1Anew {
			l.renew()
			l.refresh()
		}
	}
	l.Start(w, l.basis) // rounding has led it in a circle
	return l.Solve()
}

// refresh works out of the inverse the values, the lengths of the edges, y and ⟨c_j, y⟩.
func (l *L1) refresh() {
	for i := range l.value {
		row := l.inverse[i*l.m : (i+1)*l.m]
		l.value[i], l.square[i] = inner(row, l.w), inner(row, row)
	}
	l.price()
	l.products(l.at, l.dual)
}

// products writes ⟨c_j, v⟩ to dst, [columns].
func (l *L1) products(dst, v []float64) {
	for j := range dst {
		c, v := l.column(j), v
		var even, odd float64
		for ; len(c) >= 4 && len(v) >= 4; c, v = c[4:], v[4:] {
			even += c[0]*v[0] + c[2]*v[2]
			odd += c[1]*v[1] + c[3]*v[3]
		}
		dst[j] = even + odd + inner(c, v)
	}
}

// leave returns the column of the basis that is negative along the steepest edge, −1 where none is.
func (l *L1) leave() int {
	out, most := -1, 0.0
	for i, v := range l.value {
		if v < -l1Tolerance && v*v > most*l.square[i] {
			out, most = i, v*v/l.square[i]
		}
	}
	return out
}

// turn moves y along the edge on which a column of the basis is no longer at its cost, up to the first column that reaches its
// own. That one takes its place; it may be the same one with the other sign.
func (l *L1) turn(out int) {
	m := l.m
	row := l.inverse[out*m : (out+1)*m]
	l.products(l.rate, row)
	in, least := l.basis[out], math.Inf(1)
	for j, v := range l.rate {
		size := math.Abs(v)
		if size <= l1Tolerance {
			continue
		}
		far := max(0, l.cost[j]+math.Copysign(1, v)*l.at[j]) / size
		if far < least || far == least && size > math.Abs(l.rate[in]) {
			in, least = j, far
		}
	}
	sign := -math.Copysign(1, l.rate[in])
	for k, v := range row {
		l.dual[k] -= least * v
	}
	for j, v := range l.rate {
		l.at[j] -= least * v
	}
	by := 1 / (sign * l.rate[in])
	for k := range row {
		row[k] *= by
	}
	value, c := l.value[out]*by, l.column(in)
	for i := range m {
		if i == out {
			continue
		}
		other := l.inverse[i*m : (i+1)*m]
		move, square := sign*inner(other, c), 0.0
		l.value[i] -= value * move
		for k, v := range row {
			other[k] -= move * v
			square += other[k] * other[k]
		}
		l.square[i] = square
	}
	l.value[out], l.square[out] = value, inner(row, row)
	l.basis[out], l.sign[out] = in, sign
	l.pivots++
}

// off returns the largest entry of w that the solution does not make up, relative to the largest of w.
func (l *L1) off() float64 {
	rest, most, largest := append([]float64(nil), l.w...), 0.0, 0.0
	for i, j := range l.basis {
		for k, c := range l.column(j) {
			rest[k] -= l.sign[i] * l.value[i] * c
		}
	}
	for k, v := range l.w {
		most, largest = max(most, math.Abs(rest[k])), max(largest, math.Abs(v))
	}
	return most / largest
}
