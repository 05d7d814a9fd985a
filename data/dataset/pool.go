package dataset

import (
	"bytes"
	"encoding/binary"
	"encoding/csv"
	"fmt"
	"slices"

	"mapo/data/table"
	"mapo/game"
	"mapo/rng"
)

// MostAsked is how many queries a problem of classifiers has at most where no sample is asked for: cells of two classes, else
// the classes that are predicted in each.
const MostAsked = 2000

// PoolOptions say what game to make of predictions.
type PoolOptions struct {
	Name string // of the problem; "": the file's base name
	T    int    // the budget
	Most int    // of a pool with more cells so many items are a sample; 0: as many as have at most [MostAsked] queries
	Seed uint64 // of the sample
}

// Made is a problem of classifiers and what it was made of.
type Made struct {
	*game.Problem
	Model    []int    // a model of each hypothesis, the first of those that are alike
	Differ   int      // on how many items of the pool models differ
	Most     int      // of PoolOptions: what makes the same problem, whatever MostAsked is
	Notes    []string // what was done
	Warnings []string // what was merged
}

// Problem makes the game of finding the model with the most correct predictions. Items on which all models agree are left out,
// and models that agree on all items are one hypothesis. Items of equal predictions are a cell. A pool of more than o.Most cells
// is sampled: its items are ordered by how far the models disagree on them and cut into o.Most strata of equal size. One item is
// drawn from each and then stands for its stratum.
func (t *Predictions) Problem(o PoolOptions) (*Made, error) {
	if o.Name == "" {
		o.Name = Base(t.Name)
	}
	out := &Made{}
	models := t.distinct(upTo(len(t.Models)), upTo(len(t.Items)), "", out)
	if len(models) < 2 {
		return nil, fmt.Errorf("%s: all %d models predict the same for all %d items; a game needs two that differ: add models, or items", t.Name, len(t.Models), len(t.Items))
	}
	items := slices.DeleteFunc(upTo(len(t.Items)), func(i int) bool { return len(t.predicted(i, models)) == 1 })
	out.Differ = len(items)
	if same := len(t.Items) - len(items); same > 0 {
		out.Notes = append(out.Notes, fmt.Sprintf("%s: on %d of %d items all models agree, which tells none from another: those are not asked for", t.Name, same, len(t.Items)))
	}
	weights := slices.Repeat([]float64{1}, len(items))
	n, queries := t.patterns(items, models)
	if o.Most == 0 {
		if o.Most = n; queries > MostAsked {
			o.Most = t.most(items, models, o.Seed)
		}
	}
	out.Most = o.Most
	if n > o.Most {
		items, weights = t.sample(items, models, o)
		out.Notes = append(out.Notes, fmt.Sprintf("%s: the other %d items have %d patterns of predictions: a sample of %d items stands for them, stratified by disagreement, seed %d",
			t.Name, out.Differ, n, len(items), o.Seed))
		models = t.distinct(models, items, " in the sample", out)
	}
	out.Model = models
	out.Problem = t.game(items, weights, models, o)
	for _, m := range models {
		out.Names = append(out.Names, t.Models[m])
	}
	return out, nil
}

// distinct returns those models that differ from all before them on some of the items, and warns of the others.
func (t *Predictions) distinct(models, items []int, where string, out *Made) (kept []int) {
	seen := map[string]int{}
	column := make([]byte, 4*len(items))
	for _, m := range models {
		for at, i := range items {
			binary.LittleEndian.PutUint32(column[4*at:], uint32(t.Of[i*len(t.Models)+m]))
		}
		if first, ok := seen[string(column)]; ok {
			out.Warnings = append(out.Warnings, fmt.Sprintf("%s: models %s and %s predict the same for all items%s, and no label tells them apart: %s stands for both",
				t.Name, table.Quote(t.Models[first]), table.Quote(t.Models[m]), where, table.Quote(t.Models[first])))
			continue
		}
		seen[string(column)] = m
		kept = append(kept, m)
	}
	return kept
}

// patterns returns how many there are, and how many queries they make.
func (t *Predictions) patterns(items, models []int) (cells, queries int) {
	all := t.cells(items, make([]float64, len(items)), models)
	for _, c := range all {
		queries += t.queries(c.items[0], models)
	}
	return len(all), queries
}

// queries returns how many item i's cell has.
func (t *Predictions) queries(i int, models []int) int {
	if len(t.Classes) == 2 {
		return 1
	}
	return len(t.predicted(i, models))
}

// most returns the size of the largest sample that surely has at most MostAsked queries, or one a little smaller.
func (t *Predictions) most(items, models []int, seed uint64) int {
	for n := min(MostAsked, len(items)); ; n -= max(1, n/20) {
		sample, _ := t.sample(items, models, PoolOptions{Most: n, Seed: seed})
		if _, queries := t.patterns(sample, models); queries <= MostAsked {
			return n
		}
	}
}

