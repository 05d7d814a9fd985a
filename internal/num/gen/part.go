package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// mostVectors is how many vectors of columns a kernel of forwardPart computes at most.
const mostVectors = 8

// forwardPart writes the kernel of the product with a matrix that is mostly 0: one of the numbers of each entry.
func forwardPart(s isa, vectors int) {
	TEXT(fmt.Sprintf("forwardPart%sx%d", s.name, vectors), NOSPLIT,
		"func(dst, w *float32, entries, start *int32, part, rows, ldw, ldd, last int)")
	Pragma("noescape")
	Doc(fmt.Sprintf("forwardPart%sx%d computes %d columns of dst = x·w, x given by number part of entries, row r's from start[r] to", s.name, vectors, vectors*s.lanes),
		"start[r+1]. Only last lanes of the last vector exist.")
	t := &tile{isa: s, vectors: vectors}
	dst, w := Load(Param("dst"), GP64()), Load(Param("w"), GP64())
	entries, start := Load(Param("entries"), GP64()), Load(Param("start"), GP64())
	part, rows := Load(Param("part"), GP64()), Load(Param("rows"), GP64())
	ldw, ldd := scale(Load(Param("ldw"), GP64())), scale(Load(Param("ldd"), GP64()))
	t.mask = lowest(s, Load(Param("last"), reg.RCX))

	e, end := eachList("row", entries, start)
	acc := make([]reg.VecVirtual, vectors)
	for v := range acc {
		acc[v] = s.vec()
		clear(s, acc[v])
	}
	eachEntry(e, end, "done", func() {
		p, x := entry(e, w, ldw), s.vec()
		VBROADCASTSS(Mem{Base: e, Index: part, Scale: 4, Disp: 4}, x)
		for v := range vectors {
			m := Mem{Base: p, Disp: v * s.bytes()}
			if v < vectors-1 {
				VFMADD231PS(m, x, acc[v])
				continue
			}
			y := s.vec()
			get(t, m, y, true)
			VFMADD231PS(y, x, acc[v])
		}
	})
	Label("done")
	for v := range acc {
		put(t, acc[v], Mem{Base: dst, Disp: v * s.bytes()}, v == vectors-1)
	}
	ADDQ(ldd, dst)
	ADDQ(Imm(4), start)
	DECQ(rows)
	JNZ(LabelRef("row"))
	VZEROUPPER()
	RET()
}
