package dataset

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"mapo/data/table"
)

// Tabulation is raw answers made into a table, and what is to be known of them
// before the table is believed.
type Tabulation struct {
	Name             string // of the file, for messages
	Objects, Queries []string
	Rows             int // answers read
	Yes, No, Unknown int
	Half             int // answers of "probably" or "probably not"
	TabulateOptions
	Annotators []Annotator // by their number of answers, most first; nil without such a column

	cells []cell // [objects, queries]
}

// TabulateOptions are the numbers a tabulation rests on.
type TabulateOptions struct {
	// Smooth is how many answers a cell is given beside its own. Their share of yes is m, the
	// query's over all objects:
	//
	//	P(yes) = (yes + Smooth·m)/(yes + no + Smooth),  m = (Y + 1)/(Y + N + 2)
	//
	// with the query's Y yes and N no. "Probably" counts as half a
	// yes and "probably not" as half a no. With 0 it is
	// the plain share, ½ where there is no answer.
	Smooth float64
	Thin   int // a cell with fewer answers of yes or no, half answers counting ½, is called thin
}

// cell counts the answers about one object to one query.
type cell struct{ yes, no, probably, probablyNot, unknown uint32 }

// said returns the counts of yes and no, half answers counting ½.
func (c cell) said() (yes, no float64) {
	return float64(c.yes) + float64(c.probably)/2, float64(c.no) + float64(c.probablyNot)/2
}

// known returns the sum of both.
func (c cell) known() float64 {
	yes, no := c.said()
	return yes + no
}

// share returns the share of yes among them; NaN where there is none.
func (c cell) share() float64 {
	yes, no := c.said()
	return yes / (yes + no)
}

// effective returns how many whole answers have a share of yes as uncertain as the cell's: (Σ weights)²/Σ weights².
func (c cell) effective() float64 {
	whole, half := float64(c.yes)+float64(c.no), float64(c.probably)+float64(c.probablyNot)
	if whole+half == 0 {
		return 0
	}
	return (whole + half/2) * (whole + half/2) / (whole + half/4)
}

// count returns the counter of one answer.
func (c *cell) count(is int) *uint32 {
	return [...]*uint32{isYes: &c.yes, isNo: &c.no, isProbably: &c.probably, isProbablyNot: &c.probablyNot, isUnknown: &c.unknown}[is]
}

// remove takes one answer away and reports whether there was one.
func (c *cell) remove(is int) bool {
	n := c.count(is)
	had := *n > 0
	if had {
		*n--
	}
	return had
}

// Bounds of a file of answers: it is streamed, so only what is kept is bounded.
const (
	mostAnswers    = 1 << 40 // bytes of the file, unpacked
	mostAnnotators = 1 << 21
)

// Tabulate reads the answers in a .csv or .csv.gz file in long form. Its header has
// the columns object, query, answer and perhaps annotator, in any order; others are
// passed over. One answer a row follows: yes, no, probably, probably not or unknown, or, as
// exports of sessions have them, 1, -1, 0.5 or -0.5. The file is streamed, and
// a second time where it names annotators, so that it must be a regular file then; what
// is kept grows with objects × queries and with annotators, not with rows. Unknown
// answers count for no share.
func Tabulate(path string, o TabulateOptions) (*Tabulation, error) {
	t, c, err := counted(path, o)
	if err == nil && c.annotated {
		err = t.compare(c)
	}
	if err != nil {
		return nil, err
	}
	return t, nil
}

// counted returns the tabulation after the first reading.
func counted(path string, o TabulateOptions) (*Tabulation, *counter, error) {
	t := &Tabulation{Name: path, TabulateOptions: o}
	c := &counter{objects: map[string]int{}, queries: map[string]int{}}
	var err error
	t.Rows, err = eachAnswer(path, math.MaxInt, c.count)
	switch {
	case errors.Is(err, io.EOF):
		return nil, nil, fmt.Errorf("%s:1: the file is empty: the first line names the columns, object,query,answer[,annotator]", path)
	case err != nil:
		return nil, nil, err
	case t.Rows == 0:
		return nil, nil, fmt.Errorf("%s:1: the file has a header and no answers: write one a line, object,query,answer", path)
	case len(c.objectNames) < 2:
		return nil, nil, fmt.Errorf("%s:2: all answers are about one object, %s: a game needs at least 2 that differ", path, table.Quote(c.objectNames[0]))
	case numbers(c.queryNames):
		return nil, nil, fmt.Errorf("%s:2: all queries are named by numbers, such as %s, and the header of a table is not read as numbers: put a letter before each", path, table.Quote(c.queryNames[0]))
	}
	t.Objects, t.Queries, t.cells = c.objectNames, c.queryNames, c.dense()
	for _, x := range t.cells {
		t.Yes, t.No, t.Unknown = t.Yes+int(x.yes), t.No+int(x.no), t.Unknown+int(x.unknown)
		t.Half += int(x.probably) + int(x.probablyNot)
	}
	return t, c, nil
}

// changed is what is wrong where the second reading meets another file than the first.
const changed = "the file changed while it was read: run it again"

// compare reads the rows of the first reading again and sets how far each annotator agrees
// with the others.
func (t *Tabulation) compare(c *counter) error {
	a := &agreement{t: t, objects: c.objects, queries: c.queries, at: map[string]int{}}
	switch rows, err := eachAnswer(t.Name, t.Rows, a.compare); {
	case errors.Is(err, io.EOF), err == nil && rows < t.Rows:
		return fmt.Errorf("%s: "+changed, t.Name)
	case err != nil:
		return err
	}
	t.Annotators = a.sorted()
	return nil
}

