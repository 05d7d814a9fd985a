package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Predicates of VCMPPS.
const (
	equal          = 0x00 // EQ_OQ
	notGreater     = 0x1A // NGT_UQ: not (a > b), also where one is NaN
	greaterOrEqual = 0x1D // GE_OQ
	greater        = 0x1E // GT_OQ
)

// largest writes the kernel that finds each row's largest entry. Every lane keeps its two largest, so that the
// best of the others is at hand in the end; then the row is read again up to the largest.
func largest(s isa) {
	TEXT("largest"+s.name, NOSPLIT, "func(at *int, top, second, v *float32, rows, whole, last, ld int)")
	Pragma("noescape")
	Doc("largest"+s.name+" writes the place of each row's first largest entry to at, the entry to top and the largest of the others,",
		"−∞ where there is none, to second. A row is whole vectors and one of which last lanes exist, 1 to all; rows are ld floats apart.")
	at, top, second, v := Load(Param("at"), GP64()), Load(Param("top"), GP64()), Load(Param("second"), GP64()), Load(Param("v"), GP64())
	rows, last := Load(Param("rows"), GP64()), Load(Param("last"), reg.RCX)
	ld := scale(Load(Param("ld"), GP64()))
	mask := lowest(s, last)
	p, n := GP64(), GP64()

	Label("row")
	m1, m2, x := s.vec(), s.vec(), s.vec()
	low(s, m1)
	low(s, m2)
	take := func(x reg.VecVirtual) {
		y := s.vec()
		VMINPS(x, m1, y)
		VMAXPS(x, m1, m1)
		VMAXPS(y, m2, m2)
	}
	each(s, n, "two", func() {
		y := s.vec()
		VMOVUPS(Mem{Base: p}, y)
		take(y)
	}, walk{v, p})
	tail(s, p, mask, x)
	take(x)
	most := s.vec()
	VMOVAPS(m1, most)
	reduce(s, most, VMAXPS)
	VMOVSS(most.AsX(), Mem{Base: top})
	Comment("The first lane that has it gives its second for the best of the others.")
	lanes, first := sameLanes(s, most, m1), GP32()
	MOVL(lanes, first)
	NEGL(first)
	ANDL(lanes, first)
	replaceLane(s, first, m2, m1)
	reduce(s, m1, VMAXPS)
	VMOVSS(m1.AsX(), Mem{Base: second})

	Comment("Its place.")
	place, lane := GP64(), GP32()
	XORQ(place, place)
	Load(Param("whole"), n)
	MOVQ(v, p)
	TESTQ(n, n)
	JZ(LabelRef("rest"))
	Label("find")
	y := s.vec()
	VMOVUPS(Mem{Base: p}, y)
	lanes = sameLanes(s, most, y)
	BSFL(lanes, lane)
	JNZ(LabelRef("found"))
	ADDQ(Imm(uint64(s.bytes())), p)
	ADDQ(Imm(uint64(s.lanes)), place)
	DECQ(n)
	JNZ(LabelRef("find"))
	Label("rest")
	lanes = sameLanes(s, most, x)
	BSFL(lanes, lane)
	JNZ(LabelRef("found"))
	Comment("Something in the row is not a number.")
	XORQ(place, place)
	XORL(lane, lane)
	Label("found")
	ADDQ(lane.As64(), place)
	MOVQ(place, Mem{Base: at})
	ADDQ(ld, v)
	ADDQ(Imm(8), at)
	ADDQ(Imm(4), top)
	ADDQ(Imm(4), second)
	DECQ(rows)
	JNZ(LabelRef("row"))
	VZEROUPPER()
	RET()
}

// sameLanes returns a register with a bit for each lane where x and y are equal.
func sameLanes(s isa, x, y reg.VecVirtual) reg.GPVirtual {
	r := GP32()
	if s.lanes == 16 {
		k := K()
		VCMPPS(Imm(equal), x, y, k)
		KMOVW(k, r)
		return r
	}
	same := YMM()
	VCMPPS(Imm(equal), x, y, same)
	VMOVMSKPS(same, r)
	return r
}

// replaceLane copies the lane whose bit is set from x to y.
func replaceLane(s isa, bit reg.GPVirtual, x, y reg.VecVirtual) {
	if s.lanes == 16 {
		k := K()
		KMOVW(bit, k)
		VMOVAPS(x, k, y)
		return
	}
	bits, chosen := YMM(), YMM()
	VMOVD(bit, chosen.AsX())
	VPBROADCASTD(chosen.AsX(), chosen)
	VMOVUPS(laneBits(), bits)
	VPAND(bits, chosen, chosen)
	VPCMPEQD(bits, chosen, chosen)
	VBLENDVPS(chosen, x, y, y)
}

// means writes the kernel of dst = sum/max(count, 1).
func means(s isa) {
	TEXT("means"+s.name, NOSPLIT, "func(dst, sum, count *float32, vectors int)")
	Pragma("noescape")
	Doc("means" + s.name + " writes sum/max(count, 1) to dst, so many whole vectors.")
	dst, sum, count := Load(Param("dst"), GP64()), Load(Param("sum"), GP64()), Load(Param("count"), GP64())
	n, one := Load(Param("vectors"), GP64()), s.vec()
	VBROADCASTSS(constantF("one", 1), one)
	Label("vector")
	x, c := s.vec(), s.vec()
	VMOVUPS(Mem{Base: sum}, x)
	VMAXPS(Mem{Base: count}, one, c)
	VDIVPS(c, x, x)
	VMOVUPS(x, Mem{Base: dst})
	for _, r := range []Op{dst, sum, count} {
		ADDQ(Imm(uint64(s.bytes())), r)
	}
	DECQ(n)
	JNZ(LabelRef("vector"))
	VZEROUPPER()
	RET()
}
