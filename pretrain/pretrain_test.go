package pretrain

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"mapo/adversary"
	"mapo/data/family"
	"mapo/game"
	"mapo/internal/num"
	"mapo/policy/nn"
	"mapo/record"
)

// tiny is a pretraining of a second.
func tiny() Config {
	c := Default()
	c.Family.Hypotheses, c.Family.Queries, c.Family.Budget = []int{5, 10}, []int{6, 12}, []int{3, 5}
	c.Tables, c.Steps, c.Batch, c.M, c.L, c.N = 7, 12, 3, 4, 4, 12
	c.Validate = Validation{Tables: 1, Every: 6, Games: 100}
	return c
}

func descend(t *testing.T, r *Run, steps int) (all []Step) {
	t.Helper()
	for step, err := range Descend(t.Context(), r) {
		if err != nil {
			t.Fatal(err)
		}
		if all = append(all, step); len(all) == steps {
			break
		}
	}
	return all
}

func begin(t *testing.T, c Config, workers int) *Run {
	t.Helper()
	r, err := New(t.Context(), c, workers)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestSameBytes: neither workers nor an interruption change a weight.
func TestSameBytes(t *testing.T) {
	c := tiny()
	one := begin(t, c, 1)
	steps := descend(t, one, 0)
	two := begin(t, c, 2)
	descend(t, two, 5)
	snapshot, err := two.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	three, err := Resume(t.Context(), c, 2, snapshot)
	if err != nil {
		t.Fatal(err)
	}
	if three.step != 5 {
		t.Fatalf("%d steps lie behind what was resumed after 5", three.step)
	}
	descend(t, three, 0)
	if !slices.Equal(one.weights(), three.weights()) {
		t.Error("weights differ between one worker and two that were interrupted")
	}
	if len(steps) != c.Steps || steps[5].Compared == nil || steps[11].Compared == nil || steps[4].Compared != nil {
		t.Error("comparisons are not after steps 6 and 12 of 12")
	}
	for _, r := range steps[11].Compared {
		if !(r.Right >= 0 && r.Right <= 1 && r.Worst >= 0 && r.Worst <= 1) {
			t.Errorf("%s is right in %v of games and has a worst case of %v", r.Policy, r.Right, r.Worst)
		}
		if !(r.RightWithin > 0 && r.RightWithin < 0.2 && r.WorstWithin >= 0 && r.WorstWithin < 0.2) {
			t.Errorf("%s has intervals of ± %v and ± %v", r.Policy, r.RightWithin, r.WorstWithin)
		}
	}
}

// TestStepMoves: every problem's gradient moves the weights, and their order changes with the round.
func TestStepMoves(t *testing.T) {
	r := begin(t, tiny(), 2)
	was := slices.Clone(r.weights())
	step := descend(t, r, 1)[0]
	if slices.Equal(was, r.weights()) || !(step.Grad > 0) || math.IsInf(step.Grad, 0) {
		t.Errorf("a step with a gradient of %v moved the weights: %v", step.Grad, !slices.Equal(was, r.weights()))
	}
	turns := map[int]int{}
	for s := range 200 {
		r.step = s
		seen := map[int]bool{}
		for j := range 3 {
			seen[r.turn(j)] = true
			turns[r.turn(j)]++
		}
		if len(seen) != 3 {
			t.Fatalf("step %d has a problem twice", s)
		}
	}
	for i := range 7 { // 600/7 = 86, standard deviation about 3
		if turns[i] < 60 || turns[i] > 110 {
			t.Errorf("problem %d has %d of 600 turns", i, turns[i])
		}
	}
}

// TestDiverged: the step whose weights are not numbers ends the pretraining, and no later one plays with them.
func TestDiverged(t *testing.T) {
	r := begin(t, tiny(), 1)
	descend(t, r, 1)
	r.c.Rate = math.Inf(1)
	var faults []string
	for _, err := range Descend(t.Context(), r) {
		faults = append(faults, fmt.Sprint(err))
	}
	if want := []string{"pretrain: the weights diverged at step 2 of 12: set rate below +Inf"}; !slices.Equal(faults, want) {
		t.Errorf("it ends with %q, want %q", faults, want)
	}
}

// TestSoftened: the policy handed out has the logits of the training, times soften.
func TestSoftened(t *testing.T) {
	c := tiny()
	c.Validate.Tables, c.Soften = 0, 1
	whole := begin(t, c, 1)
	descend(t, whole, 3)
	c.Soften = 0.5
	soft := begin(t, c, 1)
	descend(t, soft, 3)
	p := whole.members[0].task.P
	net := func(params []float32) nn.Net {
		m := nn.NewGated(p)
		copy(m.Params(), params)
		return m
	}
	half := net(whole.weights())
	if slices.Equal(half.Params(), soft.weights()) {
		t.Fatal("the weights of both are the same")
	}
	nn.Soften(half, 0.5)
	if !slices.Equal(half.Params(), soft.weights()) {
		t.Error("softened by a half the policy is not that of soften: 0.5")
	}
}

// TestPolicy: the policy handed out depends on the trade-off weight, and is the one that comparisons judge.
func TestPolicy(t *testing.T) {
	c := tiny()
	c.Validate.Tables = 0
	var ends [][]float32
	for _, c.Weight = range []float64{0, 0.9} {
		r := begin(t, c, 1)
		descend(t, r, 2)
		ends = append(ends, r.weights())
		net, contract := r.Policy()
		p := contract.Problem
		s := game.States{N: make([]float32, p.Queries()), S: make([]float32, p.Queries())}
		got, want := make([]float32, p.Queries()), make([]float32, p.Queries())
		policyOf(p, r.weights()).Probs(got, s)
		nn.Policy(p, net).Probs(want, s)
		if !slices.Equal(got, want) {
			t.Error("another policy is judged than the one handed out")
		}
		file, err := nn.Encode(net, contract)
		if err != nil {
			t.Fatal(err)
		}
		if again, _, err := nn.Decode(file); err != nil || !slices.Equal(again.Params(), net.Params()) {
			t.Errorf("the policy file is read with the error %v, or has other weights", err)
		}
	}
	if slices.Equal(ends[0], ends[1]) {
		t.Error("the average does not count")
	}
}

func TestResumeRefuses(t *testing.T) {
	c := tiny()
	r := begin(t, c, 1)
	snapshot, err := r.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	for name, f := range map[string]func() (*Run, error){
		"cut":   func() (*Run, error) { return Resume(t.Context(), c, 1, snapshot[:len(snapshot)/2]) },
		"empty": func() (*Run, error) { return Resume(t.Context(), c, 1, nil) },
		"a problem's training is cut": func() (*Run, error) {
			return Resume(t.Context(), c, 1, changed(t, snapshot, func(s *state) { s.Members[2] = s.Members[2][:9] }))
		},
	} {
		t.Run(name, func(t *testing.T) {
			if r, err := f(); err == nil || r != nil {
				t.Error("the snapshot is taken")
			}
		})
	}
	for name, change := range map[string]func(c *Config){
		"tables":  func(c *Config) { c.Tables = 8 },
		"seed":    func(c *Config) { c.Seed = 2 },
		"weight":  func(c *Config) { c.Weight = 0.5 },
		"rate":    func(c *Config) { c.Rate = 0.02 },
		"entropy": func(c *Config) { c.Entropy = 0 },
		"budget":  func(c *Config) { c.Family.Budget = []int{3, 4} },
	} {
		t.Run(name, func(t *testing.T) {
			other := c
			change(&other)
			if r, err := Resume(t.Context(), other, 1, snapshot); r != nil || !errors.Is(err, errTask) {
				t.Errorf("another configuration: %v", err)
			}
		})
	}
	was := "kernel=" + num.Kernel()
	_, err = Resume(t.Context(), c, 1, changed(t, snapshot, func(s *state) { s.Environment = strings.Replace(s.Environment, was, "kernel=other", 1) }))
	if err == nil || !strings.Contains(err.Error(), "made with kernel=other") || !strings.Contains(err.Error(), "not with "+was) {
		t.Errorf("another kernel: %v", err)
	}
}

// changed returns a snapshot with something else in it.
func changed(t *testing.T, snapshot []byte, change func(s *state)) []byte {
	t.Helper()
	var s state
	if err := adversary.Decode(snapshot, &s); err != nil {
		t.Fatal(err)
	}
	change(&s)
	out, err := adversary.Encode(&s)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestInterrupted: an end of ctx ends New, Resume and Descend with its error.
func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	r := begin(t, tiny(), 2)
	snapshot, err := r.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	for _, err := range Descend(ctx, r) {
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("the step after the end: %v", err)
		}
	}
	if r, err := New(ctx, tiny(), 1); r != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("problems drawn after the end: %v", err)
	}
	if r, err := Resume(ctx, tiny(), 1, snapshot); r != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("problems restored after the end: %v", err)
	}
}

