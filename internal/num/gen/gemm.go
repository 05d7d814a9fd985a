package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// A tile is rows × vectors registers of C. For each k it loads a row of B once, spreads each of the tile's
// elements of A over a register, and multiplies and adds. One function computes a column of tiles, strips of
// them, so that B (a packed panel) stays in the first-level cache.

// op is one of the three matrix products: where A's elements stand, where C starts from, and what happens to it
// before it is stored.
type op interface {
	name() string
	doc() string
	// columns says that A's elements of one k, for the tile's rows, are neighbours: A is used transposed.
	columns() bool
	// start fills the accumulators.
	start(t *tile)
	// finish applies the fused part to an accumulator; m is its place in extra for inputGrad, in dst for the
	// others; partial: only the mask's lanes of it exist.
	finish(t *tile, acc reg.VecVirtual, m Mem, partial bool)
}

// tile is what a kernel under generation has at hand.
type tile struct {
	isa
	op
	rows, vectors int
	acc           [][]reg.VecVirtual // [rows][vectors]
	extra         reg.Register       // bias, activations or nothing
	slope         reg.VecVirtual     // spread over the lanes; AVX-512 only
	zero          reg.VecVirtual     // AVX-512 only
	mask          reg.Register       // lanes of the last vector that exist: an opmask, or a vector
}

// gemm writes one kernel. Its arguments:
//
//	dst [strips·rows, ldd]  C's rows, from the panel's first column
//	a                       [strips·rows, lda]; for columns() [k, lda], from the first row's column
//	b [k, ldb]              the panel, vectors·lanes columns, all of them readable
//	extra                   forward: the panel's biases; inputGrad: activations laid out as dst
//	last                    columns of the last vector that exist, 1…lanes
//	slope                   of the leaky ReLU; 1 for none
func gemm(s isa, o op, rows, vectors int) {
	TEXT(fmt.Sprintf("%s%sx%dx%d", o.name(), s.name, rows, vectors), NOSPLIT,
		"func(dst, a, b, extra *float32, strips, k, lda, ldb, ldd, last int, slope float32)")
	Pragma("noescape")
	Doc(fmt.Sprintf("%s%sx%dx%d computes tiles of %d×%d: %s", o.name(), s.name, rows, vectors, rows, vectors*s.lanes, o.doc()))
	t := &tile{isa: s, op: o, rows: rows, vectors: vectors}
	dst, a := Load(Param("dst"), GP64()), Load(Param("a"), GP64())
	t.extra = Load(Param("extra"), GP64())
	strips := Load(Param("strips"), GP64())
	lda, ldb, ldd := scale(Load(Param("lda"), GP64())), scale(Load(Param("ldb"), GP64())), scale(Load(Param("ldd"), GP64()))
	t.constants()

	Label("strip")
	for range rows {
		var r []reg.VecVirtual
		for range vectors {
			r = append(r, s.vec())
		}
		t.acc = append(t.acc, r)
	}
	o.start(t)
	switch o.(type) {
	case inputGrad:
		t.prefetch(t.extra, ldd)
	case addWeightGrad:
		t.prefetch(dst, ldd)
	}
	t.inner(a, lda, ldb)
	last := Load(Param("last"), GP64())
	CMPQ(last, Imm(uint64(s.lanes)))
	JNE(LabelRef("partial"))
	Comment("Whole vectors.")
	t.store(dst, ldd, false)
	JMP(LabelRef("next"))
	Label("partial")
	t.store(dst, ldd, true)

	Label("next")
	t.advance(dst, ldd, rows)
	if _, ok := o.(inputGrad); ok {
		t.advance(t.extra, ldd, rows)
	}
	if o.columns() {
		ADDQ(Imm(uint64(4*rows)), a)
	} else {
		t.advance(a, lda, rows)
	}
	DECQ(strips)
	JNZ(LabelRef("strip"))
	VZEROUPPER()
	RET()
}

// constants sets what the whole column of tiles shares. AVX2 has no registers to spare and makes them as it goes.
func (t *tile) constants() {
	if t.lanes != 16 {
		return
	}
	Comment("The mask of the last vector.")
	t.mask = lowest(t.isa, Load(Param("last"), reg.RCX))
	if _, ok := t.op.(addWeightGrad); ok {
		return
	}
	slope, _ := Param("slope").Resolve()
	t.slope, t.zero = t.vec(), t.vec()
	VBROADCASTSS(slope.Addr, t.slope)
	if _, ok := t.op.(inputGrad); ok {
		clear(t.isa, t.zero)
	}
}

