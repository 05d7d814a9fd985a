package dataset

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
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
	Zeros            int // answers of 0, which mean no
	Untold           int // answers of sessions whose truth was not told, which are left out
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

// cell counts the answers about one object to one query, by what they are.
type cell [isUnknown + 1]uint32

// said returns the counts of yes and no, half answers counting ½.
func (c cell) said() (yes, no float64) {
	return float64(c[isYes]) + float64(c[isProbably])/2, float64(c[isNo]) + float64(c[isProbablyNot])/2
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
	whole, half := float64(c[isYes])+float64(c[isNo]), float64(c[isProbably])+float64(c[isProbablyNot])
	if whole+half == 0 {
		return 0
	}
	return (whole + half/2) * (whole + half/2) / (whole + half/4)
}

// Bounds of a file of answers: it is streamed, so only what is kept is bounded.
const (
	mostAnswers    = 1 << 40 // bytes of the file, unpacked
	mostAnnotators = 1 << 21
)

// Tabulate reads the answers in a .csv or .csv.gz file in long form. Its header has
// the columns object, query, answer and perhaps annotator, in any order; others are
// passed over. Between cells are commas, semicolons, tabs or bars. One answer a row
// follows, in the words of [written]; 0 means no where no answer is −1 or a half one, and
// refused beside such. An export of sessions is read, too ([EachTurn]): the truth is the
// object, guesses are passed over, and rows without a truth are left out. The file is streamed, and
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
	c := &counter{t: t, objects: map[string]int{}, queries: map[string]int{}, cells: map[[2]int32]*cell{}}
	var err error
	t.Rows, err = eachAnswer(path, math.MaxInt, c.count)
	switch {
	case errors.Is(err, io.EOF):
		return nil, nil, fmt.Errorf("%s:1: the file is empty: the first line names the columns, object,query,answer[,annotator]", path)
	case err != nil:
		return nil, nil, err
	case t.Rows == 0 && t.Untold > 0:
		return nil, nil, fmt.Errorf("%s: none of its %d answers is of a session whose truth was told: tell what it was, on the page or by POST /v1/sessions/{id}/truth, and export the sessions again", path, t.Untold)
	case t.Rows == 0:
		return nil, nil, fmt.Errorf("%s:1: the file has a header and no answers: write one a line, object,query,answer", path)
	case len(t.Objects) < 2:
		return nil, nil, fmt.Errorf("%s:2: all answers are about one object, %s: a game needs at least 2 that differ", path, table.Quote(t.Objects[0]))
	case numbers(t.Queries):
		return nil, nil, fmt.Errorf("%s:2: all queries are named by numbers, such as %s, and the header of a table is not read as numbers: put a letter before each", path, table.Quote(t.Queries[0]))
	}
	t.cells = make([]cell, len(t.Objects)*len(t.Queries))
	for at, x := range c.cells {
		t.cells[int(at[0])*len(t.Queries)+int(at[1])] = *x
	}
	for _, x := range t.cells {
		t.Yes, t.No, t.Unknown = t.Yes+int(x[isYes]), t.No+int(x[isNo]), t.Unknown+int(x[isUnknown])
		t.Half += int(x[isProbably]) + int(x[isProbablyNot])
	}
	return t, c, nil
}

// changed is what is wrong where the second reading meets another file than the first.
const changed = "the file changed while it was read: run it again"

// compare reads the rows of the first reading again and sets how far each annotator agrees
// with the others.
func (t *Tabulation) compare(c *counter) error {
	a := &agreement{counter: c, at: map[string]int{}}
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
	"yes": isYes, "y": isYes, "true": isYes, "1": isYes, "no": isNo, "n": isNo, "false": isNo, "-1": isNo, "0": isNo,
	"probably": isProbably, "0.5": isProbably, "probably not": isProbablyNot, "-0.5": isProbablyNot, "unknown": isUnknown, DontKnow: isUnknown,
}

// sides are the answers beside which 0 may not be no.
var sides = []string{"-1", "0.5", "-0.5"}

// answer is a row of the file. Its names alias the line read: they are cloned where
// they are kept.
type answer struct {
	object, query, annotator string
	is                       int
	annotated                bool
	zero                     bool // it is 0
	session                  bool // it is of an export of sessions, where not every row has an annotator
	untold                   bool // the session's truth was not told, so that there is no object
}

