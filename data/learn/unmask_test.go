package learn

import (
	"fmt"
	"slices"
	"testing"

	"mapo/data/table"
	"mapo/game/play"
	"mapo/rng"
)

// TestUnmaskCounts: where clients are set aside that hide each other, the cap of a large client shrinks, and the games that it
// then excludes leave the counts by which all others are judged.
func TestUnmaskCounts(t *testing.T) {
	const rows, columns = 6, 12
	base := &table.Table{Name: "t.csv"}
	r := rng.New(1).Rand()
	for k := range rows {
		base.Objects, base.Lines = append(base.Objects, fmt.Sprint("o", k)), append(base.Lines, k+2)
	}
	for i := range columns {
		base.Queries = append(base.Queries, fmt.Sprint("q", i))
	}
	for range rows * columns {
		base.P = append(base.P, 0.05+0.9*float64(r.IntN(2)))
	}
	var games []Played
	add := func(client string, many int, capped, contrary bool) {
		for range many {
			g := Played{Objects: []int{r.IntN(rows)}, Client: client, Capped: capped}
			for i := range columns {
				answer := play.No
				if (base.P[g.Objects[0]*columns+i] > 0.5) != (r.IntN(20) == 0) != contrary {
					answer = play.Yes
				}
				g.Answers = append(g.Answers, play.Answered{Query: i, Answer: answer})
			}
			games = append(games, g)
		}
	}
	for n := range 40 {
		add(fmt.Sprint("honest", n), 10, false, false)
	}
	add("large", 200, true, false)
	for n := range 3 {
		add(fmt.Sprint("contrary", n), 50, false, true)
	}
	tally := Tally{}
	for k := range games {
		tally.AddGame(&games[k], 1)
	}
	m := NewModel(base, nil, Options{Select: SelectOptions{Cap: 0.2, SetAside: true}})
	x := &selector{o: m.o.Select, s: &Selection{Excluded: make([]bool, len(games))}}
	x.group(games)
	x.cap()
	j, err := m.judge(tally.Cells(), games, x)
	if err != nil {
		t.Fatal(err)
	}
	before := x.clients[40].kept
	j.unmask(j.candidates())
	if len(x.s.Aside) != 3 || x.clients[40].kept >= before {
		t.Fatalf("%d clients are set aside; of the large one %d games were left, then %d", len(x.s.Aside), before, x.clients[40].kept)
	}
	left := Tally{}
	for k, out := range x.s.Excluded {
		if !out {
			left.AddGame(&games[k], 1)
		}
	}
	want, _, err := m.counts(left.Cells())
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(j.counts.Yes, want.Yes) || !slices.Equal(j.counts.No, want.No) {
		t.Errorf("counts are %v yes and %v no, of the games that are left %v and %v", j.counts.Yes, j.counts.No, want.Yes, want.No)
	}
}
