package num

import (
	"sync"
	"unsafe"
)

// How the fast kernels cut a product C = A·B. C is computed in tiles of rows × (vectors·lanes) that stay in
// registers (gemm_amd64.s). B is repacked in panels as wide as a tile, so that its rows follow each other. A
// panel serves all tiles of a block of A's rows before the next one is taken, and so stays in the first-level
// cache while the block of A stays in the second.

// blockBytes is how much of A is kept in the second-level cache.
const blockBytes = 192 << 10

// chunkRows is how many rows of a batch AddWeightGrad sums from 0 before it adds to the gradient.
const chunkRows = 256

// fewRows is up to how many rows Forward reads whole panels where they stand: packing costs as much as a row or two.
const fewRows = 8

// tiles is a kernel of gemm_amd64.s: a column of strips tiles.
type tiles func(dst, a, b, extra *float32, strips, k, lda, ldb, ldd, last int, slope float32)

// simd is one instruction set's kernels: for each of rows, those for one vector and for two.
type simd struct {
	name       string
	lanes      int
	rows       []int // of a tile, the largest first; the last is 1
	forward    [][2]tiles
	inputGrad  [][2]tiles
	weightGrad [][2]tiles
	pack       [2]func(dst, src *float32, rows, ld, last int)
	softmax    func(dst, src, share *float32, scale float32, rows, whole, last, ldd, lds, ldshare int) (bad int)
	opposed    func(dst, v *float32, bits, best *uint16, rows, words int)
	leastTop   func(v *float32, vectors int) float32
	atLeast    func(marks *uint16, v *float32, vectors int, from float32)
	leakyGrad  func(h, dh, add *float32, groups, rows, vectors int, slope float32)
	groupSums  func(dst, a, x *float32, groups, rows, lda, vectors int)
	deviations func(dst, a, x, y *float32, rows, ld, vectors int)
	describe   func(dst, q *float32, d, ld int)
	largest    func(at *int, top, second, v *float32, rows, whole, last, ld int)
	means      func(dst, sum, count *float32, vectors int)
	burn       func(n int)

	forwardColumns, weightGradColumns [][2]tiles

	forwardPart      [8]func(dst, w *float32, entries, start *int32, part, rows, ldw, ldd, last int)                // by vectors, less one
	forwardThrees    [2]func(dst, w, bias *float32, entries, start *int32, rows, ldw, ldd, last int, slope float32) // wide, one vector
	replies          func(mean, doubt, m *float32, entries, start *int32, table *float32, lists, ld int)            // of a panel
	likely           func(w *float64, m *float32, vectors int, half, limit float64) (top float64)
	weightGradThrees [2]func(dst, dy *float32, entries, start *int32, columns, ldy, ldd, last int) // two vectors, one
}

func (s *simd) kernel() kernel {
	return kernel{name: s.name, inputGrad: s.runInputGrad,
		forward: func(dst, x, w, b []float32, n, in, out int, f Activation) {
			s.runForward(dst, input{x, in, in, s.forward}, w, b, n, in, out, f)
		},
		forwardColumns: func(dst, x []float32, ld int, w, b []float32, n, in, out int, f Activation) {
			s.runForward(dst, input{x, ld, 1, s.forwardColumns}, w, b, n, in, out, f)
		},
		addWeightGrad: func(dw, db, x, dy []float32, n, in, out int) {
			s.runWeightGrad(dw, db, input{x, in, 1, s.weightGrad}, dy, n, in, out)
		},
		addWeightGradColumns: func(dw, db, x []float32, ld int, dy []float32, n, in, out int) {
			s.runWeightGrad(dw, db, input{x, ld, ld, s.weightGradColumns}, dy, n, in, out)
		},
		describe: func(dst []float32, q *Queries, d, ld int) { s.describe(&dst[0], &q.Top, d, ld) },
		largest: func(at []int, top, second, v []float32, n, d int) {
			whole := (d - 1) / s.lanes
			s.largest(&at[0], &top[0], &second[0], &v[0], n, whole, d-whole*s.lanes, d)
		},
		means: func(dst, sum, count []float32) {
			whole := len(dst) / s.lanes
			if whole > 0 {
				s.means(&dst[0], &sum[0], &count[0], whole)
			}
			plainMeans(dst[whole*s.lanes:], sum[whole*s.lanes:], count[whole*s.lanes:])
		},
		softmax: func(dst, src, share []float32, scale float32, n, d, ldd, lds, ldshare int) bool {
			m := scratches.Get().(*scratch)
			defer scratches.Put(m)
			if share == nil {
				share, ldshare = m.bias(1), 0
			}
			whole := (d - 1) / s.lanes
			return s.softmax(&dst[0], &src[0], &share[0], scale, n, whole, d-whole*s.lanes, ldd, lds, ldshare) == 0
		},
		opposed: s.runOpposed,
		leakyGrad: func(h, dh, add []float32, groups, n, d int) {
			if d%s.lanes != 0 {
				plainLeakyGrad(h, dh, add, groups, n, d)
				return
			}
			s.leakyGrad(&h[0], &dh[0], &add[0], groups, n, d/s.lanes, Slope)
		},
		deviations: s.runDeviations, groupSums: s.runGroupSums, countOnes: runCountOnes, forwardGroups: s.runForwardGroups,
		forwardThrees: s.runForwardThrees, forwardPart: s.runForwardPart, addWeightGradThrees: s.runWeightGradThrees, replies: s.runReplies, likely: s.runLikely,
		burn: func(n int) float64 { s.burn(n); return float64(n) * float64(2*12*s.lanes) }}
}

