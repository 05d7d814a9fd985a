package num

// What a policy that knows its hypotheses needs beside matrix products: powers of many bases of the same
// exponents, and the best of those that contradict the best.

// Tempered writes the softmax of scales[j]·v_i to row (i, j) of dst for each row v_i of v, and its largest
// entry, that of the largest v, to share. Scales are positive; a row of v without a finite number, or with
// one that is +∞ or not a number, panics.
//
// Cost: n·len(scales)·d exponentials.
func Tempered(dst []float32 /* [n, J, d] */, share []float32 /* [n, J] */, v []float32 /* [n, d] */, scales []float32 /* [J] */, n, d int) {
	shape(n, d, len(scales))
	size("dst", len(dst), n*len(scales)*d)
	size("share", len(share), n*len(scales))
	size("v", len(v), n*d)
	if n == 0 || d == 0 {
		return
	}
	for j, s := range scales {
		if !active.softmax(dst[j*d:], v, share[j:], s, n, d, len(scales)*d, d, len(scales)) {
			panic("num: Tempered has a row without a finite number, or with one that is not a number")
		}
	}
}

// Table is a matrix of bits, read only once made.
type Table struct {
	rows, cols, words int
	bits              []uint16 // [rows, words]; columns that do not exist are 0
	varied            []uint16 // the columns that are not the same in all rows, [words]

	// Where there are manyRows:
	bytes []byte   // the bits as bytes, [rows, up to whole countColumns]
	long  []uint64 // the bits in longer words, [rows, (cols+63)/64]
}

// NewTable returns the table with a 1 where z is not 0.
func NewTable(z []float32 /* [rows, cols] */, rows, cols int) *Table {
	shape(rows, cols, 0)
	size("z", len(z), rows*cols)
	t := &Table{rows: rows, cols: cols, words: (cols + 15) / 16}
	t.bits = make([]uint16, rows*t.words)
	t.varied = make([]uint16, t.words)
	for k := range rows {
		for i, v := range z[k*cols : (k+1)*cols] {
			if v != 0 {
				t.bits[k*t.words+i/16] |= 1 << (i % 16)
			}
			if (v != 0) != (z[i] != 0) {
				t.varied[i/16] |= 1 << (i % 16)
			}
		}
	}
	if t.Many() {
		width, words := t.wide(), t.longWords()
		t.bytes, t.long = make([]byte, rows*width), make([]uint64, rows*words)
		for at, v := range z {
			if k, i := at/cols, at%cols; v != 0 {
				t.bytes[k*width+i] = 1
				t.long[k*words+i/64] |= 1 << (i % 64)
			}
		}
	}
	return t
}

// Width returns the number of columns rounded up to whole words of 16.
func (t *Table) Width() int { return 16 * t.words }

// One reports whether there is a 1 in row k, column i.
func (t *Table) One(k, i int) bool { return t.bits[k*t.words+i/16]>>(i%16)&1 != 0 }

// Opposed writes, for each row v_b of v and each column i, the largest v_bk over the rows k of t that differ
// from row best[b] at i to dst: −∞ where there is none. All kernels give the same numbers (of 0 and −0 any).
//
// Cost: n·rows·cols comparisons; of many rows usually but a few are looked at.
func Opposed(dst []float32 /* [n, t.Width()] */, v []float32 /* [n, rows] */, best []int /* [n] */, t *Table) {
	n := len(best)
	size("dst", len(dst), n*t.Width())
	size("v", len(v), n*t.rows)
	if t.rows == 0 || t.cols == 0 {
		return
	}
	for b, k := range best {
		active.opposed(dst[b*t.Width():(b+1)*t.Width()], v[b*t.rows:(b+1)*t.rows], t.bits[k*t.words:(k+1)*t.words], t)
	}
}
