package servetest

import (
	"fmt"
	"slices"
	"testing"

	"mapo/game"
	"mapo/policy/rival"
	"mapo/serve/database"
	"mapo/serve/policies"
	"mapo/serve/sessions"
)

// The true classes of the items of photos.
var Truly = []string{"cat", "dog", "cow", "bird", "cat", "bird", "dog", "cat", "bird", "cow", "cat", "cat"}

// Photos returns a pool of twelve items of four classes, each in a cell of its own but for the last two, and three models: one is
// right about all, one about none of the cats, one about cats alone.
func Photos() *game.Problem {
	l := &game.Labels{Classes: []string{"cat", "dog", "bird", "cow"}, First: []int32{0}, Cell: []int32{0}, Pool: 12}
	p := &game.Problem{Name: "photos", Names: []string{"good", "fair", "poor"}, T: 8, Seek: l}
	said := make([][]string, 3)
	for i, class := range Truly {
		l.Items = append(l.Items, fmt.Sprintf("photo %02d", i))
		if i == 11 { // is in the last cell
			l.Cell[len(l.Cell)-1]++
			break
		}
		l.Cell = append(l.Cell, int32(i+1))
		said[0], said[1], said[2] = append(said[0], class), append(said[1], class), append(said[2], class)
		if class == "cat" {
			said[1][i] = "dog"
		} else {
			said[2][i] = "cat"
		}
		for c, name := range l.Classes {
			if slices.Contains([]string{said[0][i], said[1][i], said[2][i]}, name) {
				l.Of = append(l.Of, int32(c))
				p.X = append(p.X, l.Items[i]+": "+name)
			}
		}
		l.First = append(l.First, int32(len(l.Of)))
	}
	var says []float32
	for k := range said {
		for q := range p.X {
			bit := float32(0)
			if cell := l.CellOf(q); said[k][cell] == l.Classes[l.Of[q]] {
				bit = 1
			}
			says = append(says, bit)
			p.Z = append(p.Z, bit*float32(l.Room(l.CellOf(q)))/2)
		}
	}
	return p.Expecting(says)
}

// Mails returns a pool of two classes, one of them called no.
func Mails() *game.Problem {
	p := &game.Problem{
		Name: "mails", Names: []string{"m0", "m1"}, T: 3, X: []string{"cell 0", "cell 1"}, Z: []float32{1, 0, 0, 2},
		Seek: &game.Labels{Classes: []string{"no", "spam"}, Items: []string{"x", "y", "z"}, Cell: []int32{0, 1, 3}, Pool: 3},
	}
	return p.Expecting([]float32{1, 0, 0, 1})
}

// Labelling opens Model Selector on a pool.
func Labelling(p *game.Problem, id string, explore float64) func(string) (*policies.Policy, error) {
	return func(string) (*policies.Policy, error) {
		asks, err := rival.Parse(p, game.SimpleRegret, "model-selector")
		if err != nil {
			return nil, err
		}
		policy, err := policies.Untrained(id, p, asks, policies.Rules{Loss: game.SimpleRegret, Version: "test"})
		if err == nil {
			policy.Game.ExploreItems(explore)
		}
		return policy, err
	}
}

func PoolSessions(t *testing.T, open func() (database.Store, error), p *game.Problem, explore float64) (*sessions.Sessions, *policies.Set) {
	t.Helper()
	return Keeping(t, Opened(t, open), sessions.Options{}, Labelling(p, p.Name, explore), p.Name+"=pool")
}
