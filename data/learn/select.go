package learn

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// SelectOptions say which games a table is not learned from. The zero value excludes none.
type SelectOptions struct {
	Cap      float64 // the largest share of all games that may count from one capped client; 0: no limit
	Floor    int     // how many of its games count in any case; 0: 20
	SetAside bool    // whether clients whose games fit no one else's are set aside
}

const (
	defaultFloor = 20
	asideGames   = 10  // games from which on a client is judged
	asideOf      = 100 // one game of so many is as low as the quantile that a median fit is compared with
)

// Selection says which games a table is learned from.
type Selection struct {
	Excluded []bool  // [games]
	Capped   int     // games excluded because their clients have too many
	Aside    []Aside // clients set aside, in that order: the worst first
	Cells    []Cell  // of the games that count, in the order of all cells
}

// Aside is a client whose games are set aside, and why: the median of their fits lies below the quantile of the others'.
type Aside struct {
	Client           string
	Games            int // that the cap left
	Median, Quantile float64
}

// Select decides which games a version is learned from. cells count all games, each cell once: the games given, oldest
// first, and as many stripped ones, of which nothing else is known.
//
// Of a capped client the newest games beyond max(Floor, Cap·N) are excluded, N being the games that count after that.
// Then clients are set aside as a whole. The fit of a game is its mean log-likelihood an answer, so long and short games
// compare; shares are kept from 0 and 1 as in a posterior. A client with at least 10 games is set aside where the median
// fit of its games lies below the 1 % quantile of the other games' fits. Both are judged by the table, disagreement
// included, that is learned without the client, and each of the other games without its own answers besides. The client
// of the lowest median goes first, and the rest are judged anew without it. Fewer than 100 other games have no 1 %
// quantile, and then no client is set aside.
//
// Clients that misfit alike would hide each other among the games that fit worst. So first the 64 clients of the lowest
// medians, up to a third of the games, are taken out together. They come back one by one, the highest median first, until
// one misfits; that one and those below it are set aside.
//
// The error names an object or question that has answers and no place in the table.
func (m *Model) Select(cells []Cell, games []Played, stripped int) (*Selection, error) {
	if share := m.o.Select.Cap; !(share >= 0 && share <= 1) {
		return nil, fmt.Errorf("the cap of a client is %g; it must be from 0 to 1, a share of all games, 0 for none", share)
	}
	s := &Selection{Excluded: make([]bool, len(games))}
	x := &selector{o: m.o.Select, stripped: stripped, s: s}
	x.group(games)
	x.cap()
	if m.o.Select.SetAside {
		j, err := m.judge(cells, games, x)
		if err != nil {
			return nil, err
		}
		j.setAside()
	}
	for _, c := range x.clients {
		if !c.aside {
			s.Capped += len(c.games) - c.kept
		}
	}
	out := Tally{}
	for k, excluded := range s.Excluded {
		if excluded {
			out.AddGame(&games[k], 1)
		}
	}
	for _, c := range cells {
		less := out[[2]int{c.Object, c.Question}]
		if c.Yes, c.No = c.Yes-less[0], c.No-less[1]; c.Yes != 0 || c.No != 0 {
			s.Cells = append(s.Cells, c)
		}
	}
	return s, nil
}

// client is one with its games.
type client struct {
	id             string
	games          []int // in order
	kept           int   // how many of them the cap leaves, the first ones
	capped, exempt bool
	suspected      bool // taken out for the moment
	aside          bool
	median         float64 // of the fits of the games kept, by the table without them
}

// selector applies the cap.
type selector struct {
	o        SelectOptions
	stripped int
	clients  []*client
	s        *Selection
}

// group finds the clients in the order of their first games. Games of no known client are not judged and not capped.
func (x *selector) group(games []Played) {
	at := map[string]*client{}
	for k := range games {
		g := &games[k]
		if g.Client == "" {
			x.stripped++
			continue
		}
		c := at[g.Client]
		if c == nil {
			c = &client{id: g.Client, capped: g.Capped, exempt: g.Exempt}
			at[g.Client], x.clients = c, append(x.clients, c)
		}
		c.games = append(c.games, k)
		c.kept = len(c.games)
	}
}

// cap excludes what clients have beyond their share of the games that count. Where clients have been set aside since,
// it excludes more: the share is of fewer games. It returns the games newly excluded.
func (x *selector) cap() (excluded []int) {
	if x.o.Cap == 0 {
		return nil
	}
	most := x.most()
	for _, c := range x.clients {
		if !c.capped || c.aside || c.kept <= most {
			continue
		}
		for _, k := range c.games[most:c.kept] {
			x.s.Excluded[k] = true
			excluded = append(excluded, k)
		}
		c.kept = most
	}
	return excluded
}

// most returns the largest c = max(Floor, Cap·Σ min(n_i, c)), in whole games.
func (x *selector) most() int {
	floor, most := cmp.Or(x.o.Floor, defaultFloor), math.MaxInt
	for {
		total := x.stripped
		for _, c := range x.clients {
			switch {
			case c.aside:
			case c.capped:
				total += min(len(c.games), most)
			default:
				total += len(c.games)
			}
		}
		next := max(floor, int(x.o.Cap*float64(total)))
		if next >= most {
			return most
		}
		most = next
	}
}

// remove sets a client aside and returns the games that were left of it.
func (x *selector) remove(c *client, quantile float64) []int {
	x.s.Aside = append(x.s.Aside, Aside{Client: c.id, Games: c.kept, Median: c.median, Quantile: quantile})
	c.aside = true
	for _, k := range c.games {
		x.s.Excluded[k] = true
	}
	return slices.Clip(c.games[:c.kept])
}
