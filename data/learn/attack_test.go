package learn_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"mapo/data/learn"
	"mapo/game/play"
	"mapo/rng"
)

// attack is what one client does with its share of the games.
type attack struct {
	name   string
	share  float64
	flips  bool                                           // whether its answers are the opposite
	claims func(row, rows int, r *rng.Stream) (truth int) // nil: the truth
}

var (
	honest  = attack{name: "honest"}
	attacks = []attack{
		{name: "(a) claims one animal", share: 0.1, claims: func(int, int, *rng.Stream) int { return 7 }},
		{name: "(b) flips every answer", share: 0.1, flips: true},
		{name: "(c) claims random truths", share: 0.1, claims: func(_, rows int, r *rng.Stream) int { return int(r.Uint64() % uint64(rows)) }},
	}
)

// outcome is what became of games with an attacker among honest clients.
type outcome struct {
	shares   []float64 // learned
	aside    float64   // share of the honest games that the last version leaves out
	asideMax float64   // and that any version does
	caught   int       // games at the first version that sets the attacker aside; 0: none does
}

// learnUnder plays games of one attacker among honest clients of up to most games each, with a new version every 68.
func (a *across) learnUnder(t *testing.T, by attack, least, most, games int, o learn.SelectOptions, key rng.Key) (out outcome) {
	t.Helper()
	const version = 68
	m := learn.NewModel(a.table, nil, learn.Options{Select: o})
	played, tally := []learn.Played(nil), learn.Tally{}
	learned := func() []learn.Cell {
		s, err := m.Select(tally.Cells(), played, 0)
		if err != nil {
			t.Fatal(err)
		}
		lost, all := 0, 0
		for k, excluded := range s.Excluded {
			if played[k].Client != by.name {
				all++
				if excluded {
					lost++
				}
			} else if excluded && out.caught == 0 && slices.ContainsFunc(s.Aside, func(x learn.Aside) bool { return x.Client == by.name }) {
				out.caught = len(played)
			}
		}
		out.aside = float64(lost) / max(float64(all), 1)
		out.asideMax = max(out.asideMax, out.aside)
		return s.Cells
	}
	clients, left := key.Name("clients").Stream(), 0
	client := 0
	for {
		next, _, err := m.Learned(learned())
		if err != nil {
			t.Fatal(err)
		}
		if out.shares = next.P; len(played) >= games {
			return out
		}
		k := key.Name("play").At(len(played))
		attacker := func(m int) bool { s := k.At(m).Name("attacker").Stream(); return s.Float64() < by.share }
		a.play(t, out.shares, version, k, func(m int) bool { return by.flips && attacker(m) }, func(n, row int, history []play.Answered) {
			g := learn.Played{Objects: []int{row}, Answers: history, Capped: true}
			if attacker(n) {
				g.Client = by.name
				if r := k.At(n).Name("claim").Stream(); by.claims != nil {
					g.Objects[0] = by.claims(row, len(a.table.Objects), &r)
				}
			} else {
				if left == 0 {
					client, left = client+1, least+int(clients.Uint64()%uint64(most-least+1))
				}
				g.Client, left = fmt.Sprint("c", client), left-1
			}
			played = append(played, g)
			tally.AddGame(&g, 1)
		})
	}
}

// TestAttacksSmall: among honest clients, some with many games, each attacker is set aside soon and alone, and the table
// then is, bit for bit, the one that the honest games make; without protection the one who flips every answer spoils it.
func TestAttacksSmall(t *testing.T) {
	if testing.Short() {
		t.Skip("thousands of games")
	}
	w := newWorld(20, 24, rng.New(8))
	a := acrossOf(t, w.table, w.people, 10)
	right := func(by attack, o learn.SelectOptions) (float64, outcome) {
		out := a.learnUnder(t, by, 1, 20, 680, o, rng.New(9))
		return a.right(t, out.shares, 2000, rng.New(10)), out
	}
	before := a.right(t, a.base.P, 2000, rng.New(10))
	without, _ := right(honest, learn.SelectOptions{})
	if without < before+0.05 {
		t.Fatalf("honest games take %.3f to %.3f: there is nothing to spoil", before, without)
	}
	protected, out := right(honest, guarded)
	if out.asideMax >= 0.02 || protected < without-0.01 {
		t.Errorf("of honest games %.3f are left out; right in %.3f instead of %.3f", out.asideMax, protected, without)
	}
	for _, by := range attacks {
		off, _ := right(by, learn.SelectOptions{})
		on, out := right(by, guarded)
		t.Logf("%s: right in %.3f instead of %.3f, without protection %.3f; set aside after %d games", by.name, on, without, off, out.caught)
		if out.caught == 0 || out.caught > 204 || out.aside > 0 || on < without-0.02 {
			t.Errorf("%s: set aside after %d games with %.3f of the honest ones; right in %.3f instead of %.3f", by.name, out.caught, out.aside, on, without)
		}
		if by.flips && off > on-0.015 {
			t.Errorf("%s: without protection right in %.3f, with it in %.3f; the attack is too weak to test anything", by.name, off, on)
		}
	}
}

