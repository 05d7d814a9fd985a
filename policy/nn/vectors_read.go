package nn

import (
	"math"
	"slices"

	"mapo/game"
	"mapo/internal/num"
)

// vectorScratch is one caller's.
type vectorScratch struct {
	ridge      *game.Ridge
	base       []float64 // [Rank, Rank]
	b, y, back []float64 // Σ S_x x, W(z_best − z) and A⁻¹(z_best − z), [Rank]
	best, near int       // hypotheses: the best, and the challenger with the least gap in widths
	gap, width []float64 // of hypotheses, gap in widths, [|Z|]
	weight     []float64 // w, [|Z|]
	ahead      []float64 // w relative to the largest, [|Z|]

	// Of the states that are read together, and each of their ridges:
	whites []float32    // W, [states, ridges, Rank, Rank]
	etas   []float32    // η̂, [states, ridges, Rank]
	x      []float32    // W·x of the queries, [states, ridges, Rank, |X|]
	means  []float32    // ⟨x, η̂⟩, [states, ridges, |X|]
	from   []int        // where the challengers of each begin, [states·ridges + 1]
	rivals []challenger // those that are looked at
	backs  []float32    // their A⁻¹y, [challengers, Rank]
	cross  []float32    // xᵀA⁻¹y, [challengers, |X|]

	divide, told, pick []float32 // [|X|]
}

// challenger is a hypothesis against the best one.
type challenger struct {
	weight, scale float32 // w, and w/‖y‖²_{A⁻¹}
	near          bool    // it is the nearest
}

func (f *vectorReader) scratch() any {
	r, v, w := f.span.Rank, func(n int) []float64 { return make([]float64, n) }, func(n int) []float32 { return make([]float32, n) }
	m := f.batch * len(ridges)
	return &vectorScratch{
		ridge: f.p.NewRidge(), base: v(r * r), b: v(r), y: v(r), back: v(r),
		gap: v(f.n), width: v(f.n), weight: v(f.n), ahead: v(f.n),
		whites: w(m * r * r), etas: w(m * r), x: w(m * r * f.d), means: w(m * f.d), from: make([]int, m+1),
		divide: w(f.d), told: w(f.d), pick: w(f.d),
	}
}

// read writes the features of s to dst, feature by feature, as [reader.read]. Costs O((|X| + |Z|)·Rank²) a state, and O(|X|·Rank) for each
// challenger that is looked at.
func (f *vectorReader) read(dst []float32 /* [features, ld] */, ld int, s game.States, scratch any) {
	sc, d := scratch.(*vectorScratch), f.d
	for lo, states := 0, s.Len(d); lo < states; lo += f.batch {
		f.together(dst[lo*d:], ld, s.Slice(lo, min(states, lo+f.batch), d), sc)
	}
}

// together reads a few states. What is linear in the queries is worked out for all of them at once.
func (f *vectorReader) together(dst []float32, ld int, s game.States, sc *vectorScratch) {
	d, r, states := f.d, f.span.Rank, s.Len(f.d)
	row := func(b, feature int) []float32 { return dst[feature*ld+b*d:][:d] }
	sc.rivals, sc.backs = sc.rivals[:0], sc.backs[:0]
	for b := range states {
		f.span.Sums(sc.base, sc.b, s.N[b*d:(b+1)*d], s.S[b*d:(b+1)*d])
		for i := range ridges {
			at := b*len(ridges) + i
			f.regress(sc, i, at)
			f.challenge(sc)
			sc.from[at] = len(sc.rivals)
			f.keep(sc)
			f.hypotheses(sc, row(b, i*perRidge+vOwn), row(b, i*perRidge+vSoftGap))
			gap := sc.gap[sc.near]
			fill(row(b, vHeads+i), float32(sc.weight[sc.near]))
			fill(row(b, vNearest+i), float32(gap/(1+gap)))
		}
	}
	m := states * len(ridges)
	sc.from[m] = len(sc.rivals)
	sc.cross = num.Sized(sc.cross, len(sc.rivals)*d)
	num.Forward(sc.x[:m*r*d], sc.whites[:m*r*r], f.ut, f.zero, m*r, r, d, num.Linear)
	num.Forward(sc.means[:m*d], sc.etas[:m*r], f.ut, f.zero, m, r, d, num.Linear)
	num.Forward(sc.cross, sc.backs, f.ut, f.zero, len(sc.rivals), r, d, num.Linear)
	for b := range states {
		own := func(feature int) []float32 { return row(b, feature) }
		for i := range ridges {
			f.describe(sc, b*len(ridges)+i, func(feature int) []float32 { return row(b, i*perRidge+feature) })
		}
		f.residuals(sc.means[b*len(ridges)*d:][:d], s.N[b*d:(b+1)*d], s.S[b*d:(b+1)*d], own(vResidual))
		f.counts(s, b, own)
	}
}

