package num

import "golang.org/x/sys/cpu"

//go:generate go -C gen run . -out ../gemm_amd64.s -stubs ../gemm_amd64.go -pkg num

// fast lists the fast kernels that this CPU can run, fastest first. The features include the operating
// system's support for the wide registers.
func fast() (list []kernel) {
	avx2 := cpu.X86.HasAVX2 && cpu.X86.HasFMA
	if avx2 && cpu.X86.HasAVX512F {
		list = append(list, simdAVX512.kernel())
	}
	if avx2 {
		list = append(list, simdAVX2.kernel())
	}
	return list
}

var simdAVX512 = &simd{
	name: "avx512", lanes: 16, rows: []int{12, 8, 4, 2, 1},
	forward: [][2]tiles{
		{forwardAVX512x12x1, forwardAVX512x12x2},
		{forwardAVX512x8x1, forwardAVX512x8x2},
		{forwardAVX512x4x1, forwardAVX512x4x2},
		{forwardAVX512x2x1, forwardAVX512x2x2},
		{forwardAVX512x1x1, forwardAVX512x1x2},
	},
	inputGrad: [][2]tiles{
		{inputGradAVX512x12x1, inputGradAVX512x12x2},
		{inputGradAVX512x8x1, inputGradAVX512x8x2},
		{inputGradAVX512x4x1, inputGradAVX512x4x2},
		{inputGradAVX512x2x1, inputGradAVX512x2x2},
		{inputGradAVX512x1x1, inputGradAVX512x1x2},
	},
	weightGrad: [][2]tiles{
		{addWeightGradAVX512x12x1, addWeightGradAVX512x12x2},
		{addWeightGradAVX512x8x1, addWeightGradAVX512x8x2},
		{addWeightGradAVX512x4x1, addWeightGradAVX512x4x2},
		{addWeightGradAVX512x2x1, addWeightGradAVX512x2x2},
		{addWeightGradAVX512x1x1, addWeightGradAVX512x1x2},
	},
	forwardColumns: [][2]tiles{
		{forwardColumnsAVX512x12x1, forwardColumnsAVX512x12x2},
		{forwardColumnsAVX512x8x1, forwardColumnsAVX512x8x2},
		{forwardColumnsAVX512x4x1, forwardColumnsAVX512x4x2},
		{forwardColumnsAVX512x2x1, forwardColumnsAVX512x2x2},
		{forwardColumnsAVX512x1x1, forwardColumnsAVX512x1x2},
	},
	weightGradColumns: [][2]tiles{
		{addWeightGradColumnsAVX512x12x1, addWeightGradColumnsAVX512x12x2},
		{addWeightGradColumnsAVX512x8x1, addWeightGradColumnsAVX512x8x2},
		{addWeightGradColumnsAVX512x4x1, addWeightGradColumnsAVX512x4x2},
		{addWeightGradColumnsAVX512x2x1, addWeightGradColumnsAVX512x2x2},
		{addWeightGradColumnsAVX512x1x1, addWeightGradColumnsAVX512x1x2},
	},
	pack:    [2]func(dst, src *float32, rows, ld, last int){packAVX512x1, packAVX512x2},
	softmax: softmaxAVX512,
	opposed: opposedAVX512, leastTop: leastTopAVX512, atLeast: atLeastAVX512, leakyGrad: leakyGradAVX512,
	describe: describeAVX512, largest: largestAVX512, means: meansAVX512, groupSums: groupSumsAVX512, deviations: deviationsAVX512,
	burn: burnAVX512,

	replies: repliesAVX512x1, likely: likelyAVX512,
	forwardPart:      [8]func(dst, w *float32, entries, start *int32, part, rows, ldw, ldd, last int){forwardPartAVX512x1, forwardPartAVX512x2, forwardPartAVX512x3, forwardPartAVX512x4, forwardPartAVX512x5, forwardPartAVX512x6, forwardPartAVX512x7, forwardPartAVX512x8},
	forwardThrees:    [2]func(dst, w, bias *float32, entries, start *int32, rows, ldw, ldd, last int, slope float32){forwardThreesAVX512x4, forwardThreesAVX512x1},
	weightGradThrees: [2]func(dst, dy *float32, entries, start *int32, columns, ldy, ldd, last int){addWeightGradThreesAVX512x2, addWeightGradThreesAVX512x1},
}

var simdAVX2 = &simd{
	name: "avx2", lanes: 8, rows: []int{6, 4, 2, 1},
	forward: [][2]tiles{
		{forwardAVX2x6x1, forwardAVX2x6x2},
		{forwardAVX2x4x1, forwardAVX2x4x2},
		{forwardAVX2x2x1, forwardAVX2x2x2},
		{forwardAVX2x1x1, forwardAVX2x1x2},
	},
	inputGrad: [][2]tiles{
		{inputGradAVX2x6x1, inputGradAVX2x6x2},
		{inputGradAVX2x4x1, inputGradAVX2x4x2},
		{inputGradAVX2x2x1, inputGradAVX2x2x2},
		{inputGradAVX2x1x1, inputGradAVX2x1x2},
	},
	weightGrad: [][2]tiles{
		{addWeightGradAVX2x6x1, addWeightGradAVX2x6x2},
		{addWeightGradAVX2x4x1, addWeightGradAVX2x4x2},
		{addWeightGradAVX2x2x1, addWeightGradAVX2x2x2},
		{addWeightGradAVX2x1x1, addWeightGradAVX2x1x2},
	},
	forwardColumns: [][2]tiles{
		{forwardColumnsAVX2x6x1, forwardColumnsAVX2x6x2},
		{forwardColumnsAVX2x4x1, forwardColumnsAVX2x4x2},
		{forwardColumnsAVX2x2x1, forwardColumnsAVX2x2x2},
		{forwardColumnsAVX2x1x1, forwardColumnsAVX2x1x2},
	},
	weightGradColumns: [][2]tiles{
		{addWeightGradColumnsAVX2x6x1, addWeightGradColumnsAVX2x6x2},
		{addWeightGradColumnsAVX2x4x1, addWeightGradColumnsAVX2x4x2},
		{addWeightGradColumnsAVX2x2x1, addWeightGradColumnsAVX2x2x2},
		{addWeightGradColumnsAVX2x1x1, addWeightGradColumnsAVX2x1x2},
	},
	pack:    [2]func(dst, src *float32, rows, ld, last int){packAVX2x1, packAVX2x2},
	softmax: softmaxAVX2,
	opposed: opposedAVX2, leastTop: leastTopAVX2, atLeast: atLeastAVX2, leakyGrad: leakyGradAVX2,
	describe: describeAVX2, largest: largestAVX2, means: meansAVX2, groupSums: groupSumsAVX2, deviations: deviationsAVX2,
	burn: burnAVX2,

	replies: repliesAVX2x2, likely: likelyAVX2,
	forwardPart:      [8]func(dst, w *float32, entries, start *int32, part, rows, ldw, ldd, last int){forwardPartAVX2x1, forwardPartAVX2x2, forwardPartAVX2x3, forwardPartAVX2x4, forwardPartAVX2x5, forwardPartAVX2x6, forwardPartAVX2x7, forwardPartAVX2x8},
	forwardThrees:    [2]func(dst, w, bias *float32, entries, start *int32, rows, ldw, ldd, last int, slope float32){forwardThreesAVX2x8, forwardThreesAVX2x1},
	weightGradThrees: [2]func(dst, dy *float32, entries, start *int32, columns, ldy, ldd, last int){addWeightGradThreesAVX2x2, addWeightGradThreesAVX2x1},
}