// answerReader reads a file of answers.
type answerReader struct {
	*lines
	most, rows int // of those with an object
	do         func(l *lines, a answer) error

	zero, side int    // the lines of the first 0, and of the first answer of sides
	as         string // that answer
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
	r := &answerReader{lines: l, most: most, do: do}
	if err := l.skip(); err != nil {
		return 0, err
	}
	if head, is := l.export(); is {
		err = l.turns(head, r.turn)
	} else {
		err = r.long()
	}
	if errors.Is(err, errEnough) {
		err = nil
	}
	return r.rows, err
}

// errEnough ends the reading of a file of which no more rows are wanted.
var errEnough = errors.New("enough rows")

// long reads a file in long form, whose first line was read.
func (r *answerReader) long() error {
	cells, err := r.split("object", "answer")
	if err != nil {
		return err
	}
	query := "query"
	if column(cells, query) < 0 && column(cells, "question") >= 0 {
		query = "question"
	}
	at, err := r.columns(cells, "object", query, "answer", "annotator")
	if err != nil {
		return err
	}
	if at[3] >= 0 && !r.again {
		return r.fault(readTwice)
	}
	width := len(cells)
	return eachLine(r.next, func(cells []string) error {
		if len(cells) != width {
			return r.fault("the row has %d cells, the header %d: quote names that have a comma", len(cells), width)
		}
		a := answer{object: table.Fold(cells[at[0]]), query: table.Fold(cells[at[1]])}
		if a.annotated = at[3] >= 0; a.annotated {
			a.annotator = cells[at[3]]
		}
		if a.object == "" || a.query == "" {
			return r.fault("the object or the query has no name: write one")
		}
		return r.add(a, cells[at[2]])
	})
}

// readTwice is what is wrong with a pipe of answers with annotators.
const readTwice = "answers with annotators are read twice, and this is not a regular file: write it to a file first, or leave the column out"

// turn takes a turn of an export in.
func (r *answerReader) turn(t *Turn) error {
	switch {
	case t.Guessed != nil:
		return nil
	case t.Truth == "":
		return r.do(r.lines, answer{session: true, untold: true})
	case t.Annotator != "" && !r.again:
		return r.fault(readTwice)
	}
	return r.add(answer{object: t.Truth, query: t.Text, annotator: t.Annotator, annotated: t.Annotator != "", session: true}, cmp.Or(t.Answer, DontKnow))
}

// add takes a row in, whose cell of the answer is given.
func (r *answerReader) add(a answer, cell string) error {
	text := strings.NewReplacer("\u2212", "-", "\u2019", "'").Replace(strings.ToLower(r.decimal(cell)))
	text = strings.TrimSuffix(text, ".0") // as programs write whole numbers in a column that has others
	var known bool
	if a.is, known = written[text]; !known {
		return r.fault("the answer is %s; it must be yes, no, probably, probably not or unknown, or y, n, true, false, 1, 0, -1, 0.5 or -0.5", table.Quote(cell))
	}
	a.zero = text == "0"
	switch {
	case a.zero && r.zero == 0:
		r.zero = r.line
	case r.side == 0 && slices.Contains(sides, text):
		r.side, r.as = r.line, text
	}
	if r.zero > 0 && r.side > 0 {
		return fmt.Errorf("%s:%d: the answer is 0, and that on line %d is %s: beside it, 0 may be no or don't know. Write yes, no, probably, probably not or unknown", r.name, r.zero, r.side, r.as)
	}
	if err := r.do(r.lines, a); err != nil {
		return err
	}
	if r.rows++; r.rows == r.most {
		return errEnough
	}
	return nil
}

// column returns where a column of that name stands, or −1.
func column(cells []string, name string) int {
	return slices.IndexFunc(cells, func(cell string) bool { return strings.EqualFold(cell, name) })
}

// counter is the first reading.
type counter struct {
	t                *Tabulation
	objects, queries map[string]int
	cells            map[[2]int32]*cell
	annotated        bool
}

func (c *counter) count(l *lines, a answer) error {
	if a.untold {
		c.t.Untold++
		return nil
	}
	if a.zero {
		c.t.Zeros++
	}
	i, j := place(c.objects, &c.t.Objects, a.object), place(c.queries, &c.t.Queries, a.query)
	if len(c.t.Objects)*len(c.t.Queries) > MaxCells {
		return l.fault("%d objects × %d queries are more than %d cells: is each in its own column?", len(c.t.Objects), len(c.t.Queries), MaxCells)
	}
	at := [2]int32{int32(i), int32(j)}
	x := c.cells[at]
	if x == nil {
		x = &cell{}
		c.cells[at] = x
	}
	x[a.is]++
	c.annotated = c.annotated || a.annotated
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
	return out
}
