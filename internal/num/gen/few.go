package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

// leastTop writes the kernel that finds a number which few entries reach, about twenty.
func leastTop(s isa) {
	TEXT("leastTop"+s.name, NOSPLIT, "func(v *float32, vectors int) (least float32)")
	Pragma("noescape")
	Doc("leastTop" + s.name + " returns the least of eight largest entries: those of every eighth one of v, so many vectors.")
	v, n := Load(Param("v"), GP64()), Load(Param("vectors"), GP64())
	most := s.vec()
	low(s, most)
	Label("vector")
	VMAXPS(Mem{Base: v}, most, most)
	ADDQ(Imm(uint64(s.bytes())), v)
	DECQ(n)
	JNZ(LabelRef("vector"))
	if s.lanes == 16 {
		Comment("Of eight pairs of lanes.")
		y := s.vec()
		VSHUFF32X4(Imm(0x4E), most, most, y)
		VMAXPS(y, most, most)
	}
	reduce(s, most, VMINPS)
	Store(most.AsX(), Return("least"))
	VZEROUPPER()
	RET()
}

// atLeast writes the kernel that marks the entries which reach a number.
func atLeast(s isa) {
	TEXT("atLeast"+s.name, NOSPLIT, "func(marks *uint16, v *float32, vectors int, from float32)")
	Pragma("noescape")
	Doc("atLeast" + s.name + " writes a word for each of so many vectors of v, with a bit for every entry that is at least from.")
	marks, v, n := Load(Param("marks"), GP64()), Load(Param("v"), GP64()), Load(Param("vectors"), GP64())
	from, r := s.vec(), GP32()
	at, _ := Param("from").Resolve()
	VBROADCASTSS(at.Addr, from)
	Label("vector")
	x := s.vec()
	VMOVUPS(Mem{Base: v}, x)
	if s.lanes == 16 {
		k := K()
		VCMPPS(Imm(greaterOrEqual), from, x, k)
		KMOVW(k, r)
	} else {
		VCMPPS(Imm(greaterOrEqual), from, x, x)
		VMOVMSKPS(x, r)
	}
	MOVW(r.As16(), Mem{Base: marks})
	ADDQ(Imm(2), marks)
	ADDQ(Imm(uint64(s.bytes())), v)
	DECQ(n)
	JNZ(LabelRef("vector"))
	VZEROUPPER()
	RET()
}
