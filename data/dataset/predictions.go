package dataset

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"mapo/data/table"
)

const (
	mostClasses = 1000 // that are found in a file; a list in a spec may have more
	mostListed  = 1 << 16
)

// itemNames head the column of items' names; pandas calls a column without a name "Unnamed: 0".
var itemNames = []string{"", "unnamed: 0", "index", "item", "items", "id", "name", "file", "image", "text", "example", "sample"}

// Predictions are the classes that models predict for the items of a pool.
type Predictions struct {
	Name    string // the file
	Models  []string
	Items   []string
	Classes []string
	Of      []int32 // the class that each model predicts, an index of Classes, [items, models]
}

// Row returns what the models predict for item i, [models]. It aliases Of.
func (t *Predictions) Row(i int) []int32 {
	m := len(t.Models)
	return t.Of[i*m : (i+1)*m : (i+1)*m]
}

// ReadPredictions reads predictions from a CSV or TSV file, which may end in .gz, or from NumPy's .npy: a row an item, a
// column a model. classes are all there are; nil: those that are predicted, in order.
//
// A row is an item, a column a model, a cell the class that the model predicts. CSV and TSV have a
// header of models' names. The first column has the items' names where it is headed by nothing or a
// word such as item, id, name or file, or where its cells all differ and no model predicts one. A
// .npy file has two-dimensional whole numbers or floats: indices of classes, or the classes
// themselves where none are named. Both may end in .gz. Items on which all models agree are not in
// play, and models that agree on all items are one hypothesis, with a warning.
func ReadPredictions(path string, classes []string) (*Predictions, error) {
	if isNPY(path) {
		return readNPY(path, classes)
	}
	return read(path, func(l *lines) (*Predictions, error) { return readPredictions(l, classes) })
}

// votes is a file of predictions as it is read.
type votes struct {
	l     *lines
	head  []string
	names []string // the first column
	line  []int    // of each item
	of    []int32  // the other columns, -1: a missing prediction
	class classes
	empty []int // missing predictions of each column
	first error // what the first of them is
}

// readPredictions reads l to its end.
func readPredictions(l *lines, given []string) (*Predictions, error) {
	c, err := newClasses(given)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", l.name, err)
	}
	v := &votes{l: l, class: c}
	if err := eachLine(l.rows(), v.row); err != nil {
		return nil, err
	}
	if len(v.names) == 0 {
		return nil, l.fault("the file has no items; a header names the models, and each further line has their predictions for one item")
	}
	return v.predictions()
}

// IsTSV reports whether a file's cells are between tabs, by its name.
func IsTSV(name string) bool {
	return strings.HasSuffix(strings.TrimSuffix(strings.ToLower(name), ".gz"), ".tsv")
}

// row reads the header or an item.
func (v *votes) row(cells []string) error {
	if v.head == nil {
		v.head, v.empty = cells, make([]int, len(cells))
		return v.header()
	}
	switch {
	case len(cells) != len(v.head):
		return v.l.fault("the row has %d cells and the header %d; each item has one prediction of each model: add or remove cells", len(cells), len(v.head))
	case (len(v.names)+1)*len(v.head) > MaxCells:
		return v.l.fault("the file has more than %d predictions, too many to hold: split it", MaxCells)
	}
	v.names, v.line = append(v.names, cells[0]), append(v.line, v.l.line)
	for col, cell := range cells[1:] {
		id, err := v.cell(col+1, v.l.line, cell)
		if err != nil {
			return v.l.fault("column %d (%s): %v", col+2, table.Quote(v.head[col+1]), err)
		}
		v.of = append(v.of, id)
	}
	return nil
}

// header checks the names of the models.
func (v *votes) header() error {
	seen := map[string]int{}
	for col, name := range v.head {
		at, twice := seen[table.Fold(name)]
		switch {
		case col > 0 && name == "":
			return v.l.fault("column %d has no name; the header names the models: name it", col+1)
		case twice:
			return v.l.fault("columns %d and %d are both called %s; models' names must differ: rename one", at+1, col+1, table.Quote(name))
		}
		seen[table.Fold(name)] = col
	}
	if len(v.head) < 2 {
		return v.l.fault("the header has one cell, %s; there must be at least 2 models, one a column. Cells between other characters? Write commas, or tabs in a file that ends in .tsv", table.Quote(v.head[0]))
	}
	return nil
}

