package train

import (
	"context"

	"mapo"
	"mapo/adversary"
	"mapo/internal/num"
	"mapo/nn"
	"mapo/rng"
	"mapo/sim"
)

// scratch is one iteration's, kept from one to the next.
type scratch struct {
	idx   []int     // I_m, [M]
	theta []float64 // θ̃_{I_m}, [M, |X|]
	prob  []float64 // softmax(w), [N]
	cdf   []float64 // [N]
	mix   []float64 // oracle: the distribution I_m is drawn from, [N]

	importance []float64 // what each draw counts for in Eq. 11, [M]
	variance   []float64 // of the scaled loss over an instance's rollouts, [M]

	mean      []float64 // mean scaled loss less its benchmark, [M]
	barrier   []float64 // ℒ_barrier/λ, [M]
	gradTheta []float64 // Eq. 10 for each instance drawn, [M, |X|]
	gradAll   []float64 // the same for all particles, [N, |X|]
	gradW     []float64 // Eq. 9, [N]
	gradPsi   []float32 // Eq. 11
	entropy   float64   // Σ over steps and rollouts of the policy's entropy

	particleEntropy float64
	lines           sim.Lines     // the critic's
	moments         []sim.Moments // of the iteration's games, [T]

	per  int // instances in a block
	draw rng.Generator
	crew sim.Crew[*worker]
	now  struct { // what the crew is at
		phase
		games rng.Key
	}
}

// About how many rollouts a worker plays and learns from at a time: its activations
// stay in cache. The structured policy's are larger.
const (
	blockRollouts      = 240
	structuredRollouts = 64
)

// collect plays M × L rollouts and leaves the estimates of Eq. 10 and 11 in r.
// A worker owns blocks of whole instances: it plays all their steps, then does
// their backward pass at once from the kept activations. Sums are made in the
// order of the blocks.
func (r *Run) collect(ctx context.Context, ph phase, key rng.Key) error {
	c, d := &r.t.Config, r.t.P.Queries()
	r.gradPsi = grown(r.gradPsi, len(r.net.Params()))
	r.gradTheta = grown(r.gradTheta, c.M*d)
	r.mean, r.barrier, r.variance = grown(r.mean, c.M), grown(r.barrier, c.M), grown(r.variance, c.M)
	r.entropy = 0
	if r.crew.New == nil {
		r.newCrew()
	}
	if c.critic() {
		r.foretell(r.scale(ph))
	}
	r.now.phase, r.now.games = ph, key
	return r.crew.Each(ctx, (c.M+r.per-1)/r.per, r.t.Workers)
}

// perBlock returns how many instances a block has in a training of this configuration.
func perBlock(c *Config) int {
	n := blockRollouts
	if c.Policy == "structured" {
		n = structuredRollouts
	}
	return max(1, n/c.L)
}

// newCrew makes the crew.
func (r *Run) newCrew() {
	per := r.per
	r.crew.New = func() *worker { return newWorker(r, per) }
	r.crew.Work = func(w *worker, block int) {
		w.learn(r.now.phase, r.now.games, block*per, min(r.t.Config.M, (block+1)*per))
	}
	r.crew.Merge = func(w *worker, _ int) {
		for i, g := range w.grad {
			r.gradPsi[i] += g
		}
		r.entropy += w.entropy
		for t := range w.moments {
			for i, v := range w.moments[t] {
				r.moments[t][i] += v
			}
		}
	}
}

// worker is one worker's scratch: a block and a tape a step.
type worker struct {
	r      *Run
	b      sim.Block
	tapes  []nn.Tape   // [T]
	states []int       // how many different ones each step had, [T]
	probs  [][]float32 // π of them, [T][U, |X|]
	logits [][]float32 // theirs, then their gradient, [T][U, |X|]
	pull   [][]float32 // the magnet's logits, then the gradient of the divergence from it, [T][U, |X|]; nil: there is none
	magnet nn.Tape     // the magnet's, for all steps: there is no way back through it
	score  RowScratch
	grad   []float32 // Eq. 11 of the block, as Params
	loss   []float64 // scaled loss less its benchmark, [G]
	weight []float64 // that less its baseline, [G]
	step   []float64 // what each step's score is multiplied by, [T, G]
	scrap  []float64 // [|X|]
	left   []float64 // w.loss less the luck of later steps, [G]

	moments []sim.Moments // the critic's, of the block, [T]; nil: none is asked for
	entropy float64
}

func newWorker(r *Run, per int) *worker {
	games, d := per*r.t.Config.L, r.t.P.Queries()
	w := &worker{r: r, states: make([]int, r.t.P.T), grad: make([]float32, len(r.net.Params())), scrap: make([]float64, d)}
	w.b.P, w.b.L = r.t.P, r.t.Config.L
	for range r.t.P.T {
		w.tapes = append(w.tapes, r.net.NewTape(games))
		w.probs = append(w.probs, make([]float32, games*d))
		w.logits = append(w.logits, make([]float32, games*d))
		if r.magnet != nil {
			w.pull = append(w.pull, make([]float32, games*d))
		}
	}
	if r.magnet != nil {
		w.magnet = r.magnet.NewTape(games)
	}
	if r.t.Config.critic() {
		w.b.Luck, w.moments = &sim.Luck{P: r.t.P, Steps: new(sim.Steps)}, make([]sim.Moments, r.t.P.T)
	}
	return w
}

