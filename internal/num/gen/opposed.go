package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// chains is how many maxima a column of vectors keeps, to hide their latency.
const chains = 4

// opposed writes the kernel that finds, for every column of a table of bits, the best row unlike a given one.
func opposed(s isa) {
	TEXT("opposed"+s.name, NOSPLIT, "func(dst, v *float32, bits, best *uint16, rows, words int)")
	Pragma("noescape")
	Doc("opposed"+s.name+" writes the largest v[k] over the rows k of bits, [rows, words], whose bit differs from that of best to dst,",
		"[16·words]: −∞ where none does. rows is at least 1.")
	dst, v := Load(Param("dst"), GP64()), Load(Param("v"), GP64())
	bits, best := Load(Param("bits"), GP64()), Load(Param("best"), GP64())
	step, words := Load(Param("words"), GP64()), GP64()
	MOVQ(step, words)
	SHLQ(Imm(1), step) // bytes of a row
	o := newOpponent(s)
	at, row, n := GP64(), GP64(), GP64()

	Label("word")
	for part := range 16 / s.lanes {
		o.begin(best, part)
		MOVQ(v, at)
		LEAQ(Mem{Base: bits, Disp: part}, row)
		Load(Param("rows"), n)
		label := string(rune('A' + part))
		SUBQ(Imm(chains), n)
		JLT(LabelRef("few" + label))
		Label("many" + label)
		for c := range chains {
			o.take(row, Mem{Base: at, Disp: 4 * c}, c)
			ADDQ(step, row)
		}
		ADDQ(Imm(4*chains), at)
		SUBQ(Imm(chains), n)
		JGE(LabelRef("many" + label))
		Label("few" + label)
		ADDQ(Imm(chains), n)
		JZ(LabelRef("done" + label))
		Label("one" + label)
		o.take(row, Mem{Base: at}, 0)
		ADDQ(step, row)
		ADDQ(Imm(4), at)
		DECQ(n)
		JNZ(LabelRef("one" + label))
		Label("done" + label)
		for c := range chains - 1 {
			VMAXPS(o.most[c+1], o.most[0], o.most[0])
		}
		VMOVUPS(o.most[0], Mem{Base: dst, Disp: part * s.bytes()})
	}
	ADDQ(Imm(64), dst)
	ADDQ(Imm(2), bits)
	ADDQ(Imm(2), best)
	DECQ(words)
	JNZ(LabelRef("word"))
	VZEROUPPER()
	RET()
}

// opponent is the loop's registers.
type opponent struct {
	s    isa
	most [chains]reg.VecVirtual
	star reg.Register   // the best row's bits: a mask, or the chosen bit of each lane
	sel  reg.VecVirtual // AVX2: bit i in lane i
}

func newOpponent(s isa) *opponent {
	o := &opponent{s: s}
	for c := range o.most {
		o.most[c] = s.vec()
	}
	if s.lanes == 16 {
		o.star = K()
		return o
	}
	o.sel = YMM()
	VMOVUPS(laneBits(), o.sel)
	o.star = YMM()
	return o
}

var bitTable Mem

// laneBits returns a table of eight words with bit i set in lane i.
func laneBits() Mem {
	if bitTable.Symbol.Name == "" {
		bitTable = GLOBL("laneBits", RODATA|NOPTR)
		for i := range 8 {
			DATA(4*i, U32(1<<i))
		}
	}
	return bitTable
}

func (o *opponent) begin(best reg.Register, part int) {
	for _, m := range o.most {
		low(o.s, m)
	}
	m := Mem{Base: best, Disp: part}
	if o.s.lanes == 16 {
		KMOVW(m, o.star)
		return
	}
	VPBROADCASTB(m, o.star)
	VPAND(o.sel, o.star, o.star)
}

// take lets the value at v into chain c in the lanes where row differs from the best.
func (o *opponent) take(row reg.Register, v Mem, c int) {
	x := o.s.vec()
	if o.s.lanes == 16 {
		k := K()
		KMOVW(Mem{Base: row}, k)
		KXORW(o.star, k, k)
		VBROADCASTSS(v, x)
		VMAXPS(x, o.most[c], k, o.most[c])
		return
	}
	same := YMM()
	VPBROADCASTB(Mem{Base: row}, same)
	VPAND(o.sel, same, same)
	VPCMPEQD(o.star, same, same)
	VBROADCASTSS(v, x)
	VORPS(x, same, same)               // not a number where the row is like the best
	VMAXPS(o.most[c], same, o.most[c]) // in this order what was there stays then
}