// TestAttackersDoNotHide: five clients who do the same wrong thing are among the games that fit worst, and would hide each
// other if each was compared with them.
func TestAttackersDoNotHide(t *testing.T) {
	w := newWorld(20, 24, rng.New(11))
	m := learn.NewModel(w.table, nil, learn.Options{Select: guarded})
	for _, flips := range []bool{true, false} {
		var games []learn.Played
		r := rng.New(12).Rand()
		add := func(client string) *learn.Played {
			g := w.play(r.IntN(20), 10, r)
			g.Client = client
			games = append(games, g)
			return &games[len(games)-1]
		}
		for n := range 600 {
			add(fmt.Sprint("honest", n%40))
			if n >= 100 {
				continue
			}
			switch g := add(fmt.Sprint("attacker", n%5)); {
			case flips:
				for i := range g.Answers {
					g.Answers[i].Answer = play.OfHalves(-g.Answers[i].Answer.Halves())
				}
			default:
				g.Objects[0] = r.IntN(20)
			}
		}
		s, err := m.Select(tallied(games), games, 0)
		if err != nil {
			t.Fatal(err)
		}
		if len(s.Aside) != 5 || slices.ContainsFunc(s.Aside, func(a learn.Aside) bool { return !strings.HasPrefix(a.Client, "attacker") }) {
			t.Errorf("flips %v: set aside %v, want the 5 attackers", flips, s.Aside)
		}
	}
}

// TestAttacks plays one group's table with another group's answers and one attacker who has a tenth of the games, with the
// protection and without.
func TestAttacks(t *testing.T) {
	if testing.Short() {
		t.Skip("thousands of games")
	}
	if os.Getenv("MAPO_LONG") == "" {
		t.Skip("MAPO_LONG is not set")
	}
	const seeds, fresh, games = 3, 4000, 2176
	for _, c := range []struct {
		own, other string
		spoiled    float64 // what (b) costs at least without protection
	}{
		{"cross_authors.csv", "cross_leuven.csv", 0.05},
		{"cross_leuven.csv", "cross_authors.csv", 0.03},
	} {
		a := load(t, c.own, c.other)
		right := func(by attack, o learn.SelectOptions) (mean float64) {
			var lost float64
			caught := []int(nil)
			for seed := range seeds {
				key := rng.New(uint64(seed)).Name("attacks")
				out := a.learnUnder(t, by, 1, 8, games, o, key)
				mean += a.right(t, out.shares, fresh, key.Name("fresh")) / seeds
				lost, caught = max(lost, out.asideMax), append(caught, out.caught)
			}
			t.Logf("%s, %s, %+v: right in %.3f; caught at %v, at most %.3f of the honest games left out", c.own, by.name, o, mean, caught, lost)
			if by.share == 0 && lost >= 0.02 {
				t.Errorf("%.3f of the honest games are left out, want below 0.02", lost)
			}
			return mean
		}
		without := right(honest, learn.SelectOptions{})
		right(honest, guarded)
		for _, by := range attacks {
			off, on := right(by, learn.SelectOptions{}), right(by, guarded)
			if without-on > 0.02 {
				t.Errorf("%s, %s: with protection it costs %.3f, want at most 0.02", c.own, by.name, without-on)
			}
			if by.flips && without-off < c.spoiled {
				t.Errorf("%s, %s: without protection it costs %.3f, want at least %.3f", c.own, by.name, without-off, c.spoiled)
			}
		}
	}
}
