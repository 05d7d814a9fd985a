package sim

import (
	"mapo/game"
)

// graded is the outlook where hypotheses are rows of shares. Least squares are over the queries asked. An answer moves
// each hypothesis's score by z·(the mean after it − the mean before), less z²/2 where the query was not asked before.
type graded struct {
	lineup
	scorer *game.Scorer
	came   []float32 // scores after an answer, of the first hypotheses in near
}

func (t *graded) score(dst []float32, s game.States) {
	for u := range len(s.N) / t.d {
		t.scorer.Score(dst[u*t.n:(u+1)*t.n], s.N[u*t.d:(u+1)*t.d], s.S[u*t.d:(u+1)*t.d])
	}
}

// spread is the most by which an answer moves two scores apart. A first answer ±1 moves a score by z·(±1) − z²/2, between −1.5
// and 0.5, and a later one moves a mean by at most 1 and so a score by at most 1.
const spread = 2

// rank takes those within the spread.
func (t *graded) rank(_ int, score []float32, second float32) {
	t.within(score, second-spread-2*game.Tie)
}

// moved returns a hypothesis's score after an answer that moves the query's mean by delta. half is ½ where the query was not
// asked before, and else 0.
func moved(score, z, delta, half float32) float32 { return score + z*(delta-half*z) }

// fork looks at the near hypotheses, best first, until the answer can bring none of the others to the top two or a tie.
func (t *graded) fork(i int, count, sum float32, score []float32) fork {
	mean := sum / max(1, count)
	f := fork{query: i, delta: [2]float32{(sum-1)/(count+1) - mean, (sum+1)/(count+1) - mean}}
	rise := [2]float32{-f.delta[0], f.delta[1]} // the most by which an answer raises a score
	if count == 0 {
		f.half, rise = 0.5, [2]float32{0.5, 0.5}
	}
	z := t.zt[i*t.n:][:t.n]
	for answer, delta := range f.delta {
		top, second, arg := float32(outOfReach), float32(outOfReach), int32(-1)
		t.came = t.came[:0]
		for _, k := range t.near {
			if score[k]+rise[answer] < second-2*game.Tie {
				break
			}
			v := moved(score[k], z[k], delta, f.half)
			t.came = append(t.came, v)
			switch {
			case v > top:
				top, second, arg = v, top, k
			case v > second:
				second = v
			}
		}
		f.top[answer], f.second[answer], f.arg[answer], f.lo[answer] = top, second, arg, int32(len(t.ties))
		for at, v := range t.came {
			if v >= top-game.Tie {
				t.ties = append(t.ties, t.near[at])
			}
		}
		f.hi[answer] = int32(len(t.ties))
	}
	return f
}

func (t *graded) met(f *fork, theta float64, a answer, w *view) (float64, foretold) {
	return twofold(t.chance, t, f, theta, a, w)
}

func (t *graded) after(f *fork, j int, _ float32, w *view) (u, v float64) {
	own := moved(w.score[w.k.best], t.zt[f.query*t.n+w.k.best], f.delta[j], f.half)
	return settled(w.k, w.cost, t.ties[f.lo[j]:f.hi[j]], own, f.top[j], f.second[j], f.arg[j])
}
