package learn

import (
	"cmp"
	"fmt"
	"slices"

	"mapo/data/table"
)

// Vocabulary names the objects and questions that counts are of, by their indices. Names are only ever appended: an
// index means the same whatever becomes of the base table.
type Vocabulary struct{ Objects, Questions []Name }

// Name is an object's name or a question's text.
type Name struct {
	Text     string
	Accepted bool  // people proposed it and it was accepted: it is learned even where the base table does not have it
	Yes, No  []int // of an accepted question: the objects, by index, that are known to have that answer
}

// VocabularyOf returns a table's own objects and questions, in its order.
func VocabularyOf(t *table.Table) *Vocabulary {
	v := &Vocabulary{}
	for _, name := range t.Objects {
		v.Objects = append(v.Objects, Name{Text: name})
	}
	for _, text := range t.Queries {
		v.Questions = append(v.Questions, Name{Text: text})
	}
	return v
}

// Options say how games update a table. The zero value is ready, and excludes no game.
type Options struct {
	Trust   float64       // how many answers a base share counts as; 0: 2. A count k/n counts as n + 1, an unknown cell as 1
	Weights bool          // whether the objects' prior weights follow how often they were the truth
	Plain   bool          // whether all questions are taken to agree with the base table
	Select  SelectOptions // which games of clients are left out
}

const (
	defaultTrust  = 2
	acceptedKappa = 2    // how many answers a share of an accepted object counts as, at the mean of its question
	weightGames   = 2    // games that an object's prior weight counts as, on average
	acceptedYes   = 0.95 // the share of an object that is known to have a yes to an accepted question; a no is the opposite
)

// Model is a base table with the names that people added, ready to be updated by counts. What follows from equal counts
// is equal bit for bit, whatever was counted before. Read-only once made; it may be used concurrently.
type Model struct {
	Base  *Base
	Names *Vocabulary

	table     *table.Table // the base table, then what was accepted
	objects   []int        // the row of each object of Names, −1 where it has none
	questions []int        // the column of each question of Names, −1 where it has none
	o         Options
}

// NewModel returns the model of a base table whose counts are in the indices of v; nil: the table's own order. The
// table's rows and columns come first, and behind them the accepted names that it does not have. An accepted object
// begins at the mean of every question, which counts as 2 answers. An accepted question begins with unknown cells at
// its mean, and with 0.95 and 0.05 where its answer is known. Costs O(rows·queries).
func NewModel(t *table.Table, v *Vocabulary, o Options) *Model {
	o.Trust = cmp.Or(o.Trust, defaultTrust)
	if v == nil {
		v = VocabularyOf(t)
	}
	m := &Model{Names: v, o: o}
	next := &table.Table{Name: t.Name, Objects: slices.Clip(t.Objects), Queries: slices.Clip(t.Queries)}
	m.objects = place(&next.Objects, v.Objects)
	m.questions = place(&next.Queries, v.Questions)
	m.fill(next, t)
	m.table, m.Base = next, BaseOf(next, o.Trust)
	for row := len(t.Objects); row < len(next.Objects); row++ {
		for col := range t.Queries {
			m.Base.Kappa[row*m.Base.Queries+col] = acceptedKappa
		}
	}
	return m
}

// place returns where each name is in list, to which it appends the accepted ones that are missing; −1: nowhere.
func place(list *[]string, names []Name) []int {
	at := map[string]int{}
	for k, name := range *list {
		at[table.Fold(name)] = k
	}
	places := make([]int, len(names))
	for k, name := range names {
		folded := table.Fold(name.Text)
		p, ok := at[folded]
		if !ok && name.Accepted {
			p, ok = len(*list), true
			at[folded], *list = p, append(*list, name.Text)
		}
		if !ok {
			p = -1
		}
		places[k] = p
	}
	return places
}

// fill gives next, whose names begin with those of t, its cells and weights.
func (m *Model) fill(next, t *table.Table) {
	rows, cols := len(next.Objects), len(next.Queries)
	next.P, next.Lines = make([]float64, rows*cols), make([]int, rows)
	copy(next.Lines, t.Lines)
	if t.Unknown != nil || cols > len(t.Queries) {
		next.Unknown = make([]bool, rows*cols)
	}
	if t.Counts != nil {
		next.Counts = make([]table.Count, rows*cols)
	}
	for row := range t.Objects {
		copy(next.Row(row), t.Row(row))
		for col := range t.Queries {
			at := row*cols + col
			if next.Unknown != nil {
				next.Unknown[at] = t.IsUnknown(row, col)
			}
			if next.Counts != nil {
				next.Counts[at], _ = t.Count(row, col)
			}
		}
	}
	for col := range t.Queries {
		mean := columnMean(t, col)
		for row := len(t.Objects); row < rows; row++ {
			next.P[row*cols+col] = mean
		}
	}
	m.addQuestions(next, len(t.Queries))
	if t.Weights != nil {
		next.Weights = slices.Clone(t.Weights)
		for range rows - len(t.Objects) {
			next.Weights = append(next.Weights, total(t)/float64(len(t.Objects)))
		}
	}
}

