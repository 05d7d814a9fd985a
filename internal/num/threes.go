package num

// Threes are the rows of a layer's input whose entries come in threes, most of them all 0: a policy network
// reads three numbers of each query (App. B), and a state has few queries that were asked. The zero value has
// no rows; [Threes.Reset] makes room.
type Threes struct {
	entries []three
	start   []int32 // where each row's begin, and where the last one's end
	cols    int     // threes in a row
}

// three is one of them. Assembly knows its layout.
type three struct {
	at int32 // its place in the row, from 0; in a list by column the row it is of
	v  [3]float32
}

// Reset leaves no rows, with room for n of cols threes each.
func (x *Threes) Reset(n, cols int) {
	shape(n, cols, 0)
	if cap(x.entries) < n*cols {
		x.entries = make([]three, 0, n*cols)
	}
	if cap(x.start) < n+1 {
		x.start = make([]int32, 0, n+1)
	}
	x.entries, x.start, x.cols = x.entries[:0], append(x.start[:0], 0), cols
}

// Add puts three numbers at place at of the row under way; places come in increasing order.
func (x *Threes) Add(at int, a, b, c float32) {
	x.entries = append(x.entries, three{int32(at), [3]float32{a, b, c}})
}

// End ends the row under way.
func (x *Threes) End() { x.start = append(x.start, int32(len(x.entries))) }

// Rows returns the number of rows ended.
func (x *Threes) Rows() int { return max(0, len(x.start)-1) }

// ForwardThrees computes dst = f(x·W + b). A row gets the bits it would get alone.
//
// Cost: 6·out operations for each three of x that is there.
func ForwardThrees(dst []float32 /* [n, out] */, x *Threes, w []float32 /* [3·cols, out] */, b []float32 /* [out] */, out int, f Activation) {
	n := x.Rows()
	shape(n, x.cols, out)
	size("dst", len(dst), n*out)
	size("w", len(w), 3*x.cols*out)
	size("b", len(b), out)
	if n == 0 || out == 0 {
		return
	}
	active.forwardThrees(dst, x, w, b, out, f)
}

// ForwardPart computes dst = x·W for the matrix x of number part, 0 to 2, of each three. It gives the bits of [Forward]
// on the whole matrix without biases.
//
// Cost: 2·out operations for each three of x that is there.
func ForwardPart(dst []float32 /* [n, out] */, x *Threes, part int, w []float32 /* [cols, out] */, out int) {
	n := x.Rows()
	shape(n, x.cols, out)
	size("dst", len(dst), n*out)
	size("w", len(w), x.cols*out)
	if n == 0 || out == 0 {
		return
	}
	active.forwardPart(dst, x, part, w, out)
}

// AddWeightGradThrees adds dw += xᵀ·dy and db += Σ_rows dy. Each element's sum over the rows is added at once, so
// the bound is that of [AddWeightGrad] for a single chunk.
//
// Cost: 6·out operations for each three of x that is there, and out for each row.
func AddWeightGradThrees(dw []float32 /* [3·cols, out] */, db []float32 /* [out] */, x *Threes, dy []float32 /* [n, out] */, out int) {
	n := x.Rows()
	shape(n, x.cols, out)
	size("dw", len(dw), 3*x.cols*out)
	size("db", len(db), out)
	size("dy", len(dy), n*out)
	if n == 0 || out == 0 {
		return
	}
	active.addWeightGradThrees(dw, db, x, dy, out)
}

// byColumn writes x's threes to list by their place in a row, the rows in order: those of place i go from
// start[i] to start[i+1]. Both are grown to what they need.
func (x *Threes) byColumn(list []three, start []int32) ([]three, []int32) {
	if cap(list) < len(x.entries) {
		list = make([]three, cap(x.entries))
	}
	if cap(start) < x.cols+2 {
		start = make([]int32, x.cols+2)
	}
	list, start = list[:len(x.entries)], start[:x.cols+2]
	clear(start)
	for i := range x.entries {
		start[x.entries[i].at+2]++
	}
	for i := 2; i < len(start); i++ {
		start[i] += start[i-1]
	}
	// start[i+1] is now where column i begins; filling it in moves it to where the column ends.
	row, next := int32(-1), int32(0)
	for i := range x.entries {
		for int32(i) >= next {
			row++
			next = x.start[row+1]
		}
		e := &x.entries[i]
		list[start[e.at+1]] = three{row, e.v}
		start[e.at+1]++
	}
	return list, start[:x.cols+1]
}

func plainForwardThrees(dst []float32, x *Threes, w, b []float32, out int, f Activation) {
	for r := range x.Rows() {
		y := dst[r*out : (r+1)*out]
		copy(y, b)
		for _, e := range x.entries[x.start[r]:x.start[r+1]] {
			for j, v := range e.v {
				k := 3*int(e.at) + j
				addRow(y, w[k*out:(k+1)*out], v)
			}
		}
	}
	if f == Leaky {
		leaky(dst)
	}
}

// plainForwardPart adds rows of w in the fours of plainForward.
func plainForwardPart(dst []float32, x *Threes, part int, w []float32, out int) {
	clear(dst)
	for r := range x.Rows() {
		y, row := dst[r*out:(r+1)*out], x.entries[x.start[r]:x.start[r+1]]
		for i := 0; i < len(row); {
			k := int(row[i].at)
			if k >= x.cols&^3 {
				addRow(y, w[k*out:(k+1)*out], row[i].v[part])
				i++
				continue
			}
			var four [4]float32
			k &^= 3
			for ; i < len(row) && int(row[i].at) < k+4; i++ {
				four[int(row[i].at)-k] = row[i].v[part]
			}
			addRows4(y, w[k*out:(k+4)*out], four)
		}
	}
}

func plainAddWeightGradThrees(dw, db []float32, x *Threes, dy []float32, out int) {
	for r := range x.Rows() {
		g := dy[r*out : (r+1)*out]
		for _, e := range x.entries[x.start[r]:x.start[r+1]] {
			for j, v := range e.v {
				k := 3*int(e.at) + j
				addRow(dw[k*out:(k+1)*out], g, v)
			}
		}
		addRow(db, g, 1)
	}
}
