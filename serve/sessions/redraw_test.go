package sessions_test

import (
	"math"
	"testing"

	"mapo/serve/servetest"
	"mapo/serve/wire"
)

// TestRedraw: where a mask forbids the item that is asked, another one is drawn with the probability
// that is told of it. An item next to the first in the list is not drawn more often than that. By
// Hoeffding's inequality, a false alarm has a probability of at most 1e-9.
func TestRedraw(t *testing.T) {
	s, _ := servetest.PoolSessions(t, servetest.Stores["sqlite"](t), servetest.Photos(), 1)
	const games = 200
	near, want := 0., 0.
	for seed := range uint64(games) {
		v := servetest.Begin(t, s, wire.NewSession{Policy: "photos", Seed: &seed})
		first := v.Query.Index
		v, err := s.Next(t.Context(), v.ID, []int{first})
		must(t, err)
		if v.Query.Index == first {
			t.Fatalf("item %d is masked and asked", first)
		}
		for _, other := range []int{first - 1, first + 1} {
			if other >= 0 && other < 12 {
				want += v.Probability
			}
		}
		if math.Abs(float64(v.Query.Index-first)) == 1 {
			near++
		}
	}
	fresh(t, games, near, want)
}

// fresh fails where the query that replaces a masked one was next to it far more or less often than its probability says.
func fresh(t *testing.T, games, near, want float64) {
	t.Helper()
	if off := math.Abs(near - want); off > math.Sqrt(games*math.Log(2e9)/2) {
		t.Errorf("in %.0f games another query was drawn, %.0f times one next to the first; by their probabilities %.1f times are expected", games, near, want)
	}
}

// TestRedrawStateless: the same of requests of which nothing is kept.
func TestRedrawStateless(t *testing.T) {
	_, set := servetest.PoolSessions(t, servetest.Stores["sqlite"](t), servetest.Photos(), 1)
	p := set.Get("photos")
	const games = 200
	near, want := 0., 0.
	for seed := range uint64(games) {
		first, err := p.Next(&wire.NextRequest{Seed: &seed})
		must(t, err)
		i := first.Query.Index
		again, err := p.Next(&wire.NextRequest{Seed: &seed, Mask: []int{i}})
		must(t, err)
		for _, other := range []int{i - 1, i + 1} {
			if other >= 0 && other < 12 {
				want += float64(again.Probabilities[other])
			}
		}
		if math.Abs(float64(again.Query.Index-i)) == 1 {
			near++
		}
	}
	fresh(t, games, near, want)
}
