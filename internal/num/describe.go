package num

import "math"

// QueryFeatures is how many features of a query [Describe] writes.
const QueryFeatures = 24

// Queries is what [Describe] reads of a state: numbers of the state, then numbers of its queries, each [d]. Assembly
// knows its layout.
type Queries struct {
	Top, RawTop float32    // the best score, and the best raw one
	From        float32    // from where a score is good
	Tie         float32    // up to where a gap is none
	Gain        [3]float32 // g in 1 + g₀m² + g₁m⁴ + g₂m⁶
	Least       float32    // the least a lean may be: −1, or 1 for none but 1
	State       [6]float32 // the features that all its queries share

	Count         []float32 // answers n
	Mean          []float32 // their mean
	Near, Signed  []float32 // answers to similar queries, and their sum
	Balance       []float32 //
	Rest, RawRest []float32 // the best score, and raw score, of a hypothesis unlike the best one there; −∞: there is none
	Sign, RawSign []float32 // what the best hypotheses answer, −1 or 1
	Marginal      []float32 // m, by five posteriors, [5, d]
}

const (
	posteriors = 5
	middle     = 2 // the posterior that a query leans by
)

// Decided is the inverse of the marginal from which on a query leans all the way.
const Decided = 8

// Describe writes the features of d queries to dst, feature f of query i at f·ld + i; ld is at least d. The first are
// n/4, lean · mean, 1/(n+1); 1 − |m| of five posteriors; the third's lean · m, and its gain. Then come whether Rest is at least
// From; Sign · mean where the gap is above Tie; lean · Sign · gap/(1+gap), 1/(1+gap), lean · RawSign · rawgap/(2+rawgap).
// The last are Near/4, lean · Signed/4, lean · Balance; and State. A gap is Top − Rest, 0 where all hypotheses are alike. The lean is
// eight times the third posterior's m, at most 1 and at least Least. Where that is −1, nothing changes where a query is
// negated. All kernels give the same bits.
//
// Cost: 40 operations a query.
func Describe(dst []float32 /* [24, ld] but for what follows the last feature */, q *Queries, d, ld int) {
	shape(d, ld-d, 0)
	if d == 0 {
		return
	}
	size("dst", len(dst), (QueryFeatures-1)*ld+d)
	for _, v := range [...][]float32{q.Count, q.Mean, q.Near, q.Signed, q.Balance, q.Rest, q.RawRest, q.Sign, q.RawSign} {
		size("a slice of Queries", len(v), d)
	}
	size("Marginal", len(q.Marginal), posteriors*d)
	active.describe(dst, q, d, ld)
}

func plainDescribe(dst []float32, q *Queries, d, ld int) {
	for i, c := range q.Count {
		at := i
		put := func(v float32) {
			dst[at] = v
			at += ld
		}
		m := q.Mean[i]
		side := q.Marginal[middle*d+i]
		lean := max(q.Least, min(1, Decided*side))
		put(c / 4)
		put(lean * m)
		put(1 / (c + 1))
		for j := range posteriors {
			put(1 - magnitude(q.Marginal[j*d+i]))
		}
		put(lean * side)
		put(q.gain(float32(side * side)))
		put(share(q.Rest[i] >= q.From, 1))
		gap, rawGap := q.Top-q.Rest[i], q.RawTop-q.RawRest[i]
		if gap > math.MaxFloat32 { // all hypotheses are alike there
			gap, rawGap = 0, 0
		}
		put(share(gap > q.Tie, q.Sign[i]*m))
		near := 1 / (1 + gap)
		put(lean * (q.Sign[i] * gap * near))
		put(near)
		put(lean * (q.RawSign[i] * rawGap / (2 + rawGap)))
		put(q.Near[i] / 4)
		put(lean * (q.Signed[i] / 4))
		put(lean * q.Balance[i])
		for _, v := range q.State {
			put(v)
		}
	}
}

// gain returns 1 + g₀s + g₁s² + g₂s³.
func (q *Queries) gain(s float32) float32 {
	return 1 + float32(s*(q.Gain[0]+float32(s*(q.Gain[1]+float32(s*q.Gain[2])))))
}

// share returns v where it counts, else 0.
func share(counts bool, v float32) float32 {
	if counts {
		return v
	}
	return 0
}

func magnitude(v float32) float32 { return math.Float32frombits(math.Float32bits(v) &^ (1 << 31)) }

// Largest writes, for each row of v, the place of its first largest entry to at, that entry to top and the largest
// of the others, −∞ where there is none, to second. All kernels give the same numbers (of 0 and −0 any); of a row with
// something that is not a number, at is some place in it.
//
// Cost: 4·n·d comparisons.
func Largest(at []int /* [n] */, top, second []float32 /* [n] */, v []float32 /* [n, d] */, n, d int) {
	shape(n, d, 0)
	size("at", len(at), n)
	size("top", len(top), n)
	size("second", len(second), n)
	size("v", len(v), n*d)
	if n == 0 || d == 0 {
		return
	}
	active.largest(at, top, second, v, n, d)
}

func plainLargest(at []int, top, second, v []float32, n, d int) {
	for r := range n {
		row := v[r*d : (r+1)*d]
		best, next := 0, float32(math.Inf(-1))
		for i := 1; i < d; i++ {
			switch {
			case row[i] > row[best]:
				best, next = i, row[best]
			case row[i] > next:
				next = row[i]
			}
		}
		at[r], top[r], second[r] = best, row[best], next
	}
}

// Means computes dst = sum/max(count, 1), entry by entry. All kernels give the same bits.
func Means(dst, sum, count []float32) {
	size("sum", len(sum), len(dst))
	size("count", len(count), len(dst))
	active.means(dst, sum, count)
}

func plainMeans(dst, sum, count []float32) {
	for i, n := range count {
		dst[i] = sum[i] / max(n, 1)
	}
}
