package rng_test

import (
	"testing"

	"mapo/internal/check"
	"mapo/rng"
)

// What the stream of TestPinned begins with.
const (
	pinStream = 0x059bed265045e4a0
	pinRand   = 0x79490177c6bda2f7
)

// TestPinned: the streams never change, or no result could be had again.
func TestPinned(t *testing.T) {
	k := rng.New(1).At(2).Name("three").At(-4)
	s := k.Stream()
	if a, b := s.Uint64(), k.Rand().Uint64(); a != pinStream || b != pinRand {
		t.Errorf("the stream begins with %#x, the generator with %#x", a, b)
	}
}

// TestGenerator: it reads the streams that Rand does, also after others.
func TestGenerator(t *testing.T) {
	var g rng.Generator
	for _, k := range []rng.Key{rng.New(1), rng.New(2).At(3), rng.New(1)} {
		want := k.Rand()
		for i, r := 0, g.Of(k); i < 3; i++ {
			if a, b := r.NormFloat64(), want.NormFloat64(); a != b {
				t.Errorf("draw %d of %v is %v, of Rand's %v", i, k, a, b)
			}
		}
	}
	if n := testing.AllocsPerRun(10, func() { g.Of(rng.New(4)) }); n != 0 {
		t.Errorf("%v allocations, want none", n)
	}
}

// TestPaths: every path names a stream of its own.
func TestPaths(t *testing.T) {
	root := rng.New(1)
	keys := map[string]rng.Key{
		"root": root, "other seed": rng.New(2), "seed 0": rng.New(0),
		"0": root.At(0), "1": root.At(1), "−1": root.At(-1),
		"0 0": root.At(0).At(0), "1 2": root.At(1).At(2), "2 1": root.At(2).At(1), "0 1": root.At(0).At(1),
		"empty name": root.Name(""), "a": root.Name("a"), "b": root.Name("b"), "ab": root.Name("ab"), "ba": root.Name("ba"),
		"a b": root.Name("a").Name("b"), "a 0": root.Name("a").At(0), "0 a": root.At(0).Name("a"),
	}
	for i := range 10_000 {
		// Neighbouring instances and rollouts, as sim names them.
		keys[string(rune(i+1000))] = root.At(i / 100).At(i%100 + 3)
	}
	byKey, byFirst, byRand := map[rng.Key]string{}, map[uint64]string{}, map[uint64]string{}
	for path, k := range keys {
		s := k.Stream()
		first, second := s.Uint64(), k.Rand().Uint64()
		if other, ok := byKey[k]; ok {
			t.Errorf("%q and %q are the same key", path, other)
		}
		if other, ok := byFirst[first]; ok {
			t.Errorf("%q and %q begin alike", path, other)
		}
		if other, ok := byRand[second]; ok {
			t.Errorf("the generators of %q and %q begin alike", path, other)
		}
		byKey[k], byFirst[first], byRand[second] = path, path, path
	}
}

func TestStreamIsAValue(t *testing.T) {
	a := rng.New(3).Stream()
	b := a
	for range 5 {
		if x, y := a.Uint64(), b.Uint64(); x != y {
			t.Fatalf("a copy of a stream goes on with %x, not %x", y, x)
		}
	}
}

// TestUniform: within a stream and across the first draws of neighbouring
// streams, draws have the mean, the bits and the lack of correlation of uniform
// ones.
func TestUniform(t *testing.T) {
	inside := rng.New(4).Stream()
	n := 0
	across := func() *rng.Stream {
		n++
		s := rng.New(5).At(n / 7).At(n % 7).Stream()
		return &s
	}
	for name, next := range map[string]func() *rng.Stream{
		"one stream":   func() *rng.Stream { return &inside },
		"many streams": across,
	} {
		t.Run(name, func(t *testing.T) {
			mean := func(want, gap float64, draw func() float64) {
				t.Helper()
				check.Mean(t, want, 0, 1, gap, func(dst []float64) {
					for i := range dst {
						dst[i] = draw()
					}
				})
			}
			mean(.5, .01, func() float64 { return next().Float64() })
			mean(.5, .01, func() float64 { return float64(next().Float32()) })
			mean(1./3, .01, func() float64 { x := next().Float64(); return x * x })
			last := .5
			mean(.25, .01, func() float64 { x := last; last = next().Float64(); return x * last })
			mean(.5, .01, func() float64 { return float64(next().Uint64() & 1) })
			mean(.25, .01, func() float64 { s := next(); return float64(s.Float32()) * s.Float64() })
		})
	}
}

func TestRange(t *testing.T) {
	s := rng.New(6).Stream()
	for range 1_000_000 {
		if x, y := s.Float32(), s.Float64(); !(x >= 0 && x < 1 && y >= 0 && y < 1) {
			t.Fatalf("%v or %v is outside [0, 1)", x, y)
		}
	}
}
