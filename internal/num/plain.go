package num

import (
	"math"
	"math/bits"
	"slices"
	"sync"
	"sync/atomic"
)

// The plain kernels. Products are rounded before they are added (the conversions forbid the compiler to
// fuse them), so these give the same bits on every architecture.

// plain is the kernel "go", the one every fast twin is tested against.
var plain = kernel{name: "go", forward: plainForward, inputGrad: plainInputGrad, addWeightGrad: plainAddWeightGrad, softmax: plainSoftmax, opposed: plainOpposed, leakyGrad: plainLeakyGrad,
	describe: plainDescribe, largest: plainLargest, means: plainMeans, groupSums: plainGroupSums, deviations: plainDeviations, countOnes: plainCountOnes, forwardGroups: plainForwardGroups,
	forwardColumns: plainForwardColumns, addWeightGradColumns: plainAddWeightGradColumns,
	forwardThrees: plainForwardThrees, forwardPart: plainForwardPart, addWeightGradThrees: plainAddWeightGradThrees, replies: plainReplies, likely: plainLikely, burn: plainBurn}

// plainForward works on two rows at once, four inputs deep: a row of w is loaded once for both.
func plainForward(dst, x, w, b []float32, n, in, out int, f Activation) {
	for r := 0; r < n; r += 2 {
		y0, x0 := dst[r*out:(r+1)*out], x[r*in:(r+1)*in]
		copy(y0, b)
		y1, x1 := y0, x0 // an odd last row stands for both
		if r+1 < n {
			y1, x1 = dst[(r+1)*out:(r+2)*out], x[(r+1)*in:(r+2)*in]
			copy(y1, b)
		}
		k := 0
		for ; k+4 <= in; k += 4 {
			if r+1 < n {
				addRows4Twice(y0, y1, w[k*out:(k+4)*out], [4]float32(x0[k:]), [4]float32(x1[k:]))
			} else {
				addRows4(y0, w[k*out:(k+4)*out], [4]float32(x0[k:]))
			}
		}
		for ; k < in; k++ {
			addRow(y0, w[k*out:(k+1)*out], x0[k])
			if r+1 < n {
				addRow(y1, w[k*out:(k+1)*out], x1[k])
			}
		}
	}
	if f == Leaky {
		leaky(dst)
	}
}

// leaky replaces v by Slope·v where v is not positive.
func leaky(v []float32) {
	for i, y := range v {
		if y < 0 {
			v[i] = Slope * y
		}
	}
}

// addRow adds a·w to dst.
func addRow(dst, w []float32, a float32) {
	w = w[:len(dst)]
	for j := range dst {
		dst[j] += float32(a * w[j])
	}
}

// addRows4 adds Σ_i a_i·w_i to dst for the four rows w_i of w.
func addRows4(dst, w []float32 /* [4, len(dst)] */, a [4]float32) {
	n := len(dst)
	w0, w1, w2, w3 := w[:n], w[n:2*n], w[2*n:3*n], w[3*n:4*n]
	w1, w2, w3 = w1[:len(w0)], w2[:len(w0)], w3[:len(w0)]
	dst = dst[:len(w0)]
	for j := range w0 {
		dst[j] += float32(a[0]*w0[j]) + float32(a[1]*w1[j]) + float32(a[2]*w2[j]) + float32(a[3]*w3[j])
	}
}

// addRows4Twice computes addRows4 for two rows of dst that share w.
func addRows4Twice(dst, dst2, w []float32 /* [4, len(dst)] */, a, b [4]float32) {
	n := len(dst)
	w0, w1, w2, w3 := w[:n], w[n:2*n], w[2*n:3*n], w[3*n:4*n]
	w1, w2, w3 = w1[:len(w0)], w2[:len(w0)], w3[:len(w0)]
	dst, dst2 = dst[:len(w0)], dst2[:len(w0)]
	a0, a1, a2, a3 := a[0], a[1], a[2], a[3]
	b0, b1, b2, b3 := b[0], b[1], b[2], b[3]
	for j := range w0 {
		v0, v1, v2, v3 := w0[j], w1[j], w2[j], w3[j]
		dst[j] += float32(a0*v0) + float32(a1*v1) + float32(a2*v2) + float32(a3*v3)
		dst2[j] += float32(b0*v0) + float32(b1*v1) + float32(b2*v2) + float32(b3*v3)
	}
}

// plainInputGrad takes inner products of a row of dy with four rows of w at a time.
func plainInputGrad(dst, dy, w, act []float32, n, in, out int) {
	for r := range n {
		d, g := dst[r*in:(r+1)*in], dy[r*out:(r+1)*out]
		var a []float32
		if act != nil {
			a = act[r*in : (r+1)*in]
		}
		i := 0
		for ; i+4 <= in; i += 4 {
			s := dot4(g, w[i*out:(i+4)*out])
			for j, v := range s {
				d[i+j] = masked(v, a, i+j)
			}
		}
		for ; i < in; i++ {
			d[i] = masked(dot(g, w[i*out:(i+1)*out]), a, i)
		}
	}
}

// masked returns v times the leaky ReLU's derivative where the unit put out a[i]; v where a is nil.
func masked(v float32, a []float32, i int) float32 {
	if a != nil && !(a[i] > 0) {
		return Slope * v
	}
	return v
}

// dot returns ⟨x, w⟩, summed in order.
func dot(x, w []float32) float32 {
	w = w[:len(x)]
	var s float32
	for k, v := range x {
		s += float32(v * w[k])
	}
	return s
}

