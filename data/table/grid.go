package table

import (
	"slices"
	"strconv"
	"strings"
)

// cellBytes is what a cell takes from its text to a problem.
const cellBytes = 48

// gridOf cuts the file's text into cells. Blank rows are passed over.
func (r *reader) gridOf(text string, src *source) (*grid, error) {
	if !strings.Contains(text, "\n") && strings.Contains(text, "\r") {
		text = strings.ReplaceAll(text, "\r", "\n")
	}
	asked, err := r.separator()
	if err != nil {
		return nil, err
	}
	sep, first := byte(asked), 1
	if line, rest, ok := strings.Cut(text, "\n"); ok && asked == 0 { // Excel's own hint
		if hint, ok := strings.CutPrefix(strings.ToLower(strings.TrimRight(line, "\r ")), "sep="); ok && len(hint) == 1 {
			sep, text, first = hint[0], rest, 2
		}
	}
	if asked >= 0x80 {
		return nil, r.fault(1, "the separator %q is not a character of ASCII: use another.", asked)
	}
	if sep == 0 {
		sep = separatorOf(text)
	}
	if sep != ',' && asked == 0 {
		r.assume("cells are separated by %s", map[byte]string{';': "semicolons", '\t': "tabs", '|': "bars"}[sep])
	}
	s := newSplitter(text, sep)
	s.line = first
	g := &grid{}
	cells, shares, checked, width := 0, 0, 1<<12, 0
	for {
		row, ok, open := s.next(make([]string, 0, width))
		if !ok {
			return g, nil
		}
		if open {
			return nil, r.fault(s.start, `a quote is not closed, or text follows a closed one; a cell with quotes is written "say ""yes""". Correct the quotes.`)
		}
		blank := true
		width = len(row)
		for i, cell := range row {
			row[i] = Clean(cell)
			blank = blank && row[i] == ""
		}
		if blank {
			continue
		}
		g.rows, g.lines = append(g.rows, row), append(g.lines, s.start)
		cells, shares = cells+len(row), shares+len(row)+nameCells
		if shares-nameCells-len(g.rows) > MaxCells {
			return nil, r.fault(s.start, "the table has more than %d cells (an object's name counts as %d), too many to hold. Remove questions or rows.", MaxCells, nameCells)
		}
		if cells >= checked {
			checked = cells + cells/4
			if err := src.room(s.start, cellBytes*int64(cells)); err != nil {
				return nil, err
			}
		}
	}
}

// width returns the number of cells that most of the rows have.
func width(rows [][]string) int {
	count := map[int]int{}
	for _, row := range rows {
		count[len(row)]++
	}
	best := 0
	for n, k := range count {
		if k > count[best] || k == count[best] && n > best {
			best = n
		}
	}
	return best
}

// square makes every row as long as the first, and refuses those that cannot be. Short rows are filled
// up where pad is set, as spreadsheets leave empty cells out.
func (r *reader) square(g *grid, pad bool) error {
	head := g.rows[0]
	width := width(g.rows[1:])
	if width > 2 && filled(head) == 1 {
		return r.fault(g.lines[0], "the line has one cell, and most rows below have %d; the first line names the columns. Remove lines above it that hold a title.", width)
	}
	if width == len(head)+1 && !slices.Contains(head, "") && !idNames[lower(head[0])] && !pad && g.allLong(width) {
		// R writes names of rows without a header of their own.
		r.assume("the first column has no header, as R writes it: it names the objects")
		g.rows[0] = append([]string{""}, head...)
		head = g.rows[0]
	}
	for i, row := range g.rows[1:] {
		for len(row) > len(head) && row[len(row)-1] == "" {
			row = row[:len(row)-1]
		}
		if pad && len(row) < len(head) {
			row = append(row, make([]string, len(head)-len(row))...)
		}
		if len(row) != len(head) {
			hint := "Add or remove cells; a cell that holds the separator, such as 0,5, is written in quotes."
			if filled(row) == 1 {
				hint = "Remove the line if it is a remark."
			}
			return r.fault(g.lines[i+1], "the row has %s and the header %d; each row is an object and one share for each question. %s", cellsOf(row), len(head), hint)
		}
		g.rows[i+1] = row
	}
	return nil
}

// cellsOf returns how many cells a row has, in words.
func cellsOf(row []string) string {
	if len(row) == 1 {
		return "1 cell"
	}
	return strconv.Itoa(len(row)) + " cells"
}

// filled counts the cells that are not empty.
func filled(row []string) (n int) {
	for _, cell := range row {
		if cell != "" {
			n++
		}
	}
	return n
}

// allLong reports whether every row below the first has that many cells, the last of them filled.
func (g *grid) allLong(width int) bool {
	return !slices.ContainsFunc(g.rows[1:], func(row []string) bool { return len(row) != width || row[width-1] == "" })
}

// dropEmpty removes columns without a name and without a value. Those at the end come of a separator too many,
// those at the start of a sheet whose table stands further right.
func (r *reader) dropEmpty(g *grid) {
	head := g.rows[0]
	var keep []int
	var gone []int
	for col, name := range head {
		if name == "" && !slices.ContainsFunc(g.rows[1:], func(row []string) bool { return row[col] != "" }) {
			gone = append(gone, col+1)
		} else {
			keep = append(keep, col)
		}
	}
	if len(gone) == 0 {
		return
	}
	if len(gone) == 1 {
		r.warn("column %d has no name and no value: it is left out", gone[0])
	} else {
		r.warn("%d columns have no name and no value: they are left out", len(gone))
	}
	g.keep(keep)
}

// isUnnamed reports whether a header is that of a column without a name, which pandas calls
// "Unnamed: 0".
func isUnnamed(head string) bool { return head == "" || strings.HasPrefix(head, "Unnamed: ") }

// dropFirst removes the first n columns.
func (g *grid) dropFirst(n int) {
	g.keep(g.columns()[n:])
}

// columns lists the numbers of all columns.
func (g *grid) columns() []int {
	all := make([]int, len(g.rows[0]))
	for col := range all {
		all[col] = col
	}
	return all
}

// below returns the cells of a column below its header.
func (g *grid) below(col int) []string {
	out := make([]string, len(g.rows)-1)
	for i, row := range g.rows[1:] {
		out[i] = row[col]
	}
	return out
}

// keep leaves the named columns only.
func (g *grid) keep(cols []int) {
	before := *g
	for i, row := range g.rows {
		next := make([]string, len(cols))
		for k, col := range cols {
			next[k] = row[col]
		}
		g.rows[i] = next
	}
	g.place = func(row, col int) (int, int) { return before.at(row, cols[col]) }
}

// transpose makes rows columns.
func (g *grid) transpose() {
	before := *g
	turned := make([][]string, len(g.rows[0]))
	for col := range turned {
		turned[col] = make([]string, len(g.rows))
		for row := range g.rows {
			turned[col][row] = g.rows[row][col]
		}
	}
	g.rows, g.lines = turned, nil
	g.place = func(row, col int) (int, int) { return before.at(col, row) }
}
