package game

import (
	"fmt"
	"iter"
	"slices"
)

// Tie is how far below the best score ⟨z, θ̂⟩ a hypothesis still counts as
// best: scores are sums of ratios of small integers in float32 (reading 4).
const Tie = 1e-5

// tieTrue is the same for ⟨z, θ⟩ of an instance, in float64.
const tieTrue = 1e-9

// Loss is L_T, what a finished game costs.
type Loss uint8

const (
	// BestIdentification is 1{ẑ ∉ argmax_z ⟨z, θ⟩}, in [0, 1].
	BestIdentification Loss = iota
	// SimpleRegret is ⟨z_*(θ) − ẑ, θ⟩, in [0, d], un-normalised (reading 14).
	SimpleRegret
)

var lossNames = [...]string{"best-identification", "simple-regret"}

// String is the loss's name in specs, files and results.
func (l Loss) String() string { return lossNames[l] }

// ParseLoss is the inverse of String.
func ParseLoss(s string) (Loss, error) {
	for i, name := range lossNames {
		if s == name {
			return Loss(i), nil
		}
	}
	return 0, fmt.Errorf("unknown loss %q; known are %s and %s", s, lossNames[0], lossNames[1])
}

// Losses lists both.
func Losses() []Loss { return []Loss{BestIdentification, SimpleRegret} }

// Scale bounds the loss on p: 1, or the largest regret any θ ∈ [−1,1]^d has,
// which is the largest Hamming distance between two hypotheses, at most d.
func (l Loss) Scale(p *Problem) float64 {
	if l == BestIdentification {
		return 1
	}
	best := 0
	for a := range p.Hypotheses() {
		for b := range a {
			best = max(best, p.Differ(a, b))
		}
	}
	return float64(best)
}

// Most returns the largest loss that a game on in may have: 1, or the regret of in's worst hypothesis,
// which is at most [Loss.Scale] and mostly far less.
func (l Loss) Most(in *Instance) float64 {
	if l == BestIdentification {
		return 1
	}
	return in.Max - slices.Min(in.Value)
}

// MostOf returns the largest [Loss.Most] of the instances that prior may draw, or [Loss.Scale] where
// prior does not list them. That is the same for [Flip] and [Noiseless]. O(|Z||X|) an instance.
func (l Loss) MostOf(p *Problem, prior Prior) float64 {
	support, ok := prior.(interface{ support() iter.Seq[[]float64] })
	if l == BestIdentification || !ok {
		return l.Scale(p)
	}
	var in Instance
	most := 0.0
	for theta := range support.support() {
		p.Fill(&in, theta)
		most = max(most, l.Most(&in))
	}
	return most
}

// Differ is |{i : z_i ≠ z′_i}| of hypotheses a and b.
func (p *Problem) Differ(a, b int) int {
	n, zb := 0, p.Row(b)
	for i, v := range p.Row(a) {
		if v != zb[i] {
			n++
		}
	}
	return n
}

// Instance is a θ with what every loss needs of it, worked out once.
type Instance struct {
	Theta []float64 // [|X|], each in [−1, 1]
	Value []float64 // ⟨z, θ⟩, [|Z|]
	Max   float64   // max_z ⟨z, θ⟩
	Best  int       // the first maximiser
	Many  bool      // whether there are several (ρ̃ is then ∞)
}

// Instance works θ out; it copies nothing and keeps theta. O(|Z||X|).
func (p *Problem) Instance(theta []float64) *Instance {
	in := new(Instance)
	p.Fill(in, theta)
	return in
}

// Fill is Instance into an existing one, without allocating where in.Value
// already has |Z| entries.
func (p *Problem) Fill(in *Instance, theta []float64) {
	d := len(p.X)
	if len(theta) != d {
		panic(fmt.Sprintf("game: theta has %d entries, want %d", len(theta), d))
	}
	n := p.Hypotheses()
	if cap(in.Value) < n {
		in.Value = make([]float64, n)
	}
	in.Theta, in.Value, in.Best = theta, in.Value[:n], 0
	for k := range n {
		var v float64
		for i, z := range p.Row(k) {
			v += theta[i] * float64(z) // no branch: which it is cannot be foreseen
		}
		in.Value[k] = v
		if v > in.Value[in.Best] {
			in.Best = k
		}
	}
	in.Max, in.Many = in.Value[in.Best], false
	for k, v := range in.Value {
		if k != in.Best && v >= in.Max-tieTrue {
			in.Many = true
		}
	}
}

// Scores writes ⟨z, θ̂⟩ to dst, [|Z|], for one state: θ̂ = S/N, 0 where nothing
// was asked (the minimum-norm least squares, reading 3). O(|Z||X|).
func (p *Problem) Scores(dst, n, s []float32) {
	d := len(p.X)
	for k := range dst {
		dst[k] = 0
	}
	for i := range d {
		if n[i] == 0 || s[i] == 0 {
			continue
		}
		mean := s[i] / n[i]
		for k, at := 0, i; k < len(dst); k, at = k+1, at+d {
			dst[k] += p.Z[at] * mean
		}
	}
}

// Recommend is ẑ: it appends to tie the hypotheses whose score is within [Tie]
// of the best. A game recommends one of them uniformly at random (reading 4).
func Recommend(tie []int, scores []float32) []int {
	best := scores[0]
	for _, v := range scores {
		best = max(best, v)
	}
	for k, v := range scores {
		if v >= best-Tie {
			tie = append(tie, k)
		}
	}
	return tie
}

// Of is L_T of a game on in that ends with the tie of recommendations, the mean
// over the tie: exact, and less noisy than drawing one (reading 4).
func (l Loss) Of(in *Instance, tie []int) float64 {
	var sum float64
	for _, k := range tie {
		gap := in.Max - in.Value[k]
		switch {
		case l == SimpleRegret:
			sum += gap
		case gap > tieTrue:
			sum++
		}
	}
	return sum / float64(len(tie))
}

// AddGrad adds scale · ∇_θ L_T to dst, [|X|]: z_*(θ) − ẑ averaged over the tie
// for simple regret, 0 for best identification (reading 10).
func (l Loss) AddGrad(dst []float64, p *Problem, in *Instance, tie []int, scale float64) {
	if l == BestIdentification {
		return
	}
	for i, z := range p.Row(in.Best) {
		dst[i] += scale * float64(z)
	}
	scale /= float64(len(tie))
	for _, k := range tie {
		for i, z := range p.Row(k) {
			dst[i] -= scale * float64(z)
		}
	}
}
