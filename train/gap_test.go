package train

import (
	"slices"
	"testing"

	"mapo/game"
	"mapo/game/exact"
	"mapo/internal/check"
	"mapo/policy/nn"
	"mapo/rng"
)

// gapRun is a training of π̂ on check.Torn with benchmarks b.
func gapRun(t *testing.T, b []float64, change func(*Task)) (*Run, Task) {
	t.Helper()
	p, easy, hard := check.Torn()
	c := base()
	c.PiHat = 60
	task := Task{P: p, C: game.RhoTilde(p), Loss: game.BestIdentification, R: []float64{check.EasyLevel, check.HardLevel}, B: b,
		Finite: slices.Concat(easy, hard), Config: c, Key: rng.New(1)}
	if change != nil {
		change(&task)
	}
	return begin(t, task), task
}

// Eq. 5: trained against the benchmarks of both levels, π̂ has an exact largest gap of 0.10. Without
// benchmarks, or with one for both levels, training finds the least worst case and a gap of 0.40. So it does by
// each path that a loss takes to the objective: whole games, sampled ones of a finite Θ by either algorithm, and
// instances that searches find.
func TestMinGap(t *testing.T) {
	p, easy, hard := check.Torn()
	g, err := exact.New(p)
	if err != nil {
		t.Fatal(err)
	}
	best := []float64{.20, .61}
	for name, of := range map[string]struct {
		change func(*Task)
		whole  bool
	}{
		"whole games": {whole: true},
		"sampled games": {change: func(task *Task) {
			task.Config.M, task.Config.L, task.Config.PiHat, task.Config.LambdaPolFine = 32, 8, 1000, 0
		}},
	} {
		t.Run(name, func(t *testing.T) {
			gap := func(b ...float64) float64 {
				run, task := gapRun(t, b, of.change)
				if !of.whole {
					run.parts = task.Config.Oracle.sampled(&task, run.Net())
					run.enter(0)
				}
				finish(t, run)
				f := g.Flow(nn.Policy(p, run.Net()))
				first, _ := f.Worst(game.BestIdentification, easy)
				second, _ := f.Worst(game.BestIdentification, hard)
				t.Logf("benchmarks %v: %.3f and %.3f", b, first, second)
				return max(first-best[0], second-best[1])
			}
			with, without := gap(best...), gap(0, 0)
			if !(with < .16 && without > with+.08) {
				t.Errorf("the largest gap is %.3f with the benchmarks %v and %.3f without, want about .1 and .3", with, best, without)
			}
		})
	}
}
