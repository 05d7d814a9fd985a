package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// pack writes the kernel that copies a panel, vectors·lanes columns of a matrix, so that its rows follow
// each other; columns that do not exist become 0.
func pack(s isa, vectors int) {
	width := vectors * s.lanes
	TEXT(fmt.Sprintf("pack%sx%d", s.name, vectors), NOSPLIT, "func(dst, src *float32, rows, ld, last int)")
	Pragma("noescape")
	Doc(fmt.Sprintf("pack%sx%d copies %d columns of rows rows, ld apart, to dst, [rows, %d]. Of the last %d only last exist.",
		s.name, vectors, width, width, s.lanes))
	t := &tile{isa: s, op: addWeightGrad{}, vectors: vectors}
	dst, src := Load(Param("dst"), GP64()), Load(Param("src"), GP64())
	rows, ld := Load(Param("rows"), GP64()), scale(Load(Param("ld"), GP64()))
	t.mask = lowest(s, Load(Param("last"), reg.RCX))
	Label("row")
	for v := range vectors {
		x := s.vec()
		get(t, Mem{Base: src, Disp: v * s.bytes()}, x, v == vectors-1)
		VMOVUPS(x, Mem{Base: dst, Disp: v * s.bytes()})
	}
	ADDQ(ld, src)
	ADDQ(U32(uint32(4*width)), dst)
	DECQ(rows)
	JNZ(LabelRef("row"))
	VZEROUPPER()
	RET()
}

// transpose writes the kernel that turns blocks of 8×8.
func transpose() {
	TEXT("transposeAVX2", NOSPLIT, "func(dst, src *float32, blocks, lds, ldd int)")
	Pragma("noescape")
	Doc("transposeAVX2 writes src, [8, 8·blocks] with rows lds apart, transposed to dst, [8·blocks, 8] with rows ldd apart.")
	dst, src := Load(Param("dst"), GP64()), Load(Param("src"), GP64())
	blocks := Load(Param("blocks"), GP64())
	lds, ldd := scale(Load(Param("lds"), GP64())), scale(Load(Param("ldd"), GP64()))
	lds3, src4 := GP64(), GP64()
	LEAQ(Mem{Base: lds, Index: lds, Scale: 2}, lds3)
	LEAQ(Mem{Base: src, Index: lds, Scale: 4}, src4)
	row := func(base reg.Register, i, disp int) Mem {
		m := Mem{Base: base, Disp: disp}
		if i == 3 {
			m.Index, m.Scale = lds3, 1
		} else if i > 0 {
			m.Index, m.Scale = lds, uint8(i)
		}
		return m
	}
	Label("block")
	for half := range 2 {
		Commentf("Columns %d to %d: rows i and i+4 share a register.", 4*half, 4*half+3)
		var in, mid [4]reg.VecVirtual
		for i := range 4 {
			in[i] = YMM()
			VMOVUPS(row(src, i, 16*half), in[i].AsX())
			VINSERTF128(Imm(1), row(src4, i, 16*half), in[i], in[i])
		}
		for i := range 4 {
			mid[i] = YMM()
		}
		VUNPCKLPS(in[1], in[0], mid[0]) // a0 b0 a1 b1
		VUNPCKHPS(in[1], in[0], mid[1]) // a2 b2 a3 b3
		VUNPCKLPS(in[3], in[2], mid[2]) // c0 d0 c1 d1
		VUNPCKHPS(in[3], in[2], mid[3]) // c2 d2 c3 d3
		for i := range 4 {
			out := YMM()
			VSHUFPS(Imm([]uint64{0x44, 0xEE}[i%2]), mid[i/2+2], mid[i/2], out)
			VMOVUPS(out, Mem{Base: dst})
			ADDQ(ldd, dst)
		}
	}
	ADDQ(Imm(32), src)
	ADDQ(Imm(32), src4)
	DECQ(blocks)
	JNZ(LabelRef("block"))
	VZEROUPPER()
	RET()
}

// peak writes the loop that measures what the machine can do: multiply-adds on registers alone, enough of them
// independent to hide their latency.
func peak(s isa) {
	const chains = 12
	TEXT("burn"+s.name, NOSPLIT, "func(n int)")
	Doc(fmt.Sprintf("burn%s does n·%d multiply-adds on registers.", s.name, chains*s.lanes))
	n := Load(Param("n"), GP64())
	one := s.vec()
	clear(s, one)
	var acc []reg.VecVirtual
	for range chains {
		a := s.vec()
		VMOVAPS(one, a)
		acc = append(acc, a)
	}
	Label("loop")
	for _, a := range acc {
		VFMADD231PS(one, one, a)
	}
	DECQ(n)
	JNZ(LabelRef("loop"))
	VZEROUPPER()
	RET()
}
