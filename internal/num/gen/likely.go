package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// likely writes the kernel that multiplies weights in float64 by the likelihoods of an answer. No multiplication is fused with
// an addition, so that the plain kernel has the same bits.
func likely(s isa) {
	TEXT("likely"+s.name, NOSPLIT, "func(w *float64, m *float32, vectors int, half, limit float64) (top float64)")
	Pragma("noescape")
	Doc("likely"+s.name+" multiplies w by 1/2 + half·clip(m), so many whole vectors of float64, clip keeping to ±limit, and returns the largest",
		"product.")
	w, m, n := Load(Param("w"), GP64()), Load(Param("m"), GP64()), Load(Param("vectors"), GP64())
	spread := func(m Op) reg.VecVirtual {
		to := s.vec()
		VBROADCASTSD(m, to)
		return to
	}
	param := func(name string) reg.VecVirtual {
		at, _ := Param(name).Resolve()
		return spread(at.Addr)
	}
	half, most := param("half"), param("limit")
	equal, least, top := spread(even()), s.vec(), s.vec()
	clear(s, top)
	VSUBPD(most, top, least)
	Label("vector")
	x := s.vec()
	VCVTPS2PD(Mem{Base: m}, x)
	VMINPD(most, x, x)
	VMAXPD(least, x, x)
	VMULPD(half, x, x)
	VADDPD(equal, x, x)
	VMULPD(Mem{Base: w}, x, x)
	VMOVUPD(x, Mem{Base: w})
	VMAXPD(x, top, top)
	ADDQ(Imm(uint64(s.bytes())), w)
	ADDQ(Imm(uint64(s.bytes()/2)), m)
	DECQ(n)
	JNZ(LabelRef("vector"))
	if s.lanes == 16 {
		upper := YMM()
		VEXTRACTF64X4(Imm(1), top, upper)
		VMAXPD(upper, top.AsY(), top.AsY())
	}
	upper := XMM()
	VEXTRACTF128(Imm(1), top.AsY(), upper)
	VMAXPD(upper, top.AsX(), top.AsX())
	VPERMILPD(Imm(1), top.AsX(), upper)
	VMAXSD(upper, top.AsX(), top.AsX())
	Store(top.AsX(), ReturnIndex(0))
	VZEROUPPER()
	RET()
}

// even returns ½ in float64.
func even() Mem {
	m, ok := constants["even"]
	if !ok {
		m = ConstData("even", F64(0.5))
		constants["even"] = m
	}
	return m
}
