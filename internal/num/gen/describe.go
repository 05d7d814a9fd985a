package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Where things are in num.Queries.
const (
	atTop = 4 * iota
	atRawTop
	atFrom
	atTie
	atGain // three
	_
	_
	atLeastLean
	atState // so many as there are
)

const (
	stateFeatures = 6
	marginals     = 5
	middle        = 2
	decided       = 8
	slicesAt      = 56
)

// The slices of num.Queries.
const (
	sCount = iota
	sMean
	sNear
	sSigned
	sBalance
	sRest
	sRawRest
	sSign
	sRawSign
	sMarginal
)

// description is what the kernel under generation has at hand.
type description struct {
	isa
	q, at, d, ld reg.Register // num.Queries, a vector's first query and |X| in bytes, from a feature to the next
	to           reg.Register
	mask         reg.Register // nil: all lanes exist
}

// describe writes the kernel of the features of a state's queries, as many as there are lanes at a time, feature by
// feature. What is left of whole vectors is computed with some of those before it once more.
func describe(s isa) {
	TEXT("describe"+s.name, NOSPLIT, "func(dst, q *float32, d, ld int)")
	Pragma("noescape")
	Doc("describe" + s.name + " writes the features that q, a Queries from its first number, has of d queries to dst, rows ld apart.")
	dst, q := Load(Param("dst"), GP64()), Load(Param("q"), GP64())
	d, ld := Load(Param("d"), reg.RCX), scale(Load(Param("ld"), GP64()))
	f := &description{isa: s, q: q, at: GP64(), d: d, ld: ld, to: GP64()}
	XORQ(f.at, f.at)
	CMPQ(d, Imm(uint64(s.lanes)))
	JGE(LabelRef("whole"))
	Comment("Fewer queries than lanes.")
	f.mask = lowest(s, d)
	SHLQ(Imm(2), d)
	MOVQ(dst, f.to)
	f.features()
	VZEROUPPER()
	RET()

	Label("whole")
	f.mask = nil
	SHLQ(Imm(2), d)
	Label("vector")
	LEAQ(Mem{Base: dst, Index: f.at, Scale: 1}, f.to)
	f.features()
	ADDQ(Imm(uint64(s.bytes())), f.at)
	CMPQ(f.at, d)
	JGE(LabelRef("done"))
	lastAt := GP64()
	LEAQ(Mem{Base: d, Disp: -s.bytes()}, lastAt)
	CMPQ(f.at, lastAt)
	CMOVQGT(lastAt, f.at)
	JMP(LabelRef("vector"))
	Label("done")
	VZEROUPPER()
	RET()
}

// read loads a slice's vector.
func (f *description) read(slice int) reg.VecVirtual {
	p := GP64()
	MOVQ(Mem{Base: f.q, Disp: slicesAt + 24*slice}, p)
	x := f.vec()
	f.load(Mem{Base: p, Index: f.at, Scale: 1}, x)
	return x
}

func (f *description) load(m Mem, x reg.VecVirtual) {
	get(&tile{isa: f.isa, mask: f.mask}, m, x, f.mask != nil)
}

// write stores the next feature.
func (f *description) write(x reg.VecVirtual) {
	put(&tile{isa: f.isa, mask: f.mask}, x, Mem{Base: f.to}, f.mask != nil)
	ADDQ(f.ld, f.to)
}

// spread loads a number of num.Queries into all lanes; number loads one of the constants.
func (f *description) spread(at int) reg.VecVirtual {
	x := f.vec()
	VBROADCASTSS(Mem{Base: f.q, Disp: at}, x)
	return x
}

func (f *description) number(name string, v float64) reg.VecVirtual {
	x := f.vec()
	VBROADCASTSS(constantF(name, v), x)
	return x
}

// keep makes x 0 where "y compared with than by predicate" is false.
func (f *description) keep(predicate uint64, than, y reg.VecVirtual, xs ...reg.VecVirtual) {
	if f.lanes == 16 {
		k := K()
		VCMPPS(Imm(predicate), than, y, k)
		for _, x := range xs {
			VMOVAPS_Z(x, k, x)
		}
		return
	}
	m := YMM()
	VCMPPS(Imm(predicate), than, y, m)
	for _, x := range xs {
		VANDPS(m, x, x)
	}
}

