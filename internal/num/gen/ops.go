package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Predicates of VCMPPS.
const notLess = 0x15 // NLT_UQ: not (a < b), also where one is NaN

func zeroAll(t *tile) {
	for _, row := range t.acc {
		for _, c := range row {
			clear(t.isa, c)
		}
	}
}

// put stores acc at m.
func put(t *tile, acc reg.VecVirtual, m Mem, partial bool) {
	switch {
	case !partial:
		VMOVUPS(acc, m)
	case t.lanes == 16:
		VMOVUPS(acc, t.mask, m)
	default:
		VMASKMOVPS(acc, t.mask, m)
	}
}

// get loads m; lanes that do not exist become 0.
func get(t *tile, m Mem, to reg.VecVirtual, partial bool) {
	switch {
	case !partial:
		VMOVUPS(m, to)
	case t.lanes == 16:
		VMOVUPS_Z(m, t.mask, to)
	default:
		VMASKMOVPS(m, t.mask, to)
	}
}

// forward is the layer itself; byColumn: of an input kept by columns.
type forward struct{ byColumn bool }

func (o forward) name() string { return "forward" + columnsName(o.byColumn) }
func (o forward) doc() string {
	if o.byColumn {
		return "dst = leaky(aᵀ·b + extra); a is [k, lda], a strip is rows columns of it."
	}
	return "dst = leaky(a·b + extra)."
}
func (o forward) columns() bool { return o.byColumn }

func columnsName(byColumn bool) string {
	if byColumn {
		return "Columns"
	}
	return ""
}

// start begins every row with the biases.
func (forward) start(t *tile) {
	for v, c := range t.acc[0] {
		VMOVUPS(Mem{Base: t.extra, Disp: v * t.bytes()}, c)
	}
	for _, row := range t.acc[1:] {
		for v, c := range row {
			VMOVAPS(t.acc[0][v], c)
		}
	}
}

// finish: the leaky ReLU is the larger of v and slope·v.
func (forward) finish(t *tile, acc reg.VecVirtual, _ Mem, _ bool) {
	slope, lower := t.slope, t.vec()
	if slope == nil {
		slope = lower
		at, _ := Param("slope").Resolve()
		VBROADCASTSS(at.Addr, slope)
	}
	VMULPS(slope, acc, lower)
	VMAXPS(lower, acc, acc)
}

type inputGrad struct{}

func (inputGrad) name() string  { return "inputGrad" }
func (inputGrad) doc() string   { return "dst = a·b where extra > 0, slope·(a·b) elsewhere." }
func (inputGrad) columns() bool { return false }
func (inputGrad) start(t *tile) { zeroAll(t) }

func (inputGrad) finish(t *tile, acc reg.VecVirtual, act Mem, partial bool) {
	if t.lanes == 16 {
		below := K()
		if partial {
			VCMPPS(Imm(notLess), act, t.zero, t.mask, below)
		} else {
			VCMPPS(Imm(notLess), act, t.zero, below)
		}
		VMULPS(t.slope, acc, below, acc)
		return
	}
	below, lower, x := YMM(), YMM(), YMM()
	get(t, act, x, partial)
	VXORPS(below, below, below)
	VCMPPS(Imm(notLess), x, below, below)
	at, _ := Param("slope").Resolve()
	VBROADCASTSS(at.Addr, lower)
	VMULPS(lower, acc, lower)
	VBLENDVPS(below, lower, acc, acc)
}

// addWeightGrad is the weights' gradient; byColumn: of an input kept by columns.
type addWeightGrad struct{ byColumn bool }

func (o addWeightGrad) name() string { return "addWeightGrad" + columnsName(o.byColumn) }
func (o addWeightGrad) doc() string {
	if o.byColumn {
		return "dst += a·b."
	}
	return "dst += aᵀ·b; a is [k, lda], a strip is rows columns of it."
}
func (o addWeightGrad) columns() bool { return !o.byColumn }
func (addWeightGrad) start(t *tile)   { zeroAll(t) }

func (addWeightGrad) finish(t *tile, acc reg.VecVirtual, m Mem, partial bool) {
	old := t.vec()
	get(t, m, old, partial)
	VADDPS(old, acc, acc)
}