// ends is a context that has ended once its error has been asked for so many times.
type ends struct {
	context.Context
	after int
}

func (e *ends) Err() error {
	if e.after--; e.after >= 0 {
		return nil
	}
	return context.Canceled
}

// TestInterruptedAnywhere: wherever ctx ends, what was left goes on to the same bytes, and with every comparison.
func TestInterruptedAnywhere(t *testing.T) {
	c := tiny()
	c.Steps, c.Weight, c.Validate.Every = 4, 0.5, 3
	whole := begin(t, c, 1)
	descend(t, whole, 0)
	between, within := false, false // steps, a comparison
	for after, ended := 0, false; !ended; after += 1 + after {
		r, compared := begin(t, c, 1), 0
		for step, err := range Descend(&ends{t.Context(), after}, r) {
			if err != nil && !errors.Is(err, context.Canceled) {
				t.Fatal(err)
			}
			if step.Compared != nil {
				compared++
			}
		}
		snapshot, err := r.Snapshot()
		if err != nil {
			t.Fatal(err)
		}
		ended = r.step == c.Steps && !r.due
		between, within = between || !r.due && !ended, within || r.due
		again, err := Resume(t.Context(), c, 1, snapshot)
		if err != nil {
			t.Fatal(err)
		}
		for _, step := range descend(t, again, 0) {
			if step.Compared != nil {
				compared++
			}
		}
		if !slices.Equal(again.weights(), whole.weights()) || compared != 2 {
			t.Errorf("interrupted at look %d, in step %d: other weights, or %d comparisons of 2", after+1, r.step+1, compared)
		}
	}
	if !between || !within {
		t.Errorf("interrupted between steps: %v, in a comparison: %v", between, within)
	}
}