// counts writes what answers were given to the queries of state b, and what is left.
func (f *vectorReader) counts(s game.States, b int, row func(feature int) []float32) {
	n := s.N[b*f.d : (b+1)*f.d]
	var asked float64
	for _, times := range n {
		asked += float64(times)
	}
	count, inverse, deficit, design := row(vCount), row(vInverse), row(vDeficit), row(vDesign)
	for x, times := range n {
		count[x], inverse[x] = times/4, 1/(times+1)
		deficit[x] = soft(float32(asked*f.design[x]) - times)
		share := float32(f.design[x]) * float32(f.d)
		design[x] = share / (1 + share)
	}
	level := float32(0)
	if s.Level != nil {
		level = s.Level[b] / 8
	}
	fill(row(vLeft), f.p.LeftOf(s, b)/float32(f.p.T))
	fill(row(vTime), float32(asked)/16)
	fill(row(vLevel), level)
}

func fill(row []float32, v float32) {
	for i := range row {
		row[i] = v
	}
}

// regress works the ridge regression out, and keeps W and η̂ at place at.
func (f *vectorReader) regress(sc *vectorScratch, which, at int) {
	r, g := f.span.Rank, sc.ridge
	g.Solve(sc.base, sc.b, ridges[which]*float64(r)/float64(f.d))
	narrow(sc.whites[at*r*r:], g.W)
	g.Back(sc.back, g.B)
	narrow(sc.etas[at*r:], sc.back)
}

// narrow writes v to dst as float32.
func narrow(dst []float32, v []float64) {
	dst = dst[:len(v)]
	for i, x := range v {
		dst[i] = float32(x)
	}
}

// leastSquare is the least ‖y‖²_{A⁻¹}, against rounding.
const leastSquare = 1e-18

// challenge fills what the other hypotheses are to the best: width, gap in widths, how near the best they are, as shares, and the
// nearest.
func (f *vectorReader) challenge(sc *vectorScratch) {
	g := sc.ridge
	sc.best = f.order[0]
	for _, k := range f.order {
		if g.Score[k] > g.Score[sc.best] {
			sc.best = k
		}
	}
	g.Against(sc.best)
	sc.near = -1
	for k, square := range g.Square {
		if k == sc.best {
			continue
		}
		sc.width[k] = f.sigma * math.Sqrt(max(square, leastSquare))
		sc.gap[k] = (g.Score[sc.best] - g.Score[k]) / sc.width[k]
		if n := sc.near; n < 0 || sc.gap[k] < sc.gap[n] || sc.gap[k] == sc.gap[n] && sc.width[k] > sc.width[n] {
			sc.near = k
		}
	}
	near, total := sc.gap[sc.near]*sc.gap[sc.near], 0.0
	for k, gap := range sc.gap {
		sc.ahead[k] = 0
		if more := gap*gap - near; k != sc.best && more < mostBehind {
			sc.ahead[k] = math.Exp(-more / 2)
			total += sc.ahead[k]
		}
	}
	sc.gap[sc.best] = 0
	for k, ahead := range sc.ahead {
		sc.weight[k] = ahead / total
	}
}