// input is a layer's: rows of ld floats or, kept by columns, columns of them; next floats on is where the tile's next
// row begins. The kernels are those that read it so.
type input struct {
	v        []float32
	ld, next int
	kernels  [][2]tiles
}

// panel is some columns of a matrix as wide as a tile, in or out of scratch memory.
type panel struct {
	first   int       // column
	vectors int       // 1 or 2
	last    int       // columns of the last vector that exist
	b       []float32 // [k, ld], from the panel's first column
	ld      int
}

// panel returns the one that starts at column c of cols.
func (s *simd) panel(c, cols int) panel {
	n := min(cols-c, 2*s.lanes)
	p := panel{first: c, vectors: 1, last: n}
	if n > s.lanes {
		p.vectors, p.last = 2, n-s.lanes
	}
	return p
}

// width returns how many columns p has, those that do not exist included.
func (s *simd) width(p panel) int { return p.vectors * s.lanes }

// column is what all tiles of one column share.
type column struct {
	kernels    [][2]tiles
	panel      panel
	dst, extra *float32 // at the first row
	a          *float32 // likewise
	rows, k    int
	lda, ldd   int
	nextA      int // floats from a row of the tile to the next: lda, or 1 where A is used transposed
	nextExtra  int // likewise, 0 for biases
	slope      float32
}

// run computes a column of C, most of it in the largest tiles.
func (s *simd) run(c column) {
	for i, rows := range s.rows {
		strips := c.rows / rows
		if strips == 0 {
			continue
		}
		c.kernels[i][c.panel.vectors-1](c.dst, c.a, &c.panel.b[0], c.extra, strips, c.k, c.lda, c.panel.ld, c.ldd, c.panel.last, c.slope)
		done := strips * rows
		if c.rows -= done; c.rows == 0 {
			return
		}
		c.dst, c.a, c.extra = after(c.dst, done*c.ldd), after(c.a, done*c.nextA), after(c.extra, done*c.nextExtra)
	}
}

// after returns the address n floats on; the caller knows that there is one.
func after(p *float32, n int) *float32 {
	return (*float32)(unsafe.Add(unsafe.Pointer(p), 4*n))
}

// blockRows returns how many rows of A, k floats each, make a block: a multiple of the tile's.
func (s *simd) blockRows(k int) int {
	return max(1, blockBytes/(4*k*s.rows[0])) * s.rows[0]
}

func (s *simd) runForward(dst []float32, x input, w, b []float32, n, in, out int, f Activation) {
	if in == 0 {
		plainForward(dst, nil, w, b, n, in, out, f)
		return
	}
	slope := float32(1)
	if f == Leaky {
		slope = Slope
	}
	if p := s.panel(0, out); out == s.width(p) { // nothing to pack
		p.b, p.ld = w, out
		s.run(column{kernels: x.kernels, panel: p, dst: &dst[0], a: &x.v[0], extra: &b[0], rows: n, k: in, lda: x.ld, ldd: out, nextA: x.next, slope: slope})
		return
	}
	m := scratches.Get().(*scratch)
	defer scratches.Put(m)
	if out == 1 && x.next == in {
		s.thinForward(m, dst, x.v, w, b[0], n, in, slope)
		return
	}
	bias := b
	if out%s.lanes != 0 {
		bias = m.bias(out + s.lanes)
		copy(bias, b)
	}
	m.fill(s, out, in, func(p panel, to []float32) panel {
		whole := s.width(p) == min(2*s.lanes, out-p.first)
		if whole && n <= fewRows {
			p.b, p.ld = w[p.first:], out
			return p
		}
		s.pack[p.vectors-1](&to[0], &w[p.first], in, out, p.last)
		p.b, p.ld = to, s.width(p)
		return p
	})
	block := s.blockRows(in)
	for r := 0; r < n; r += block {
		for _, p := range m.panels {
			s.run(column{kernels: x.kernels, panel: p, dst: &dst[r*out+p.first], a: &x.v[r*x.next], extra: &bias[p.first],
				rows: min(block, n-r), k: in, lda: x.ld, ldd: out, nextA: x.next, slope: slope})
		}
	}
}

