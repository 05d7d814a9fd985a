package exact

// learners are a number of independent learners, each with the same number of
// actions, by predictive regret matching⁺ (Farina, Kroer and Sandholm, "Faster
// Game Solving via Predictive Blackwell Approachability", 2021). With the
// regrets r_t of the last step as the guess for the next one,
//
//	R_t = max(0, R_{t−1} + r_t),  strategy ∝ max(0, R_t + r_t).
type learners struct {
	n      int       // actions
	regret []float64 // R, [learners, n]
	now    []float64 // the current strategies, [learners, n]
	may    []bool    // whether an action may be chosen, [learners, n]
}

func newLearners(count, n int) *learners {
	l := &learners{n: n, regret: make([]float64, count*n), now: make([]float64, count*n), may: make([]bool, count*n)}
	for at := range l.may {
		l.may[at] = true
		l.now[at] = 1 / float64(n)
	}
	return l
}

// row returns learner k's strategy. It aliases now.
func (l *learners) row(k int) []float64 { return l.now[k*l.n : (k+1)*l.n] }

// forbid takes action i from learner k for good; one must remain.
func (l *learners) forbid(k, i int) {
	l.may[k*l.n+i] = false
	l.uniform(k)
}

func (l *learners) uniform(k int) {
	row, may := l.row(k), l.may[k*l.n:(k+1)*l.n]
	left := 0.0
	for _, ok := range may {
		if ok {
			left++
		}
	}
	for i, ok := range may {
		row[i] = 0
		if ok {
			row[i] = 1 / left
		}
	}
}

// learn takes in what each of learner k's actions would have gained, times
// sign: +1 for gains, −1 for losses. Costs O(n).
func (l *learners) learn(k int, gain []float64, sign float64) {
	row, regret, may := l.row(k), l.regret[k*l.n:(k+1)*l.n], l.may[k*l.n:(k+1)*l.n]
	var mean float64
	for i, p := range row {
		mean += p * gain[i]
	}
	var sum float64
	for i := range row {
		row[i] = 0
		if !may[i] {
			continue
		}
		r := sign * (gain[i] - mean)
		regret[i] = max(0, regret[i]+r)
		row[i] = max(0, regret[i]+r)
		sum += row[i]
	}
	if sum <= 0 {
		l.uniform(k)
		return
	}
	for i := range row {
		row[i] /= sum
	}
}
