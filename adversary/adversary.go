package adversary

import (
	"bytes"
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"

	"mapo/game"
	"mapo/game/sim"
	"mapo/rng"
)

// Adversary is the max player. Training calls Enter once a phase, and in each iteration Prepare, then Draw and Observe, in
// this order. One goroutine calls these. An implementation is a pure function of its key, its phases and what it observes.
// One that is also a [Knower] helps the judge.
type Adversary interface {
	// Enter begins a phase. Where snapshot is not nil it goes on in the midst of the phase, as it was when an adversary with the
	// same setting and options made the snapshot.
	Enter(ph Phase, snapshot []byte) error

	// Prepare readies the instances for an iteration of the phase, counted from 0. The double oracle searches here for
	// instances on which the policy does worst. Prepare returns the environment steps that it played. A second call for
	// the same iteration, as after an interruption, does nothing.
	Prepare(ctx context.Context, policy game.Policy, iteration int) (steps int64, err error)

	// Draw fills b with as many instances as b has room for. key is the iteration's own.
	Draw(b *Batch, key rng.Key)

	// Observe learns from the games that were played on b, which Draw has filled.
	Observe(b *Batch, g *Games) Diagnostics

	// Snapshot returns all that is needed to go on with the same bytes.
	Snapshot() ([]byte, error)
}

// Knower is an adversary that knows what the policy loses on its instances.
type Knower interface {
	// Hardest returns up to n of the instances held on which the policy loses most, the worst first, as starts for a
	// judge's search.
	Hardest(n int) [][]float64
}

// Hardest returns what a knows as a [Knower], else nothing.
func Hardest(a Adversary, n int) [][]float64 {
	if k, ok := a.(Knower); ok {
		return k.Hardest(n)
	}
	return nil
}

// Setting is what every adversary knows of its training.
type Setting struct {
	P       *game.Problem
	C       game.Difficulty
	R       []float64 // levels r_1 < … < r_K; instances are within the last
	Key     rng.Key   // the training's
	Workers int       // of searches; 0: as many as the machine runs at once
}

// Phase is a part of a training: some iterations on one objective.
type Phase struct {
	Objective
	Index  int  // counts the training's phases from 0
	Iters  int  // of the phase
	Fresh  bool // begins with fresh instances and weights; else with those of the phase before
	Frozen bool // the weights of Algorithm 2's particles do not move
}

// Objective is what both players play for.
type Objective struct {
	Loss       game.Loss
	Scale      float64   // what the loss is multiplied by: λ_binary for best identification, else 1
	R          []float64 // levels, [K]
	Benchmarks []float64 // b^(r_k), [K], in the loss's own units; nil: the loss itself counts (Eq. 4), else the gap (Eq. 5)
}

// Benchmark returns b^(r_k(θ)) for an instance of difficulty rho, 0 without benchmarks.
func (o *Objective) Benchmark(rho float64) float64 {
	if o.Benchmarks == nil {
		return 0
	}
	return o.Benchmarks[game.LevelOf(o.R, rho)]
}

// Batch is the instances of one iteration, M of them.
type Batch struct {
	Theta      []float64 // [M, |X|]
	Importance []float64 // what each instance counts for in Eq. 11, [M]
	Benchmark  []float64 // what is subtracted from each instance's loss, [M]
	Scale      float64   // what all losses are multiplied by in Eq. 11; no gradient of the adversary has it
	Ascends    bool      // the adversary moves the instances it drew: it needs Games.ThetaGrad
	Drawn      []int     // the hypothesis that an instance was drawn with and that alone is right, -1: its best ones, [M]; nil: all -1
	Index      []int     // the adversary's own number of each instance it drew, [A]; those of a prior come behind them

	// Temperature, where not 0, replaces drawing: the batch is the whole of a finite Θ, and what
	// each instance counts for follows from the policy's exact losses ([Batch.Respond]).
	Temperature float64
}

// Respond writes softmax(loss/τ) to prob, [M]: what each instance of a whole Θ counts for, given
// the policy's exact losses less their benchmarks, [M]. τ is the batch's Temperature times the
// losses' range. It returns the entropy of prob over log M.
func (b *Batch) Respond(prob, loss []float64) float64 {
	tau := b.Temperature * (floats.Max(loss) - floats.Min(loss))
	for i, v := range loss {
		prob[i] = v / max(tau, math.SmallestNonzeroFloat32)
	}
	return (&Mixture{W: prob}).Probabilities(prob)
}

