package table

import (
	"bytes"
	"errors"
	"io"
	"math"
	"slices"
	"strings"

	"mapo/internal/disk"
)

// Read reads the table in a file, compressed with gzip where its name ends in .gz. The table's Notes say what
// was assumed.
//
// The form that needs no assumption is UTF-8 with commas. Its header is object,<query>,…, whose
// first cell may be any text; each further line is an object. A cell is a share P(yes) in [0, 1], a
// count k/n, or empty where it is unknown. A second column mapo:weight has prior weights. mapo data
// import writes this form, and import of its own output is byte-equal. The share of a count is
// (k+½)/(n+1), that of an unknown cell the smoothed mean of its column, (Σp+1)/(n+2). Names are
// kept and compared in Unicode's NFC. Every row needs a known cell, and two rows must differ.
//
// Other forms are read as mapo data import reads them without a flag, and what was assumed is
// printed:
//
//   - semicolons, tabs or bars; a decimal comma; UTF-16 and Windows-1252; .xlsx; records of JSON
//   - 90%, or a column whose name says percent: shares
//   - ~80%, <5%, 60-70%: the number, or the middle of the range
//   - yes and no in many languages, TRUE and FALSE, y and n, 1 and −1: 1 and 0
//   - one mark (x, Y, the column's own name) and blanks: 1 and 0; with a no anywhere, blanks are
//     unknown
//   - +, -, v, d, ±: 1, 0, 0.5, 0.5, 0.5; 0/1 and 01 beside 0 and 1: 0.5
//   - NA, NaN, ?: unknown
//   - an id, code, index or row number before a column of distinct texts: left out
//   - object, question, share a line: a row for each object; what does not occur is 0.02
//   - object, question a line, no pair twice: a row for each object; what does not occur is 0
//   - text, lists in brackets, Symptom_1, Symptom_2, …: a question for each value
//   - numbers above 1 beside columns of text: thresholds, at most seven quantiles
//
// Where two readings fit, the file is refused in one line that names each with a command.
func Read(path string, o Options) (*Table, error) {
	f, err := disk.Unpack(path)
	return readFrom(f, err, path, o)
}

// Parse reads a table from in as [Read] does from a file; name stands for the file in messages.
func Parse(in io.Reader, name string, o Options) (*Table, error) {
	f, err := disk.UnpackFrom(in, name)
	return readFrom(f, err, name, o)
}

// readFrom reads the table for [Read] and [Parse], once the file is open, or could not be.
func readFrom(in *disk.Unpacked, err error, name string, o Options) (*Table, error) {
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return read(&source{name: name, file: in, most: MaxBytes, free: free}, o)
}

// read reads the table in a file.
func read(src *source, o Options) (*Table, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	data, err := src.bytes()
	if err != nil {
		return nil, err
	}
	f := &file{src: src, data: data}
	t, err := f.attempt(o)
	if why := new(refusal); errors.As(err, &why) {
		return nil, f.explain(why, o)
	}
	return t, err
}

// file is a file's bytes, to be read in more than one way.
type file struct {
	src  *source
	data []byte
	also string // what is wrong with the file besides, where no way reads it
}

// attempt reads the table with these options.
func (f *file) attempt(o Options) (*Table, error) {
	r := &reader{Options: o, name: f.src.name}
	err := o.check()
	if err == nil {
		r.missing, err = without("--missing", o.Missing)
	}
	if err == nil {
		r.absent, err = without("--absent", o.Absent)
	}
	if err != nil {
		return nil, err
	}
	g, sheet, err := r.cells(f.data, f.src)
	if err != nil {
		return nil, err
	}
	t, err := r.table(g, sheet)
	if err != nil {
		return nil, err
	}
	if err := r.check(t); err != nil {
		return nil, err
	}
	t.Notes, t.Warnings = r.notes, r.warnings
	return t, nil
}

// deepest is how many flags a command adds to those given.
const deepest = 3

