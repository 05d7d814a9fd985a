package table

import (
	"slices"
	"strconv"
	"strings"
)

// mostCuts is how many thresholds a column of numbers is cut at.
const mostCuts = 7

// mostNames is from how many values on, all of them different, a column of text is names and not values.
const mostNames = 20

// manyValues is how many values a column may have without a warning.
const manyValues = 50

// question is one question made of a column.
type question struct {
	text  string
	col   int
	value string  // of a column of values: whether it is that
	cut   float64 // of a column of numbers: whether it is above that
	form  form
}

// textsOf returns the texts of questions.
func textsOf(qs []question) (texts []string) {
	for _, q := range qs {
		texts = append(texts, q.text)
	}
	return texts
}

// isMeasure reports whether a column holds numbers to be compared: some are not shares, or in a file of cases not 0 or 1.
func (r *reader) isMeasure(g *grid, p *profile, col int, f figures) bool {
	c := &p.cols[col]
	if c.count[isWord]+c.count[isText] > 0 || f.below != [2]int{} && f.signs == f.all && f.zeros == 0 {
		return false
	}
	if r.Group == "" {
		return f.top > 1 || f.below != [2]int{}
	}
	return c.count[isCount] == 0 && f.zeros+f.ones < f.all || f.top > 1
}

// questions makes the questions of all columns.
func (r *reader) questions(g *grid, p *profile) []question {
	var out []question
	values, cuts := "", ""
	for col := 1; col < len(p.cols); col++ {
		name, c := g.rows[0][col], &p.cols[col]
		if c.form == asValues && c.count[isText] > 0 && r.isStates(g, p, col) {
			c.form = asNumbers
		}
		switch {
		case c.form == asNothing:
			r.warn("column %s has no value: it is left out", Quote(name))
		case r.isName(g, c, col):
			r.warn("column %s is left out: its values are names, each of one row", Quote(name))
		case c.form == asValues:
			states := r.states(g, p, col)
			if len(states) > manyValues {
				r.warn("column %s makes %d questions, one for each value: remove it if it is free text", Quote(name), len(states))
			}
			for _, v := range states {
				out = append(out, question{text: stem(name) + " is " + v + "?", col: col, value: lower(v), form: asValues})
			}
			values = out[len(out)-1].text
		case c.form == asNumbers:
			made := r.cuts(g, p, col)
			if out = append(out, made...); len(made) == 0 {
				r.warn("column %s is left out: all its numbers are equal", Quote(name))
				continue
			}
			cuts = made[len(made)/2].text
		default:
			out = append(out, question{text: name, col: col, form: c.form})
		}
	}
	if values != "" {
		r.assume("columns of values make one question for each, such as %s", Quote(values))
	}
	if cuts != "" {
		r.assume("columns of numbers make questions with thresholds, at most %d, such as %s", mostCuts, Quote(cuts))
	}
	return out
}

// stem returns a column's name without question marks and blanks at its end, unless it has nothing
// else.
func stem(name string) string {
	if s := strings.TrimRight(name, "? "); s != "" {
		return s
	}
	return name
}

// isName reports whether a column names its rows: many values and each once, or the numbers of rows.
func (r *reader) isName(g *grid, c *column, col int) bool {
	if c.form != asValues && c.form != asNumbers || c.filled() < len(g.rows)-1 {
		return false
	}
	if rows := len(g.rows) - 1; r.Group != "" && c.form == asValues && strings.Contains(lower(g.rows[0][col]), "name") && 5*len(g.set(col)) >= 4*rows {
		return true
	}
	name := lower(g.rows[0][col])
	id := (r.Group != "" || r.NoNames || r.Object != "") && (name == "" || idNames[name] || numberNames[name])
	if !id && (c.form == asNumbers || len(g.rows)-1 <= mostNames) {
		return false
	}
	cells := g.below(col)
	slices.Sort(cells)
	return len(slices.Compact(cells)) == len(g.rows)-1
}

// parts returns the states that one cell of text holds.
func parts(cell, seps string) []string {
	var out []string
	for _, s := range strings.FieldsFunc(cell, func(c rune) bool { return strings.ContainsRune(seps, c) }) {
		if s = strings.TrimSpace(s); s != "" && !slices.Contains(out, s) {
			out = append(out, Fold(s))
		}
	}
	return out
}

// separators returns what separates several states in the cells of a column of text: semicolons and bars, else
// commas or slashes where a part also stands alone in some cell.
func (p *profile) separators(g *grid, col int) string {
	if p.cols[col].count[isText] == 0 {
		return ""
	}
	alone, bars := map[string]bool{}, false
	for _, row := range g.rows[1:] {
		if strings.Contains(row[col], listMark) {
			return listMark
		}
		bars = bars || strings.ContainsAny(row[col], ";|")
		alone[Fold(row[col])] = true
	}
	if bars {
		return ";|"
	}
	for _, sep := range []string{",", "/"} {
		for _, row := range g.rows[1:] {
			if list := parts(row[col], sep); len(list) > 1 && p.values[row[col]].kind == isText &&
				slices.ContainsFunc(list, func(s string) bool { return alone[s] }) {
				return sep
			}
		}
	}
	return ""
}

