package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// terms is how many coefficients of the polynomial in a table of replies' constants follow its first four.
const terms = 9

// replies writes the kernel of sums over rows of answers' means and entropies. Constants are read where they stand, a
// vector each, 64 bytes apart: registers do not suffice for them.
func replies(s isa, vectors int) {
	TEXT(fmt.Sprintf("replies%sx%d", s.name, vectors), NOSPLIT,
		"func(mean, doubt, m *float32, entries, start *int32, table *float32, lists, ld int)")
	Pragma("noescape")
	Doc(fmt.Sprintf("replies%sx%d computes %d columns of mean = Σ w·x and doubt = Σ w·H(x), x = a·clip(m_k) + b·m_k, over the entries", s.name, vectors, vectors*s.lanes),
		"(k; w, a, b) of each list, which go from start[list] to start[list+1]. Rows of mean and doubt are ld floats apart, those",
		"of m follow each other.")
	mean, doubt, m := Load(Param("mean"), GP64()), Load(Param("doubt"), GP64()), Load(Param("m"), GP64())
	entries, start := Load(Param("entries"), GP64()), Load(Param("start"), GP64())
	table, lists := Load(Param("table"), GP64()), Load(Param("lists"), GP64())
	ld := scale(Load(Param("ld"), GP64()))
	constant := func(k int) Mem { return Mem{Base: table, Disp: 64 * k} }

	e, end := eachList("list", entries, start)
	var yes, sure []reg.VecVirtual
	for range vectors {
		yes, sure = append(yes, s.vec()), append(sure, s.vec())
	}
	for v := range vectors {
		clear(s, yes[v])
		clear(s, sure[v])
	}
	eachEntry(e, end, "done", func() {
		p, w, a, b := GP64(), s.vec(), s.vec(), s.vec()
		MOVLQZX(Mem{Base: e}, p)
		IMUL3Q(Imm(uint64(vectors*s.bytes())), p, p)
		ADDQ(m, p)
		for k, to := range []reg.VecVirtual{w, a, b} {
			VBROADCASTSS(Mem{Base: e, Disp: 4 + 4*k}, to)
		}
		for v := range vectors {
			reply(s, Mem{Base: p, Disp: v * s.bytes()}, constant, w, a, b, yes[v], sure[v])
		}
	})
	Label("done")
	for v := range vectors {
		VMOVUPS(yes[v], Mem{Base: mean, Disp: v * s.bytes()})
		VMOVUPS(sure[v], Mem{Base: doubt, Disp: v * s.bytes()})
	}
	ADDQ(ld, mean)
	ADDQ(ld, doubt)
	ADDQ(Imm(4), start)
	DECQ(lists)
	JNZ(LabelRef("list"))
	VZEROUPPER()
	RET()
}

// reply adds one vector of m: constants are the largest |m|, its negative, 1, the middle and the coefficients.
func reply(s isa, m Mem, constant func(k int) Mem, w, a, b, yes, sure reg.VecVirtual) {
	x, clip, v, h := s.vec(), s.vec(), s.vec(), s.vec()
	VMOVUPS(m, x)
	VMINPS(constant(0), x, clip)
	VMAXPS(constant(1), clip, clip)
	VMULPS(b, x, x)
	VFMADD231PS(a, clip, x)
	VFMADD231PS(w, x, yes)
	VMOVUPS(constant(2), v)
	VFNMADD231PS(x, x, v)
	VSQRTPS(v, v)
	VSUBPS(constant(3), v, v)
	VMOVUPS(constant(4), h)
	for k := range terms - 1 {
		VFMADD213PS(constant(5+k), v, h)
	}
	VFMADD231PS(w, h, sure)
}
