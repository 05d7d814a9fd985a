package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// An entry of a batch in threes is 16 bytes: which three, or in a list by column which row, then its three numbers.
const entryBytes = 16

func value(e reg.Register, j int) Mem { return Mem{Base: e, Disp: 4 + 4*j} }

// entry returns the address ld·which bytes on from base, which being what the entry at e says.
func entry(e, base, ld reg.Register) reg.Register {
	p := GP64()
	MOVLQZX(Mem{Base: e}, p)
	IMULQ(ld, p)
	ADDQ(base, p)
	return p
}

// eachList opens the loop label over lists, each from entry start[0] to entry start[1]: e is at the list's first entry,
// end behind its last. What closes the loop moves start on by one; eachEntry has moved e.
func eachList(label string, entries, start reg.Register) (e, end reg.Register) {
	find := func(i int) reg.Register {
		at := GP64()
		MOVLQZX(Mem{Base: start, Disp: 4 * i}, at)
		SHLQ(Imm(4), at)
		ADDQ(entries, at)
		return at
	}
	e = find(0)
	Label(label)
	return e, find(1)
}

// eachEntry does body for every entry from e to end, and goes to the label none if there is no entry. It leaves e at end,
// where the next list begins.
func eachEntry(e, end reg.Register, none string, body func()) {
	CMPQ(e, end)
	JEQ(LabelRef(none))
	Label("entry")
	body()
	ADDQ(Imm(entryBytes), e)
	CMPQ(e, end)
	JNE(LabelRef("entry"))
}

// add adds a row's vectors at p, spread by x, to acc; of a masked tile the last vector's lanes may not exist.
func (t *tile) add(acc []reg.VecVirtual, x reg.VecVirtual, rows []reg.VecVirtual) {
	for v := range t.vectors {
		VFMADD231PS(rows[v], x, acc[v])
	}
}

// load reads vectors at p.
func (t *tile) load(p reg.Register, partial bool) (rows []reg.VecVirtual) {
	for v := range t.vectors {
		r := t.vec()
		get(t, Mem{Base: p, Disp: v * t.bytes()}, r, partial)
		rows = append(rows, r)
	}
	return rows
}

// forwardThrees writes the kernel of a layer whose inputs come in threes, most of them 0.
func forwardThrees(s isa, vectors int) {
	TEXT(fmt.Sprintf("forwardThrees%sx%d", s.name, vectors), NOSPLIT,
		"func(dst, w, bias *float32, entries, start *int32, rows, ldw, ldd, last int, slope float32)")
	Pragma("noescape")
	Doc(fmt.Sprintf("forwardThrees%sx%d computes %d columns of dst = leaky(x·w + bias), x given by entries, row r's from start[r] to", s.name, vectors, vectors*s.lanes),
		fmt.Sprintf("start[r+1]. Only last lanes of the last vector of w and dst exist%s; those of bias all do.", map[bool]string{true: ", here all"}[vectors > 1]))
	t := &tile{isa: s, op: forward{}, vectors: vectors}
	partial := vectors == 1
	dst, w, bias := Load(Param("dst"), GP64()), Load(Param("w"), GP64()), Load(Param("bias"), GP64())
	entries, start := Load(Param("entries"), GP64()), Load(Param("start"), GP64())
	rows := Load(Param("rows"), GP64())
	ldw, ldd := scale(Load(Param("ldw"), GP64())), scale(Load(Param("ldd"), GP64()))
	ldw3 := GP64()
	LEAQ(Mem{Base: ldw, Index: ldw, Scale: 2}, ldw3)
	if partial {
		t.mask = lowest(s, Load(Param("last"), reg.RCX))
	}
	slope, _ := Param("slope").Resolve()
	t.slope = s.vec()
	VBROADCASTSS(slope.Addr, t.slope)

	e, end := eachList("row", entries, start)
	acc := make([]reg.VecVirtual, vectors)
	for v := range acc {
		acc[v] = s.vec()
		VMOVUPS(Mem{Base: bias, Disp: v * s.bytes()}, acc[v])
	}
	eachEntry(e, end, "done", func() {
		p := entry(e, w, ldw3)
		for j := range 3 {
			x := s.vec()
			VBROADCASTSS(value(e, j), x)
			if partial {
				t.add(acc, x, t.load(p, true))
			} else {
				for v := range vectors {
					VFMADD231PS(Mem{Base: p, Disp: v * s.bytes()}, x, acc[v])
				}
			}
			if j < 2 {
				ADDQ(ldw, p)
			}
		}
	})
	Label("done")
	for v := range acc {
		forward{}.finish(t, acc[v], Mem{}, false)
		put(t, acc[v], Mem{Base: dst, Disp: v * s.bytes()}, partial)
	}
	ADDQ(ldd, dst)
	ADDQ(Imm(4), start)
	DECQ(rows)
	JNZ(LabelRef("row"))
	VZEROUPPER()
	RET()
}

// weightGradThrees writes the kernel of its weights' gradient. It goes by columns of x: a column's three rows of the
// gradient stay in registers while the rows of dy that have it pass.
func weightGradThrees(s isa, vectors int) {
	TEXT(fmt.Sprintf("addWeightGradThrees%sx%d", s.name, vectors), NOSPLIT,
		"func(dst, dy *float32, entries, start *int32, columns, ldy, ldd, last int)")
	Pragma("noescape")
	Doc(fmt.Sprintf("addWeightGradThrees%sx%d computes %d columns of dst += xᵀ·dy, x given by entries, the rows of its column i from", s.name, vectors, vectors*s.lanes),
		fmt.Sprintf("start[i] to start[i+1]. Only last lanes of the last vector of dy and dst exist%s.", map[bool]string{true: ", here all"}[vectors > 1]))
	t := &tile{isa: s, op: addWeightGrad{}, vectors: vectors}
	partial := vectors == 1
	dst, dy := Load(Param("dst"), GP64()), Load(Param("dy"), GP64())
	entries, start := Load(Param("entries"), GP64()), Load(Param("start"), GP64())
	columns := Load(Param("columns"), GP64())
	ldy, ldd := scale(Load(Param("ldy"), GP64())), scale(Load(Param("ldd"), GP64()))
	if partial {
		t.mask = lowest(s, Load(Param("last"), reg.RCX))
	}
	e, end := eachList("column", entries, start)
	var acc [3][]reg.VecVirtual
	for j := range acc {
		for range vectors {
			c := s.vec()
			clear(s, c)
			acc[j] = append(acc[j], c)
		}
	}
	eachEntry(e, end, "none", func() {
		p := entry(e, dy, ldy)
		rows := t.load(p, partial)
		for j := range acc {
			x := s.vec()
			VBROADCASTSS(value(e, j), x)
			t.add(acc[j], x, rows)
		}
	})
	q := GP64()
	MOVQ(dst, q)
	for j := range acc {
		for v, c := range acc[j] {
			m := Mem{Base: q, Disp: v * s.bytes()}
			addWeightGrad{}.finish(t, c, m, partial)
			put(t, c, m, partial)
		}
		if j < 2 {
			ADDQ(ldd, q)
		}
	}
	Label("none")
	LEAQ(Mem{Base: dst, Index: ldd, Scale: 2}, dst)
	ADDQ(ldd, dst)
	ADDQ(Imm(4), start)
	DECQ(columns)
	JNZ(LabelRef("column"))
	VZEROUPPER()
	RET()
}
