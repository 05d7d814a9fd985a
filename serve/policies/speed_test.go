package policies_test

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"testing"
	"time"

	"mapo/data/dataset"
	"mapo/data/table"
	"mapo/game"
	"mapo/game/play"
	"mapo/internal/check"
	"mapo/policy/rival"
	"mapo/rng"
	"mapo/serve/policies"
	"mapo/serve/wire"
)

// random is a table of that many rows and queries with shares of every size, served without training.
func random(t testing.TB, rows, queries int) *policies.Policy {
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
	served, err := policies.Untrained("random", p, policy, policies.Rules{})
	must(t, err)
	return served
}

// wholeGame plays a game with any answers and returns how long each reply took.
func wholeGame(t testing.TB, p *policies.Policy, seed uint64) (times []time.Duration) {
	t.Helper()
	in, r := wire.NextRequest{Seed: &seed}, rng.New(seed).Rand()
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
		in.History = append(in.History, wire.HistoryEntry{Query: wire.Ref{Index: out.Query.Index}, Answer: wire.Reply{Answer: answer}})
	}
}

// TestNextIsQuick: a question to a table of 1,000 × 300 costs less than twenty logarithms of each of its shares, which is 50 ms
// on an idle machine. What takes longer on a busy one is measured again.
func TestNextIsQuick(t *testing.T) {
	const tries = 20
	p := random(t, 1000, 300)
	for try := 1; ; try++ {
		times := wholeGame(t, p, 1)
		slices.Sort(times)
		median, sum, begin := times[len(times)/2], 0., time.Now()
		for _, share := range p.Problem().Seek.(*game.Shares).Yes {
			sum += math.Log(1 + share)
		}
		pass := time.Since(begin)
		t.Logf("median %v, most %v; the logarithms of all shares, %.0f in all, take %v", median, times[len(times)-1], sum, pass)
		if median < 20*pass {
			break
		}
		if try == tries {
			t.Fatalf("half of the replies take more than %v, the logarithms of all shares %v", median, pass)
		}
	}
}

// allocated returns how many bytes do allocates: the least of three calls, as goroutines that earlier tests left may
// allocate beside it.
func allocated(do func()) float64 {
	least := math.Inf(1)
	for range 3 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		do()
		runtime.ReadMemStats(&after)
		least = min(least, float64(after.TotalAlloc-before.TotalAlloc))
	}
	return least
}

// TestLargeTableFits: a table is served in some bytes for each share and asks with some bytes for each row, so that 10,000 ×
// 500 needs less than 1 GB.
func TestLargeTableFits(t *testing.T) {
	if check.PoolsDrop() {
		t.Skip("the race detector drops what a pool is given, so that allocations are others")
	}
	const rows, queries = 2000, 300
	p := random(t, rows, queries).Problem()
	var served *policies.Policy
	made := allocated(func() {
		policy, err := rival.Parse(p, game.BestIdentification, "information:0.03")
		must(t, err)
		served, err = policies.Untrained("random", p, policy, policies.Rules{})
		must(t, err)
	})
	if most := 32. * rows * queries; made > most {
		t.Errorf("serving a table of %d × %d allocates %.0f bytes, want at most %.0f", rows, queries, made, most)
	}
	wholeGame(t, served, 1)
	game := allocated(func() { wholeGame(t, served, 2) })
	if most := 21. * (150*rows + 100*queries); game > most {
		t.Errorf("a game of 20 questions allocates %.0f bytes, want at most %.0f", game, most)
	}
	t.Logf("%.1f bytes a share, %.0f bytes a row and question", made/rows/queries, game/21/rows)
}

// BenchmarkNextTable is a whole game on a table of 1,000 × 300, 21 replies.
func BenchmarkNextTable(b *testing.B) {
	p := random(b, 1000, 300)
	for b.Loop() {
		wholeGame(b, p, 1)
	}
}