const (
	leastWeight = 0.02  // of the challengers' weight, below which one is not looked at
	mostBehind  = 16    // by how much a squared gap may exceed the nearest's for a weight that is not 0
	tiny        = 1e-30 // keeps quotients from 0/0
)

// keep notes the challengers that are looked at.
func (f *vectorReader) keep(sc *vectorScratch) {
	for k, weight := range sc.weight {
		if k == sc.best || weight < leastWeight && k != sc.near {
			continue
		}
		sc.ridge.Differ(sc.y, sc.best, k)
		sc.ridge.Back(sc.back, sc.y)
		scale := weight * f.sigma * f.sigma / (sc.width[k] * sc.width[k])
		sc.rivals = append(sc.rivals, challenger{float32(weight), float32(scale), k == sc.near})
		at := len(sc.backs)
		sc.backs = slices.Grow(sc.backs, len(sc.back))[:at+len(sc.back)]
		narrow(sc.backs[at:], sc.back)
	}
}

// hypotheses writes what is said of the queries that are hypotheses.
func (f *vectorReader) hypotheses(sc *vectorScratch, own, soft []float32) {
	clear(own)
	clear(soft)
	for x, k := range f.own {
		switch {
		case k < 0:
		case int(k) == sc.best:
			own[x], soft[x] = 1, 1
		default:
			own[x], soft[x] = float32(sc.ahead[k]), float32(1/(1+sc.gap[k]))
		}
	}
}

// describe writes what a ridge of a state says of the queries, place at.
func (f *vectorReader) describe(sc *vectorScratch, at int, row func(feature int) []float32) {
	d, r := f.d, f.span.Rank
	lever, tells, mean := row(vLever), row(vTells), row(vMean)
	clear(lever)
	for i := range r {
		for x, v := range sc.x[(at*r+i)*d:][:len(lever)] {
			lever[x] += v * v
		}
	}
	divide := sc.divide[:len(lever)]
	for x, l := range lever {
		divide[x] = 1 / (1 + l)
		lever[x] = l * divide[x]
	}
	top := f.tell(sc, at, row(vTell))
	fill(row(vShare), top)
	copy(row(vPick), sc.pick)
	by := 1 / (top + tiny)
	for x, told := range sc.told[:len(tells)] {
		tells[x] = told * by
	}
	for x, m := range sc.means[at*d:][:len(mean)] {
		mean[x] = min(1, m*m)
	}
}

// tell fills told and pick, returns the largest of told, and writes what is told of the nearest challenger to near, relative to
// the largest.
func (f *vectorReader) tell(sc *vectorScratch, at int, near []float32) (top float32) {
	d := f.d
	clear(sc.told)
	clear(sc.pick)
	for c := sc.from[at]; c < sc.from[at+1]; c++ {
		rival, cross := sc.rivals[c], sc.cross[c*d:(c+1)*d]
		divide, told, most := sc.divide[:len(cross)], sc.told[:len(cross)], uint64(0)
		for x, v := range cross {
			v *= v * divide[x]
			cross[x] = v
			told[x] += rival.scale * v
			most = max(most, uint64(math.Float32bits(v))<<32|uint64(^uint32(x))) // the first of the largest, without a branch
		}
		sc.pick[^uint32(most)] += rival.weight
		if rival.near {
			by := 1 / (math.Float32frombits(uint32(most>>32)) + tiny)
			for x, v := range cross[:len(near)] {
				near[x] = v * by
			}
		}
	}
	largest := uint32(0)
	for _, v := range sc.told {
		largest = max(largest, math.Float32bits(v))
	}
	return math.Float32frombits(largest)
}

// residuals writes how far the mean answer to each query is from what the regression says, means.
func (f *vectorReader) residuals(means, n, sum, dst []float32) {
	for x, times := range n {
		if dst[x] = 0; times > 0 {
			off := math.Abs(float64(sum[x]/times)-float64(means[x])) * math.Sqrt(float64(times)) / f.sigma
			dst[x] = float32(off / (1 + off))
		}
	}
}
