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
	asMarks               // one mark, or nothing: a blank says no if the profile has it so
	asNumbers             // numbers that are not shares
	asValues              // text, one question for each value
	asNothing             // no cell with a value
)

// column is what was found in one column.
type column struct {
	form    form
	percent bool // numbers are percent
	count   [kinds]int
	signs   int             // cells that tables for identification use, and
	minus   int             // those of them that elsewhere stand for a missing value
	yes     int             // cells that say yes by a word, a letter or a mark
	own     bool            // every cell with a value holds the column's name
	no      bool            // a cell says no in words
	set     map[string]bool // the letters found, where all cells are letters
	first   [kinds]int      // the first row with each kind
	seps    string          // what separates several values in one cell
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
	cols    []column
	values  map[string]*value // of every cell that occurs
	marks   bool              // cells with a value all say yes, so that a blank is a no
	both    bool              // 0/1 and 01 are states of which both occur
	signed  bool              // -1 says no and 1 says yes
	pairing string            // the letters of yes and no
}

// marks are what people put into a cell for "yes", beside the words of [yesWords]; a blank is "no" then.
var marks = words("x y j + ✓ ✔ ✔️ √ × • ● ■ * ☑ ✅")

// signs are the cells of tables for identification.
var signs = map[string]float64{"+": 1, "-": 0, "−": 0, "–": 0, "—": 0, "v": 0.5, "d": 0.5, "±": 0.5, "+/-": 0.5, "+/−": 0.5, "(+)": 0.5, "-/+": 0.5}

// lower returns a cell in the form in which words are looked up.
func lower(cell string) string { return strings.ToLower(norm.NFC.String(cell)) }

// survey looks at every cell and decides on the form of each column.
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
		r.assume("a comma separates thousands: %s is %s", n.guessed, strings.ReplaceAll(n.guessed, ",", ""))
	}
	held := map[string]bool{}
	for _, cell := range order {
		v := r.numbers.parse(cell)
		p.values[cell] = &v
		if isSign(cell) {
			held[lower(cell)] = true
		}
	}
	for col := 1; col < len(p.cols); col++ {
		p.look(g, col)
	}
	// A plus alone is a mark like any other.
	signed := len(held) > 1 && (held["+"] || held["±"] || held["(+)"] || held["+/-"])
	p.letters()
	says := func(is func(c *column) bool) bool {
		return slices.ContainsFunc(p.cols[1:], func(c column) bool { return is(&c) })
	}
	p.marks = says(func(c *column) bool { return c.yes > 0 && c.yes == c.filled() && !c.own }) &&
		!says(func(c *column) bool { return c.no || c.form == asLetters && c.yes < c.filled() })
	every := p.marks && !says(func(c *column) bool { return c.yes < c.filled() })
	for col := 1; col < len(p.cols); col++ {
		p.cols[col].decide(signed, p.marks, every)
	}
	return p
}

// look counts what one column holds.
func (p *profile) look(g *grid, col int) {
	c := &p.cols[col]
	c.set, c.own = map[string]bool{}, true
	head := key(lower(g.rows[0][col]))
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
		if marks[low] || v.kind == isWord && v.yes {
			c.yes++
		}
		c.own = c.own && (v.kind == isMissing || key(low) == head)
		c.no = c.no || v.kind == isWord && !v.yes
		if v.kind == isText && len(c.set) <= 3 {
			c.set[low] = true
		}
	}
	c.own = c.own && c.filled() > 0 && c.count[isMissing] > 0
	c.seps = p.separators(g, col)
}

// letters finds the columns whose letters are answers. A column with one letter of a pair alone has answers where another has both,
// or where the table has y, n or j and no letter of another kind.
func (p *profile) letters() {
	alone := true // no column has letters of another kind
	only := func(c *column) bool { return len(c.set) > 0 && c.count[isText] == c.filled() }
	for i := range p.cols[1:] {
		c := &p.cols[i+1]
		if !only(c) {
			continue
		}
		pair, whole := c.pair()
		if pair != [2]string{} && whole {
			c.form, p.pairing = asLetters, strings.Join(pair[:], "")
		}
		for letter := range c.set {
			alone = alone && (len([]rune(letter)) > 1 || pair != [2]string{})
		}
	}
	for i := range p.cols[1:] {
		c := &p.cols[i+1]
		if pair, whole := c.pair(); only(c) && len(c.set) == 1 && !whole && pair != [2]string{} {
			if p.pairing != "" && strings.Contains(p.pairing, one(c.set)) || alone && strings.Contains("ynj", one(c.set)) {
				c.form = asLetters
			}
		}
	}
}

// pair returns the letters of yes and no that a column's letters are of, and whether it has both.
func (c *column) pair() (pair [2]string, whole bool) {
	pair = letters[one(c.set)]
	for letter := range c.set {
		if other := letters[letter]; letter != "n" && other != [2]string{} {
			pair = other
		}
	}
	for letter := range c.set {
		if letter != pair[0] && letter != pair[1] {
			return [2]string{}, false
		}
	}
	return pair, len(c.set) == 2
}

// one returns an item of a set.
func one(set map[string]bool) string {
	for item := range set {
		return item
	}
	return ""
}

// decide sets the column's form. signed says that the table has signs for answers, marked that a blank beside a mark is a no,
// and every that all columns have the mark alone.
func (c *column) decide(signed, marked, every bool) {
	filled, text := c.filled(), c.count[isText]
	switch {
	case signed && c.signs > 0 && c.signs-c.minus == filled:
		c.form = asSigns
	case c.own, marked && c.yes == filled && filled > 0 && c.count[isMissing] > 0, every:
		c.form = asMarks
	case filled == 0:
		c.form = asNothing
	case c.form == asLetters:
	case c.yes == filled && text == filled && len(c.set) == 1 && c.count[isMissing] > 0:
		c.form = asMarks
	case 2*text >= filled && text > 0:
		c.form = asValues
	}
}

// cellText returns what is wrong with a cell: column n ("name") is v; the rule.
func (r *reader) cellText(g *grid, row, col int, rule string) (line int, text string) {
	line, column := g.at(row, col)
	return line, fmt.Sprintf("column %d (%s) is %s; %s", column, Quote(r.headOf(g, row, col)), show(g.rows[row][col]), rule)
}

// cellFault returns an error at a cell.
func (r *reader) cellFault(g *grid, row, col int, rule string) error {
	line, text := r.cellText(g, row, col, rule)
	return r.fault(line, "%s", text)
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

// found lists the different cells of a kind that are not values, in the order of the file, the first few, quoted.
func found(g *grid, p *profile, is func(cell string) bool) string {
	var list []string
	for _, row := range g.rows[1:] {
		for j, cell := range row[1:] {
			if p.cols[j+1].form != asValues && is(cell) && !slices.Contains(list, Quote(cell)) {
				if list = append(list, Quote(cell)); len(list) > 5 {
					return strings.Join(list[:5], ", ") + ", …"
				}
			}
		}
	}
	return listed(list, "and")
}
