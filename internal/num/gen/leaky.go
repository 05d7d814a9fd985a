package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

// leakyGrad writes the kernel that carries a gradient through a leaky ReLU's derivative, read from its output.
func leakyGrad(s isa) {
	TEXT("leakyGrad"+s.name, NOSPLIT, "func(h, dh, add *float32, groups, rows, vectors int, slope float32)")
	Pragma("noescape")
	Doc("leakyGrad"+s.name+" replaces h, [groups, rows, width], by dh + add where it is positive and slope·(dh + add) elsewhere;",
		"add, [groups, width], is a row for each group, and width so many whole vectors.")
	h, dh, add := Load(Param("h"), GP64()), Load(Param("dh"), GP64()), Load(Param("add"), GP64())
	groups, rows, p, n := Load(Param("groups"), GP64()), GP64(), GP64(), GP64()
	slope, zero := s.vec(), s.vec()
	at, _ := Param("slope").Resolve()
	VBROADCASTSS(at.Addr, slope)
	clear(s, zero)
	Label("group")
	Load(Param("rows"), rows)
	Label("row")
	MOVQ(add, p)
	Load(Param("vectors"), n)
	Label("vector")
	x := s.vec()
	VMOVUPS(Mem{Base: dh}, x)
	VADDPS(Mem{Base: p}, x, x)
	if s.lanes == 16 {
		below := K()
		VCMPPS(Imm(notLess), Mem{Base: h}, zero, below)
		VMULPS(slope, x, below, x)
	} else {
		below, lower := YMM(), YMM()
		VCMPPS(Imm(notLess), Mem{Base: h}, zero, below)
		VMULPS(slope, x, lower)
		VBLENDVPS(below, lower, x, x)
	}
	VMOVUPS(x, Mem{Base: h})
	for _, r := range []Op{h, dh, p} {
		ADDQ(Imm(uint64(s.bytes())), r)
	}
	DECQ(n)
	JNZ(LabelRef("vector"))
	DECQ(rows)
	JNZ(LabelRef("row"))
	MOVQ(p, add)
	DECQ(groups)
	JNZ(LabelRef("group"))
	VZEROUPPER()
	RET()
}
