package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// softmax writes the kernel that turns rows of logits into distributions. A row takes three passes: its
// largest logit, the exponentials and their sum, the division.
func softmax(s isa) {
	TEXT("softmax"+s.name, NOSPLIT, "func(dst, src, share *float32, scale float32, rows, whole, last, ldd, lds, ldshare int) (bad int)")
	Pragma("noescape")
	Doc("softmax"+s.name+" writes the softmax of scale·row for each row of src to dst, and its largest entry to share; rows are lds, ldd",
		"and ldshare floats apart. A row is whole vectors and one of which last lanes exist, 1 to all. scale is positive; −∞ becomes 0.",
		"bad counts the rows without a positive finite sum, whose values mean nothing. dst and src may be the same.")
	dst, src, to := Load(Param("dst"), GP64()), Load(Param("src"), GP64()), Load(Param("share"), GP64())
	rows, last := Load(Param("rows"), GP64()), Load(Param("last"), reg.RCX)
	ldd, lds, ldshare := scale(Load(Param("ldd"), GP64())), scale(Load(Param("lds"), GP64())), scale(Load(Param("ldshare"), GP64()))
	e := newExp(s)
	factor := s.vec()
	at, _ := Param("scale").Resolve()
	VBROADCASTSS(at.Addr, factor)
	bad := GP64()
	XORQ(bad, bad)
	mask := lowest(s, last)
	p, q, n := GP64(), GP64(), GP64()

	Label("row")
	Comment("The largest logit.")
	top := s.vec()
	low(s, top)
	each(s, n, "top", func() {
		VMAXPS(Mem{Base: p}, top, top)
	}, walk{src, p})
	x := s.vec()
	tail(s, p, mask, x)
	VMAXPS(x, top, top)
	reduce(s, top, VMAXPS)

	Comment("The exponentials and their sum.")
	sum := s.vec()
	clear(s, sum)
	each(s, n, "exp", func() {
		y := s.vec()
		VMOVUPS(Mem{Base: p}, y)
		VSUBPS(top, y, y)
		VMULPS(factor, y, y)
		e.of(y)
		VMOVUPS(y, Mem{Base: q})
		VADDPS(y, sum, sum)
	}, walk{src, p}, walk{dst, q})
	tail(s, p, mask, x)
	VSUBPS(top, x, x)
	VMULPS(factor, x, x)
	e.of(x)
	VADDPS(x, sum, sum)
	reduce(s, sum, VADDPS)

	countBad(sum, bad)

	Comment("The division.")
	share := s.vec()
	VBROADCASTSS(e.one, share)
	VDIVPS(sum, share, share)
	VMOVSS(share.AsX(), Mem{Base: to})
	each(s, n, "share", func() {
		y := s.vec()
		VMULPS(Mem{Base: q}, share, y)
		VMOVUPS(y, Mem{Base: q})
	}, walk{dst, q})
	VMULPS(x, share, x)
	if s.lanes == 16 {
		VMOVUPS(x, mask, Mem{Base: q})
	} else {
		VMASKMOVPS(x, mask, Mem{Base: q})
	}
	ADDQ(lds, src)
	ADDQ(ldd, dst)
	ADDQ(ldshare, to)
	DECQ(rows)
	JNZ(LabelRef("row"))
	Store(bad, Return("bad"))
	VZEROUPPER()
	RET()
}

// countBad adds 1 to bad unless sum is positive and finite.
func countBad(sum reg.VecVirtual, bad reg.Register) {
	Comment("A sum s is good if 0 < s − s + s: not where it is 0, infinite or not a number.")
	good, set := XMM(), GP64()
	VSUBSS(sum.AsX(), sum.AsX(), good)
	VADDSS(sum.AsX(), good, good)
	XORQ(set, set)
	VUCOMISS(constantF("zero", 0), good)
	SETLS(set.As8()) // at most 0, or unordered
	ADDQ(set, bad)
}

// walk is a pointer that goes through the row at from.
type walk struct{ from, at reg.Register }

// each runs body with every walk at each whole vector of its row, and leaves them behind those.
func each(s isa, n reg.Register, label string, body func(), walks ...walk) {
	for _, w := range walks {
		MOVQ(w.from, w.at)
	}
	Load(Param("whole"), n)
	TESTQ(n, n)
	JZ(LabelRef(label + "Done"))
	Label(label)
	body()
	for _, w := range walks {
		ADDQ(Imm(uint64(s.bytes())), w.at)
	}
	DECQ(n)
	JNZ(LabelRef(label))
	Label(label + "Done")
}