// explain returns a refusal's text with the commands that read the file.
func (f *file) explain(why *refusal, o Options) error {
	list := f.fitting(why, o, "", deepest)
	if len(list) > 0 {
		why.text += " Run: " + strings.Join(list, ", or ")
	} else if f.also != "" {
		why.text += f.also
	}
	return why
}

// fitting returns the commands that read the file, each with when it is right. A way that meets another refusal is
// followed along that one's ways.
func (f *file) fitting(why *refusal, o Options, when string, depth int) (list []string) {
	for _, w := range why.ways {
		next, said := o, when+w.when
		w.set(&next)
		_, err := f.attempt(next)
		more := new(refusal)
		switch {
		case err == nil:
			list = append(list, command(f.src.name, next)+" if "+said)
		case depth > 1 && errors.As(err, &more):
			list = append(list, f.fitting(more, next, said+" and ", depth-1)...)
		case f.also == "":
			f.also = " If " + said + ": " + err.Error()
		}
	}
	return list
}

// cells returns the file's cells; sheet says that they are a spreadsheet's, where rows may be short.
func (r *reader) cells(data []byte, src *source) (g *grid, sheet bool, err error) {
	if bytes.HasPrefix(data, zipHead) {
		g, err = r.workbook(data, mostSheet)
		return g, true, err
	}
	if r.Sheet != "" {
		return nil, false, r.fault(1, "--sheet is %s, and the file is not a workbook. Leave it out.", Quote(r.Sheet))
	}
	if what := foreign(data); what != "" {
		return nil, false, r.fault(1, "the file is %s", what)
	}
	text, err := r.decode(data)
	if err != nil {
		return nil, false, err
	}
	if isRecords(text) {
		g, err = r.records(text, src)
		return g, false, err
	}
	g, err = r.gridOf(string(text), src)
	return g, false, err
}

// table makes the table of a grid.
func (r *reader) table(g *grid, sheet bool) (*Table, error) {
	if len(g.rows) == 0 {
		return nil, r.fault(1, "the file is empty; its first line names the columns, first the objects, then one question each.")
	}
	if r.NoHeader {
		r.headless(g)
	}
	if len(g.rows) < 2 {
		return nil, r.fault(g.lines[0], "the file has a header and no rows; each line below it is an object. Write them.")
	}
	if err := r.square(g, sheet); err != nil {
		return nil, err
	}
	r.dropEmpty(g)
	if r.Transpose && len(g.rows[0]) > 1 {
		r.dropIDs(g)
		g.transpose()
	}
	if err := r.header(g); err != nil {
		return nil, err
	}
	if err := r.answers(g); err != nil {
		return nil, err
	}
	if r.NoHeader && !r.longForm(g) {
		r.assume("the file has no header: questions are called question 1, question 2, …")
	}
	if r.Group != "" {
		return r.grouped(g)
	}
	weights, err := r.weights(g)
	if err != nil {
		return nil, err
	}
	if err := r.object(g); err != nil {
		return nil, err
	}
	switch {
	case weights == nil && r.longForm(g):
		err = r.widen(g)
	case r.Absent != "":
		err = r.faultAt(g, 0, "--absent is %s, and the table is not in long form; it says what cells are that a line of its own does not name. Use --missing for empty cells.", Quote(r.Absent))
	}
	if err == nil {
		err = r.objects(g)
	}
	if err == nil {
		err = r.names(g)
	}
	if err != nil {
		return nil, err
	}
	if weights == nil && !r.long {
		r.likeWeights(g)
	}
	t, err := r.wide(g)
	if err != nil {
		return nil, err
	}
	t.Weights, t.Lines = weights, make([]int, len(t.Objects))
	for i := range t.Lines {
		t.Lines[i], _ = g.at(i+1, 0)
	}
	return t, nil
}

