package run

import (
	"path/filepath"
	"slices"
	"testing"

	"mapo/game"
	"mapo/game/exact"
	"mapo/internal/check"
	"mapo/policy/nn"
	"mapo/train"
	"mapo/train/preset"
)

// Algorithm 1 on six instances of two levels: each π_k has the least exact worst case at its own level, and π̂ the least
// largest gap, far below that of a training with all benchmarks 0 (Eq. 4 and 5).
func TestMinGap(t *testing.T) {
	p, easy, hard := check.Torn()
	config, err := preset.New("smoke", p, game.BestIdentification)
	if err != nil {
		t.Fatal(err)
	}
	config.Pi, config.Oracle.Follow, config.PiHat = 60, 60, 60
	plan := tiny(t, check.EasyLevel, check.HardLevel)
	plan.Problem, plan.Finite, plan.Train = p, slices.Concat(easy, hard), config
	plan.Rivals, plan.Priors = []string{"uniform"}, nil
	dir := t.TempDir()
	if err := run(t, plan, dir, 2, nil); err != nil {
		t.Fatal(err)
	}
	g, err := exact.New(p)
	if err != nil {
		t.Fatal(err)
	}
	worst := func(net nn.Net) (w [2]float64) {
		f := g.Flow(nn.Policy(p, net))
		w[0], _ = f.Worst(game.BestIdentification, easy)
		w[1], _ = f.Worst(game.BestIdentification, plan.Finite)
		return w
	}
	policy := func(name string) [2]float64 {
		net, _, err := nn.ReadFile(filepath.Join(dir, "policies", name+".safetensors"))
		if err != nil {
			t.Fatal(err)
		}
		return worst(net)
	}
	first, second, hat := policy("pi-1"), policy("pi-2"), policy("mapo")
	t.Logf("exact worst cases of π_1 %.3f, π_2 %.3f, π̂ %.3f", first, second, hat)
	if first[0] > second[0]-.2 || second[1] > first[1]-.15 {
		t.Errorf("at its own level a π_k is not the best: π_1 has the worst cases %.3f, π_2 %.3f", first, second)
	}
	gap := func(w [2]float64) float64 { return max(w[0]-min(first[0], second[0]), w[1]-min(first[1], second[1])) }
	blind := trained(t, plan, []float64{0, 0})
	if with, without := gap(hat), gap(worst(blind)); !(with < .18 && without > with+.15) {
		t.Errorf("the largest gap of π̂ is %.3f, without benchmarks %.3f; want about 0.10 and 0.40", with, without)
	}
}

// trained is a π̂ of the plan's against benchmarks b.
func trained(t *testing.T, plan Plan, b []float64) nn.Net {
	t.Helper()
	r, err := train.New(train.Task{P: plan.Problem, C: game.RhoTilde(plan.Problem), Loss: plan.Loss, R: plan.Levels, B: b,
		Finite: plan.Finite, Config: plan.Train}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range train.Descend(t.Context(), r) {
		if err != nil {
			t.Fatal(err)
		}
	}
	return r.Net()
}
