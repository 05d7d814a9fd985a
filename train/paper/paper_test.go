// The paper's statements in its order, each a test that names its section, equation or
// algorithm. What a package's own tests state is named in its place.
package paper_test

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"mapo/adversary"
	"mapo/game"
	"mapo/game/exact"
	"mapo/internal/check"
)

// stated fails where a package has no tests of these names any more.
func stated(t *testing.T, folder string, tests ...string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", "..", folder, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	var all []byte
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, text...)
	}
	for _, name := range tests {
		if !bytes.Contains(all, []byte("\nfunc "+name+"(t *testing.T)")) {
			t.Errorf("%s has no %s any more: name the test that states this part of the paper", folder, name)
		}
	}
}

// TestSection2: a policy π gives a distribution over queries in each state, y_t ~ f(·|θ_*, s_t,
// x_t), and the loss of a game is L_T; ℓ(π, θ) is its mean.
func TestSection2(t *testing.T) {
	stated(t, "game", "TestCheck", "TestStates")
	stated(t, "game/sim", "TestPlayBlock", "TestLoss")
	stated(t, "game/exact", "TestRollouts")
}

// TestSection21: z_*(θ) = argmax ⟨z, θ⟩, and the loss of best identification; a static design
// reaches ρ_*.
func TestSection21(t *testing.T) {
	stated(t, "game", "TestInstance", "TestLoss")
	stated(t, "difficulty", "TestStarClosedForms", "TestStarExhaustive", "TestStarProperties")
}

// TestEquation1: ρ̃(θ) and its gradient; "one can show ρ_*(θ) ≤ ρ̃(θ)".
func TestEquation1(t *testing.T) {
	stated(t, "game", "TestRhoTilde", "TestRhoTildeProperties", "TestRhoTildeGrad")
	stated(t, "difficulty", "TestStarBelowTilde")
}

// TestEquation2: Θ^(r), ℓ(π, Θ^(r)) and a policy's gap at each r.
func TestEquation2(t *testing.T) {
	stated(t, "game", "TestOmega")
	stated(t, "judge", "TestGaps")
	stated(t, "game/exact", "TestMonotone")
}

// TestEquations3To5: k(θ), the benchmarks b^(r_k), the π_k that are best at theirs and the π̂
// of the least gap.
func TestEquations3To5(t *testing.T) {
	stated(t, "game", "TestLevelOf")
	stated(t, "judge", "TestBenchmarks")
	stated(t, "train", "TestMinGap")
}

// TestAlgorithm1: MAPO trains each π_k, takes its benchmark, then trains π̂ against them.
func TestAlgorithm1(t *testing.T) {
	stated(t, "run", "TestMinGap", "TestWhereTrainingsStart")
}

// TestEquations6To8: the maximum over N particles is that over all distributions on them, and
// the supremum over w of SOFTMAX(w).
func TestEquations6To8(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	loss, prob := []float64{.2, .9, .5, .1}, make([]float64, 4)
	mean := func(w []float64) (sum float64) {
		(&adversary.Mixture{W: w}).Probabilities(prob)
		for i, p := range prob {
			sum += p * loss[i]
		}
		return sum
	}
	for range 100 {
		w := make([]float64, len(loss))
		for i := range w {
			w[i] = 5 * r.NormFloat64()
		}
		if got := mean(w); got > .9 {
			t.Fatalf("w %v: the mean is %v, above the maximum", w, got)
		}
	}
	for by, least := range map[float64]float64{10: .88, 1000: .9} {
		w := make([]float64, len(loss))
		for i, v := range loss {
			w[i] = by * v
		}
		if got := mean(w); got < least-1e-12 {
			t.Errorf("w of %v times the losses: the mean is %v, want at least %v", by, got, least)
		}
	}
}