// cell returns a prediction's class. It returns -1 where there is none and notes it as missing.
func (v *votes) cell(col, line int, cell string) (int32, error) {
	if table.IsMissing(cell) && !(v.class.given && v.class.knows(cell)) {
		v.missing(col, line, cell)
		return -1, nil
	}
	return v.class.of(cell)
}

// missing notes a cell without a prediction.
func (v *votes) missing(col, line int, cell string) {
	v.empty[col]++
	if v.first != nil {
		return
	}
	what := "has no prediction"
	if cell != "" {
		what = "is " + table.Quote(cell) + ", no prediction"
	}
	remedy := "fill it in, or remove the item or the model"
	if cell != "" && !v.class.given {
		remedy += ". Is it a class? List all of them in classes"
	}
	v.first = fmt.Errorf("%s:%d: column %d (%s) %s; a model predicts a class for every item: %s", v.l.name, line, col+1, table.Quote(v.head[col]), what, remedy)
}

// predictions says what was read, once the first column is known for what it is.
func (v *votes) predictions() (*Predictions, error) {
	out := &Predictions{Name: v.l.name, Models: v.head, Of: v.of}
	width := len(v.head)
	if v.named() {
		out.Models, out.Items = v.head[1:], v.names
		if err := v.distinct(); err != nil {
			return nil, err
		}
	} else if err := v.allColumns(out); err != nil {
		return nil, err
	}
	for col, n := range v.empty {
		if n == len(v.names) {
			return nil, fmt.Errorf("%s:1: column %d (%s) is a model without predictions; each model predicts a class for every item: fill it in or remove it", v.l.name, col+1, table.Quote(v.head[col]))
		}
	}
	if v.first != nil {
		return nil, v.first
	}
	if len(out.Models) < 2 {
		return nil, fmt.Errorf("%s:1: there is 1 model, %s, in %d columns; there must be at least 2, one a column. Is the first column a model? Put one named item before it", v.l.name, table.Quote(out.Models[0]), width)
	}
	out.Classes = v.class.sorted(out.Of)
	return out, nil
}

// named reports whether the first column has the items' names: its header says so, or its cells all differ and are predicted
// by no model.
func (v *votes) named() bool {
	if slices.Contains(itemNames, strings.ToLower(v.head[0])) {
		return true
	}
	seen := make(map[string]bool, len(v.names))
	for _, name := range v.names {
		if seen[name] || v.class.knows(name) {
			return false
		}
		seen[name] = true
	}
	return !seen[""]
}

// distinct refuses items without a name and two of one name.
func (v *votes) distinct() error {
	seen := make(map[string]int, len(v.names))
	for i, name := range v.names {
		at, twice := seen[name]
		switch {
		case name == "":
			return fmt.Errorf("%s:%d: the item has no name; the first column names the items: write one", v.l.name, v.line[i])
		case twice:
			return fmt.Errorf("%s:%d: item %s stands on line %d too; the names of items must differ: rename one or remove it", v.l.name, v.line[i], table.Quote(name), v.line[at])
		}
		seen[name] = i
	}
	return nil
}

// allColumns takes the first column for a model.
func (v *votes) allColumns(out *Predictions) error {
	width := len(v.head)
	of := make([]int32, 0, width*len(v.names))
	for i, cell := range v.names {
		id, err := v.cell(0, v.line[i], cell)
		if err != nil {
			return fmt.Errorf("%s:%d: column 1 (%s): %w. Items' names? Head the column item", v.l.name, v.line[i], table.Quote(v.head[0]), err)
		}
		of = append(append(of, id), v.of[i*(width-1):(i+1)*(width-1)]...)
	}
	out.Of, out.Items = of, numberedItems(len(v.names))
	return nil
}

// numberedItems returns the names of items that have none.
func numberedItems(n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = "item " + strconv.Itoa(i+1)
	}
	return out
}
