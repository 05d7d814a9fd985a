package train_test

import (
	"math"
	"slices"
	"testing"

	"mapo/internal/num"
	"mapo/train"
)

// TestPsiGradOver: games that are over count for nothing, in the gradient and in the entropy.
func TestPsiGradOver(t *testing.T) {
	probs, start := make([]float32, 6), []float32{.3, -.8, 1.2, 2, .1, -1}
	for u := range 2 {
		num.Softmax(probs[u*3:(u+1)*3], start[u*3:(u+1)*3], nil, 1, 3)
	}
	got, want := append([]float32(nil), start...), append([]float32(nil), start...)
	h := train.PsiGrad(got, probs, []int32{-1, 1, 0, -1}, []int32{-1, 2, 0, -1}, []float64{5, .3, -.4, 7}, .1, .2, new(train.RowScratch))
	if only := train.PsiGrad(want, probs, []int32{1, 0}, []int32{2, 0}, []float64{.3, -.4}, .1, .2, new(train.RowScratch)); h != only || !slices.Equal(got, want) {
		t.Errorf("with two games over the entropy is %v, the gradient %v; without them %v, %v", h, got, only, want)
	}
	if h := train.PsiGrad(got, probs, []int32{-1}, []int32{-1}, []float64{5}, .1, .2, new(train.RowScratch)); h != 0 || !slices.Equal(got, want) {
		t.Errorf("with all games over the entropy is %v, the gradient %v", h, got)
	}
}

// TestPsiGradEntropy: the entropy's direct gradient against central differences.
func TestPsiGradEntropy(t *testing.T) {
	logits := []float32{.3, -.8, 1.2}
	probs, got := make([]float32, 3), make([]float32, 3)
	num.Softmax(probs, logits, nil, 1, 3)
	copy(got, logits)
	train.PsiGrad(got, probs, []int32{0}, []int32{1}, []float64{0}, 1, 1, new(train.RowScratch))
	for i := range logits {
		h := func(by float32) float64 {
			x := append([]float32(nil), logits...)
			x[i] += by
			p := make([]float32, 3)
			num.Softmax(p, x, nil, 1, 3)
			var h float64
			for _, v := range p {
				h -= float64(v) * math.Log(float64(v))
			}
			return h
		}
		if want := -(h(1e-2) - h(-1e-2)) / 2e-2; math.Abs(float64(got[i])-want) > 1e-3 {
			t.Errorf("entry %d is %v, want %v", i, got[i], want)
		}
	}
}