// learn plays instances lo … hi and works out their part of every estimate.
func (w *worker) learn(ph phase, key rng.Key, lo, hi int) {
	r, d, l := w.r, w.r.t.P.Queries(), w.r.t.Config.L
	scale, by := r.scale(ph), 1.0
	if r.oracle() {
		by = 1 / r.deviation()
	}
	w.b.Theta = r.theta[lo*d : hi*d]
	if w.b.Luck != nil {
		w.await(ph.loss, lo, hi, scale*by)
	}
	sim.PlayBlock(&w.b, key, lo, w.choose)
	direct := r.gradTheta[lo*d : hi*d]
	w.b.Judge(ph.loss, direct)
	games := w.b.Games()
	w.loss, w.weight = grown(w.loss, games), grown(w.weight, games)
	for m := lo; m < hi; m++ {
		w.instance(ph, m, lo, scale)
	}
	adversary.Baseline(w.weight, w.loss, l, r.t.Config.Estimator == "loo")
	if !r.oracle() && r.t.Prior == nil && r.t.Finite == nil {
		w.thetaGrad(lo, min(hi, r.t.adversarial()), scale)
	}
	w.step = grown(w.step, r.t.P.T*games)
	if w.b.Luck != nil {
		w.weighLuck(scale)
	} else {
		for t := range w.states {
			copy(w.step[t*games:], w.weight)
		}
	}
	for i := range w.step {
		w.step[i] *= by * r.importance[lo+i%games/l]
	}
	w.psiGrad(ph)
}

// instance fills in the losses of instance m's games, less the benchmark of its
// difficulty, and what its barrier says. Its mean is taken without luck, where that is known.
func (w *worker) instance(ph phase, m, lo int, scale float64) {
	r, d, l := w.r, w.r.t.P.Queries(), w.r.t.Config.L
	var shift, mean float64
	if m < r.t.adversarial() {
		rho := r.t.C.Of(r.theta[m*d : (m+1)*d])
		r.barrier[m] = adversary.Excess(rho, r.t.R[len(r.t.R)-1])
		shift = r.shift(ph, rho)
	}
	first, last := (m-lo)*l, (m-lo+1)*l
	for g := first; g < last; g++ {
		w.loss[g] = scale * (w.b.Loss[g] - shift)
		mean += w.loss[g] / float64(l)
		r.mean[m] += (w.loss[g] - scale*w.luck(g)) / float64(l)
	}
	for _, x := range w.loss[first:last] {
		r.variance[m] += (x - mean) * (x - mean) / float64(max(1, l-1))
	}
}

// thetaGrad turns the direct part Judge left in r.gradTheta into Eq. 10:
// 1/(AL) Σ_l (∇L_T + L_T ∇log P − λ_barrier ∇ barrier) for each of the A instances
// that are the adversary's. The barrier sits inside the sum over l and is a penalty (reading 1).
func (w *worker) thetaGrad(lo, hi int, scale float64) {
	r, d, l := w.r, w.r.t.P.Queries(), w.r.t.Config.L
	c := &r.t.Config
	each := 1 / float64(r.t.adversarial()*c.L)
	for m := lo; m < hi; m++ {
		grad, theta := r.gradTheta[m*d:(m+1)*d], r.theta[m*d:(m+1)*d]
		for i := range grad {
			grad[i] *= scale * each
		}
		g := (m - lo) * l
		adversary.ThetaGrad(grad, theta, w.weight[g:g+l], w.b.N[g*d:(g+l)*d], w.b.S[g*d:(g+l)*d], each)
		adversary.BarrierGrad(grad, r.t.C, theta, r.t.R[len(r.t.R)-1], -c.LambdaBarrier*each*float64(l), w.scrap)
	}
}

// choose is the network's policy, its activations, logits and distribution kept.
func (w *worker) choose(t int, probs []float32, s mapo.States) {
	d := w.r.t.P.Queries()
	w.states[t] = s.Len(d)
	logits := w.logits[t][:len(probs)]
	w.r.net.Forward(logits, w.tapes[t], s)
	num.Softmax(probs, logits, s.Mask, w.states[t], d)
	copy(w.probs[t], probs)
	if w.magnet != nil {
		w.r.magnet.Forward(w.pull[t][:len(probs)], w.magnet, s)
	}
}

// psiGrad leaves the block's part of Eq. 11 in w.grad, with the entropy's.
func (w *worker) psiGrad(ph phase) {
	c := &w.r.t.Config
	clear(w.grad)
	w.entropy = 0
	games, d := w.b.Games(), w.r.t.P.Queries()
	each := 1 / float64(c.M*c.L)
	for t, n := range w.states {
		asked, row := w.b.Asked[t*games:(t+1)*games], w.b.Row[t*games:(t+1)*games]
		logits := w.logits[t][:n*d]
		if w.pull != nil {
			MagnetGrad(w.pull[t][:n*d], logits, w.probs[t][:n*d], row, c.Magnet*each/float64(w.r.t.P.T), &w.score)
		}
		w.entropy += PsiGrad(logits, w.probs[t][:n*d], row, asked, w.step[t*games:(t+1)*games], each, ph.polReg*each/float64(w.r.t.P.T), &w.score)
		if w.b.Luck != nil {
			add(logits, w.b.Luck.Steps.Pull[t])
		}
		if w.pull != nil {
			add(logits, w.pull[t][:n*d])
		}
		w.r.net.Backward(w.grad, w.tapes[t], logits)
	}
}

func add(dst, v []float32) {
	for i, x := range v {
		dst[i] += x
	}
}
