package bench

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"mapo/policy/nn"
	"mapo/rng"
)

// At the paper's scale the plain algorithm needs 259 GFLOP an iteration in its
// matrix products: forward 88.9, input gradients 81.2, weight gradients 88.9.
func TestOperations(t *testing.T) {
	o, err := Options{}.orDefault()
	if err != nil {
		t.Fatal(err)
	}
	c, err := task(o)
	if err != nil {
		t.Fatal(err)
	}
	net := nn.NewMLP(c.P, c.Config.MLP.Hidden, rng.New(1))
	if got := operations(net, o.Queries) * float64(o.Rollouts*o.Budget) / 1e9; math.Abs(got-259) > .1 {
		t.Errorf("an iteration of %s needs %.1f GFLOP, want 259", net.Arch(), got)
	}
	if c.Config.M*c.Config.L != 10000 || c.Config.L != 10 || c.Config.N != 26000 {
		t.Errorf("M = %d, L = %d, N = %d, want the paper's 1000, 10 and 26000", c.Config.M, c.Config.L, c.Config.N)
	}
}

func TestRolloutsEach(t *testing.T) {
	for _, c := range []struct{ queries, rollouts, want int }{
		{25, 10000, 10}, {100, 15000, 30}, {100, 10000, 25}, {25, 7, 7}, {25, 11, 1},
	} {
		o := Options{Queries: c.queries, Rollouts: c.rollouts}
		if got := rolloutsEach(o); got != c.want {
			t.Errorf("%d queries, %d rollouts: L = %d, want %d", c.queries, c.rollouts, got, c.want)
		}
	}
}

func TestIterations(t *testing.T) {
	for _, policy := range []string{"mlp", "structured"} {
		o := Options{Queries: 6, Rollouts: 40, Budget: 4, Workers: 2, Seconds: .01, Policy: policy}
		r, err := Iterations(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		if !(r.SecondsMin > 0 && r.SecondsMin <= r.SecondsMedian && r.SecondsMedian <= r.SecondsMax) || r.PeakGflops <= 0 || r.Gflops <= 0 {
			t.Errorf("%s: impossible measures: %+v", policy, r)
		}
		if got, want := r.StepsPerSecond*r.SecondsMedian, 160.; math.Abs(got-want) > 1e-6 {
			t.Errorf("%s: %v steps an iteration, want %v", policy, got, want)
		}
	}
	if _, err := Iterations(t.Context(), Options{Rollouts: 11, Queries: 3, Budget: 2, Seconds: .01}); err != nil {
		t.Errorf("one rollout an instance: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Iterations(ctx, Options{Queries: 6, Rollouts: 40}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: got error %v", err)
	}
}

func TestBadOptions(t *testing.T) {
	for _, c := range []struct {
		o    Options
		want string
	}{
		{Options{Queries: -1}, "queries is -1"},
		{Options{Workers: 1 << 20}, "workers is 1048576; it must be 1 to 1024"},
		{Options{Seconds: math.NaN()}, "seconds is NaN"},
		{Options{Policy: "linear"}, `unknown policy "linear"`},
	} {
		if _, err := Iterations(t.Context(), c.o); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: error %v, want one with %q", c.o, err, c.want)
		}
	}
}