// prefetch asks for what finish will read, in time: it comes from afar while the loop over k runs.
func (t *tile) prefetch(from, ldd reg.Register) {
	p := GP64()
	MOVQ(from, p)
	for r := range t.rows {
		for at := 0; at < t.vectors*t.bytes(); at += 64 {
			PREFETCHT0(Mem{Base: p, Disp: at})
		}
		if r < t.rows-1 {
			ADDQ(ldd, p)
		}
	}
}

// inner writes the loop over k.
func (t *tile) inner(a, lda, ldb reg.Register) {
	k := Load(Param("k"), GP64())
	b := Load(Param("b"), GP64())
	// Rows 4i…4i+3 of A are at at[i] + {0, 1, 2, 3}·lda.
	var at []reg.Register
	var lda3 reg.Register
	if !t.columns() && t.rows > 3 {
		lda3 = GP64()
		LEAQ(Mem{Base: lda, Index: lda, Scale: 2}, lda3)
	}
	for i := 0; i < t.rows; i += 4 {
		p := GP64()
		if i == 0 {
			MOVQ(a, p)
		} else {
			LEAQ(Mem{Base: at[len(at)-1], Index: lda, Scale: 4}, p)
		}
		at = append(at, p)
		if t.columns() {
			break
		}
	}
	element := func(row int) Mem {
		if t.columns() {
			return Mem{Base: at[0], Disp: 4 * row}
		}
		m := Mem{Base: at[row/4]}
		switch row % 4 {
		case 1, 2:
			m.Index, m.Scale = lda, uint8(row%4)
		case 3:
			m.Index, m.Scale = lda3, 1
		}
		return m
	}
	TESTQ(k, k)
	JZ(LabelRef("done"))
	Label("k")
	var bs, spread []reg.VecVirtual
	for v := range t.vectors {
		bs = append(bs, t.vec())
		VMOVUPS(Mem{Base: b, Disp: v * t.bytes()}, bs[v])
	}
	for range min(t.bcast, t.rows) {
		spread = append(spread, t.vec())
	}
	ADDQ(ldb, b)
	for r := range t.rows {
		x := spread[r%len(spread)]
		VBROADCASTSS(element(r), x)
		for v := range t.vectors {
			VFMADD231PS(bs[v], x, t.acc[r][v])
		}
	}
	for _, p := range at {
		if t.columns() {
			ADDQ(lda, p)
		} else {
			ADDQ(Imm(4), p)
		}
	}
	DECQ(k)
	JNZ(LabelRef("k"))
	Label("done")
}

// store finishes the tile's accumulators, then stores them. Not row by row: a masked store or load counts as
// touching what its masked lanes would, the row after it too, and one would hold up the other.
func (t *tile) store(dst, ldd reg.Register, partial bool) {
	if partial && t.lanes == 8 {
		Comment("The mask of the last vector.")
		t.mask = lowest(t.isa, Load(Param("last"), GP64()))
	}
	from := dst
	if _, ok := t.op.(inputGrad); ok {
		from = t.extra
	}
	t.each(from, ldd, func(acc reg.VecVirtual, m Mem, last bool) { t.finish(t, acc, m, partial && last) })
	t.each(dst, ldd, func(acc reg.VecVirtual, m Mem, last bool) { put(t, acc, m, partial && last) })
}

// each calls f for every accumulator and its place in a matrix laid out as dst; last: in the last column.
func (t *tile) each(first, ld reg.Register, f func(acc reg.VecVirtual, m Mem, last bool)) {
	p := GP64()
	MOVQ(first, p)
	for r := range t.rows {
		for v := range t.vectors {
			f(t.acc[r][v], Mem{Base: p, Disp: v * t.bytes()}, v == t.vectors-1)
		}
		if r < t.rows-1 {
			ADDQ(ld, p)
		}
	}
}

// advance moves p by rows rows of ld bytes.
func (t *tile) advance(p, ld reg.Register, rows int) {
	for _, step := range []int{8, 4, 2, 1} { // what an address can scale by
		for ; rows >= step; rows -= step {
			LEAQ(Mem{Base: p, Index: ld, Scale: uint8(step)}, p)
		}
	}
}

var table Mem

// lanesTable returns a table of eight words of ones, then eight of zeros: a mask starts where as many
// ones are left as it has.
func lanesTable() Mem {
	if table.Symbol.Name == "" {
		table = GLOBL("lanes", RODATA|NOPTR)
		for i := range 16 {
			DATA(4*i, U32(uint32(0xFFFFFFFF*(1-i/8))))
		}
	}
	return table
}
