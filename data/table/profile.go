package table

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// form is what the cells of a column are together.
type form uint8

const (
	asShares  form = iota // shares, counts, yes and no
	asLetters             // y and n, or another pair of letters
	asSigns               // + and −, as tables for identification have them
	asMarks               // one mark, or nothing
	asNumbers             // numbers that are not shares
	asValues              // text, one question for each value
	asNothing             // no cell with a value
)

// column is what was found in one column.
type column struct {
	form  form
	count [kinds]int
	signs int             // cells that tables for identification use, and
	minus int             // those of them that elsewhere stand for a missing value
	marks int             // cells that hold a mark
	no    bool            // a cell says no in words
	set   map[string]bool // the letters found, where all cells are letters
	first [kinds]int      // the first row with each kind
	seps  string          // what separates several values in one cell
}

// filled returns how many cells hold something.
func (c *column) filled() int {
	n := 0
	for k, x := range c.count {
		if kind(k) != isMissing && kind(k) != isAbsent {
			n += x
		}
	}
	return n
}

// profile is what was found in all columns; the objects' column 0 is left empty.
type profile struct {
	cols   []column
	values map[string]*value // of every cell that occurs
	marked string            // the only thing that filled cells hold, where it is a mark
}

// marks are what people put into a cell for "yes", beside the words of [yesWords]; a blank is "no" then.
var marks = words("x ✓ ✔ ✔️ √ × • ● ■ * ☑ ✅")

// signs are the cells of tables for identification.
var signs = map[string]float64{"+": 1, "-": 0, "−": 0, "–": 0, "—": 0, "v": 0.5, "d": 0.5, "±": 0.5, "+/-": 0.5, "+/−": 0.5, "(+)": 0.5, "-/+": 0.5}

// lower returns a cell in the form in which words are looked up.
func lower(cell string) string { return strings.ToLower(norm.NFC.String(cell)) }

// survey looks at every cell.
func (r *reader) survey(g *grid) *profile {
	p := &profile{cols: make([]column, len(g.rows[0])), values: map[string]*value{}}
	var order []string
	for _, row := range g.rows[1:] {
		for _, cell := range row[1:] {
			if _, ok := p.values[cell]; !ok {
				p.values[cell] = nil
				order = append(order, cell)
				r.numbers.learn(cell)
			}
		}
	}
	if n := &r.numbers; n.guessed != "" && !n.commaDecimal && !n.commaGroups {
		n.commaGroups = true
		r.doubt("a comma separates thousands: %s is %s", n.guessed, strings.ReplaceAll(n.guessed, ",", ""))
	}
	held := map[string]bool{}
	for _, cell := range order {
		v := r.numbers.parse(cell)
		p.values[cell] = &v
		if v.kind != isMissing && v.kind != isAbsent {
			held[lower(cell)] = true
		}
	}
	if len(held) == 1 {
		for cell := range held {
			if marks[cell] {
				p.marked = cell
			}
		}
	}
	for col := 1; col < len(p.cols); col++ {
		p.look(g, col)
	}
	signed := held["+"] || held["±"] || held["(+)"] || held["+/-"]
	negated := slices.ContainsFunc(p.cols, func(c column) bool { return c.no })
	for col := 1; col < len(p.cols); col++ {
		if p.cols[col].decide(signed, !negated); p.marked != "" {
			p.cols[col].form = asMarks
		}
	}
	return p
}

// look counts what one column holds.
func (p *profile) look(g *grid, col int) {
	c := &p.cols[col]
	c.set = map[string]bool{}
	for i, row := range g.rows[1:] {
		v := p.values[row[col]]
		if c.count[v.kind]++; c.count[v.kind] == 1 {
			c.first[v.kind] = i + 1
		}
		low := lower(row[col])
		if isSign(row[col]) {
			if c.signs++; v.kind == isMissing {
				c.minus++
			}
		}
		if marks[low] {
			c.marks++
		}
		c.no = c.no || v.kind == isWord && !v.yes
		if v.kind == isText && len(c.set) <= 3 {
			c.set[low] = true
		}
	}
	c.seps = p.separators(g, col)
}

// decide sets the column's form. signed says that the table has a plus for an answer, marked that a blank
// beside a mark can be a no.
func (c *column) decide(signed, marked bool) {
	filled, text := c.filled(), c.count[isText]
	letter := ""
	for cell := range c.set {
		letter = cell
	}
	pair, paired := letters[letter]
	switch {
	case signed && c.signs > 0 && c.signs-c.minus == filled:
		c.form = asSigns
	case filled == 0:
		c.form = asNothing
	case text == filled && paired && len(c.set) == 2 && c.set[pair[0]] && c.set[pair[1]]:
		c.form = asLetters
	case marked && c.marks == filled && c.count[isMissing] > 0 && len(c.set) <= 1:
		c.form = asMarks
	case 2*text >= filled && text > 0:
		c.form = asValues
	}
}

// cellFault returns an error at a cell: column n ("name") is v; the rule.
func (r *reader) cellFault(g *grid, row, col int, rule string, flags ...string) error {
	line, column := g.at(row, col)
	text := fmt.Sprintf("column %d (%s) is %s; %s", column, Quote(r.headOf(g, row, col)), show(g.rows[row][col]), rule)
	if len(flags) == 0 {
		return r.fault(line, "%s", text)
	}
	return r.faultUse(line, text, flags...)
}

// headOf returns the name of the file's column that a cell stands in.
func (r *reader) headOf(g *grid, row, col int) string {
	if r.Transpose {
		return g.rows[row][0]
	}
	return g.rows[0][col]
}

// show returns a cell for a message: a number as it is, anything else in quotes.
func show(cell string) string {
	if isPlain(cell) {
		return cell
	}
	return Quote(cell)
}

// sure refuses cells that stand for no value in any form: dates, and a spreadsheet's errors.
func (r *reader) sure(g *grid, p *profile) error {
	row, col, k := 0, 0, isText
	for i := 1; i < len(p.cols); i++ {
		c := &p.cols[i]
		for _, bad := range []kind{isFault, isDate} {
			if at := c.first[bad]; c.count[bad] > 0 && (row == 0 || at < row) {
				row, col, k = at, i, bad
			}
		}
	}
	switch {
	case row == 0:
		return nil
	case k == isFault:
		return r.cellFault(g, row, col, "a spreadsheet shows that where a formula fails. Correct the formula, or empty the cell.")
	}
	return r.cellFault(g, row, col, "that is a date, and a cell is a share from 0 to 1 or a count k/n. Spreadsheets turn 1/20 into a date: format the column as text and enter the cells again, or remove the column.")
}

// found lists the different cells of a kind in the order of the file, the first few, quoted.
func found(g *grid, is func(cell string) bool) string {
	var list []string
	for _, row := range g.rows[1:] {
		for _, cell := range row[1:] {
			if is(cell) && !slices.Contains(list, Quote(cell)) {
				if list = append(list, Quote(cell)); len(list) > 5 {
					return strings.Join(list[:5], ", ") + ", …"
				}
			}
		}
	}
	return listed(list, "and")
}
