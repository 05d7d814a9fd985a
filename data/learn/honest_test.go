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

// TestHonestClients: on the tables of two groups, honest clients with many games are not set aside, even where each
// thinks of one animal only, and ten attackers beside them are, whatever they do alike.
func TestHonestClients(t *testing.T) {
	if os.Getenv("MAPO_LONG") == "" {
		t.Skip("MAPO_LONG is not set")
	}
	for _, names := range [][2]string{{"cross_authors.csv", "cross_leuven.csv"}, {"cross_leuven.csv", "cross_authors.csv"}} {
		a := load(t, names[0], names[1])
		m := learn.NewModel(a.table, nil, learn.Options{Select: learn.SelectOptions{SetAside: true}})
		const games = 544
		all, shares := a.honestly(t, m, games)
		aside := func(list []learn.Played) []learn.Aside {
			s, err := m.Select(tallied(list), list, 0)
			if err != nil {
				t.Fatal(err)
			}
			return s.Aside
		}
		for deal := range 30 {
			if out := aside(dealt(all, 10, 30, rng.New(uint64(deal)))); len(out) > 0 {
				t.Errorf("%s: honest clients are set aside: %v", names[0], out)
			}
		}
		others := dealt(all, 1, 8, rng.New(1))
		for row := range a.table.Objects {
			only := *a
			only.answers = slices.Repeat(a.answers[row*a.base.Queries:(row+1)*a.base.Queries], a.base.Rows())
			list := slices.Clone(others)
			only.play(t, shares, 12, rng.New(2).At(row), nil, func(_, _ int, history []play.Answered) {
				list = append(list, learn.Played{Objects: []int{row}, Answers: history, Client: "one"})
			})
			if out := aside(list); len(out) > 0 {
				t.Errorf("%s: a client who thinks of %s only is set aside: %v", names[0], a.table.Objects[row], out)
			}
		}
		for _, by := range attacks {
			list := slices.Clone(others)
			for client := range 10 {
				key := rng.New(3).At(client)
				a.play(t, shares, 20, key, func(int) bool { return by.flips }, func(n, row int, history []play.Answered) {
					if r := key.At(n).Name("claim").Stream(); by.claims != nil {
						row = by.claims(row, a.base.Rows(), &r)
					}
					list = append(list, learn.Played{Objects: []int{row}, Answers: history, Client: fmt.Sprint("attacker", client)})
				})
			}
			out := aside(list)
			if len(out) != 10 || slices.ContainsFunc(out, func(x learn.Aside) bool { return !strings.HasPrefix(x.Client, "attacker") }) {
				t.Errorf("%s, ten times %s: set aside %v", names[0], by.name, out)
			}
		}
	}
}

// honestly plays games with a new version every 68, and returns them with the shares learned from them.
func (a *across) honestly(t *testing.T, m *learn.Model, games int) (all []learn.Played, shares []float64) {
	t.Helper()
	for {
		next, _, err := m.Learned(tallied(all))
		if err != nil {
			t.Fatal(err)
		}
		if len(all) >= games {
			return all, next.P
		}
		a.play(t, next.P, 68, rng.New(5).At(len(all)), nil, func(_, row int, history []play.Answered) {
			all = append(all, learn.Played{Objects: []int{row}, Answers: history})
		})
	}
}

// dealt deals games to clients of least to most games each.
func dealt(games []learn.Played, least, most int, key rng.Key) []learn.Played {
	out, r := slices.Clone(games), key.Rand()
	left, client := 0, 0
	for _, k := range r.Perm(len(out)) {
		if left == 0 {
			left, client = least+r.IntN(most-least+1), client+1
		}
		out[k].Client = fmt.Sprint("c", client)
		left--
	}
	return out
}
