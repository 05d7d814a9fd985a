package posterior

import "math"

const (
	negligible = 1e-12 // up to this weight a row is left out of gains: they move by at most |Z| times that
	light      = 1e-2  // up to this weight a row's entropies are interpolated, to within 2e-7 times the weight
)

// Gain writes the information gain of each query about the row, in nats, to dst, [|X|]:
//
//	I(y_i; j) = H(y_i) − Σ_j P(j | answers)·H(y_i | j)
//
// Where "none of these" is a hypothesis, the gain is about the rows given that it is one of them; 0 where it is not.
// ε is averaged within the row (Lindley 1956). Costs O(|Z||X|). It agrees with the formula to 1e-6.
func (b *Belief) Gain(dst []float64) {
	r, d := b.rows, len(dst)
	b.yes = sized(b.yes, d)
	clear(b.yes)
	clear(dst)
	rows, among := len(b.Weight), 1.
	if r.shares.Other {
		rows--
		if among -= b.Weight[rows]; among <= negligible {
			return
		}
	}
	for j, weight := range b.Weight[:rows] {
		if weight <= negligible {
			continue
		}
		clean, keep := b.kept(j)
		weight /= among
		for i := range dst {
			m := r.row.At(j, i)
			mean := clean*clip(m, r.limit) + keep*m
			b.yes[i] += weight * float64(mean)
			if weight > light {
				dst[i] += weight * Entropy((1+float64(mean))/2)
			} else {
				dst[i] += weight * float64(between(mean))
			}
		}
	}
	for i, doubt := range dst {
		dst[i] = max(0, Entropy((1+b.yes[i])/2)-doubt)
	}
}

// kept returns what row j's mean of m over ε is made of: so much of m at the noise's first value, and so much of plain m. Of an
// exact table nothing is clipped.
func (b *Belief) kept(j int) (clean, keep float32) {
	if b.rows.lax != nil {
		return 0, 1
	}
	rows, sum := len(b.Weight), 0.
	for e := range b.rows.noise.share[1:] {
		_, scale := b.rows.at(e + 1)
		sum += scale * b.joint[(e+1)*rows+j]
	}
	return float32(b.joint[j] / b.Weight[j]), float32(sum / b.Weight[j])
}

// curve is the entropy of an answer of mean m at m = 0, 1/steps, … 1, and once more at its end.
var curve = func() (c [steps + 2]float32) {
	for k := range steps + 1 {
		c[k] = float32(Entropy((1 + float64(k)/steps) / 2))
	}
	return c
}()

const steps = 4096

// between interpolates the entropy of an answer of mean m, in [−1, 1].
func between(m float32) float32 {
	if m < 0 {
		m = -m
	}
	at := m * steps
	k := int(at)
	return curve[k] + (at-float32(k))*(curve[k+1]-curve[k])
}

// Entropy returns the entropy of an answer that is a yes with probability q, in nats.
func Entropy(q float64) float64 {
	if q <= 0 || q >= 1 {
		return 0
	}
	return -q*math.Log(q) - (1-q)*math.Log(1-q)
}
