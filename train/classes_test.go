package train_test

import (
	"math"
	"testing"

	"mapo/game"
	"mapo/internal/check"
	"mapo/internal/num"
	"mapo/rng"
	"mapo/train"
)

// logits is a policy of one logit a query.
type logits []float32

func (l logits) Probs(dst []float32, s game.States) {
	for b := range s.Len(len(l)) {
		num.Softmax(dst[b*len(l):(b+1)*len(l)], l, s.Row(b, len(l)).Mask, 1, len(l))
	}
}

// TestPsiGradOfClasses: summed over every game, Eq. 11 is the derivative of the loss in a policy's logits.
func TestPsiGradOfClasses(t *testing.T) {
	r := rng.New(2).Rand()
	p := check.Pool(2, 3, 3, 2, false, r)
	d := p.Queries()
	policy, theta := make(logits, d), make([]float64, d)
	p.Anywhere(theta, r)
	for i := range policy {
		policy[i] = float32(r.NormFloat64())
	}
	mean := func() (sum float64) {
		for _, g := range check.Games(p, policy, theta) {
			lost, _ := g.Lost(p, game.SimpleRegret, theta)
			sum += g.Prob * lost
		}
		return sum
	}
	got, games := make([]float64, d), check.Games(p, policy, theta)
	for step := range p.T {
		grad, probs := make([]float32, len(games)*d), make([]float32, len(games)*d)
		row, asked, weight := make([]int32, len(games)), make([]int32, len(games)), make([]float64, len(games))
		for g, it := range games {
			row[g], asked[g] = int32(g), int32(it.Asked[step])
			lost, _ := it.Lost(p, game.SimpleRegret, theta)
			weight[g] = it.Prob * lost
			copy(grad[g*d:], policy)
			policy.Probs(probs[g*d:(g+1)*d], it.States[step])
		}
		train.PsiGrad(grad, probs, row, asked, weight, 1, 0, new(train.RowScratch))
		for at, v := range grad {
			got[at%d] += float64(v)
		}
	}
	for i := range policy {
		const h = 1. / 64
		policy[i] += h
		up := mean()
		policy[i] -= 2 * h
		down := mean()
		policy[i] += h
		if want := (up - down) / (2 * h); math.Abs(got[i]-want) > 2e-4 {
			t.Errorf("logit %d: Eq. 11 has mean %v, the derivative is %v", i, got[i], want)
		}
	}
}
