package main

import (
	"math/bits"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// groupSums writes the kernel that adds up the rows of each group, each row with its factor: four groups at a time,
// whose sums do not wait for each other.
func groupSums(s isa) {
	TEXT("groupSums"+s.name, NOSPLIT, "func(dst, a, x *float32, groups, rows, lda, vectors int)")
	Pragma("noescape")
	Doc("groupSums"+s.name+" computes dst_g = Σ_j a_gj·x_gj for each group g of rows, x being [groups, rows, width], of so many whole",
		"vectors; factors of groups are lda floats apart. The sum starts at 0 and goes in order.")
	dst, a, x := Load(Param("dst"), GP64()), Load(Param("a"), GP64()), Load(Param("x"), GP64())
	groups, rows := Load(Param("groups"), GP64()), Load(Param("rows"), GP64())
	lda := scale(Load(Param("lda"), GP64()))
	width, group, lda3, group3 := Load(Param("vectors"), GP64()), GP64(), GP64(), GP64()
	SHLQ(Imm(uint64(bits.TrailingZeros(uint(s.bytes())))), width)
	MOVQ(width, group)
	IMULQ(rows, group)
	LEAQ(Mem{Base: lda, Index: lda, Scale: 2}, lda3)
	LEAQ(Mem{Base: group, Index: group, Scale: 2}, group3)
	for _, many := range []int{4, 1} {
		label := string(rune('0' + many))
		Label("groups" + label)
		CMPQ(groups, Imm(uint64(many)))
		JLT(LabelRef("few" + label))
		at := GP64()
		XORQ(at, at)
		Label("vector" + label)
		p, q, n := GP64(), GP64(), GP64()
		MOVQ(a, p)
		LEAQ(Mem{Base: x, Index: at, Scale: 1}, q)
		MOVQ(rows, n)
		var sum []reg.VecVirtual
		for range many {
			c := s.vec()
			clear(s, c)
			sum = append(sum, c)
		}
		Label("row" + label)
		for g, c := range sum {
			f := s.vec()
			VBROADCASTSS(nth(p, lda, lda3, g), f)
			VFMADD231PS(nth(q, group, group3, g), f, c)
		}
		ADDQ(Imm(4), p)
		ADDQ(width, q)
		DECQ(n)
		JNZ(LabelRef("row" + label))
		to := GP64()
		LEAQ(Mem{Base: dst, Index: at, Scale: 1}, to)
		for _, c := range sum {
			VMOVUPS(c, Mem{Base: to})
			ADDQ(width, to)
		}
		ADDQ(Imm(uint64(s.bytes())), at)
		CMPQ(at, width)
		JLT(LabelRef("vector" + label))
		for range many {
			ADDQ(lda, a)
			ADDQ(group, x)
			ADDQ(width, dst)
		}
		SUBQ(Imm(uint64(many)), groups)
		JMP(LabelRef("groups" + label))
		Label("few" + label)
	}
	VZEROUPPER()
	RET()
}

// nth returns the address of number i, 0 to 3, of things step bytes apart; step3 is three times that.
func nth(base, step, step3 reg.Register, i int) Mem {
	switch i {
	case 0:
		return Mem{Base: base}
	case 3:
		return Mem{Base: base, Index: step3, Scale: 1}
	}
	return Mem{Base: base, Index: step, Scale: uint8(i)}
}