func (s *simd) runInputGrad(dst, dy, w, act []float32, n, in, out int) {
	if out == 0 {
		plainInputGrad(dst, dy, w, act, n, in, out)
		return
	}
	m := scratches.Get().(*scratch)
	defer scratches.Put(m)
	m.fill(s, in, out, func(p panel, to []float32) panel {
		p.b, p.ld = to, s.width(p)
		m.transposed(to, p.ld, w[p.first*out:min(in, p.first+p.ld)*out], out)
		return p
	})
	slope := float32(Slope)
	if act == nil {
		act, slope = dst, 1 // what dst holds does not matter then
	}
	block := s.blockRows(out)
	for r := 0; r < n; r += block {
		for _, p := range m.panels {
			at := r*in + p.first
			s.run(column{kernels: s.inputGrad, panel: p, dst: &dst[at], a: &dy[r*out], extra: &act[at],
				rows: min(block, n-r), k: out, lda: out, ldd: in, nextA: out, nextExtra: in, slope: slope})
		}
	}
}

// one stands for a column of ones where a bias's gradient is computed as a weight's.
var one = float32(1)

func (s *simd) runWeightGrad(dw, db []float32, x input, dy []float32, n, in, out int) {
	if in == 0 {
		plainAddWeightGrad(dw, db, nil, dy, n, in, out)
		return
	}
	m := scratches.Get().(*scratch)
	defer scratches.Put(m)
	if out == 1 && x.next == 1 {
		s.thinWeightGrad(m, dw, db, x.v, dy, n, in)
		return
	}
	summed := n > chunkRows && out%s.lanes == 0 && out <= 2*s.lanes // several chunks at once
	if summed {
		s.addChunks(m, db, nil, dy, n, out)
	}
	for r := 0; r < n; r += chunkRows {
		rows := min(chunkRows, n-r)
		m.packed = grown(m.packed, rows*2*s.lanes)
		a := &x.v[r] // kept by columns
		if x.next == 1 {
			a = &x.v[r*in]
		}
		for c := 0; c < out; c += 2 * s.lanes {
			p := s.panel(c, out)
			p.b, p.ld = dy[r*out:], out
			if out != s.width(p) {
				s.pack[p.vectors-1](&m.packed[0], &dy[r*out+c], rows, out, p.last)
				p.b, p.ld = m.packed, s.width(p)
			}
			s.run(column{kernels: x.kernels, panel: p, dst: &dw[c], a: a, extra: &one,
				rows: in, k: rows, lda: x.ld, ldd: out, nextA: x.next})
			if !summed {
				s.run(column{kernels: s.weightGrad, panel: p, dst: &db[c], a: &one, extra: &one, rows: 1, k: rows})
			}
		}
	}
}

// transposed writes src, [rows, cols], transposed to dst, [cols, ld], ld at least rows and a multiple of 8;
// columns of dst from rows on become 0.
func (m *scratch) transposed(dst []float32, ld int, src []float32, cols int) {
	for i := 0; i < ld; i += 8 {
		eight := src[min(i*cols, len(src)):min((i+8)*cols, len(src))]
		if len(eight) < 8*cols {
			m.padded = grown(m.padded, 8*cols)
			clear(m.padded[copy(m.padded, eight):])
			eight = m.padded
		}
		if cols >= 8 {
			transposeAVX2(&dst[i], &eight[0], cols/8, cols, ld)
		}
		for k := cols &^ 7; k < cols; k++ {
			for j := range 8 {
				dst[k*ld+i+j] = eight[j*cols+k]
			}
		}
	}
}

// scratch is one call's packed panels, and what had to be padded to a whole vector.
type scratch struct {
	packed, padded []float32
	panels         []panel
	zero           []float32 // no biases
	few            few       // rows of a table
	list           []three   // of a batch in threes, by column
	start          []int32
}

var scratches = sync.Pool{New: func() any { return new(scratch) }}

// fill sets panels to those of a matrix with cols columns and k rows: pack gets each with room for it.
func (m *scratch) fill(s *simd, cols, k int, pack func(p panel, to []float32) panel) {
	m.packed = grown(m.packed, (cols+2*s.lanes)*k)
	m.panels = m.panels[:0]
	at := 0
	for c := 0; c < cols; c += 2 * s.lanes {
		p := s.panel(c, cols)
		size := s.width(p) * k
		m.panels = append(m.panels, pack(p, m.packed[at:at+size]))
		at += size
	}
}

// bias returns room for n padded biases.
func (m *scratch) bias(n int) []float32 {
	m.padded = grown(m.padded, n)
	return m.padded
}

// grown returns v with n floats, aligned to a cache line.
func grown(v []float32, n int) []float32 {
	if cap(v) < n {
		v = make([]float32, n+16)
		for uintptr(unsafe.Pointer(&v[0]))%64 != 0 {
			v = v[1:]
		}
	}
	return v[:n]
}
