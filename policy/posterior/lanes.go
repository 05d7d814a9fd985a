package posterior

import "mapo/game"

// lanes is the fast twin of [Posterior.plain]. In a game the exponent of a
// hypothesis is a whole number, so the weight of z depends only on how far g its
// exponent is below the best. The hypotheses are counted by g, per query those
// with z_i = 1 besides, four 16-bit counters in a word; the counts serve every β:
//
//	Σ_z p(z)(2z_i − 1) = 2 Σ_g b^−g count[g][i] / Σ_g b^−g number[g] − 1, b = (1−β)/β
//
// Counts are exact, so a permutation of the hypotheses changes no bit of it.
type lanes struct {
	d, n  int
	most  int      // Σ|S_i| a lane is sure to hold: T
	reach int      // hypotheses this far below the best are left out for every β
	col   []uint64 // 𝒵 by query, a lane a hypothesis, [|X|, zw]
	row   []uint64 // 𝒵 by hypothesis, a lane a query, [|Z|, xw]
	zw    int      // words for |Z| lanes
	xw    int      // words for |X| lanes
}

// laneScratch is one worker's.
type laneScratch struct {
	exponent []uint64  // most + Σ_i z_i S_i, a lane a hypothesis, [zw]
	count    []uint64  // [reach, xw]
	number   []float64 // [reach]
	sum      []float64 // [xw·4]
}

// perWord is how many lanes a word has.
const perWord = 4

// newLanes returns the lanes of p; nil where a count or an exponent could leave its 16 bits.
func newLanes(p *game.Problem, power [][]float64) *lanes {
	d, n := p.Queries(), p.Hypotheses()
	if n >= 1<<16 || 2*p.T >= 1<<16 {
		return nil
	}
	l := &lanes{d: d, n: n, most: p.T, zw: (n + perWord - 1) / perWord, xw: (d + perWord - 1) / perWord}
	l.reach = reach(power, 1e-12/float64(n), p.T)
	l.col, l.row = make([]uint64, d*l.zw), make([]uint64, n*l.xw)
	for k := range n {
		for i, z := range p.Says(k) {
			switch z {
			case 0.5:
				return nil
			case 1:
				l.col[i*l.zw+k/perWord] |= 1 << (k % perWord * 16)
				l.row[k*l.xw+i/perWord] |= 1 << (i % perWord * 16)
			}
		}
	}
	return l
}

// reach returns one more than the largest g whose power counts for some β.
func reach(power [][]float64, least float64, most int) int {
	g := 1
	for g <= most {
		counts := false
		for _, p := range power {
			counts = counts || p[g] > least
		}
		if !counts {
			break
		}
		g++
	}
	return g
}

func (l *lanes) scratch() laneScratch {
	return laneScratch{
		exponent: make([]uint64, l.zw),
		count:    make([]uint64, l.reach*l.xw),
		number:   make([]float64, l.reach),
		sum:      make([]float64, l.xw*perWord),
	}
}

// marginals writes [Posterior.Marginals] of one state to dst. It reports false,
// with dst untouched, where s is not of a game of at most T answers.
func (l *lanes) marginals(dst, s []float32, power [][]float64, sc *laneScratch) bool {
	if !l.exponents(sc.exponent, s) {
		return false
	}
	groups := l.count(sc)
	for j, p := range power {
		l.weigh(dst[j*l.d:(j+1)*l.d], p, groups, sc)
	}
	return true
}

// exponents writes most + Σ_i z_i S_i to the lanes of e, [zw]: no partial sum
// is negative or above 2·most, so no lane borrows from or carries to the next.
func (l *lanes) exponents(e []uint64, s []float32) bool {
	start := uint64(l.most) * 0x0001_0001_0001_0001
	for j := range e {
		e[j] = start
	}
	total := 0
	for i, v := range s {
		if v == 0 {
			continue
		}
		times := int(v)
		if float32(times) != v {
			return false
		}
		total += max(times, -times)
		if total > l.most {
			return false
		}
		col := l.col[i*l.zw:][:len(e)]
		// A negative factor needs no care: words add modulo 2⁶⁴, and the true
		// sum has no lane outside its 16 bits.
		for j, c := range col {
			e[j] += c * uint64(times)
		}
	}
	return true
}

// count fills sc.count and sc.number for g = 0 … and returns how many g there are.
func (l *lanes) count(sc *laneScratch) int {
	top := uint16(0)
	for k := range l.n {
		top = max(top, lane(sc.exponent, k))
	}
	clear(sc.count)
	clear(sc.number)
	groups := 1
	for k := range l.n {
		g := int(top - lane(sc.exponent, k))
		if g >= l.reach {
			continue
		}
		groups = max(groups, g+1)
		sc.number[g]++
		row := l.row[k*l.xw:][:l.xw]
		count := sc.count[g*l.xw:][:len(row)]
		for j, w := range row {
			count[j] += w
		}
	}
	return groups
}

// weigh writes one β's marginals to dst, [|X|], from the counts of some groups.
func (l *lanes) weigh(dst []float32, power []float64, groups int, sc *laneScratch) {
	var total float64
	clear(sc.sum)
	for g := range groups {
		if sc.number[g] == 0 {
			continue
		}
		total += power[g] * sc.number[g]
		for j, w := range sc.count[g*l.xw:][:l.xw] {
			sum := sc.sum[j*perWord:][:perWord]
			sum[0] += power[g] * float64(uint16(w))
			sum[1] += power[g] * float64(uint16(w>>16))
			sum[2] += power[g] * float64(uint16(w>>32))
			sum[3] += power[g] * float64(uint16(w>>48))
		}
	}
	for i := range dst {
		dst[i] = float32(2*sc.sum[i]/total - 1)
	}
}

// lane returns the k-th 16 bits.
func lane(words []uint64, k int) uint16 {
	return uint16(words[k/perWord] >> (k % perWord * 16))
}
