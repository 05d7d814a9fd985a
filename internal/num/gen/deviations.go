package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// deviations writes the kernel that adds up how far rows are from one of them, each with its factor: four vectors at a time,
// whose sums do not wait for each other.
func deviations(s isa) {
	TEXT("deviations"+s.name, NOSPLIT, "func(dst, a, x, y *float32, rows, ld, vectors int)")
	Pragma("noescape")
	Doc("deviations"+s.name+" computes dst = Σ_k a_k·|x_k − y| of so many whole vectors; rows of x are ld floats apart. The sum starts at 0",
		"and goes in order.")
	dst, a, x, y := Load(Param("dst"), GP64()), Load(Param("a"), GP64()), Load(Param("x"), GP64()), Load(Param("y"), GP64())
	rows, ld, width := Load(Param("rows"), GP64()), scale(Load(Param("ld"), GP64())), Load(Param("vectors"), GP64())
	sign := s.vec()
	VBROADCASTSS(constant("abs", 0x7FFFFFFF), sign)
	for _, many := range []int{4, 1} {
		label := string(rune('0' + many))
		Label("vectors" + label)
		CMPQ(width, Imm(uint64(many)))
		JLT(LabelRef("few" + label))
		p, q, n := GP64(), GP64(), GP64()
		MOVQ(a, p)
		MOVQ(x, q)
		MOVQ(rows, n)
		var sum, from []reg.VecVirtual
		for v := range many {
			c, best := s.vec(), s.vec()
			clear(s, c)
			VMOVUPS(Mem{Base: y, Disp: v * s.bytes()}, best)
			sum, from = append(sum, c), append(from, best)
		}
		Label("row" + label)
		f := s.vec()
		VBROADCASTSS(Mem{Base: p}, f)
		for v, c := range sum {
			t := s.vec()
			VMOVUPS(Mem{Base: q, Disp: v * s.bytes()}, t)
			VSUBPS(from[v], t, t)
			if s.lanes == 16 {
				VPANDD(sign, t, t)
			} else {
				VANDPS(sign, t, t)
			}
			VFMADD231PS(t, f, c)
		}
		ADDQ(Imm(4), p)
		ADDQ(ld, q)
		DECQ(n)
		JNZ(LabelRef("row" + label))
		for v, c := range sum {
			VMOVUPS(c, Mem{Base: dst, Disp: v * s.bytes()})
		}
		for _, r := range []Op{dst, x, y} {
			ADDQ(U32(many*s.bytes()), r)
		}
		SUBQ(Imm(uint64(many)), width)
		JMP(LabelRef("vectors" + label))
		Label("few" + label)
	}
	VZEROUPPER()
	RET()
}
