package learn

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"mapo/game"
	"mapo/table"
)

// Options say how games update a table. The zero value is ready.
type Options struct {
	Trust   float64 // how many answers a base share counts as; 0: 2. A count k/n counts as n + 1, an unknown cell as 1
	Weights bool    // whether the objects' prior weights follow how often they were the truth
	Plain   bool    // whether all questions are taken to agree with the base table
}

const (
	defaultTrust = 2
	weightGames  = 2 // games that an object's prior weight counts as, on average
)

// Summary says what games made of a table.
type Summary struct {
	Games, Told  int          // games read, and those whose truth was told
	Right        int          // told games that recommended the truth
	Answers      int          // answers counted, a half one as one
	Disagreement []Question   // questions by how much games disagree with the base table, the most first
	Confused     []Confusion  // pairs by how often one was recommended for the other, the most first
	Unplayed     []string     // objects that were never the truth
	Table        *table.Table // the learned table
}

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

// Learn updates a table by the games of a file. name stands for the file in errors; a truth that is not an object and a
// query that is not a question of the table are errors, and nothing is learned then.
func Learn(t *table.Table, games io.Reader, name string, o Options) (*Summary, error) {
	if o.Trust == 0 {
		o.Trust = defaultTrust
	}
	l := &learner{names: namesOf(t), base: BaseOf(t, o.Trust), played: make([]int, len(t.Objects)), confused: map[[2]string]int{}}
	l.counts = NewCounts(l.base)
	if err := ReadGames(games, name, l.add); err != nil {
		return nil, err
	}
	if l.Told == 0 {
		return nil, fmt.Errorf("%s: none of its %d games has a truth; there is nothing to learn from", name, l.Games)
	}
	return l.summary(t, o), nil
}

// BaseOf returns the base of a table: its shares with how many answers each counts as.
func BaseOf(t *table.Table, trust float64) *Base {
	b := &Base{Queries: len(t.Queries), P: t.P, Kappa: make([]float64, len(t.P))}
	for row := range t.Objects {
		for col := range t.Queries {
			kappa := trust
			if c, counted := t.Count(row, col); counted {
				kappa = float64(c.N) + 1
			}
			if t.IsUnknown(row, col) {
				kappa = 1
			}
			b.Kappa[row*b.Queries+col] = kappa
		}
	}
	return b
}

// learner reads games.
type learner struct {
	*names
	Summary
	base     *Base
	counts   *Counts
	played   []int // [rows]
	confused map[[2]string]int
}

// add counts one game.
func (l *learner) add(_ int, g *Game) error {
	l.Games++
	if g.Truth == "" {
		return nil
	}
	rows, err := l.rows(g.Truth)
	if err != nil {
		return err
	}
	history, err := l.answers(g)
	if err != nil {
		return err
	}
	if len(history) == 0 {
		return fmt.Errorf("the game of %q has no answer; leave it out", g.Truth)
	}
	l.Told++
	l.Answers += len(history)
	if table.Fold(g.Guess) == table.Fold(g.Truth) {
		l.Right++
	} else if g.Guess != "" {
		l.confused[[2]string{g.Truth, g.Guess}]++
	}
	for _, row := range rows {
		l.played[row]++
		l.counts.Add(l.base, row, history, 1)
	}
	return nil
}

// answers returns the game's that count, don't know left out.
func (l *learner) answers(g *Game) ([]game.Answered, error) {
	var list []game.Answered
	for _, told := range g.History {
		i, ok := l.queries[table.Fold(told.Query)]
		if !ok {
			return nil, fmt.Errorf("the query %q is not a question of %s; learn on the table that the games were played on", told.Query, l.t.Name)
		}
		if told.Answer == nil {
			continue
		}
		answer := game.Answer(2 * *told.Answer)
		if answer.Value() != *told.Answer || answer == 0 || answer > game.Yes || answer < game.No {
			return nil, fmt.Errorf("the answer to %q is %g; it must be 1, 0.5, -0.5, -1 or null", told.Query, *told.Answer)
		}
		list = append(list, game.Answered{Query: i, Answer: answer})
	}
	return list, nil
}

// summary makes the learned table and says what changed.
func (l *learner) summary(t *table.Table, o Options) *Summary {
	share := make([]float64, l.base.Queries)
	if !o.Plain {
		Disagreement(share, l.base, l.counts)
	}
	for i, text := range t.Queries {
		q := Question{Text: text, Share: share[i]}
		for at := i; at < len(l.counts.Yes); at += l.base.Queries {
			q.Count += int(l.counts.Yes[at]+l.counts.No[at]) / 2
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
	for row, n := range l.played {
		if n == 0 {
			l.Unplayed = append(l.Unplayed, t.Objects[row])
		}
	}
	l.Table = l.learned(t, share, o)
	return &l.Summary
}

// learned returns the table after the games. A cell that was unknown stays so until a game answers it.
func (l *learner) learned(t *table.Table, share []float64, o Options) *table.Table {
	next := &table.Table{Name: t.Name, Objects: t.Objects, Queries: t.Queries, P: make([]float64, len(t.P)), Lines: t.Lines, Weights: t.Weights}
	Shares(next.P, l.base, l.counts, share)
	if t.Unknown != nil {
		next.Unknown = make([]bool, len(t.P))
		for at := range next.Unknown {
			next.Unknown[at] = t.Unknown[at] && l.counts.Yes[at]+l.counts.No[at] == 0
		}
	}
	if o.Weights {
		total := 0.
		for row := range t.Objects {
			total += t.Weight(row)
		}
		next.Weights = make([]float64, len(t.Objects))
		for row := range t.Objects {
			next.Weights[row] = weightGames*float64(len(t.Objects))*t.Weight(row)/total + float64(l.played[row])
		}
	}
	return next
}
