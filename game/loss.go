package game

import (
	"fmt"
	"iter"
	"math"
	"math/bits"
	"slices"
)

// Tie is how far below the best score at θ̂ a hypothesis still counts as
// best: scores are float32 sums, mostly of ratios of small integers (reading 4).
const Tie = 1e-5

// tieTrue is the same for the score of an instance, in float64.
const tieTrue = 1e-9

// Loss is L_T, what a finished game costs.
type Loss uint8

const (
	// BestIdentification is 1{ẑ ∉ argmax_z of the scores}, in [0, 1]; 1{ẑ ≠ z} where θ was drawn with a hypothesis z
	// that alone is right.
	BestIdentification Loss = iota
	// SimpleRegret is the score of z_*(θ) less that of ẑ, ⟨z_* − ẑ, θ⟩ without offsets, un-normalised (reading 14).
	SimpleRegret
)

var lossNames = [...]string{"best-identification", "simple-regret"}

// String returns the loss's name in specs, files and results.
func (l Loss) String() string { return lossNames[l] }

// ParseLoss returns the loss that a name of String stands for.
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
// max_{a, b} ‖z_a − z_b‖₁ + Offset_a − Offset_b. Costs O(|Z|²|X|) for regret, on bits, 64 at once, where 𝒵 holds 0 and 1.
func (l Loss) Scale(p *Problem) float64 {
	if l == BestIdentification {
		return 1
	}
	if most, ok := p.mostDiffer(); ok {
		return float64(most)
	}
	best := 0.0
	for a := range p.Hypotheses() {
		for b := range a {
			most := p.Distance(a, b)
			if p.made.offset != nil {
				most += math.Abs(float64(p.made.offset[a] - p.made.offset[b]))
			}
			best = max(best, most)
		}
	}
	return best
}

// Unit returns what a loss of 1 on p is where people read it: of regret with Gaussian answers their bound, as means count as
// shares of that, else 1.
func (l Loss) Unit(p *Problem) float64 {
	if l == SimpleRegret && p.numbers().gaussian() {
		return p.numbers().Bound
	}
	return 1
}

// mostDiffer returns on how many queries the two hypotheses differ that differ most. It reports false where 𝒵 has other
// entries than 0 and 1, or p offsets or vectors.
func (p *Problem) mostDiffer() (most int, ok bool) {
	if p.made.offset != nil || p.vectors() != nil {
		return 0, false
	}
	words := (len(p.X) + 63) / 64
	rows := make([]uint64, len(p.Names)*words)
	for k := range p.Names {
		row := rows[k*words : (k+1)*words]
		for i, z := range p.Row(k) {
			switch z {
			case 0:
			case 1:
				row[i/64] |= 1 << (i % 64)
			default:
				return 0, false
			}
		}
		for at := 0; at < k*words; at += words {
			n := 0
			for w, v := range rows[at : at+words] {
				n += bits.OnesCount64(v ^ row[w])
			}
			most = max(most, n)
		}
	}
	return most, true
}

// Distance returns ‖z_a − z_b‖₁ of hypotheses a and b: on how many queries they differ, where 𝒵 holds 0 and 1.
// With [Vectors] it is the least ℓ1 norm of weights that make up their difference of the queries.
func (p *Problem) Distance(a, b int) float64 {
	if p.vectors() != nil {
		if a == b {
			return 0
		}
		of, _ := p.Difference(a, b)
		return of.Norm
	}
	var sum float64
	zb := p.Row(b)
	for i, v := range p.Row(a) {
		sum += math.Abs(float64(v - zb[i]))
	}
	return sum
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
// prior does not list them, or the classes of a pool's items are drawn by them. That is the same for [Flip] and [Noiseless]. O(|Z||X|) an instance.
func (l Loss) MostOf(p *Problem, prior Prior) float64 {
	support, ok := prior.(interface{ support() iter.Seq[[]float64] })
	if l == BestIdentification || !ok || p.pool() != nil {
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

// Differ returns on how many queries hypotheses a and b expect different answers.
func (p *Problem) Differ(a, b int) int {
	n, zb := 0, p.Says(b)
	for i, v := range p.Says(a) {
		if v != zb[i] {
			n++
		}
	}
	return n
}

// Instance is a θ with what every loss needs of it, worked out once.
type Instance struct {
	Theta []float64 // [|X|], each in [−1, 1]
	Value []float64 // the scores ⟨z, θ⟩ + Offset, [|Z|]
	Max   float64   // the largest
	Best  int       // the first maximiser
	Many  bool      // whether there are several (ρ̃ is then ∞)
	Drawn int       // the hypothesis that θ was drawn with and that alone is right; -1: the best ones are
}

// Instance works θ out; it copies nothing and keeps theta. O(|Z||X|).
func (p *Problem) Instance(theta []float64) *Instance {
	in := new(Instance)
	p.Fill(in, theta)
	return in
}

// Fill does what Instance does into an existing one, without allocating where in.Value
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
	in.Theta, in.Value, in.Best, in.Drawn = theta, in.Value[:n], 0, -1
	for k := range n {
		var v float64
		for i, z := range p.Row(k) {
			v += theta[i] * float64(z) // no branch: which it is cannot be foreseen
		}
		if p.made.offset != nil {
			v += float64(p.made.offset[k])
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
// was asked (the minimum-norm least squares, reading 3), as is X·θ̂ of [Vectors]. Offsets are left out. O(|Z||X|).
func (p *Problem) Scores(dst, n, s []float32) {
	if p.vectors() != nil {
		f := p.NewFit()
		f.Solve(n, s)
		f.Scores(dst, 1)
		return
	}
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

// Cost returns what recommending hypothesis k costs in a game on in.
func (l Loss) Cost(in *Instance, k int) float64 {
	gap := in.Max - in.Value[k]
	switch {
	case l == SimpleRegret:
		return gap
	case in.Drawn >= 0 && k != in.Drawn, in.Drawn < 0 && gap > tieTrue:
		return 1
	}
	return 0
}

// Of returns L_T of a game on in that ends with the decision, [|Z|]: the mean over the recommendation that is drawn
// of it, exact, and less noisy than drawing one (reading 4).
func (l Loss) Of(in *Instance, decision []float32) float64 {
	top := slices.Max(decision)
	var sum, all float64
	for k, share := range decision {
		if share == 0 {
			continue
		}
		of := float64(share / top) // 1 for all of a tie: what a tie costs does not depend on how shares round
		all += of
		sum += of * l.Cost(in, k)
	}
	return sum / all
}

// AddGrad adds scale · ∇_θ L_T to dst, [|X|]: z_*(θ) − ẑ averaged over the decision, [|Z|],
// for simple regret, 0 for best identification (reading 10).
func (l Loss) AddGrad(dst []float64, p *Problem, in *Instance, decision []float32, scale float64) {
	if l == BestIdentification {
		return
	}
	for i, z := range p.Row(in.Best) {
		dst[i] += scale * float64(z)
	}
	top := slices.Max(decision)
	var all float64
	for _, share := range decision {
		all += float64(share / top)
	}
	scale /= all
	for k, share := range decision {
		if share == 0 {
			continue
		}
		by := scale * float64(share/top)
		for i, z := range p.Row(k) {
			dst[i] -= by * float64(z)
		}
	}
}
