package dataset

import (
	"errors"
	"fmt"
	"io"

	"mapo/data/table"
)

// ItemLabel is the class that an item of a pool has by a person or a measurement.
type ItemLabel struct {
	Item       string
	Class      string
	Propensity float64 // with which the item was asked for among those without a label; 0: it was not noted
	Line       int     // of the file
}

// ItemLabels are labels in the order in which they were given.
type ItemLabels struct {
	Name   string // the file
	Logged bool   // whether each has its propensity
	List   []ItemLabel
}

// Fault returns an error at the line of label k.
func (l *ItemLabels) Fault(k int, format string, a ...any) error {
	return fmt.Errorf("%s:%d: %s", l.Name, l.List[k].Line, fmt.Sprintf(format, a...))
}

// ReadItemLabels reads labels from a CSV or TSV file, which may end in .gz. Its header names the
// columns: item, class and, where it was logged, propensity, the probability with which the item
// was drawn among those without a label. Rows are in the order in which items were asked. Other
// columns are not read. An export of a session is read, too: labels that count are its answers.
func ReadItemLabels(path string) (*ItemLabels, error) {
	return read(path, readItemLabels)
}

// labelReader reads labels line by line.
type labelReader struct {
	*lines
	out  ItemLabels
	cols []int // of item, class and propensity
	wide int
	line map[string]int // of each item
}

// readItemLabels reads l to its end.
func readItemLabels(l *lines) (*ItemLabels, error) {
	r := &labelReader{lines: l, out: ItemLabels{Name: l.name}, line: map[string]int{}}
	err := l.skip()
	if errors.Is(err, io.EOF) {
		return nil, l.fault("the file is empty; its first line names the columns, item,class[,propensity]")
	}
	if err != nil {
		return nil, err
	}
	if head, is := l.export(); is {
		r.out.Logged = true
		err = l.turns(head, r.turn)
	} else if head, err = l.split("item", "class"); err == nil {
		r.wide = len(head)
		if r.cols, err = l.columns(head, "item", "class", "propensity"); err == nil {
			r.out.Logged = r.cols[2] >= 0
			err = eachLine(l.rows(), r.row)
		}
	}
	if err != nil {
		return nil, err
	}
	return &r.out, nil
}

// row reads a label.
func (r *labelReader) row(cells []string) error {
	if len(cells) != r.wide {
		return r.fault("the row has %d cells and the header %d: quote texts that have a comma", len(cells), r.wide)
	}
	propensity := ""
	if r.out.Logged {
		propensity = cells[r.cols[2]]
	}
	return r.add(cells[r.cols[0]], cells[r.cols[1]], propensity)
}

// turn takes a turn of an export in.
func (r *labelReader) turn(t *Turn) error {
	if t.Answer == "" {
		return nil
	}
	return r.add(t.Text, t.Answer, t.Probability)
}

// add takes a label in.
func (r *labelReader) add(item, class, propensity string) error {
	label := ItemLabel{Item: item, Class: plainClass(class), Line: r.lines.line}
	if label.Item == "" || label.Class == "" {
		return r.fault("the item or its class is empty; a label has both: fill it in or remove the row")
	}
	if at, twice := r.line[label.Item]; twice {
		return r.fault("item %s has a label on line %d too; an item is labelled once: remove one", table.Quote(label.Item), at)
	}
	r.line[label.Item] = label.Line
	if r.out.Logged {
		var err error
		if label.Propensity, err = number(r.decimal(propensity)); err != nil || !(label.Propensity > 0 && label.Propensity <= 1) {
			return r.fault("the propensity is %s; it is the probability with which the item was asked for, above 0 and at most 1. Not known? Leave the column out", table.Quote(propensity))
		}
	}
	r.out.List = append(r.out.List, label)
	return nil
}