// wide reads a grid with an object a row.
func (r *reader) wide(g *grid) (*Table, error) {
	if len(g.rows[0]) < 2 {
		return nil, r.faultAt(g, 0, "the table has no questions; every column but the first is one. Add a column.")
	}
	if t := r.plainTable(g); t != nil {
		return t, nil
	}
	p, qs, err := r.asked(g)
	if err != nil {
		return nil, err
	}
	t := newTable(r.name, g.below(0), textsOf(qs))
	missing := 0
	for i, row := range g.rows[1:] {
		for j := range qs {
			c, err := r.asks(g, p, &qs[j], i+1)
			if err != nil {
				return nil, err
			}
			if t.put(i, j, c); p.values[row[qs[j].col]].kind == isMissing {
				missing++
			}
		}
	}
	r.onesAndBlanks(t, missing)
	t.FillUnknown()
	return t, nil
}

// grouped reads a grid with one case of a class a row.
func (r *reader) grouped(g *grid) (*Table, error) {
	classes, place, err := r.take(g, "--group", r.Group)
	if err != nil {
		return nil, err
	}
	var weights []float64
	if r.Weights != "" {
		if weights, err = r.weights(g); err != nil {
			return nil, err
		}
	}
	r.noNames(g) // the first column names cases or is a question like the others
	if err := r.names(g); err != nil {
		return nil, err
	}
	p, qs, err := r.asked(g)
	if err != nil {
		return nil, err
	}
	return r.groupTable(g, p, qs, classes, place, weights)
}

// check refuses a table that makes no game.
func (r *reader) check(t *Table) error {
	n := len(t.Queries)
	if len(t.Objects) < 2 {
		return r.fault(t.Lines[0], "the table has one object, %s; a game needs at least 2 that differ. Add another.", Quote(t.Objects[0]))
	}
	if t.Unknown != nil {
		for i, name := range t.Objects {
			if !slices.Contains(t.Unknown[i*n:(i+1)*n], false) {
				return r.fault(t.Lines[i], "object %s has no known cell; a row needs at least one. Fill it in, or remove the row.", Quote(name))
			}
		}
	}
	r.open(t)
	r.totals(t)
	if t.differ() {
		return nil
	}
	return r.fault(t.Lines[1], "all %d rows are alike; a game needs at least 2 that differ. Add a question that tells some of them apart.", len(t.Objects))
}

// open warns of questions that are unknown for every object.
func (r *reader) open(t *Table) {
	for j, name := range t.Queries {
		known := false
		for i := range t.Objects {
			known = known || !t.IsUnknown(i, j)
		}
		if !known {
			r.warn("question %s is unknown for every object", Quote(name))
		}
	}
}

// differ reports whether a row differs from the first.
func (t *Table) differ() bool {
	n := len(t.Queries)
	for at, p := range t.P {
		if p != t.P[at%n] || t.IsUnknown(at/n, at%n) != t.IsUnknown(0, at%n) {
			return true
		}
	}
	return false
}

// totals warns of a question, or an object, whose shares are the sums of all others', as in the margins of a cross-table.
func (r *reader) totals(t *Table) {
	m, n := len(t.Objects), len(t.Queries)
	if t.Unknown != nil || !slices.ContainsFunc(t.P, func(p float64) bool { return p != 0 && p != 1 }) { // of yes and no many are by chance
		return
	}
	row, column, any := make([]float64, m), make([]float64, n), 0.0
	for at, p := range t.P {
		row[at/n] += p
		column[at%n] += p
		any += p
	}
	isRow, isColumn := make([]bool, m), make([]bool, n)
	for i := range isRow {
		isRow[i] = m > 2 && any > 0
	}
	for j := range isColumn {
		isColumn[j] = n > 2 && any > 0
	}
	const rounding = 1e-6
	for at, p := range t.P {
		i, j := at/n, at%n
		isRow[i] = isRow[i] && math.Abs(2*p-column[j]) < rounding
		isColumn[j] = isColumn[j] && math.Abs(2*p-row[i]) < rounding
	}
	if j := slices.Index(isColumn, true); j >= 0 {
		r.warn("question %s is the sum of all others in each row: remove its column if that is a total", Quote(t.Queries[j]))
	}
	if i := slices.Index(isRow, true); i >= 0 {
		r.warn("object %s is the sum of all others in each column: remove its row if that is a total", Quote(t.Objects[i]))
	}
}
