package posterior

import (
	"math"

	"mapo/internal/num"
)

// classGains computes Gains where answers are one of C classes: with ε₁ = ε/(C−1) and P(c) the
// weight of the rows that say class c,
//
//	Σ_c h(ε₁ + (1−ε−ε₁)·P(c)) − h(1−ε) − (C−1)·h(ε₁), h(q) = −q·log q,
//
// over all classes. All queries of a cell get it.
func (f *Fixed) classGains(dst []float32, sc *FixedScratch, states int) {
	d, n := f.d, f.N
	f.Sums(sc, 0, states)
	for j, best := range sc.best[:states] {
		sc.weight[j*n+best] = 0
	}
	said, weight := sc.yes[:states*d], sc.weight[:states*n]
	num.Forward(said, weight, f.bits, f.zero[:d], states, n, d, num.Linear)
	classes := f.others + 1
	wrong := 1 - f.each[0].certainty(1)
	each := wrong / (classes - 1)
	sure := entropyPart(1-wrong) + (classes-1)*entropyPart(each)
	for j := range states {
		var others float64
		for _, w := range weight[j*n : (j+1)*n] {
			others += float64(w)
		}
		own := f.bits[sc.best[j]*d:][:d]
		for c := range f.asks.Len() {
			lo, hi := f.asks.Columns(c)
			gain := (classes-float64(hi-lo))*entropyPart(each) - sure
			for i := lo; i < hi; i++ {
				share := float64(said[j*d+i]) + float64(own[i])*(1-others)
				gain += entropyPart(each + (1-wrong-each)*share)
			}
			if gain < GainRounding*others {
				gain = 0
			}
			for i := lo; i < hi; i++ {
				dst[j*d+i] = float32(gain)
			}
		}
	}
}

// entropyPart returns −q·log q, q above 0.
func entropyPart(q float64) float64 { return -q * math.Log(q) }
