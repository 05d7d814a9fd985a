package train

import (
	"mapo/adversary"
	"mapo/game"
	"mapo/game/sim"
	"mapo/internal/num"
	"mapo/policy/nn"
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
	scrap     []float64 // [|X|]
	left      []float64 // w.loss less the control variate of later steps, [G]

	moments []sim.Moments // the critic's, of the block, [T]; nil: none is asked for
	entropy float64       // Σ over steps and rollouts of the policy's entropy
}

func newWorker(e *Sampled) *worker {
	t := e.t
	games, d := e.per*t.Config.L, t.P.Queries()
	w := &worker{e: e, states: make([]int, t.P.T), grad: make([]float32, len(e.net.Params())), scrap: make([]float64, d)}
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

// learn plays instances lo … hi and works out their part of every estimate.
func (w *worker) learn(lo, hi int) {
	e, b, d := w.e, w.e.b, w.e.t.P.Queries()
	c := &e.t.Config
	w.b.Theta = b.Theta[lo*d : hi*d]
	if b.Drawn != nil {
		w.b.Drawn = b.Drawn[lo:hi]
	}
	if w.b.Variate != nil {
		w.await(lo, hi)
	}
	clear(w.states)
	sim.PlayBlock(&w.b, e.now.Key.Name("games"), lo, sim.Until(e.ctx, w.choose))
	if e.ctx.Err() != nil {
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
	if b.Climb != nil {
		w.climb(lo, min(hi, len(b.Index)))
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

// climb turns the direct part that Judge left into Eq. 10 for instances lo … hi, which are the adversary's.
func (w *worker) climb(lo, hi int) {
	d, l := w.e.t.P.Queries(), w.e.t.Config.L
	for m := lo; m < hi; m++ {
		g := (m - lo) * l
		w.e.b.Climb(m, w.e.games.ThetaGrad[m*d:(m+1)*d], w.weight[g:g+l], w.b.N[g*d:(g+l)*d], w.b.S[g*d:(g+l)*d], w.scrap)
	}
}

// choose plays the network's policy, and keeps its activations, logits and distribution.
func (w *worker) choose(t int, probs []float32, s game.States) {
	d := w.e.t.P.Queries()
	w.states[t] = s.Len(d)
	logits := w.logits[t][:len(probs)]
	w.e.net.Forward(logits, w.tapes[t], s)
	num.Softmax(probs, logits, s.Mask, w.states[t], d)
	copy(w.probs[t], probs)
	for _, p := range w.penalties {
		p.See(t, s)
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