// Answers an answer may be.
const (
	isYes = iota
	isNo
	isProbably
	isProbablyNot
	isUnknown
)

// written are the answers as a file has them, in lower case: in words, or as exports of sessions do.
var written = map[string]int{
	"yes": isYes, "1": isYes, "no": isNo, "-1": isNo, "probably": isProbably, "0.5": isProbably,
	"probably not": isProbablyNot, "-0.5": isProbablyNot, "unknown": isUnknown, "don't know": isUnknown,
}

// answer is a row of the file. Its names alias the line read: they are cloned where
// they are kept.
type answer struct {
	object, query, annotator string
	is                       int
	annotated                bool
}

// eachAnswer calls do for the first rows of the file, most at most, and counts them;
// io.EOF where it is empty.
func eachAnswer(path string, most int, do func(l *lines, a answer) error) (rows int, err error) {
	l, err := openLines(path)
	if err != nil {
		return 0, err
	}
	defer l.Close()
	l.most = mostAnswers
	cells, err := l.next()
	if err != nil {
		return 0, err
	}
	var at [4]int
	for i, name := range []string{"object", "query", "answer", "annotator"} {
		at[i] = column(cells, name)
		if at[i] < 0 && name == "query" {
			if at[i] = column(cells, "question"); at[i] >= 0 {
				name = "question"
			}
		}
		if at[i] < 0 && name != "annotator" {
			return 0, l.fault("no column is called %s: the first line names the columns, object,query,answer[,annotator]", name)
		}
		if again := column(cells[at[i]+1:], name); again >= 0 {
			return 0, l.fault("columns %d and %d are both called %s: rename one or remove it", at[i]+1, at[i]+again+2, name)
		}
	}
	if at[3] >= 0 && !l.again {
		return 0, l.fault("answers with annotators are read twice, and this is not a regular file: write it to a file first, or leave the column out")
	}
	for width := len(cells); rows < most; rows++ {
		cells, err := l.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return rows, err
		}
		if len(cells) != width {
			return rows, l.fault("the row has %d cells, the header %d: quote names that have a comma", len(cells), width)
		}
		a := answer{object: table.Fold(cells[at[0]]), query: table.Fold(cells[at[1]])}
		if a.annotated = at[3] >= 0; a.annotated {
			a.annotator = cells[at[3]]
		}
		if a.object == "" || a.query == "" {
			return rows, l.fault("the object or the query has no name: write one")
		}
		var known bool
		if a.is, known = written[strings.ToLower(cells[at[2]])]; !known {
			return rows, l.fault("the answer is %s; it must be yes, no, probably, probably not or unknown, or 1, -1, 0.5 or -0.5", table.Quote(cells[at[2]]))
		}
		if err := do(l, a); err != nil {
			return rows, err
		}
	}
	return rows, nil
}

// column returns where a column of that name stands, or −1.
func column(cells []string, name string) int {
	for i, cell := range cells {
		if strings.EqualFold(cell, name) {
			return i
		}
	}
	return -1
}

// counter is the first reading.
type counter struct {
	objects, queries        map[string]int
	objectNames, queryNames []string
	cells                   map[[2]int32]*cell
	annotated               bool
}

func (c *counter) count(l *lines, a answer) error {
	i, j := place(c.objects, &c.objectNames, a.object), place(c.queries, &c.queryNames, a.query)
	if len(c.objectNames)*len(c.queryNames) > MaxCells {
		return l.fault("%d objects × %d queries are more than %d cells: is each in its own column?", len(c.objectNames), len(c.queryNames), MaxCells)
	}
	if c.cells == nil {
		c.cells = map[[2]int32]*cell{}
	}
	at := [2]int32{int32(i), int32(j)}
	x := c.cells[at]
	if x == nil {
		x = &cell{}
		c.cells[at] = x
	}
	*x.count(a.is)++
	c.annotated = a.annotated
	return nil
}

// place returns a name's number, and gives a new name the next number.
func place(known map[string]int, names *[]string, name string) int {
	at, ok := known[name]
	if !ok {
		at, name = len(*names), strings.Clone(name)
		known[name], *names = at, append(*names, name)
	}
	return at
}

// dense returns the counts as a table.
func (c *counter) dense() []cell {
	out := make([]cell, len(c.objectNames)*len(c.queryNames))
	for at, x := range c.cells {
		out[int(at[0])*len(c.queryNames)+int(at[1])] = *x
	}
	c.cells = nil
	return out
}

// P returns the smoothed P(yes) of every cell, [objects, queries], as [TabulateOptions]
// says, to 6 decimals.
func (t *Tabulation) P() []float64 {
	n := len(t.Queries)
	out := make([]float64, len(t.cells))
	for j := range n {
		var yes, all float64
		for at := j; at < len(t.cells); at += n {
			y, n := t.cells[at].said()
			yes, all = yes+y, all+y+n
		}
		mean := (yes + 1) / (all + 2)
		for at := j; at < len(t.cells); at += n {
			yes, no := t.cells[at].said()
			p := 0.5
			if all := yes + no + t.Smooth; all > 0 {
				p = (yes + t.Smooth*mean) / all
			}
			out[at] = math.Round(p*1e6) / 1e6
		}
	}
	return out
}

// Table returns the tabulation as a table, to be played at once.
func (t *Tabulation) Table() *Table {
	out := &table.Table{Name: t.Name, Queries: t.Queries, Objects: t.Objects, P: t.P(), Lines: make([]int, len(t.Objects))}
	for i := range out.Lines {
		out.Lines[i] = i + 2
	}
	return &Table{out}
}
