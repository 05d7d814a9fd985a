package paper

// leak is the slope of "the leaky ReLU activation units with negative slopes of .01" below 0
// (Appendix B).
const leak = .01

// sizes returns Appendix B's "layer sizes {3|𝒳|, …, |𝒳|}".
func (a *Training) sizes() []int {
	sizes := append([]int{3 * a.P.Queries()}, a.Hidden...)
	return append(sizes, a.P.Queries())
}

// forward plays s_t through Appendix B's "multi-layer perceptron with weights ψ" and returns
// the logits of π^ψ(s_t), [|X|].
func (a *Training) forward(state []float64) []float64 {
	inputs := a.inputs(state)
	return inputs[len(inputs)-1]
}

// inputs returns what each layer reads, and after them the logits.
func (a *Training) inputs(state []float64) [][]float64 {
	sizes, inputs, at := a.sizes(), [][]float64{state}, 0
	for l := range len(sizes) - 1 {
		in, out := sizes[l], sizes[l+1]
		y := make([]float64, out)
		for j := range y {
			y[j] = a.Psi[at+in*out+j]
			for i, x := range inputs[l] {
				y[j] += a.Psi[at+i*out+j] * x
			}
			if l < len(sizes)-2 && y[j] < 0 { // "all intermediate layers"
				y[j] *= leak
			}
		}
		inputs, at = append(inputs, y), at+(in+1)*out
	}
	return inputs
}

// backward adds ∇_ψ Σ_j logits_j · dlogits_j at a state to grad.
func (a *Training) backward(grad, state, dlogits []float64) {
	sizes, inputs, dy, at := a.sizes(), a.inputs(state), dlogits, len(a.Psi)
	for l := len(sizes) - 2; l >= 0; l-- {
		in, out := sizes[l], sizes[l+1]
		at -= (in + 1) * out
		dx := make([]float64, in)
		for i, x := range inputs[l] {
			for j, d := range dy {
				grad[at+i*out+j] += x * d
				dx[i] += a.Psi[at+i*out+j] * d
			}
			if x < 0 { // behind a leaky ReLU, whose outputs have the signs of its inputs
				dx[i] *= leak
			}
		}
		for j, d := range dy {
			grad[at+in*out+j] += d
		}
		dy = dx
	}
}