// dot4 computes dot for four rows of w at once.
func dot4(x, w []float32 /* [4, len(x)] */) (s [4]float32) {
	n := len(x)
	w0, w1, w2, w3 := w[:n], w[n:2*n], w[2*n:3*n], w[3*n:4*n]
	w0, w1, w2, w3 = w0[:len(x)], w1[:len(x)], w2[:len(x)], w3[:len(x)]
	var s0, s1, s2, s3 float32
	for k, v := range x {
		s0 += float32(v * w0[k])
		s1 += float32(v * w1[k])
		s2 += float32(v * w2[k])
		s3 += float32(v * w3[k])
	}
	return [4]float32{s0, s1, s2, s3}
}

// plainAddWeightGrad adds outer products of x and dy, four rows of the batch at a time.
func plainAddWeightGrad(dw, db, x, dy []float32, n, in, out int) {
	r := 0
	for ; r+4 <= n; r += 4 {
		x0, x1, x2, x3 := x[r*in:(r+1)*in], x[(r+1)*in:(r+2)*in], x[(r+2)*in:(r+3)*in], x[(r+3)*in:(r+4)*in]
		g := dy[r*out : (r+4)*out]
		for i := range in {
			addRows4(dw[i*out:(i+1)*out], g, [4]float32{x0[i], x1[i], x2[i], x3[i]})
		}
		addRows4(db, g, [4]float32{1, 1, 1, 1})
	}
	for ; r < n; r++ {
		g := dy[r*out : (r+1)*out]
		for i, v := range x[r*in : (r+1)*in] {
			addRow(dw[i*out:(i+1)*out], g, v)
		}
		addRow(db, g, 1)
	}
}

// fourRows calls f with the rows of x, [in, ld], four at a time.
func fourRows(x []float32, ld, n, in int, f func(rows []float32, r, n int)) {
	four := fours.Get().(*[]float32)
	defer fours.Put(four)
	*four = slices.Grow((*four)[:0], 4*in)[:4*in]
	for r := 0; r < n; r += 4 {
		rows := min(4, n-r)
		for i := range in {
			for j, v := range x[i*ld+r : i*ld+r+rows] {
				(*four)[j*in+i] = v
			}
		}
		f((*four)[:rows*in], r, rows)
	}
}

var fours = sync.Pool{New: func() any { return new([]float32) }}

func plainForwardColumns(dst, x []float32, ld int, w, b []float32, n, in, out int, f Activation) {
	fourRows(x, ld, n, in, func(rows []float32, r, n int) {
		plainForward(dst[r*out:(r+n)*out], rows, w, b, n, in, out, f)
	})
}

func plainAddWeightGradColumns(dw, db, x []float32, ld int, dy []float32, n, in, out int) {
	fourRows(x, ld, n, in, func(rows []float32, r, n int) {
		plainAddWeightGrad(dw, db, rows, dy[r*out:(r+n)*out], n, in, out)
	})
}

func plainSoftmax(dst, src, share []float32, scale float32, n, d, ldd, lds, ldshare int) (ok bool) {
	ok = true
	for r := range n {
		to, row := dst[r*ldd:r*ldd+d], src[r*lds:r*lds+d]
		top := slices.Max(row)
		var sum float32
		for i, x := range row {
			to[i] = float32(math.Exp(float64(scale * (x - top))))
			sum += to[i]
		}
		ok = ok && sum > 0
		if share != nil {
			share[r*ldshare] = 1 / sum
		}
		for i := range to {
			to[i] /= sum
		}
	}
	return ok
}

func plainOpposed(dst, v []float32, best []uint16, t *Table) {
	for i := range dst {
		dst[i] = float32(math.Inf(-1))
	}
	for k, x := range v {
		for w, row := range t.bits[k*t.words : (k+1)*t.words] {
			for differ := row ^ best[w]; differ != 0; differ &= differ - 1 {
				if at := &dst[16*w+bits.TrailingZeros16(differ)]; x > *at {
					*at = x
				}
			}
		}
	}
}

func plainCountOnes(dst []float32, rows []int32, t *Table) {
	for _, k := range rows {
		for w, row := range t.bits[int(k)*t.words : (int(k)+1)*t.words] {
			for ; row != 0; row &= row - 1 {
				dst[16*w+bits.TrailingZeros16(row)]++
			}
		}
	}
}

func plainLeakyGrad(h, dh, add []float32, groups, n, d int) {
	for r := range groups * n {
		row, down := h[r*d:(r+1)*d], dh[r*d:(r+1)*d]
		for j, v := range add[r/n*d : (r/n+1)*d] {
			down := down[j] + v
			if !(row[j] > 0) {
				down *= Slope
			}
			row[j] = down
		}
	}
}

func plainGroupSums(dst, a, x []float32, groups, rows, out int) {
	clear(dst)
	for g := range groups {
		to, from := dst[g*out:(g+1)*out], x[g*rows*out:(g+1)*rows*out]
		j := 0
		for ; j+4 <= rows; j += 4 {
			addRows4(to, from[j*out:(j+4)*out], [4]float32(a[j:]))
		}
		for ; j < rows; j++ {
			addRow(to, from[j*out:(j+1)*out], a[j])
		}
	}
}

func plainForwardGroups(dst, x, w, b []float32, groups, rows, in, out int, f Activation) {
	for g := range groups {
		plainForward(dst[g*rows*out:(g+1)*rows*out], x[g*rows*in:(g+1)*rows*in], w, b[g*out:(g+1)*out], rows, in, out, f)
	}
}

// sink keeps the compiler from leaving plainBurn's work out.
var sink atomic.Uint32

func plainBurn(n int) float64 {
	var a, b, c, d, e, f, g, h float32
	x := float32(.5)
	for range n {
		a, b, c, d = a*x+x, b*x+x, c*x+x, d*x+x
		e, f, g, h = e*x+x, f*x+x, g*x+x, h*x+x
	}
	sink.Store(math.Float32bits(a + b + c + d + e + f + g + h))
	return 16 * float64(n)
}
