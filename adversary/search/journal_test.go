package search

import (
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"reflect"
	"slices"
	"sync/atomic"
	"testing"

	"mapo/game"
	"mapo/internal/check"
	"mapo/internal/suite"
	"mapo/policy/rival"
	"mapo/record"
	"mapo/rng"
)

// cut is a small search of every kind, with how it is run.
type cut struct {
	name string
	Search
	run func(ctx context.Context, s *Search) ([]record.Worst, error)
}

// cuts are searches of some dozen blocks.
func cuts(t *testing.T) []cut {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 1))
	p := check.Random(6, 9, 5, r)
	rows := make([][]float64, 300)
	for i := range rows {
		rows[i] = make([]float64, 6)
		for j := range rows[i] {
			rows[i][j] = 2*r.Float64() - 1
		}
	}
	var bank Bank
	for _, theta := range rows[:8] {
		bank.Put(theta)
	}
	s := Search{
		P: p, C: game.RhoTilde(p), Policy: check.Wavy{P: p}, Levels: []float64{20, 60}, Bank: &bank, Key: rng.New(3),
		Effort: Effort{
			Starts: 24, Screen: 4, Brood: 6, Generations: 2, Corners: 4, Islands: 3,
			Line:   Line{Parents: 4, Young: 5, Games: 8, Generations: 3, From: .2, To: .05},
			Rungs:  []Rung{{6, 3, 64, .08, .03, 0}, {3, 4, 200, .05, .01, 0}},
			Finals: 2, Replay: 100, Report: 300, HalfWidth: .05, MaxReport: 800,
		},
	}
	regret, finite := s, s
	regret.Loss, finite.Finite = game.SimpleRegret, rows
	again := func(ctx context.Context, s *Search) ([]record.Worst, error) { return Replay(ctx, s, rows, nil) }
	own, err := regret.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	known := func(ctx context.Context, s *Search) ([]record.Worst, error) { return Replay(ctx, s, rows[8:20], own) }
	run := func(ctx context.Context, s *Search) ([]record.Worst, error) { return s.Run(ctx) }
	return []cut{
		{"best identification", s, run}, {"simple regret", regret, run}, {"finite", finite, run},
		{"replay", regret, again}, {"replay of finite rows", finite, again}, {"replay against earlier results", regret, known},
	}
}

// pieces runs c in as many processes as it has blocks, each of which ends behind its
// first, and returns every state.
func (c cut) pieces(t *testing.T) (states [][]byte, worst []record.Worst) {
	t.Helper()
	enough := errors.New("enough")
	for {
		s := c.Search
		s.Workers = 1 + len(states)%3
		last := len(states)
		if last > 0 {
			s.From = states[last-1]
		}
		s.Keep = func(done int, state func() []byte) error {
			if done != last+1 {
				t.Fatalf("%d blocks done behind %d", done, last)
			}
			states = append(states, state())
			return enough
		}
		worst, err := c.run(t.Context(), &s)
		if len(states) == last && err == nil {
			return states, worst
		}
		if !errors.Is(err, enough) {
			t.Fatalf("after %d blocks: %v", len(states), err)
		}
	}
}

// A search that goes on from any state, in another process and with another number
// of workers, finds the same and plays only what is left.
func TestGoesOn(t *testing.T) {
	for _, c := range cuts(t) {
		t.Run(c.name, func(t *testing.T) {
			// from is a search from a state: what it found, how many states it asked the policy about.
			from := func(state []byte, keep func(int, func() []byte) error) ([]record.Worst, int64, int64) {
				var states, steps atomic.Int64
				s := c.Search
				s.Policy, s.Workers, s.From, s.Keep, s.Steps = asked{s.Policy, s.P, &states}, 1, state, keep, &steps
				worst, err := c.run(t.Context(), &s)
				if err != nil {
					t.Fatal(err)
				}
				return worst, states.Load(), steps.Load()
			}
			want, whole, steps := from(nil, nil)
			blocks := 0
			if kept, _, n := from(nil, func(done int, _ func() []byte) error { blocks = done; return nil }); !reflect.DeepEqual(kept, want) || n != steps {
				t.Errorf("with Keep %v in %d steps, without %v in %d", kept, n, want, steps)
			}
			states, got := c.pieces(t)
			if !reflect.DeepEqual(got, want) || len(states) != blocks || blocks < 10 {
				t.Errorf("in %d pieces of %d %v, whole %v", len(states), blocks, got, want)
			}
			before := int64(1 << 62)
			for i, state := range states {
				if suite.Reduced() && i%8 != 0 && i != len(states)-1 {
					continue
				}
				got, asked, n := from(state, nil)
				if !reflect.DeepEqual(got, want) || n != steps {
					t.Fatalf("from block %d: %v in %d steps, want %v in %d", i+1, got, n, want, steps)
				}
				if asked > before {
					t.Errorf("from block %d the policy is asked about %d states, from the one before about %d", i+1, asked, before)
				}
				before = asked
			}
			if whole < 10*before {
				t.Errorf("from the last block on the policy is asked about %d states, in all about %d", before, whole)
			}
		})
	}
}

// ending cancels a context once it has been asked about so many states.
type ending struct {
	game.Policy
	left   *atomic.Int64
	cancel func()
}

func (e ending) Probs(dst []float32, s game.States) {
	if e.left.Add(-int64(s.Len(6))) <= 0 {
		e.cancel()
	}
	e.Policy.Probs(dst, s)
}

