package game

// cells are the differences where queries are classes. With D the cells in which the predictions of z and z_* differ and w_c their
// weights
//
//	ρ̃(θ) = Σ_c max_{z: c ∈ D} w_c·(Σ_{D} w)/gap²
//
// and ∂gap/∂θ_i = ±w_c/2 at the two queries of a cell in D.
type cells struct {
	weights []float64 // [cells]
	class   []int32   // the query that each hypothesis predicts in each cell, [|Z|, cells]
}

func newCells(p *Problem) *cells {
	n := p.pool().Cells()
	d := &cells{weights: p.Weights(), class: make([]int32, p.Hypotheses()*n)}
	for k := range p.Hypotheses() {
		says := p.Says(k)
		for c := range n {
			lo, hi := p.pool().Queries(c)
			for i := lo; i < hi; i++ {
				if says[i] != 0 {
					d.class[k*n+c] = int32(i)
				}
			}
		}
	}
	return d
}

// row returns what hypothesis k predicts, [cells].
func (d *cells) row(k int) []int32 {
	n := len(d.weights)
	return d.class[k*n : (k+1)*n]
}

func (d *cells) weigh(s *rhoScratch, k int) {
	star, row, norm, gap := d.row(s.in.Best), d.row(k), 0.0, s.gap(k)
	for c, w := range d.weights {
		if row[c] != star[c] {
			norm += w
		}
	}
	s.base[k] = norm / (gap * gap)
	for c, w := range d.weights {
		if ratio := w * s.base[k]; row[c] != star[c] && ratio > s.ratio[c] {
			s.ratio[c], s.size[c], s.by[c] = ratio, w, k
		}
	}
}

func (d *cells) add(dst []float64, s *rhoScratch, k int, by float64) {
	star, row := d.row(s.in.Best), d.row(k)
	for c, w := range d.weights {
		if row[c] != star[c] {
			dst[star[c]] += by * w / 2
			dst[row[c]] -= by * w / 2
		}
	}
}
