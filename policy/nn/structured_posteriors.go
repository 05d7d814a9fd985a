package nn

import (
	"math"
	"slices"

	"mapo/internal/num"
)

// What a Structured network's features say of the hypotheses: which scores best, what each query is opposed by, and the
// posteriors of some error rates (reading 15).

// rank scores the hypotheses by v, [b, |X|], part of a query's numbers, and what each query is worth, z, [|X|, |Z|].
func (f *reader) rank(r *ranking, v []float32, part int, z []float32, sc *readerScratch, b int) {
	f.times(r.score[:b*f.n], v, part, z, sc, b, f.n)
	r.of(r.score[:b*f.n], b, f.n)
}

// oppose fills in the rest of a ranking for states lo to hi of a block.
func (f *reader) oppose(r *ranking, lo, hi int) {
	width := f.table.Width()
	num.Opposed(r.rest[lo*width:hi*width], r.score[lo*f.n:hi*f.n], r.best[lo:hi], f.table)
}

// posteriors fills in p_β and its marginals for states lo to hi of a block. p_β(z) ∝ ((1−β)/β)^⟨z, S⟩: what
// ½ Σ_i (2z_i−1) S_i has more is the same for all z.
func (f *reader) posteriors(sc *readerScratch, lo, hi int) {
	j := len(readBetas)
	weight := sc.weight[lo*j*f.n : hi*j*f.n]
	num.Tempered(weight, sc.share[lo*j:hi*j], sc.raw.score[lo*f.n:hi*f.n], f.odds, hi-lo, f.n)
	num.Forward(sc.marginal[lo*j*f.d:hi*j*f.d], weight, f.signs, f.zero[:f.d], (hi-lo)*j, f.n, f.d, num.Linear)
}

// sorted computes oppose and posteriors for state b of a block where hypotheses are many.
func (f *reader) sorted(mean, sum []float32 /* [|X|] */, sc *readerScratch, b int) {
	if f.sort(&sc.raw, sum, sc, b) {
		f.shared(sc, b)
	} else {
		f.posteriors(sc, b, b+1)
	}
	switch {
	case f.votes: // scores are not whole numbers
		f.oppose(&sc.score, b, b+1)
		return
	case slices.Equal(mean, sum): // nothing was asked twice
		width := f.table.Width()
		copy(sc.score.rest[b*width:(b+1)*width], sc.raw.rest[b*width:])
		return
	}
	f.sort(&sc.score, mean, sc, b)
}

// sort computes oppose for state b of a block where hypotheses are many. Where v, what they are scored by, are whole
// numbers, it reports true and sc.by has them by their scores.
func (f *reader) sort(r *ranking, v []float32 /* [|X|] */, sc *readerScratch, b int) bool {
	score, width := r.score[b*f.n:(b+1)*f.n], f.table.Width()
	if !whole(v) || !sc.by.Sort(score, r.top[b]) {
		f.oppose(r, b, b+1)
		return false
	}
	f.table.Opposed(r.rest[b*width:(b+1)*width], score, r.best[b], &sc.by)
	return true
}

// whole reports whether all numbers are whole, and sums of them exact.
func whole(v []float32) bool {
	for _, x := range v {
		if x != float32(int16(x)) {
			return false
		}
	}
	return true
}

// shared computes posteriors for state b of a block whose hypotheses have been sorted: those with the same ⟨z, S⟩ are as
// likely, so marginals follow from how many of them have z_i = 1.
func (f *reader) shared(sc *readerScratch, b int) {
	by := &sc.by
	n := len(by.Gaps)
	sc.ones = num.Sized(sc.ones, f.table.Room(n))
	f.table.CountOnes(sc.ones, by)
	sc.each = num.Sized(sc.each, len(readBetas)*n)
	for j := range readBetas {
		weight, sum := sc.each[j*n:(j+1)*n], float32(0)
		for g, gap := range by.Gaps {
			weight[g] = f.powers[j*num.MostScores+gap]
			sum += weight[g] * float32(by.Start[g+1]-by.Start[g])
		}
		sc.share[b*len(readBetas)+j] = 1 / sum
		for g := range weight {
			weight[g] *= 2 / sum
		}
	}
	at := b * len(readBetas) * f.d
	num.Forward(sc.marginal[at:][:len(readBetas)*f.d], sc.each, sc.ones[:n*f.d], f.minus, len(readBetas), n, f.d, num.Linear)
}

// entropies returns those of p_β for readBetas[lower] and readBetas[upper] in state b, as shares of log|𝒵|, and asked how
// many answers the state has. With g_z what z's exponent is below the largest, an entropy is −log p_max +
// odds·Σ_z p(z) g_z, and Σ_z p(z)⟨z, S⟩ follows from the marginals. The three sums hide each other's latency.
func (f *reader) entropies(sc *readerScratch, count, sum []float32 /* [|X|] */, b int) (low, high, asked float32) {
	at := b * len(readBetas)
	most := sc.raw.top[b]
	below, above := most, most
	m := sc.marginal[(at+lower)*f.d:][:len(sum)]
	n := sc.marginal[(at+upper)*f.d:][:len(sum)]
	count = count[:len(sum)]
	for i, s := range sum {
		below -= float32((1 + m[i]) / 2 * s)
		above -= float32((1 + n[i]) / 2 * s)
		asked += count[i]
	}
	of := func(j int, below float32) float32 {
		return float32((float64(f.odds[j]*below) - math.Log(float64(sc.share[at+j]))) / f.logZ)
	}
	return of(lower, below), of(upper, above), asked
}
