package learn_test

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"syscall"
	"testing"
	"time"

	"mapo/data/learn"
	"mapo/data/table"
	"mapo/game/play"
	"mapo/internal/suite"
	"mapo/rng"
)

// world is a table of random shares near 0 and 1, and people who differ from it.
type world struct {
	table  *table.Table
	people []float64 // their shares, [rows, columns]
}

func newWorld(rows, cols int, key rng.Key) *world {
	r := key.Rand()
	w := &world{table: &table.Table{Name: "t.csv"}}
	for k := range rows {
		w.table.Objects, w.table.Lines = append(w.table.Objects, fmt.Sprint("o", k)), append(w.table.Lines, k+2)
	}
	for i := range cols {
		w.table.Queries = append(w.table.Queries, fmt.Sprint("q", i))
	}
	for range rows * cols {
		p := 0.02 + 0.13*r.Float64()
		if r.Uint64()&1 == 0 {
			p = 1 - p
		}
		w.table.P = append(w.table.P, p)
		if r.Float64() < 0.1 {
			p = 1 - p
		}
		w.people = append(w.people, p)
	}
	return w
}

// play returns a game of row with answers to random questions, each once.
func (w *world) play(row, answers int, r *rand.Rand) learn.Played {
	cols := len(w.table.Queries)
	g := learn.Played{Objects: []int{row}}
	for first, i := r.IntN(cols), 0; i < answers; i++ {
		q := (first + i*7) % cols
		answer := play.No
		if r.Float64() < w.people[row*cols+q] {
			answer = play.Yes
		}
		if r.IntN(8) == 0 {
			answer = play.OfHalves(answer.Halves() / 2)
		}
		g.Answers = append(g.Answers, play.Answered{Query: q, Answer: answer})
	}
	return g
}

func tallied(games []learn.Played) []learn.Cell {
	t := learn.Tally{}
	for k := range games {
		t.AddGame(&games[k], 1)
	}
	return t.Cells()
}

var guarded = learn.SelectOptions{Cap: 0.05, SetAside: true}

// plainly decides as [learn.Model.Select] does, from the definition: every client is judged by tables learned anew.
func plainly(b *learn.Base, games []learn.Played, o learn.SelectOptions) (excluded []bool, aside []learn.Aside) {
	out := map[string]bool{}
	excluded = plainCap(games, o, out)
	for _, a := range plainUnmask(b, games, excluded) {
		out[a.Client], aside = true, append(aside, a)
	}
	for {
		excluded = plainCap(games, o, out)
		var worst learn.Aside
		for _, client := range clientsOf(games) {
			if out[client] {
				continue
			}
			if a, low := plainJudge(b, games, excluded, client, nil); low && (worst.Games == 0 || a.Median < worst.Median) {
				worst = a
			}
		}
		if worst.Games == 0 {
			return excluded, aside
		}
		out[worst.Client], aside = true, append(aside, worst)
	}
}

// plainUnmask returns the clients to set aside that hide each other, the worst first.
func plainUnmask(b *learn.Base, games []learn.Played, excluded []bool) []learn.Aside {
	var suspects []learn.Aside
	for _, client := range clientsOf(games) {
		if a, _ := plainJudge(b, games, excluded, client, nil); a.Games > 0 {
			suspects = append(suspects, a)
		}
	}
	byMedian := func(a, b learn.Aside) int { return cmp.Compare(a.Median, b.Median) }
	slices.SortFunc(suspects, byMedian)
	room := 0
	for k, out := range excluded {
		if !out && games[k].Client != "" {
			room++
		}
	}
	room /= 3
	without := map[string]bool{}
	suspects = slices.DeleteFunc(suspects, func(a learn.Aside) bool {
		if a.Games > room {
			return true
		}
		room -= a.Games
		without[a.Client] = true
		return false
	})
	for len(suspects) > 0 {
		for k := range suspects {
			suspects[k], _ = plainJudge(b, games, excluded, suspects[k].Client, without)
		}
		slices.SortFunc(suspects, byMedian)
		best := len(suspects) - 1
		if _, low := plainJudge(b, games, excluded, suspects[best].Client, without); low {
			return suspects
		}
		delete(without, suspects[best].Client)
		suspects = suspects[:best]
	}
	return nil
}

func clientsOf(games []learn.Played) (list []string) {
	for _, g := range games {
		if g.Client != "" && !slices.Contains(list, g.Client) {
			list = append(list, g.Client)
		}
	}
	return list
}