// A block that ctx's end left half done is not kept.
func TestStopsAnywhere(t *testing.T) {
	c := cuts(t)[0]
	want, err := c.run(t.Context(), &c.Search)
	if err != nil {
		t.Fatal(err)
	}
	for workers := 1; workers <= 2; workers++ {
		var state func() []byte
		var from []byte
		stops := 0
		for after := int64(2000); ; after += 1500 {
			ctx, cancel := context.WithCancel(t.Context())
			var left atomic.Int64
			left.Store(after)
			s := c.Search
			s.Policy, s.Workers, s.From = ending{s.Policy, &left, cancel}, workers, from
			s.Keep = func(_ int, last func() []byte) error { state = last; return nil }
			got, err := c.run(ctx, &s)
			cancel()
			if err == nil {
				if !reflect.DeepEqual(got, want) {
					t.Errorf("%d workers, stopped %d times: %v, want %v", workers, stops, got, want)
				}
				break
			}
			if !errors.Is(err, context.Canceled) {
				t.Fatal(err)
			}
			stops++
			if state != nil {
				from = state()
			}
		}
		if stops < 5 {
			t.Errorf("%d workers: stopped only %d times", workers, stops)
		}
	}
}

// What is no state of this search is refused.
func TestBadStates(t *testing.T) {
	all := cuts(t)
	c := all[1]
	states, _ := c.pieces(t)
	state := states[len(states)/2]
	refused := func(why string, from []byte, c cut) {
		t.Helper()
		s := c.Search
		s.From = from
		s.Keep = func(int, func() []byte) error { t.Errorf("%s: it plays", why); return nil }
		if _, err := c.run(t.Context(), &s); !errors.Is(err, ErrState) {
			t.Errorf("%s: got error %v", why, err)
		}
	}
	for n := 0; n < len(state); n += 1 + n/8 {
		refused("cut short", state[:n:n], c)
	}
	r := rng.New(1).Rand()
	for range 50 {
		bad := slices.Clone(state)
		bad[r.IntN(len(bad))] ^= 1 << r.IntN(8)
		refused("altered", bad, c)
	}
	refused("longer", append(slices.Clone(state), make([]byte, 8)...), c)
	refused("a replay's", state, all[3])
	for why, change := range map[string]func(s *Search){
		"another loss":    func(s *Search) { s.Loss = game.BestIdentification },
		"other levels":    func(s *Search) { s.Levels = []float64{20, 61} },
		"another key":     func(s *Search) { s.Key = rng.New(4) },
		"another effort":  func(s *Search) { s.Effort.Finals++ },
		"another bank":    func(s *Search) { s.Bank = nil },
		"given instances": func(s *Search) { s.Finite = all[2].Finite },
		"another policy":  func(s *Search) { s.Policy = rival.Uniform(s.P) },
		"another problem": func(s *Search) { p := *s.P; p.T++; s.P = &p },
		"another 𝒞":       func(s *Search) { s.C = doubled{s.C} },
	} {
		other := c
		change(&other.Search)
		refused(why, state, other)
	}
}

// doubled is twice as difficult.
type doubled struct{ game.Difficulty }

func (c doubled) Of(theta []float64) float64 { return 2 * c.Difficulty.Of(theta) }

// Whatever numbers stand under a good checksum, a search ends, and where they are the
// first of its own it ends as ever.
func TestForgedStates(t *testing.T) {
	c := cuts(t)[1]
	states, want := c.pieces(t)
	h, err := c.hunt(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	h.effort = h.effort.Over(c.Levels)
	j := &journal{of: h.hash(nil)}
	if err := j.read(states[len(states)-1]); err != nil {
		t.Fatal(err)
	}
	from := func(data []float64) ([]record.Worst, error) {
		forged := journal{of: j.of, data: data, at: len(data)}
		s := c.Search
		s.From = forged.state()
		return s.Run(t.Context())
	}
	for n := 0; n < len(j.data); n += 1 + len(j.data)/20 {
		if got, err := from(j.data[:n]); err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("the first %d numbers of %d: %v, %v", n, len(j.data), got, err)
		}
	}
	r := rng.New(2).Rand()
	for range 40 {
		data := slices.Clone(j.data[:1+r.IntN(len(j.data))])
		for range 1 + r.IntN(20) {
			data[r.IntN(len(data))] = []float64{0, -1, 1, 3, 1e300, -1e300, r.NormFloat64()}[r.IntN(7)]
		}
		_, _ = from(data) // of no use, but it ends
	}
}

// TestGoesOnElsewhere: a search of any problem goes on in another process, where the problem is another copy.
func TestGoesOnElsewhere(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for name, p := range map[string]*game.Problem{
		"yes and no": check.Random(4, 5, 3, r), "rows": check.Graded(4, 5, 3, r), "vectors": check.RandomVectors(2, 5, 4, 3, r),
		"classes": check.Pool(8, 4, 3, 3, true, r), "two classes": check.Pool(8, 4, 2, 3, false, r),
	} {
		data, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		s := Search{Levels: []float64{1e4}, Effort: Effort{Starts: 8, Screen: 4, Finals: 1, Replay: 8, Report: 8, HalfWidth: .5}, Key: rng.New(1)}
		// load gives s the problem as a process reads it.
		load := func() {
			own := new(game.Problem)
			if err := json.Unmarshal(data, own); err != nil {
				t.Fatal(err)
			}
			s.P, s.C, s.Policy = own, game.RhoTilde(own), rival.Uniform(own)
		}
		load()
		var state []byte
		enough := errors.New("enough")
		s.Keep = func(_ int, now func() []byte) error { state = now(); return enough }
		if _, err := s.Run(t.Context()); !errors.Is(err, enough) {
			t.Fatal(err)
		}
		load()
		s.From, s.Keep = state, nil
		if _, err := s.Run(t.Context()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
