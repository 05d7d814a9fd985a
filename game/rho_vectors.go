package game

import "math"

// spanned are the differences of problems with [Vectors]: the weights of least ℓ1 norm with Σ_x a_x x = z_* − z. The gradient of a gap
// is z_* − z, which is in the column space of 𝒳.
type spanned struct{ p *Problem }

func (v spanned) weigh(s *rhoScratch, k int) {
	a, _ := v.p.Difference(s.in.Best, k)
	gap := s.gap(k)
	s.base[k] = a.Norm / (gap * gap)
	for j, x := range a.On {
		size := math.Abs(a.By[j])
		if ratio := size * s.base[k]; ratio > s.ratio[x] {
			s.ratio[x], s.size[x], s.by[x] = ratio, size, k
		}
	}
}

func (v spanned) add(dst []float64, s *rhoScratch, k int, by float64) {
	entries(v).add(dst, s, k, by)
}
