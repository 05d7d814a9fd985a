package learn

import (
	"cmp"
	"fmt"
	"slices"

	"mapo/data/table"
	"mapo/game/play"
)

// Summary says what games made of a table.
type Summary struct {
	Games, Told  int          // games read, and those whose truth was told
	Right        int          // told games that recommended the truth
	Untold       Untold       // games whose truth was not told
	Proposed     int          // told games whose truth is an object that is only proposed; they count for nothing yet
	Capped       int          // told games left out because their clients have too many
	Aside        []Aside      // clients whose games are set aside, the worst first
	Learned      int          // told games that the table is learned from
	Answers      int          // their answers, a half one as one
	Disagreement []Question   // questions by how much games disagree with the base table, the most first
	Confused     []Confusion  // pairs by how often one was recommended for the other, the most first
	Unplayed     []string     // objects that were never the truth
	Table        *table.Table // the learned table
}

// Untold counts the games whose truth was not told by their last guess: whether it was right, or wrong, or there was
// none. People tell the truth of a game more often where the guess was right, so the share of told games that are right
// is too good; beside these counts it can be seen how much.
type Untold struct{ Right, Wrong, None int }

// Question is one with its share of disagreement.
type Question struct {
	Text  string
	Share float64
	Count int // answers to it
}

// Confusion is how often an object was recommended where the truth was another.
type Confusion struct {
	Truth, Recommended string
	Games              int
}

// Learn updates a table by games: those of a file ([FromFile]) or of a database, whose names v holds; nil: the table's own.
// name stands for the games in errors. A truth that is not an object and a query that is not a question are errors, and
// nothing is learned then. Games of clients are kept in memory until all are read, the others are not.
func Learn(t *table.Table, v *Vocabulary, games Games, name string, o Options) (*Summary, error) {
	m := NewModel(t, v, o)
	l := &learner{names: namesOf(t, m.Names), tally: Tally{}, confused: map[[2]string]int{}}
	if err := games(l.add); err != nil {
		return nil, err
	}
	if l.Told == 0 {
		return nil, fmt.Errorf("%s: none of its %d games has a truth; there is nothing to learn from", name, l.Games)
	}
	if err := l.finish(m); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return &l.Summary, nil
}

// learner reads games.
type learner struct {
	*names
	Summary
	tally    Tally
	clients  []Played // the games of known clients
	confused map[[2]string]int
}

// add counts one game.
func (l *learner) add(g *Game) error {
	l.Games++
	switch {
	case g.Truth != "":
	case g.Guessed == nil:
		l.Untold.None++
		return nil
	case *g.Guessed:
		l.Untold.Right++
		return nil
	default:
		l.Untold.Wrong++
		return nil
	}
	l.Told++
	if g.Proposed {
		l.Proposed++
		return nil
	}
	p := Played{Client: g.Client, Capped: g.Capped, Exempt: g.Exempt}
	var err error
	if p.Objects, err = l.rows(g.Truth); err != nil {
		return err
	}
	if p.Answers, err = l.answers(g); err != nil {
		return err
	}
	if len(p.Answers) == 0 {
		return fmt.Errorf("the game of %q has no answer; leave it out", g.Truth)
	}
	if l.isAmong(p.Objects, g.Guess) {
		l.Right++
	} else if g.Guess != "" {
		l.confused[[2]string{g.Truth, g.Guess}]++
	}
	l.Answers += len(p.Answers)
	l.tally.AddGame(&p, 1)
	if p.Client != "" {
		l.clients = append(l.clients, p)
	}
	return nil
}

// isAmong reports whether all of these objects are what a hypothesis such as "A or B" stands for.
func (l *learner) isAmong(objects []int, hypothesis string) bool {
	of, err := l.rows(hypothesis)
	return err == nil && !slices.ContainsFunc(objects, func(k int) bool { return !slices.Contains(of, k) })
}

// answers returns the game's that count, don't know left out.
func (l *learner) answers(g *Game) ([]play.Answered, error) {
	var list []play.Answered
	for _, told := range g.History {
		i, ok := l.questions[table.Fold(told.Query)]
		if !ok {
			return nil, fmt.Errorf("the query %q is not a question of %s; learn on the table that the games were played on", told.Query, l.of)
		}
		if told.Answer == nil {
			continue
		}
		answer := play.Number(*told.Answer)
		if !answer.IsYesNo() {
			return nil, fmt.Errorf("the answer to %q is %g; it must be 1, 0.5, -0.5, -1 or null", told.Query, *told.Answer)
		}
		list = append(list, play.Answered{Query: i, Answer: answer})
	}
	return list, nil
}

// finish makes the learned table and says what changed.
func (l *learner) finish(m *Model) error {
	selected, err := m.Select(l.tally.Cells(), l.clients, l.Told-l.Proposed-len(l.clients))
	if err != nil {
		return err
	}
	l.Capped, l.Aside, l.Learned = selected.Capped, selected.Aside, l.Told-l.Proposed
	for k, out := range selected.Excluded {
		if out {
			l.Learned--
			l.Answers -= len(l.clients[k].Answers)
		}
	}
	next, share, err := m.Learned(selected.Cells)
	if err != nil {
		return err
	}
	c, played, err := m.counts(selected.Cells)
	if err != nil {
		return err
	}
	for i, text := range next.Queries {
		q := Question{Text: text, Share: share[i]}
		for at := i; at < len(c.Yes); at += m.Base.Queries {
			q.Count += int(c.Yes[at]+c.No[at]) / 2
		}
		l.Disagreement = append(l.Disagreement, q)
	}
	slices.SortStableFunc(l.Disagreement, func(a, b Question) int { return cmp.Compare(b.Share, a.Share) })
	for pair, n := range l.confused {
		l.Confused = append(l.Confused, Confusion{pair[0], pair[1], n})
	}
	slices.SortFunc(l.Confused, func(a, b Confusion) int {
		return cmp.Or(cmp.Compare(b.Games, a.Games), cmp.Compare(a.Truth, b.Truth), cmp.Compare(a.Recommended, b.Recommended))
	})
	for row, n := range played {
		if n == 0 {
			l.Unplayed = append(l.Unplayed, next.Objects[row])
		}
	}
	l.Table = next
	return nil
}
