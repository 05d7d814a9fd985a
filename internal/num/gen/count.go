package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// countColumns is how many columns of bytes countOnes adds up at a time, in four registers.
const countColumns = 128

// countOnes writes the kernel that counts the ones of some rows of a table. Both instruction sets have it from AVX2:
// bytes in wider registers are AVX-512 BW, which the other kernels do without.
func countOnes() {
	TEXT("countOnesAVX2", NOSPLIT, "func(dst *float32, ones *byte, rows *int32, n, width int)")
	Pragma("noescape")
	Doc("countOnesAVX2 adds the sums of 128 columns of bytes over the rows named, from 1 to 255 of them and width bytes apart, to dst.")
	dst, ones := Load(Param("dst"), GP64()), Load(Param("ones"), GP64())
	rows, n, width := Load(Param("rows"), GP64()), Load(Param("n"), GP64()), Load(Param("width"), GP64())
	var sums [countColumns / 32]reg.VecVirtual
	for i := range sums {
		sums[i] = YMM()
		VPXOR(sums[i], sums[i], sums[i])
	}
	Label("row")
	at := GP64()
	MOVLQSX(Mem{Base: rows}, at)
	IMULQ(width, at)
	for i, sum := range sums {
		VPADDB(Mem{Base: ones, Index: at, Scale: 1, Disp: 32 * i}, sum, sum)
	}
	ADDQ(Imm(4), rows)
	DECQ(n)
	JNZ(LabelRef("row"))
	bytes := AllocLocal(countColumns)
	for i, sum := range sums {
		VMOVDQU(sum, bytes.Offset(32*i))
	}
	for at := 0; at < countColumns; at += avx2.lanes {
		x, to := YMM(), Mem{Base: dst, Disp: 4 * at}
		VPMOVZXBD(bytes.Offset(at), x)
		VCVTDQ2PS(x, x)
		VADDPS(to, x, x)
		VMOVUPS(x, to)
	}
	VZEROUPPER()
	RET()
}