// addQuestions fills the columns from first on, those of accepted questions.
func (m *Model) addQuestions(next *table.Table, first int) {
	cols := len(next.Queries)
	for k, name := range m.Names.Questions {
		col := m.questions[k]
		if col < first {
			continue
		}
		for row := range next.Objects {
			next.Unknown[row*cols+col] = true
		}
		for _, known := range []struct {
			objects []int
			share   float64
		}{{name.No, 1 - acceptedYes}, {name.Yes, acceptedYes}} {
			for _, object := range known.objects {
				if row := m.objects[object]; row >= 0 {
					next.P[row*cols+col], next.Unknown[row*cols+col] = known.share, false
				}
			}
		}
		mean := columnMean(next, col)
		for row := range next.Objects {
			if next.IsUnknown(row, col) {
				next.P[row*cols+col] = mean
			}
		}
	}
}

// columnMean returns the smoothed mean of a column's n known cells, (Σp + 1)/(n + 2).
func columnMean(t *table.Table, col int) float64 {
	sum, n := 1., 2.
	for row := range t.Objects {
		if !t.IsUnknown(row, col) {
			sum, n = sum+t.P[row*len(t.Queries)+col], n+1
		}
	}
	return sum / n
}

// total returns the sum of a table's weights.
func total(t *table.Table) float64 {
	sum := 0.
	for row := range t.Objects {
		sum += t.Weight(row)
	}
	return sum
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

// Learned returns the table after the games that cells count, with their disagreement by question, [columns]. A cell
// that was unknown stays so until a game answers it. The error names an object or question that has answers and no
// place in the table. Costs O(rows·queries).
func (m *Model) Learned(cells []Cell) (*table.Table, []float64, error) {
	c, played, err := m.counts(cells)
	if err != nil {
		return nil, nil, err
	}
	t, share := m.table, make([]float64, m.Base.Queries)
	if !m.o.Plain {
		Disagreement(share, m.Base, c)
	}
	next := &table.Table{Name: t.Name, Objects: t.Objects, Queries: t.Queries, P: make([]float64, len(t.P)), Lines: t.Lines, Weights: t.Weights}
	Shares(next.P, m.Base, c, share)
	if t.Unknown != nil {
		next.Unknown = make([]bool, len(t.P))
		for at := range next.Unknown {
			next.Unknown[at] = t.Unknown[at] && c.Yes[at]+c.No[at] == 0
		}
	}
	if m.o.Weights {
		scale := weightGames * float64(len(t.Objects)) / total(t)
		next.Weights = make([]float64, len(t.Objects))
		for row := range t.Objects {
			next.Weights[row] = scale*t.Weight(row) + float64(played[row])
		}
	}
	return next, share, nil
}

// counts returns the counts of cells in the order of the table, and how many games each row had.
func (m *Model) counts(cells []Cell) (c *Counts, played []int64, err error) {
	c, played = NewCounts(m.Base), make([]int64, m.Base.Rows())
	for _, cell := range cells {
		if cell.Yes == 0 && cell.No == 0 {
			continue
		}
		row, err := m.row(cell.Object)
		if err != nil {
			return nil, nil, err
		}
		if cell.Question == OfGames {
			played[row] += cell.Yes / 2
			continue
		}
		col, err := m.column(cell.Question)
		if err != nil {
			return nil, nil, err
		}
		c.Yes[row*m.Base.Queries+col] += cell.Yes
		c.No[row*m.Base.Queries+col] += cell.No
	}
	return c, played, nil
}

// row returns the row of an object that has games.
func (m *Model) row(object int) (int, error) {
	return m.at("object", "games", object, m.objects, m.Names.Objects)
}

// column returns the column of a question that has answers.
func (m *Model) column(question int) (int, error) {
	return m.at("question", "answers", question, m.questions, m.Names.Questions)
}

// at returns the place in the table of an index of the vocabulary; has is what makes the table need it.
func (m *Model) at(what, has string, index int, places []int, names []Name) (int, error) {
	switch {
	case index < 0 || index >= len(places):
		return 0, fmt.Errorf("the games name %s %d, and there are %d", what, index, len(places))
	case places[index] < 0:
		return 0, fmt.Errorf("%s has no %s %q, which has %s; use the table that they were played on or, in a server, give this one another id (NAME=TABLE)", m.table.Name, what, names[index].Text, has)
	}
	return places[index], nil
}