// TestAlgorithm3: ten iterations of training by Algorithm 2 play the games of the plain loops,
// and every gradient of theirs is the same: Eq. 9, 10 and 11, each with its penalty, for both
// losses, for a π_k and for π̂. So are ψ, Θ̃ and w after them.
func TestAlgorithm3(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, p := range []*game.Problem{check.Thresholds(4, 4), check.BestArm(3, 5), check.Random(5, 6, 3, r)} {
		for _, loss := range game.Losses() {
			for _, benchmarks := range [][]float64{nil, {.02, .1, .3}} {
				name := fmt.Sprintf("%s/%s/%v", p.Name, loss, benchmarks)
				t.Run(name, func(t *testing.T) { testAlgorithm3(t, p, loss, benchmarks) })
			}
		}
	}
	stated(t, "adversary", "TestAscent")
}

// TestSection41: the policies that are compared: uncertainty sampling, SGBS(β), Uniform, and
// Bayes-LAL's prior.
func TestSection41(t *testing.T) {
	stated(t, "policy/rival", "TestAgreesWithThePaper", "TestHandMade")
	stated(t, "game", "TestPriors")
}

// TestSection42: thresholds and the prior 𝒫_h.
func TestSection42(t *testing.T) {
	stated(t, "data/dataset", "TestThresholds")
	stated(t, "game", "TestPriors")
}

// TestSection43: simple regret, and the tables of averages.
func TestSection43(t *testing.T) {
	stated(t, "game", "TestLoss", "TestLossGrad")
	stated(t, "judge", "TestAverages")
	stated(t, "report", "TestPublishedTables", "TestPaperNumbers")
}

// TestAppendixA: 𝒞_MAB of best-arm identification, and classification over a pool as a problem
// of 0 and 1.
func TestAppendixA(t *testing.T) {
	stated(t, "difficulty", "TestMAB", "TestMABGrad", "TestMABBounds")
	stated(t, "data/dataset", "TestPoolOfTwoClasses")
}

// TestAppendixB: the two factors of log P(τ), ℒ_barrier, both entropies, the state, the network
// and ẑ.
func TestAppendixB(t *testing.T) {
	stated(t, "game/exact", "TestRollout")
	stated(t, "adversary", "TestBarrierGrad", "TestBarrierAtTies", "TestEntropyGrad")
	stated(t, "train", "TestPsiGradEntropy")
	stated(t, "policy/nn", "TestForwardAgainstFloat64", "TestPaperGradient")
	stated(t, "game", "TestRecommend")
}

// TestAppendixCForW: Eq. 9 is an identity, summed over every draw of M = 2
// instances, for both estimators.
func TestAppendixCForW(t *testing.T) {
	ps := &adversary.Mixture{W: []float64{.3, -.7, 1.1}}
	loss := []float64{.2, .9, .5}
	prob := make([]float64, 3)
	ps.Probabilities(prob)
	var all float64
	for i, p := range prob {
		all += p * loss[i]
	}
	want := make([]float64, 3)
	for i, p := range prob {
		want[i] = p * (loss[i] - all)
	}
	expect := func(share float64, loo bool) []float64 {
		got := make([]float64, 3)
		for a, pa := range prob {
			for b, pb := range prob {
				one, mid := make([]float64, 3), (loss[a]+loss[b])/2
				adversary.WGrad(one, prob, []int{a, b}, []float64{loss[a] - share*mid, loss[b] - share*mid}, loo)
				for i, v := range one {
					got[i] += pa * pb * v
				}
			}
		}
		return got
	}
	for _, loo := range []bool{false, true} {
		if e := check.Farthest(expect(0, loo), want); e > 1e-12 {
			t.Errorf("loo %v: the mean of Eq. 9 is off by %.2g", loo, e)
		}
	}
	if check.Farthest(expect(1, false), want) < 1e-3 {
		t.Error("a baseline that includes the instance itself passes for unbiased")
	}
}