// states returns the values of a column, in the order of the file. Spellings that differ in case alone are one value.
func (r *reader) states(g *grid, p *profile, col int) []string {
	seps := p.cols[col].seps
	var values naming
	several := false
	for _, row := range g.rows[1:] {
		if p.values[row[col]].kind == isMissing {
			continue
		}
		list := parts(row[col], seps)
		several = several || len(list) > 1
		for _, v := range list {
			values.place(v)
		}
	}
	if several && seps != listMark {
		r.assume("column %s has cells with several values, between %q: all of them are yes", Quote(g.rows[0][col]), seps)
	}
	for _, text := range few(values.variants) {
		r.assume("column %s has %s, which are read as one", Quote(g.rows[0][col]), text)
	}
	return values.names
}

// isStates reports whether a column of text holds numbers, several in some cells.
func (r *reader) isStates(g *grid, p *profile, col int) bool {
	seps := p.cols[col].seps
	for _, row := range g.rows[1:] {
		if p.values[row[col]].kind == isMissing {
			continue
		}
		for _, s := range parts(row[col], seps) {
			if _, ok := r.numbers.number(s); !ok {
				return false
			}
		}
	}
	return seps != "" && seps != listMark
}

// measures returns the numbers in a cell.
func (r *reader) measures(g *grid, p *profile, row, col int) (out []float64) {
	cell := g.rows[row][col]
	switch v := p.values[cell]; v.kind {
	case isNumber:
		return []float64{scaled(v.num, v.percent)}
	case isApprox:
		return []float64{v.middle()}
	case isText:
		for _, s := range parts(cell, p.cols[col].seps) {
			if num, ok := r.numbers.number(s); ok {
				out = append(out, scaled(num, false))
			}
		}
	}
	return out
}

// cuts makes the questions of a column of numbers: at each value but the largest, at seven quantiles where there are more.
func (r *reader) cuts(g *grid, p *profile, col int) []question {
	var all []float64
	for row := 1; row < len(g.rows); row++ {
		all = append(all, r.measures(g, p, row, col)...)
	}
	slices.Sort(all)
	distinct := slices.Compact(slices.Clone(all))
	at := distinct[:max(len(distinct)-1, 0)]
	if len(at) > mostCuts {
		at = nil
		for k := 1; k <= mostCuts; k++ {
			if v := all[k*len(all)/(mostCuts+1)]; v < all[len(all)-1] {
				at = append(at, v)
			}
		}
		at = slices.Compact(at)
		if len(at) == 0 { // seven eighths of the cells hold the largest
			at = distinct[len(distinct)-2 : len(distinct)-1]
		}
	}
	var out []question
	for _, v := range at {
		out = append(out, question{
			text: stem(g.rows[0][col]) + " > " + strconv.FormatFloat(v, 'f', -1, 64) + "?", col: col, cut: v, form: asNumbers,
		})
	}
	return out
}

// asks reads the cell that a question asks about.
func (r *reader) asks(g *grid, p *profile, q *question, row int) (reading, error) {
	cell := g.rows[row][q.col]
	switch {
	case q.form != asValues && q.form != asNumbers:
		return r.cell(g, p, row, q.col)
	case p.values[cell].kind == isMissing:
		return r.missing, nil
	case q.form == asValues:
		has := slices.ContainsFunc(parts(cell, p.cols[q.col].seps), func(s string) bool { return lower(s) == q.value })
		return reading{share: truth(has)}, nil
	}
	list := r.measures(g, p, row, q.col)
	above := 0
	for _, v := range list {
		if v > q.cut {
			above++
		}
	}
	return reading{share: float64(above) / float64(max(len(list), 1)), unknown: len(list) == 0}, nil
}

// asked surveys a grid and makes its questions.
func (r *reader) asked(g *grid) (*profile, []question, error) {
	r.lists(g)
	p := r.survey(g)
	if err := r.sure(g, p); err != nil {
		return nil, nil, err
	}
	for col := 1; col < len(p.cols); col++ {
		if c := &p.cols[col]; c.count[isText] > 0 && c.form == asShares {
			if !r.Categories {
				return nil, nil, r.stray(g, p, c, col)
			}
			c.form = asValues
		}
	}
	if err := r.scale(g, p); err != nil {
		return nil, nil, err
	}
	r.sayWords(g, p)
	line, _ := g.at(0, 0)
	qs := r.questions(g, p)
	if len(qs) == 0 {
		return nil, nil, r.fault(line, "no column makes a question: their cells are empty or all alike. Add a column that tells some objects apart.")
	}
	if rows := len(g.rows) - 1; rows*(len(qs)+nameCells) > MaxCells {
		return nil, nil, r.fault(line, "%d rows of %d questions are more than %d cells, too many to hold. Remove columns of free text, or rows.", rows, len(qs), MaxCells)
	}
	first := map[string]int{}
	for i, q := range qs {
		if at, ok := first[key(q.text)]; ok {
			return nil, nil, r.fault(line, "columns %s and %s make one question, %s; questions must differ. Rename a column.",
				Quote(g.rows[0][qs[at].col]), Quote(g.rows[0][q.col]), Quote(q.text))
		}
		first[key(q.text)] = i
	}
	return p, qs, nil
}
