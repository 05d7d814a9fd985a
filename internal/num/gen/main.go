// Command gen writes internal/num's assembly: gemm_amd64.s and its Go declarations.
//
//	go generate ./internal/num
//
// It is a module of its own, so that avo is not a dependency of the program's.
package main

import (
	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// isa is what differs between the instruction sets.
type isa struct {
	name  string
	lanes int   // floats in a vector
	rows  []int // rows of C in a tile: the first is for the bulk, the others for what is left
	bcast int   // registers to spread elements of A in: what the largest tile leaves
	vec   func() reg.VecVirtual
}

var (
	avx512 = isa{name: "AVX512", lanes: 16, rows: []int{12, 8, 4, 2, 1}, bcast: 4, vec: ZMM}
	avx2   = isa{name: "AVX2", lanes: 8, rows: []int{6, 4, 2, 1}, bcast: 2, vec: YMM}
)

// bytes of a vector.
func (s isa) bytes() int { return 4 * s.lanes }

func main() {
	ConstraintExpr("amd64")
	for _, s := range []isa{avx512, avx2} {
		for _, op := range []op{forward{}, forward{byColumn: true}, inputGrad{}, addWeightGrad{}, addWeightGrad{byColumn: true}} {
			for _, rows := range s.rows {
				for _, vectors := range []int{2, 1} {
					gemm(s, op, rows, vectors)
				}
			}
		}
		for _, vectors := range []int{2, 1} {
			pack(s, vectors)
		}
		softmax(s)
		opposed(s)
		leastTop(s)
		atLeast(s)
		leakyGrad(s)
		largest(s)
		describe(s)
		means(s)
		groupSums(s)
		deviations(s)
		for _, vectors := range []int{64 / s.lanes, 1} {
			forwardThrees(s, vectors)
		}
		for _, vectors := range []int{2, 1} {
			weightGradThrees(s, vectors)
		}
		for vectors := range mostVectors {
			forwardPart(s, vectors+1)
		}
		replies(s, 16/s.lanes)
		likely(s)
		peak(s)
	}
	transpose()
	countOnes()
	Generate()
}

// scale turns a count of floats in r into bytes.
func scale(r reg.Register) reg.Register {
	SHLQ(operand.Imm(2), r)
	return r
}