// TestAppendixCForTheta: Eq. 10 is an identity inside the box, summed over every
// game, for both estimators and both losses.
func TestAppendixCForTheta(t *testing.T) {
	g := exactly(t, check.Thresholds(3, 3))
	theta := []float64{.6, -.35, -.8}
	for _, loss := range game.Losses() {
		all := outcomes(g, loss, theta)
		want := make([]float64, 3)
		g.Flow(check.Wavy{P: g.P}).Grad(want, loss, theta)
		for _, loo := range []bool{false, true} {
			got := meanThetaGrad(all, theta, func(dst, x []float64) { adversary.Baseline(dst, x, 2, loo) })
			if e := check.Farthest(got, want); e > 1e-12 {
				t.Errorf("%v, loo %v: the mean of Eq. 10 is %v, the derivative %v (off by %.2g)", loss, loo, got, want, e)
			}
		}
		mutant := meanThetaGrad(all, theta, func(dst, x []float64) { // the mean of all, its own game included
			for i := range dst {
				dst[i] = x[i] - (x[0]+x[1])/2
			}
		})
		if check.Farthest(mutant, want) < 1e-3 {
			t.Errorf("%v: a baseline that includes the rollout itself passes for unbiased", loss)
		}
	}
}

// TestReading2 pins reading 2's bias: at |θ_i| = 1 the impossible
// answer is never drawn and its derivative is missed.
func TestReading2(t *testing.T) {
	g := exactly(t, check.Thresholds(3, 3))
	theta := []float64{1, -.35, -.8}
	all := outcomes(g, game.BestIdentification, theta)
	want := make([]float64, 3)
	g.Flow(check.Wavy{P: g.P}).Grad(want, game.BestIdentification, theta)
	got := meanThetaGrad(all, theta, func(dst, x []float64) { adversary.Baseline(dst, x, 2, false) })
	if math.Abs(got[0]-want[0]) < .01 {
		t.Errorf("Eq. 10 at θ_1 = 1 has mean %v and the derivative is %v: the bias of reading 2 is gone", got[0], want[0])
	}
	if e := check.Farthest(got[1:], want[1:]); e > 1e-12 {
		t.Errorf("coordinates inside are off by %.2g", e)
	}
}

// TestAppendixCForPsi: Eq. 11 is an identity in every state's logits, summed
// over every pair of games (L = 2), for both estimators, also at |θ_i| = 1; a
// baseline that includes the rollout itself fails.
func TestAppendixCForPsi(t *testing.T) {
	p := check.Thresholds(3, 3)
	g, err := exact.New(p)
	if err != nil {
		t.Fatal(err)
	}
	testPsiGradUnbiased(t, g)
	testPsiGradUnbiased(t, g.Stopped(check.Lead{P: p, Sum: 2, After: 3}))
}

// TestAppendixD: the phases, where particles and weights start, both tables, Adam.
func TestAppendixD(t *testing.T) {
	stated(t, "train", "TestPhases")
	stated(t, "adversary", "TestStart", "TestBestAt", "TestAdamFirstStep")
	stated(t, "policy/nn", "TestInitialWeights")
	stated(t, "train/preset", "TestPresetsAreSound", "TestThresholdsByStructure")
	stated(t, "train/optim", "TestAdam")
}

// TestAppendixE: the search for the worst instance of a policy, and its schedule.
func TestAppendixE(t *testing.T) {
	stated(t, "adversary/search", "TestFindsWhatAGridHolds", "TestDraft", "TestEffortOver", "TestReportedMaximumIsFresh")
}

// TestAppendixG: uncertainty sampling in very small budgets.
func TestAppendixG(t *testing.T) { stated(t, "policy/rival", "TestHandMade") }

// TestAppendixH: learning to actively learn under a prior.
func TestAppendixH(t *testing.T) {
	stated(t, "adversary", "TestPriorDraws")
	stated(t, "train", "TestPhases")
}

// TestAppendixI: 20 Questions, and its queries by the design of ρ_*.
func TestAppendixI(t *testing.T) {
	stated(t, "data/dataset", "TestReadTwentyQ", "TestDrawnIsWithoutReplacement")
	stated(t, "difficulty", "TestDesignClosedForms", "TestDesignExhaustive")
}

// TestAppendixJ: Jester's users and clusters.
func TestAppendixJ(t *testing.T) {
	stated(t, "data/dataset", "TestReadJester", "TestClustersExhaustive")
}