// sample draws one item from each stratum, and how many it stands for.
func (t *Predictions) sample(items, models []int, o PoolOptions) (kept []int, weights []float64) {
	top := make(map[int]int, len(items)) // by item: how many models predict the class that most predict
	count := make(map[int32]int, len(t.Classes))
	for _, i := range items {
		clear(count)
		for _, m := range models {
			c := t.Row(i)[m]
			count[c]++
			top[i] = max(top[i], count[c])
		}
	}
	order := slices.Clone(items)
	slices.SortStableFunc(order, func(a, b int) int { return top[a] - top[b] })
	r := rng.New(o.Seed).Name("sample").Rand()
	weight := make(map[int]float64, o.Most)
	for k := range o.Most {
		lo, hi := k*len(order)/o.Most, (k+1)*len(order)/o.Most
		i := order[lo+r.IntN(hi-lo)]
		kept, weight[i] = append(kept, i), float64(hi-lo)
	}
	slices.Sort(kept)
	for _, i := range kept {
		weights = append(weights, weight[i])
	}
	return kept, weights
}

// cell is the items of one pattern.
type poolCell struct {
	items  []int
	weight float64 // how many items stand behind it
}

// cells groups the items, in the order of the file.
func (t *Predictions) cells(items []int, weights []float64, models []int) (all []poolCell) {
	known, key := map[string]int{}, make([]byte, 4*len(models))
	for k, i := range items {
		for at, m := range models {
			binary.LittleEndian.PutUint32(key[4*at:], uint32(t.Row(i)[m]))
		}
		c, ok := known[string(key)]
		if !ok {
			c = len(all)
			known[string(key)] = c
			all = append(all, poolCell{})
		}
		all[c].items = append(all[c].items, i)
		all[c].weight += weights[k]
	}
	return all
}

// game returns the problem over the cells of the items, without names.
func (t *Predictions) game(items []int, weights []float64, models []int, o PoolOptions) *game.Problem {
	cells, two := t.cells(items, weights, models), len(t.Classes) == 2
	l := &game.Labels{Classes: t.Classes, Cell: []int32{0}, Pool: float64(len(t.Items))}
	p := &game.Problem{Name: o.Name, T: o.T, Seek: l}
	if !two {
		l.First = []int32{0}
	}
	var worth []float32 // of each query
	var first, of []int // an item of each query, and the class that it is about
	for _, c := range cells {
		for _, i := range c.items {
			l.Items = append(l.Items, t.Items[i])
		}
		l.Cell = append(l.Cell, int32(len(l.Items)))
		text := t.Items[c.items[0]]
		if more := len(c.items) - 1; more > 0 {
			text += fmt.Sprintf(" and %d more", more)
		}
		if two {
			p.X, worth, first, of = append(p.X, text), append(worth, float32(c.weight)), append(first, c.items[0]), append(of, 1)
			continue
		}
		for _, class := range t.predicted(c.items[0], models) {
			p.X, worth = append(p.X, text+": "+t.Classes[class]), append(worth, float32(c.weight/2))
			first, of, l.Of = append(first, c.items[0]), append(of, int(class)), append(l.Of, class)
		}
		l.First = append(l.First, int32(len(p.X)))
	}
	var says []float32
	for _, m := range models {
		for q, i := range first {
			bit := float32(0)
			if int(t.Row(i)[m]) == of[q] {
				bit = 1
			}
			says, p.Z = append(says, bit), append(p.Z, bit*worth[q])
		}
	}
	return p.Expecting(says)
}

// predicted lists the classes that the models predict for item i, ascending.
func (t *Predictions) predicted(i int, models []int) (all []int32) {
	for _, m := range models {
		all = append(all, t.Row(i)[m])
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// CSV returns the predictions as [ReadPredictions] reads them.
func (t *Predictions) CSV() []byte {
	rows := [][]string{append([]string{"item"}, t.Models...)}
	for i, item := range t.Items {
		row := []string{item}
		for _, c := range t.Row(i) {
			row = append(row, t.Classes[c])
		}
		rows = append(rows, row)
	}
	return csvOf(rows)
}

// LabelCSV returns the class of each item as [ReadLabels] reads it.
func (t *Predictions) LabelCSV(class []int32) []byte {
	rows := [][]string{{"item", "class"}}
	for i, c := range class {
		rows = append(rows, []string{t.Items[i], t.Classes[c]})
	}
	return csvOf(rows)
}

// Completed returns a class for every item as CSV: the one in known, by item, else the one that a
// model predicts. A column says which of the two it is.
func (t *Predictions) Completed(model int, known map[string]string) []byte {
	rows := [][]string{{"item", "class", "by"}}
	for i, item := range t.Items {
		if class, ok := known[item]; ok {
			rows = append(rows, []string{item, class, "label"})
			continue
		}
		rows = append(rows, []string{item, t.Classes[t.Row(i)[model]], "model"})
	}
	return csvOf(rows)
}

// csvOf returns rows of cells as CSV.
func csvOf(rows [][]string) []byte {
	var b bytes.Buffer
	out := csv.NewWriter(&b)
	_ = out.WriteAll(rows) // a buffer takes everything
	return b.Bytes()
}