func (f *description) features() {
	one, quarter := f.number("one", 1), f.number("quarter", .25)
	x := f.vec()

	Comment("Which way a query leans.")
	lean := f.middle()
	VMULPS(f.number("decided", decided), lean, lean)
	VMINPS(one, lean, lean)
	VMAXPS(f.spread(atLeastLean), lean, lean)
	toward := func(x reg.VecVirtual) {
		y := f.vec()
		VMULPS(lean, x, y)
		f.write(y)
	}

	Comment("n/4, s/n, 1/(n+1).")
	c := f.read(sCount)
	VMULPS(quarter, c, x)
	f.write(x)
	m := f.read(sMean)
	toward(m)
	VADDPS(one, c, c)
	VDIVPS(c, one, c)
	f.write(c)

	Comment("1 − |marginal|, one of them itself and its gain.")
	side := f.split(one)
	toward(side)
	f.gain(one, side)

	Comment("Whether hypotheses of either kind score well.")
	rest, y := f.read(sRest), f.vec()
	VMOVAPS(one, y)
	f.keep(greaterOrEqual, f.spread(atFrom), rest, y)
	f.write(y)

	Comment("The gaps, 0 where all hypotheses are alike; its sign times the mean; both soft.")
	gap, rawGap := f.spread(atTop), f.spread(atRawTop)
	VSUBPS(rest, gap, gap)
	VSUBPS(f.read(sRawRest), rawGap, rawGap)
	f.keep(notGreater, f.number("maxFloat", math.MaxFloat32), gap, rawGap, gap)
	sign := f.read(sSign)
	VMULPS(m, sign, m)
	f.keep(greater, f.spread(atTie), gap, m)
	f.write(m)
	closeBy := f.vec()
	VADDPS(gap, one, closeBy)
	VDIVPS(closeBy, one, closeBy)
	VMULPS(gap, sign, gap)
	VMULPS(closeBy, gap, gap)
	toward(gap)
	f.write(closeBy)
	raw, over := f.read(sRawSign), f.number("two", 2)
	VMULPS(rawGap, raw, raw)
	VADDPS(rawGap, over, over)
	VDIVPS(over, raw, raw)
	toward(raw)

	Comment("Answers near by, and the balance.")
	near, signed := f.read(sNear), f.read(sSigned)
	VMULPS(quarter, near, near)
	f.write(near)
	VMULPS(quarter, signed, signed)
	toward(signed)
	toward(f.read(sBalance))

	Comment("What all queries share.")
	for i := range stateFeatures {
		f.write(f.spread(atState + 4*i))
	}
}

// middle loads the middle marginal.
func (f *description) middle() reg.VecVirtual {
	p, x := GP64(), f.vec()
	MOVQ(Mem{Base: f.q, Disp: slicesAt + 24*sMarginal}, p)
	for range middle {
		ADDQ(f.d, p)
	}
	f.load(Mem{Base: p, Index: f.at, Scale: 1}, x)
	return x
}

// split writes 1 − |marginal| for each and returns the middle one.
func (f *description) split(one reg.VecVirtual) (side reg.VecVirtual) {
	abs, p := f.vec(), GP64()
	VBROADCASTSS(constant("abs", 0x7FFFFFFF), abs)
	MOVQ(Mem{Base: f.q, Disp: slicesAt + 24*sMarginal}, p)
	for j := range marginals {
		v, x := f.vec(), f.vec()
		f.load(Mem{Base: p, Index: f.at, Scale: 1}, v)
		if f.lanes == 16 {
			VPANDD(abs, v, x)
		} else {
			VANDPS(abs, v, x)
		}
		VSUBPS(x, one, x)
		f.write(x)
		if j == middle {
			side = v
		}
		if j < marginals-1 {
			ADDQ(f.d, p)
		}
	}
	return side
}

// gain writes the series in the square of side.
func (f *description) gain(one, side reg.VecVirtual) {
	square, sum := f.vec(), f.spread(atGain+8)
	VMULPS(side, side, square)
	for _, c := range []reg.VecVirtual{f.spread(atGain + 4), f.spread(atGain), one} {
		VMULPS(square, sum, sum)
		VADDPS(c, sum, sum)
	}
	f.write(sum)
}
