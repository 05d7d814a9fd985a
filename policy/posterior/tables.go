package posterior

import (
	"math"
	"slices"
)

// Table is the prior and the likelihoods of a [Rows] or of a [Fixed] with probabilities of ε, for a caller that computes the
// same posterior by other means.
type Table struct {
	Noise int       // values of ε
	Prior []float64 // weight_j·P(ε), [Noise, rows]
	Yes   []float64 // the probability of a yes, ½(1 + m_jiε); 0 and 1 where one wrong answer rules a row out, [|X|, Noise, rows]
	Lax   *Table    // takes over in states where answers rule every row out; nil: they never do
}

// Table returns r's. Costs O(|Z||X|) a value of ε.
func (r *Rows) Table() *Table {
	d, n, values := r.p.Queries(), r.p.Hypotheses(), len(r.noise.share)
	t := &Table{Noise: values, Yes: make([]float64, d*values*n)}
	t.Prior = slices.Clone(r.prior)
	for e := range values {
		limit, keep := r.at(e)
		for at, m := range r.column {
			t.Yes[(at/n*values+e)*n+at%n] = 0.5 + keep/2*float64(clip(m, limit))
		}
	}
	if r.lax != nil {
		t.Lax = r.lax.Table()
	}
	return t
}

// Table returns f's, with these probabilities of its ε. Costs O(|Z||X|) a value of ε.
func (f *Fixed) Table(noise []float64) *Table {
	values := len(f.each)
	t := &Table{Noise: values, Yes: make([]float64, values*len(f.M))}
	for e, prior := range noise {
		for _, log := range f.prior {
			t.Prior = append(t.Prior, math.Exp(float64(log))*prior)
		}
		for at, m := range f.M {
			t.Yes[(at%f.d*values+e)*f.N+at/f.d] = f.each[e].certainty(m)
		}
	}
	return t
}