// plainCap tries every number of games, the largest first, until the clients' shares are right.
func plainCap(games []learn.Played, o learn.SelectOptions, out map[string]bool) []bool {
	for most := len(games) + 20; ; most-- {
		excluded, had, total := make([]bool, len(games)), map[string]int{}, 0
		for k, g := range games {
			had[g.Client]++
			excluded[k] = g.Client != "" && (out[g.Client] || g.Capped && o.Cap > 0 && had[g.Client] > most)
			if !excluded[k] {
				total++
			}
		}
		if o.Cap == 0 || most == max(20, int(o.Cap*float64(total))) {
			return excluded
		}
	}
}

// plainJudge returns a client's median and the others' quantile where it can be judged, and whether it is lower, by what
// counts without that client and others.
func plainJudge(b *learn.Base, games []learn.Played, excluded []bool, client string, without map[string]bool) (a learn.Aside, low bool) {
	c := learn.NewCounts(b)
	add := func(g *learn.Played, times int64) {
		for _, row := range g.Objects {
			c.Add(b, row, g.Answers, times)
		}
	}
	for k := range games {
		if !excluded[k] && games[k].Client != client && !without[games[k].Client] {
			add(&games[k], 1)
		}
	}
	share, shares := make([]float64, b.Queries), make([]float64, len(b.P))
	learn.Disagreement(share, b, c)
	fit := func(g *learn.Played) float64 {
		learn.Shares(shares, b, c, share)
		sum, n := 0., 0.
		for _, a := range g.Answers {
			if a.Answer == play.DontKnow {
				continue
			}
			n++
			p := 0.
			for _, row := range g.Objects {
				p += shares[row*b.Queries+a.Query] / float64(len(g.Objects))
			}
			p = min(max(p, 0.02), 0.98)
			sum += math.Log((1 + a.Answer.Value()*(2*p-1)) / 2)
		}
		return sum / n
	}
	var own, others []float64
	for k := range games {
		g := &games[k]
		switch {
		case excluded[k] || g.Client == "":
		case g.Client != client && without[g.Client]:
		case g.Client != client:
			add(g, -1)
			others = append(others, fit(g))
			add(g, 1)
		case g.Exempt:
			return learn.Aside{}, false
		default:
			own = append(own, fit(g))
		}
	}
	if len(own) < 10 {
		return learn.Aside{}, false
	}
	slices.Sort(own)
	slices.Sort(others)
	n := len(own)
	a = learn.Aside{Client: client, Games: n, Median: (own[(n-1)/2] + own[n/2]) / 2}
	if rank := len(others) / 100; rank > 0 {
		a.Quantile, low = others[rank], a.Median < others[rank]
	}
	return a, low
}

// crowd returns the games of many clients in random order, some of them attackers of several kinds.
func (w *world) crowd(key rng.Key) []learn.Played {
	var games []learn.Played
	r := key.Rand()
	rows := len(w.table.Objects)
	for client := range 24 {
		kind, many := -1, 1+r.IntN(25)
		if client == 3 || client == 12 && r.IntN(3) == 0 || client == 14 && r.IntN(5) == 0 { // 14 is exempt
			kind, many = r.IntN(2), many+10
		}
		if r.IntN(8) == 0 {
			many = 60
		}
		for range many {
			row := r.IntN(rows)
			g := w.play(row, 4+r.IntN(5), r)
			if r.IntN(10) == 0 {
				g.Objects = append(g.Objects, (row+1)%rows)
			}
			if r.IntN(10) == 0 {
				g.Answers = append(g.Answers, g.Answers[0], play.Answered{Query: 0, Answer: play.DontKnow})
			}
			switch kind {
			case 0:
				for i := range g.Answers {
					g.Answers[i].Answer = play.OfHalves(-g.Answers[i].Answer.Halves())
				}
			case 1:
				g.Objects = []int{r.IntN(rows)}
			}
			g.Client, g.Capped, g.Exempt = fmt.Sprint("c", client), client%2 == 0, client%5 == 4
			if client == 7 {
				g.Client = ""
			}
			games = append(games, g)
		}
	}
	r.Shuffle(len(games), func(a, b int) { games[a], games[b] = games[b], games[a] })
	return games
}