// Reset makes room for m instances of d queries, each with importance 1 and no benchmark.
func (b *Batch) Reset(m, d int) {
	b.Theta, b.Importance, b.Benchmark = sim.Zeros(b.Theta, m*d), sim.Zeros(b.Importance, m), sim.Zeros(b.Benchmark, m)
	for i := range b.Importance {
		b.Importance[i] = 1
	}
	for i := range b.Drawn {
		b.Drawn[i] = -1
	}
	b.Scale, b.Index, b.Ascends, b.Temperature = 1, b.Index[:0], false, 0
}

// first returns the batch's first m instances as a batch of their own, in the same memory.
func (b *Batch) first(m int) Batch {
	d := len(b.Theta) / len(b.Importance)
	return Batch{Theta: b.Theta[:m*d], Importance: b.Importance[:m], Benchmark: b.Benchmark[:m], Scale: b.Scale, Index: b.Index[:0]}
}

// take draws b's instances from a mixture by prob, [N], and notes the benchmarks.
func (b *Batch) take(s *Setting, o *Objective, ps *Mixture, prob, cdf []float64, rand *rand.Rand) {
	d := s.P.Queries()
	b.Index = sim.Zeros(b.Index, len(b.Importance))
	sample(b.Index, prob, cdf, rand)
	for m, i := range b.Index {
		theta := b.Theta[m*d : (m+1)*d]
		copy(theta, ps.At(i))
		if o.Benchmarks != nil {
			b.Benchmark[m] = o.Benchmark(s.C.Of(theta))
		}
	}
}

// sample draws idx from prob, [N], which need not sum to 1; cdf, [N], is scratch.
func sample(idx []int, prob, cdf []float64, rand *rand.Rand) {
	var sum float64
	for i, p := range prob {
		sum += p
		cdf[i] = sum
	}
	for m := range idx {
		i, _ := slices.BinarySearch(cdf, rand.Float64()*sum)
		idx[m] = min(i, len(prob)-1)
	}
}

// Games is what the games on a batch's M instances showed.
type Games struct {
	Mean      []float64 // mean of each instance's scaled loss less its benchmark, [M]; of a whole Θ not scaled
	Variance  []float64 // of the same over the instance's games, [M]
	L         int       // games of each instance
	ThetaGrad []float64 // where the batch Ascends, Eq. 10 without the barrier of each instance drawn, [A, |X|]; Observe may change it
}

// Diagnostics is what an adversary shows of an iteration (App. D). What it does not have is NaN.
type Diagnostics struct {
	Worst     float64 // training's own estimate of the maximum, in the loss's units; a gap with benchmarks
	Feasible  float64 // share of the instances drawn with 𝒞(θ) ≤ r_K
	Barrier   float64 // mean ℒ_barrier/λ_barrier of those drawn
	Entropy   float64 // of softmax(w), over log N
	ThetaGrad float64 // norms of the estimates of Eq. 10 and 9
	WGrad     float64
}

// worstMemory is the share that a running mean of the worst case keeps an iteration.
const worstMemory = 0.95

// running is a running mean that begins with its first value.
type running struct {
	Mean float64
	Seen bool
}

func (r *running) add(v float64) {
	if !r.Seen {
		r.Mean, r.Seen = v, true
	}
	r.Mean = worstMemory*r.Mean + (1-worstMemory)*v
}

// errSnapshot is the fault of a snapshot whose parts are not of the adversary's sizes and each other's.
var errSnapshot = errors.New("adversary: the checkpoint is of another task")

// Encode returns a state as a snapshot.
func Encode(state any) ([]byte, error) {
	var b bytes.Buffer
	err := gob.NewEncoder(&b).Encode(state)
	return b.Bytes(), err
}

// Decode reads what [Encode] wrote into a state, which must be empty.
func Decode(snapshot []byte, state any) error {
	if err := gob.NewDecoder(bytes.NewReader(snapshot)).Decode(state); err != nil {
		return fmt.Errorf("read the checkpoint: %w", err)
	}
	return nil
}

// restored returns the state that a snapshot holds, which must fit.
func restored[S any](snapshot []byte, fits func(s *S) bool) (S, error) {
	var s S
	err := Decode(snapshot, &s)
	if err == nil && !fits(&s) {
		err = errSnapshot
	}
	return s, err
}
