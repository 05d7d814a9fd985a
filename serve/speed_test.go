package serve

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"mapo/data/dataset"
	"mapo/data/table"
	"mapo/game"
	"mapo/game/play"
	"mapo/policy/rival"
	"mapo/rng"
)

// random is a table of that many rows and queries with shares of every size, served without training.
func random(t testing.TB, rows, queries int) *Policy {
	t.Helper()
	raw, r := &table.Table{Name: "random.csv"}, rng.New(1).Rand()
	for i := range queries {
		raw.Queries = append(raw.Queries, fmt.Sprintf("question %d?", i))
	}
	for k := range rows {
		raw.Objects, raw.Lines = append(raw.Objects, fmt.Sprintf("object %d", k)), append(raw.Lines, k+2)
		for range queries {
			raw.P = append(raw.P, r.Float64())
		}
	}
	p, _, err := dataset.Rows(raw, dataset.RowOptions{Options: dataset.Options{T: 20, AskOnce: true}})
	must(t, err)
	policy, err := rival.Parse(p, game.BestIdentification, "information:0.03")
	must(t, err)
	served, err := Untrained("random", p, policy, Rules{})
	must(t, err)
	return served
}

// wholeGame plays a game with any answers and returns how long each reply took.
func wholeGame(t testing.TB, p *Policy, seed uint64) (times []time.Duration) {
	t.Helper()
	in, r := NextRequest{Seed: &seed}, rng.New(seed).Rand()
	for {
		begin := time.Now()
		out, err := p.Next(&in)
		must(t, err)
		times = append(times, time.Since(begin))
		if out.Query == nil {
			return times
		}
		answer := play.No
		if r.Float64() < 0.5 {
			answer = play.Yes
		}
		in.History = append(in.History, HistoryEntry{Query: Ref{Index: out.Query.Index}, Answer: Reply(answer)})
	}
}

// TestNextIsQuick: a question to a table of 1,000 × 300 takes 50 ms at most on an idle machine; the margin is for others.
func TestNextIsQuick(t *testing.T) {
	times := wholeGame(t, random(t, 1000, 300), 1)
	slices.Sort(times)
	t.Logf("median %v, most %v", times[len(times)/2], times[len(times)-1])
	if median := times[len(times)/2]; median > 500*time.Millisecond {
		t.Errorf("half of the replies take more than %v, want 50 ms", median)
	}
}

// BenchmarkNextTable is a whole game on a table of 1,000 × 300, 21 replies.
func BenchmarkNextTable(b *testing.B) {
	p := random(b, 1000, 300)
	for b.Loop() {
		wholeGame(b, p, 1)
	}
}