// lowest returns the mask of the lowest n lanes; n must be in CX.
func lowest(s isa, n reg.Register) reg.Register {
	if s.lanes == 16 {
		bits, k := GP32(), K()
		MOVL(U32(1), bits)
		SHLL(reg.CL, bits)
		DECL(bits)
		KMOVW(bits, k)
		return k
	}
	table, m, back := GP64(), YMM(), GP64()
	LEAQ(lanesTable(), table)
	MOVQ(n, back)
	NEGQ(back)
	VMOVUPS(Mem{Base: table, Index: back, Scale: 4, Disp: 4 * 8}, m)
	return m
}

// low fills x with −∞.
func low(s isa, x reg.VecVirtual) {
	VBROADCASTSS(constant("minusInf", uint32(0xFF800000)), x)
}

// clear fills x with 0, by an instruction that AVX-512's foundation has for all registers.
func clear(s isa, x reg.VecVirtual) {
	if s.lanes == 16 {
		VPXORD(x, x, x)
	} else {
		VXORPS(x, x, x)
	}
}

// tail loads the last vector of a row; lanes that do not exist become −∞.
func tail(s isa, p, mask reg.Register, x reg.VecVirtual) {
	if s.lanes == 16 {
		low(s, x)
		VMOVUPS(Mem{Base: p}, mask, x)
		return
	}
	y := s.vec()
	low(s, x)
	VMASKMOVPS(Mem{Base: p}, mask, y)
	VBLENDVPS(mask, y, x, x)
}

// reduce puts op over all lanes of x into every lane, by halves.
func reduce(s isa, x reg.VecVirtual, op func(ops ...Op)) {
	y := s.vec()
	if s.lanes == 16 {
		VSHUFF32X4(Imm(0x4E), x, x, y)
		op(y, x, x)
		VSHUFF32X4(Imm(0xB1), x, x, y)
		op(y, x, x)
	} else {
		VPERM2F128(Imm(1), x, x, y)
		op(y, x, x)
	}
	VSHUFPS(Imm(0x4E), x, x, y)
	op(y, x, x)
	VSHUFPS(Imm(0xB1), x, x, y)
	op(y, x, x)
}

// exponential is e^x for x ≤ 0 or NaN. With n = round(x/ln 2), e^x = 2ⁿ·e^f, f = x − n·ln 2 in two steps, and
// e^f by its Taylor polynomial of degree 7 (|f| < .35: 1e-8 left out). Below −88 the result is 0.
type exponential struct {
	s                          isa
	one                        Mem
	least, log2e, hi, lo, one7 reg.VecVirtual
	c                          []Mem
}

func newExp(s isa) *exponential {
	e := &exponential{s: s, one: constantF("one", 1)}
	set := func(m Mem) reg.VecVirtual {
		x := s.vec()
		VBROADCASTSS(m, x)
		return x
	}
	hi := math.Float32frombits(math.Float32bits(math.Ln2) &^ 0xFFF) // n·hi is exact
	e.least = set(constantF("least", -88))
	e.log2e = set(constantF("log2e", math.Log2E))
	e.hi = set(constantF("ln2hi", float64(-hi)))
	e.lo = set(constantF("ln2lo", -(math.Ln2 - float64(hi))))
	f := 1.
	for k := range 8 {
		if k > 0 {
			f *= float64(k)
		}
		e.c = append(e.c, constantF("factorial"+string(rune('0'+k)), 1/f))
	}
	e.one7 = set(constant("bias", 127))
	return e
}

func (e *exponential) of(x reg.VecVirtual) {
	n, p, c := e.s.vec(), e.s.vec(), e.s.vec()
	VMAXPS(x, e.least, x) // in this order NaN stays
	VMULPS(e.log2e, x, n)
	VCVTPS2DQ(n, n)
	VCVTDQ2PS(n, p)
	VFMADD231PS(e.hi, p, x)
	VFMADD231PS(e.lo, p, x)
	VBROADCASTSS(e.c[7], p)
	for k := 6; k >= 0; k-- {
		VBROADCASTSS(e.c[k], c)
		VFMADD213PS(c, x, p)
	}
	VPADDD(e.one7, n, n)
	VPSLLD(Imm(23), n, n)
	VMULPS(n, p, x)
}

var constants = map[string]Mem{}

// constant returns a read-only word, declared once for each name.
func constant(name string, bits uint32) Mem {
	m, ok := constants[name]
	if !ok {
		m = ConstData(name, U32(bits))
		constants[name] = m
	}
	return m
}

func constantF(name string, v float64) Mem {
	return constant(name, math.Float32bits(float32(v)))
}