// TestSelect: what is excluded is what the definition excludes, with every mixture of clients.
func TestSelect(t *testing.T) {
	asides, capped := 0, 0
	for n := range 30 {
		key := rng.New(uint64(n))
		w := newWorld(8, 12, key.Name("world"))
		games := w.crowd(key.Name("games"))
		o := guarded
		if n%4 == 3 {
			o.Cap = 0
		}
		m := learn.NewModel(w.table, nil, learn.Options{Select: o})
		got, err := m.Select(tallied(games), games, 0)
		if err != nil {
			t.Fatal(err)
		}
		excluded, aside := plainly(m.Base, games, o)
		if !slices.Equal(got.Excluded, excluded) {
			t.Errorf("world %d: other games are excluded than by the definition", n)
		}
		if !slices.EqualFunc(got.Aside, aside, func(a, b learn.Aside) bool {
			return a.Client == b.Client && a.Games == b.Games && math.Abs(a.Median-b.Median) < 1e-9 && math.Abs(a.Quantile-b.Quantile) < 1e-9
		}) {
			t.Errorf("world %d: set aside %v, want %v", n, got.Aside, aside)
		}
		over := 0 // the cap
		for k, out := range excluded {
			if out && !slices.ContainsFunc(aside, func(a learn.Aside) bool { return a.Client == games[k].Client }) {
				over++
			}
		}
		if got.Capped != over {
			t.Errorf("world %d: %d games are said to be capped, want %d", n, got.Capped, over)
		}
		var kept []learn.Played
		for k, out := range got.Excluded {
			if !out {
				kept = append(kept, games[k])
			}
		}
		if !slices.Equal(got.Cells, tallied(kept)) {
			t.Errorf("world %d: the cells are not those of the games that count", n)
		}
		asides, capped = asides+len(aside), capped+got.Capped
	}
	if asides < 30 || capped < 100 {
		t.Errorf("%d clients set aside and %d games capped: the worlds test nothing", asides, capped)
	}
}

// TestSelectWithoutAnswers: a client whose first games have no answers is judged no more once the cap, which shrinks as
// another client is set aside, leaves it those alone. It was a panic.
func TestSelectWithoutAnswers(t *testing.T) {
	key := rng.New(1)
	w, r := newWorld(8, 12, key.Name("world")), key.Name("games").Rand()
	var games []learn.Played
	add := func(client string, many int, capped bool, change func(play.Answer) play.Answer) {
		for range many {
			g := w.play(r.IntN(8), 6, r)
			for i := range g.Answers {
				g.Answers[i].Answer = change(g.Answers[i].Answer)
			}
			g.Client, g.Capped = client, capped
			games = append(games, g)
		}
	}
	same := func(a play.Answer) play.Answer { return a }
	for c := range 18 {
		add(fmt.Sprint("honest", c), 20, false, same)
	}
	add("late", 60, true, func(play.Answer) play.Answer { return play.DontKnow })
	add("late", 40, true, same)
	add("bad", 500, false, func(a play.Answer) play.Answer { return play.OfHalves(-a.Halves()) })
	m := learn.NewModel(w.table, nil, learn.Options{Select: learn.SelectOptions{Cap: 0.1, SetAside: true}})
	got, err := m.Select(tallied(games), games, 0)
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Aside) != 1 || got.Aside[0].Client != "bad" || got.Capped <= 40 {
		t.Errorf("set aside %v and %d games capped, want bad, and more than the 40 with answers", got.Aside, got.Capped)
	}
}

// TestSelectLarge: a version from 100,000 games of 10,000 clients on 1,000 × 300 takes two to three times what it takes to
// count their answers, with and without an attacker that has a tenth of them.
func TestSelectLarge(t *testing.T) {
	if testing.Short() {
		t.Skip("100,000 games")
	}
	most := 100_000
	if suite.Reduced() {
		most = 20_000
	}
	key := rng.New(1)
	w := newWorld(1000, 300, key)
	r := key.Name("games").Rand()
	for _, share := range []float64{0, 0.1} {
		games := make([]learn.Played, most)
		for n := range games {
			g := w.play(r.IntN(1000), 20, r)
			g.Client, g.Capped = fmt.Sprint("c", n%(most/10)), true
			if r.Float64() < share {
				g.Client, g.Capped = "attacker", false
				for i := range g.Answers {
					g.Answers[i].Answer = play.OfHalves(-g.Answers[i].Answer.Halves())
				}
			}
			games[n] = g
		}
		start := cpuTime()
		cells := tallied(games)
		counted := cpuTime() - start
		start = cpuTime()
		m := learn.NewModel(w.table, nil, learn.Options{Select: guarded})
		s, err := m.Select(cells, games, 0)
		if err != nil {
			t.Fatal(err)
		}
		selected := cpuTime() - start
		if _, _, err := m.Learned(s.Cells); err != nil {
			t.Fatal(err)
		}
		t.Logf("%d cells: selected after %v, learned after %v; %v set aside", len(cells), selected, cpuTime()-start, s.Aside)
		if share == 0 && len(s.Aside) > 0 || share > 0 && (len(s.Aside) != 1 || s.Aside[0].Client != "attacker") {
			t.Errorf("with %g of the games from an attacker, %v were set aside", share, s.Aside)
		}
		if took := cpuTime() - start; took > 12*counted {
			t.Errorf("a version from %d games took %v of a processor, and to count their answers %v", len(games), took, counted)
		}
	}
}

// cpuTime is what the process has used of the processors.
func cpuTime() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
