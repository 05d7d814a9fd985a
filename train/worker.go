package train

import (
	"mapo/adversary"
	"mapo/game/sim"
	"mapo/internal/num"
	"mapo/policy/nn"
	"mapo/rng"
)

// worker is one worker's scratch: a block and a tape a step.
type worker struct {
	e         *Sampled
	b         sim.Block
	tapes     []nn.Tape   // [T]
	states    []int       // how many different ones each step had, 0 where all games are over, [T]
	probs     [][]float32 // π of them, [T][U, |X|]
	logits    [][]float32 // theirs, then their gradient, [T][U, |X|]
	penalties []PenaltyBlock
	score     RowScratch
	grad      []float32 // Eq. 11 of the block, as Params
	loss      []float64 // scaled loss less its benchmark, [G]
	weight    []float64 // that less its baseline, [G]
	step      []float64 // what each step's score is multiplied by, [T, G]
	left      []float64 // w.loss less the control variate of later steps, [G]

	moments []sim.Moments // the critic's, of the block, [T]; nil: none is asked for
	entropy float64       // Σ over steps and rollouts of the policy's entropy
}

func newWorker(e *Sampled) *worker {
	t := e.t
	games, d := e.per*t.Config.L, t.P.Queries()
	w := &worker{e: e, states: make([]int, t.P.T), grad: make([]float32, len(e.net.Params()))}
	w.b.P, w.b.L, w.b.Decider, w.b.Stopper = t.P, t.Config.L, t.Decider, t.Stopper
	for range t.P.T {
		w.tapes = append(w.tapes, e.net.NewTape(games))
		w.probs = append(w.probs, make([]float32, games*d))
		w.logits = append(w.logits, make([]float32, games*d))
	}
	for _, p := range e.penalties {
		w.penalties = append(w.penalties, p.Block(games))
	}
	if e.critic != nil {
		w.b.Variate, w.moments = &sim.ControlVariate{P: t.P, Steps: new(sim.Steps)}, make([]sim.Moments, t.lines())
	}
	return w
}

// Work plays a block of whole instances and works out their part of every estimate.
func (w *worker) Work(block int) {
	e, b, d := w.e, w.e.b, w.e.t.P.Queries()
	c := &e.t.Config
	lo, hi := block*e.per, min(c.M, (block+1)*e.per)
	w.b.Theta = b.Theta[lo*d : hi*d]
	if b.Drawn != nil {
		w.b.Drawn = b.Drawn[lo:hi]
	}
	if w.b.Variate != nil {
		w.await(lo, hi)
	}
	if !w.play(e.now.Key.Name("games"), lo) {
		return
	}
	direct := e.games.ThetaGrad[lo*d : hi*d]
	w.b.Judge(e.now.Phase.Loss, direct)
	games := w.b.Games()
	w.loss, w.weight = sim.Zeros(w.loss, games), sim.Zeros(w.weight, games)
	for m := lo; m < hi; m++ {
		w.instance(m, lo)
	}
	adversary.Baseline(w.weight, w.loss, c.L, c.leaveOneOut())
	if b.Ascends {
		w.ascend(lo, min(hi, len(b.Index)))
	}
	w.step = sim.Zeros(w.step, e.t.P.T*games)
	if w.b.Variate != nil {
		w.weighVariate()
	} else {
		for t := range w.states {
			copy(w.step[t*games:], w.weight)
		}
	}
	for i := range w.step {
		w.step[i] *= b.Scale * b.Importance[lo+i%games/c.L]
	}
	w.psiGrad()
}

// play plays the network's policy, and keeps its activations, logits and distributions. It returns
// false where the context has ended.
func (w *worker) play(key rng.Key, m0 int) bool {
	clear(w.states)
	for w.b.Begin(key, m0); w.e.ctx.Err() == nil && w.b.Ask(); w.b.Answer() {
		t, d, s, probs := w.b.Turn, w.e.t.P.Queries(), w.b.States, w.b.Probs
		w.states[t] = s.Len(d)
		logits := w.logits[t][:len(probs)]
		w.e.net.Forward(logits, w.tapes[t], s)
		num.Softmax(probs, logits, s.Mask, w.states[t], d)
		copy(w.probs[t], probs)
		for _, p := range w.penalties {
			p.See(t, s)
		}
	}
	return w.e.ctx.Err() == nil
}

// Merge adds the block's part to the whole.
func (w *worker) Merge(int) {
	e := w.e
	add(e.grad, w.grad)
	e.games.Entropy += w.entropy
	for _, n := range w.b.Length {
		e.games.Steps += int64(n)
	}
	for t := range w.moments {
		for i, v := range w.moments[t] {
			e.critic.moments[t][i] += v
		}
	}
}

// instance fills in the losses of instance m's games, scaled and less its benchmark. The control variate
// is subtracted from its mean.
func (w *worker) instance(m, lo int) {
	g, l, scale := &w.e.games, w.e.t.Config.L, w.e.now.Phase.Scale
	var mean float64
	first, last := (m-lo)*l, (m-lo+1)*l
	for i := first; i < last; i++ {
		w.loss[i] = scale * (w.b.Loss[i] - w.e.b.Benchmark[m])
		mean += w.loss[i] / float64(l)
		g.Mean[m] += (w.loss[i] - scale*w.variate(i)) / float64(l)
	}
	for _, x := range w.loss[first:last] {
		g.Variance[m] += (x - mean) * (x - mean) / float64(max(1, l-1))
	}
}

// ascend turns the direct part that Judge left into Eq. 10 without the barrier, for instances lo … hi
// of the A that the adversary drew:
//
//	1/(AL) Σ_l (scale·∇L_T + weight_l ∇log P)
func (w *worker) ascend(lo, hi int) {
	p, l, b := w.e.t.P, w.e.t.Config.L, w.e.b
	d, each := p.Queries(), 1/float64(len(b.Index)*l)
	for m := lo; m < hi; m++ {
		g, grad := (m-lo)*l, w.e.games.ThetaGrad[m*d:(m+1)*d]
		for i := range grad {
			grad[i] *= w.e.now.Phase.Scale * each
		}
		adversary.ThetaGrad(grad, b.Theta[m*d:(m+1)*d], w.weight[g:g+l], p, w.b.N[g*d:(g+l)*d], w.b.S[g*d:(g+l)*d], each)
	}
}

// psiGrad leaves the block's part of Eq. 11 in w.grad, with the penalties'.
func (w *worker) psiGrad() {
	c := &w.e.t.Config
	clear(w.grad)
	w.entropy = 0
	games, d := w.b.Games(), w.e.t.P.Queries()
	each := 1 / float64(c.M*c.L)
	for t, n := range w.states {
		if n == 0 {
			continue
		}
		asked, row := w.b.Asked[t*games:(t+1)*games], w.b.Row[t*games:(t+1)*games]
		logits, probs := w.logits[t][:n*d], w.probs[t][:n*d]
		for _, p := range w.penalties {
			p.Take(t, logits, probs, row, each)
		}
		w.entropy += PsiGrad(logits, probs, row, asked, w.step[t*games:(t+1)*games], each, w.e.now.Entropy*each/float64(w.e.t.P.T), &w.score)
		if w.b.Variate != nil {
			add(logits, w.b.Variate.Steps.Pull[t])
		}
		for _, p := range w.penalties {
			p.Add(t, logits)
		}
		w.e.net.Backward(w.grad, w.tapes[t], logits)
	}
}

func add(dst, v []float32) {
	for i, x := range v {
		dst[i] += x
	}
}