func TestCheck(t *testing.T) {
	for key, change := range map[string]func(c *Config){
		"family.kinds":    func(c *Config) { c.Family.Kinds = family.Kinds{} },
		"tables":          func(c *Config) { c.Tables = 0 },
		"batch":           func(c *Config) { c.Batch = c.Tables + 1 },
		"weight":          func(c *Config) { c.Weight = 1 },
		"soften":          func(c *Config) { c.Soften = 0 },
		"rate":            func(c *Config) { c.Rate = math.NaN() },
		"L":               func(c *Config) { c.L = 1 },
		"validate.tables": func(c *Config) { c.Validate.Tables = -1 },
	} {
		t.Run(key, func(t *testing.T) {
			c := Default()
			if at, err := c.Check(); err != nil {
				t.Fatalf("the default is refused at %s: %v", at, err)
			}
			change(&c)
			if at, err := c.Check(); err == nil || at != key {
				t.Errorf("the fault is at %q: %v", at, err)
			}
		})
	}
}

// TestMean: four estimates of ± 0.2 make one of ± 0.1.
func TestMean(t *testing.T) {
	all := slices.Repeat([]record.Estimate{{Mean: 0.5, Lo: 0.3, Hi: 0.7}, {Mean: 0.3, Lo: 0.1, Hi: 0.5}}, 2)
	if value, within := mean(all); math.Abs(value-0.4) > 1e-12 || math.Abs(within-0.1) > 1e-12 {
		t.Errorf("the mean is %v ± %v", value, within)
	}
	if value, within := mean(nil); value != 0 || within != 0 {
		t.Errorf("the mean of none is %v ± %v", value, within)
	}
}

// TestNothingTellsApart: where the best policy's worst case is nearly 0 or 1 on all problems there is no mean of worst cases.
func TestNothingTellsApart(t *testing.T) {
	v := &validation{pairs: []pair{{levels: []float64{1}}}}
	for _, worst := range []float64{0.01, 0.5, 0.97} {
		all := [][]pair{{{worst: []record.Estimate{{Mean: worst, Lo: worst, Hi: worst}}}}}
		got := v.results([]string{"uniform"}, all)[0].Worst
		if told := worst == 0.5; told && got != worst || !told && !math.IsNaN(got) {
			t.Errorf("a worst case of %v: the mean is %v", worst, got)
		}
	}
}
