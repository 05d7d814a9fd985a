package main

import (
	"context"
	"io"
	"math"
	"strings"
	"testing"
	"time"

	"mapo/difficulty"
	"mapo/game"
	"mapo/rng"
	"mapo/run/plan"
)

// graded has n rows of random shares over d queries.
func graded(n, d int) *game.Problem {
	r := rng.New(2).Rand()
	p := &game.Problem{Name: "graded", X: make([]string, d), Names: make([]string, n), T: 4, Seek: &game.Shares{Yes: make([]float64, n*d)}}
	for at := range p.Seek.(*game.Shares).Yes {
		p.Seek.(*game.Shares).Yes[at] = r.Float64()
	}
	return p.Grade()
}

// TestInspectLarge: what inspect says of the least ρ̃ of a large table is of a sample.
func TestInspectLarge(t *testing.T) {
	for _, c := range []struct {
		n, d int
		want bool
	}{{2000, 101, true}, {8, 6, false}} {
		var b strings.Builder
		p := graded(c.n, c.d)
		plan.DescribeLeast(&b, p, nil)
		if got := strings.Contains(b.String(), "at most ") && strings.Contains(b.String(), "a sample of 24 rows"); got != c.want {
			t.Errorf("of %d rows: %s", c.n, b.String())
		}
	}
}

// TestInspectLate: where not all hypotheses could be looked at, the least difficulty is a bound, or left out.
func TestInspectLate(t *testing.T) {
	p := graded(8, 6)
	for _, c := range []struct {
		late error
		want string
	}{
		{&difficulty.Unfinished{Found: 3, Of: 8, Least: 12.5, Err: context.DeadlineExceeded}, "least ρ̃\tat most 12.5 (the easiest instance within ±0.999 of 3 of the 8 hypotheses: the others take longer than a look)\n"},
		{&difficulty.Unfinished{Of: 8, Least: math.Inf(1), Err: context.DeadlineExceeded}, "least ρ̃\tleft out: the easiest instance takes longer than a look to find\n"},
	} {
		var b strings.Builder
		if plan.DescribeLeast(&b, p, c.late); b.String() != c.want {
			t.Errorf("%q, want %q", b.String(), c.want)
		}
	}
}

// TestInspectLeavesOut: a look with no time left says what it leaves out, and fails at nothing. With time it leaves out nothing.
func TestInspectLeavesOut(t *testing.T) {
	for _, c := range []struct {
		path   string
		within time.Duration
		want   []string
		not    string
	}{
		{"../../examples/linear.yaml", 0, []string{"least ρ̃    left out: ", "32, 64, not checked: "}, "covers"},
		{"../../examples/animals.csv", 0, []string{"least ρ̃       left out: ", "left out: choosing them", "untrained      left out: "}, "covers"},
		{"../../examples/linear.yaml", time.Hour, []string{"no instance within ±0.999 is easier", "levels      32, 64\n"}, "left out"},
	} {
		var out strings.Builder
		command := inspectCommand()
		command.SetOut(&out)
		command.SetErr(io.Discard)
		command.SetContext(t.Context())
		if err := inspectSpec(command, c.path, c.within); err != nil {
			t.Fatal(err)
		}
		for _, want := range c.want {
			if !strings.Contains(out.String(), want) {
				t.Errorf("%s in %v: no %q in\n%s", c.path, c.within, want, out.String())
			}
		}
		if strings.Contains(out.String(), c.not) {
			t.Errorf("%s in %v: %q in\n%s", c.path, c.within, c.not, out.String())
		}
	}
}
