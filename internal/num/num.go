package num

import "math"

// Slope is the leaky ReLU's slope below zero (App. B).
const Slope = 0.01

// Activation is what Forward applies to x·W + b.
type Activation int

const (
	Linear Activation = iota // f(v) = v
	Leaky                    // f(v) = v where v > 0, else Slope·v
)

// Forward computes dst = f(x·W + b), a layer on n rows.
//
// Cost: 2·n·in·out operations. n = 0 does nothing; dst must not overlap the inputs.
func Forward(dst []float32 /* [n, out] */, x []float32 /* [n, in] */, w []float32 /* [in, out] */, b []float32 /* [out] */, n, in, out int, f Activation) {
	shape(n, in, out)
	size("dst", len(dst), n*out)
	size("x", len(x), n*in)
	size("w", len(w), in*out)
	size("b", len(b), out)
	if n == 0 || out == 0 {
		return
	}
	active.forward(dst, x, w, b, n, in, out, f)
}

// InputGrad computes dst = (dy·Wᵀ) ∘ f′: what reaches the layer below. With act nil, f′ is 1; otherwise
// act is what the layer below put out, and f′ is 1 where act > 0 and Slope elsewhere.
//
// dst and act may be the same slice: each element of act is read before its place is written.
// Cost: 2·n·in·out operations.
func InputGrad(dst []float32 /* [n, in] */, dy []float32 /* [n, out] */, w []float32 /* [in, out] */, act []float32 /* [n, in] or nil */, n, in, out int) {
	shape(n, in, out)
	size("dst", len(dst), n*in)
	size("dy", len(dy), n*out)
	size("w", len(w), in*out)
	if act != nil {
		size("act", len(act), n*in)
	}
	if n == 0 || in == 0 {
		return
	}
	active.inputGrad(dst, dy, w, act, n, in, out)
}

// LeakyGrad replaces the leaky ReLU's output h by (dh + add) ∘ f′: the gradient before it, a row of add reaching every
// row of its group. All kernels give the same bits.
//
// Cost: 3·groups·n·d operations.
func LeakyGrad(h []float32 /* [groups, n, d] */, dh []float32 /* [groups, n, d] */, add []float32 /* [groups, d] */, groups, n, d int) {
	shape(groups, n, d)
	size("h", len(h), groups*n*d)
	size("dh", len(dh), groups*n*d)
	size("add", len(add), groups*d)
	if groups == 0 || n == 0 || d == 0 {
		return
	}
	active.leakyGrad(h, dh, add, groups, n, d)
}

// ForwardGroups computes [Forward] for groups of n rows, each with its own biases. It gives the same bits.
func ForwardGroups(dst []float32 /* [groups, n, out] */, x []float32 /* [groups, n, in] */, w []float32 /* [in, out] */, b []float32 /* [groups, out] */, groups, n, in, out int, f Activation) {
	shape(n, in, out)
	shape(groups, 0, 0)
	size("dst", len(dst), groups*n*out)
	size("x", len(x), groups*n*in)
	size("w", len(w), in*out)
	size("b", len(b), groups*out)
	if groups == 0 || n == 0 || out == 0 {
		return
	}
	active.forwardGroups(dst, x, w, b, groups, n, in, out, f)
}

// GroupSums computes dst_g = Σ_j a_j·x_gj, the weighted sum of each group's rows. It gives the bits of [Forward] for a
// row a without biases on the weights x_g.
//
// Cost: 2·groups·n·out operations.
func GroupSums(dst []float32 /* [groups, out] */, a []float32 /* [n] */, x []float32 /* [groups, n, out] */, groups, n, out int) {
	shape(groups, n, out)
	size("dst", len(dst), groups*out)
	size("a", len(a), n)
	size("x", len(x), groups*n*out)
	if groups == 0 || n == 0 || out == 0 {
		clear(dst)
		return
	}
	active.groupSums(dst, a, x, groups, n, out)
}

// AddWeightGrad adds a layer's weight gradients over n rows: dw += xᵀ·dy and db += Σ_rows dy.
//
// Rows are summed from 0 in chunks of a fixed size and each chunk's sum is added to dw and db, so the
// rounding error grows with the chunk and the number of chunks, not with n.
// Cost: 2·n·in·out operations.
func AddWeightGrad(dw []float32 /* [in, out] */, db []float32 /* [out] */, x []float32 /* [n, in] */, dy []float32 /* [n, out] */, n, in, out int) {
	shape(n, in, out)
	size("dw", len(dw), in*out)
	size("db", len(db), out)
	size("x", len(x), n*in)
	size("dy", len(dy), n*out)
	if n == 0 || out == 0 {
		return
	}
	active.addWeightGrad(dw, db, x, dy, n, in, out)
}

// ForwardColumns computes [Forward] for a batch kept by columns: input i of row r is at i·ld + r. It gives
// the same bits.
func ForwardColumns(dst []float32 /* [n, out] */, x []float32 /* [in, ld] */, ld int, w []float32 /* [in, out] */, b []float32 /* [out] */, n, in, out int, f Activation) {
	shape(n, in, out)
	shape(ld-n, 0, 0)
	size("dst", len(dst), n*out)
	size("x", len(x), in*ld)
	size("w", len(w), in*out)
	size("b", len(b), out)
	if n == 0 || out == 0 {
		return
	}
	active.forwardColumns(dst, x, ld, w, b, n, in, out, f)
}

// AddWeightGradColumns adds the weight gradients as [AddWeightGrad] does, for a batch kept by columns: input i of row
// r is at i·ld + r. It gives the same bits.
func AddWeightGradColumns(dw []float32 /* [in, out] */, db []float32 /* [out] */, x []float32 /* [in, ld] */, ld int, dy []float32 /* [n, out] */, n, in, out int) {
	shape(n, in, out)
	shape(ld-n, 0, 0)
	size("dw", len(dw), in*out)
	size("db", len(db), out)
	size("x", len(x), in*ld)
	size("dy", len(dy), n*out)
	if n == 0 || out == 0 {
		return
	}
	active.addWeightGradColumns(dw, db, x, ld, dy, n, in, out)
}

// minusInf is the bits of −∞.
const minusInf = 0xFF800000

// Softmax writes to each row of dst the softmax of that row of logits over the entries that mask leaves (nil:
// all); the others get 0. dst and logits may be the same. A row with nothing left, or with a logit that is
// +∞ or not a number, is the caller's mistake: it panics.
func Softmax(dst, logits []float32 /* [n, d] */, mask []bool /* [n, d] or nil */, n, d int) {
	shape(n, d, 0)
	size("dst", len(dst), n*d)
	size("logits", len(logits), n*d)
	if mask != nil {
		size("mask", len(mask), n*d)
	}
	if n == 0 || d == 0 {
		return
	}
	if mask == nil {
		copy(dst, logits)
	}
	for i, banned := range mask {
		bits := math.Float32bits(logits[i]) // whole numbers, so that no branch has to be guessed
		if banned {
			bits = minusInf
		}
		dst[i] = math.Float32frombits(bits)
	}
	if !active.softmax(dst, dst, nil, 1, n, d, d, d, 0) {
		panic("num: Softmax has a row without a finite logit left by the mask, or with one that is not a number")
	}
}
