package table

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// What headers say of their columns.
var (
	weightNames   = words("weight weights prior priors count counts")
	questionNames = words("question questions query queries symptom symptoms feature features attribute attributes property properties trait traits character characters characteristic characteristics variable variables frage fragen merkmal merkmale eigenschaft eigenschaften question symptôme symptômes caractère pregunta preguntas rasgo")
	idNames       = words("id nr nr. no no. # case patient index row nummer fall lfd. sample probe specimen subject object item name species animal taxon country word label art objekt nom nombre")
)

// key returns a name in the form in which names are compared: after [Fold], with every blank alike.
func key(name string) string {
	return strings.Map(func(c rune) rune {
		if unicode.IsSpace(c) {
			return ' '
		}
		return c
	}, Fold(name))
}

// numbered puts a header above a grid that has none.
func (r *reader) numbered(g *grid) {
	before, what := *g, "question"
	if r.Transpose {
		what = "object"
	}
	head := make([]string, width(g.rows))
	for i := range head[1:] {
		head[i+1] = what + " " + strconv.Itoa(i+1)
	}
	g.rows = append([][]string{head}, g.rows...)
	g.lines = append([]int{g.lines[0]}, g.lines...)
	g.place = func(row, col int) (int, int) { return before.at(max(row-1, 0), col) }
	r.assume("the file has no header: %ss are called %s 1, %s 2, …", what, what, what)
}

// header checks the first row, that it is one and what it says of the columns.
func (r *reader) header(g *grid) error {
	head := g.rows[0]
	line, _ := g.at(0, 0)
	if len(head) < 2 {
		return r.fault(line, "the first line has one cell, %s; it names the columns, first the objects, then one question each. Cells between other characters? Use --separator.", Quote(head[0]))
	}
	if !r.NoHeader && r.isData(head) {
		what := "line " + strconv.Itoa(line)
		if r.Transpose {
			what = "the first column"
		}
		return r.faultUse(line, fmt.Sprintf("%s has no names of questions, only %s and so on; the header names them. Names that are numbers? Put a letter before each. No header?", what, show(head[1])), "--no-header")
	}
	if !r.Transpose && questionNames[lower(head[0])] {
		text := fmt.Sprintf("the first column is headed %s, as questions are, and its rows are read as objects", Quote(head[0]))
		if r.Direct {
			return r.fault(line, "%s. Run: %s if columns are objects, or %s if they are questions", text, r.command("--transpose"), r.command())
		}
		r.warn("%s: use --transpose where the columns are objects", text)
	}
	return nil
}

// isData reports whether a first row holds shares where names should be.
func (r *reader) isData(head []string) bool {
	var n numerals
	for _, cell := range head[1:] {
		n.learn(cell)
	}
	for _, cell := range head[1:] {
		switch v := n.parse(cell); {
		case v.kind == isNumber, v.kind == isCount, v.kind == isWord && v.direct && !strings.EqualFold(head[0], objectHeader):
		default:
			return false
		}
	}
	return true
}

// names brings the questions' names into one form, and refuses those that are missing or equal. Two questions of
// one name would make a game that cannot be answered.
func (r *reader) names(g *grid) error {
	head := slices.Clone(g.rows[0])
	first := map[string]int{}
	for col, name := range head[1:] {
		col++
		line, column := g.at(0, col)
		if name == "" {
			return r.fault(line, "column %d has values and no name; the header names every question. Name it, or remove the column.", column)
		}
		if at, ok := first[key(name)]; ok {
			_, other := g.at(0, at)
			if head[at] == name {
				return r.fault(line, "columns %d and %d have one name, %s; the names of questions must differ. Rename one or remove it.", other, column, Quote(name))
			}
			return r.fault(line, "columns %d and %d have one name after Unicode normalisation (NFC), written %s and %s; the names of questions must differ. Rename one or remove it.",
				other, column, strconv.QuoteToASCII(head[at]), strconv.QuoteToASCII(name))
		}
		first[key(name)] = col
	}
	for col, name := range head[1:] {
		g.rows[0][col+1] = Fold(name)
	}
	return nil
}

// objects brings the objects' names into one form, and refuses those that are missing or equal.
func (r *reader) objects(g *grid) error {
	first, numbered := make(map[string]int, len(g.rows)), true
	for i, row := range g.rows[1:] {
		name := key(row[0])
		line, _ := g.at(i+1, 0)
		if name == "" {
			return r.fault(line, "the object has no name; every row begins with one. Write one in the first cell.")
		}
		if at, ok := first[name]; ok {
			other, _ := g.at(at, 0)
			if isRaw(g.rows[0]) {
				return r.fault(line, "object %s stands on line %d too, as each line is one answer. Use mapo data tabulate.", Quote(row[0]), other)
			}
			text := fmt.Sprintf("object %s stands on line %d too; the names of objects must differ. Rename one or remove it. Is each line one case of a class?", Quote(row[0]), other)
			return r.faultUse(line, text, "--group "+r.groupGuess(g))
		}
		first[name] = i + 1
		row[0] = Fold(row[0])
		numbered = numbered && isDigits(name)
	}
	if numbered {
		leave := ""
		if isUnnamed(g.rows[0][0]) {
			leave = "leave out column 1 if another column names the objects, or "
		}
		r.warn("the objects are numbers: %suse --group COLUMN where each line is one case of a class", leave)
	}
	return nil
}

// isRaw reports whether a header is that of raw answers, one a line, which mapo data tabulate reads.
func isRaw(head []string) bool {
	has := func(name string) bool {
		return slices.ContainsFunc(head, func(h string) bool { return key(h) == name })
	}
	return has(objectHeader) && (has("query") || has("question")) && has("answer")
}

// groupGuess returns the column that holds classes, where one looks like it: the first, of text with few values, or the
// last, of text.
func (r *reader) groupGuess(g *grid) string {
	head, rows := g.rows[0], g.rows[1:]
	values := map[string]bool{}
	texts := [2]bool{true, true} // the first column, the last
	for _, row := range rows {
		values[row[0]] = true
		texts[0] = texts[0] && r.numbers.parse(row[0]).kind == isText
		texts[1] = texts[1] && r.numbers.parse(row[len(head)-1]).kind == isText
	}
	switch {
	case texts[0] && 2*len(values) <= len(rows) && head[0] != "":
		return Shell(head[0])
	case texts[1]:
		return Shell(head[len(head)-1])
	}
	return "COLUMN"
}

// take removes the column of that name and returns its cells and where it stood; flag asked for it.
func (r *reader) take(g *grid, flag, name string) (cells []string, place func(row int) (line, column int), err error) {
	head := g.rows[0]
	at := slices.IndexFunc(head, func(h string) bool { return key(h) == key(strings.TrimSpace(name)) })
	if at < 0 {
		line, _ := g.at(0, 0)
		var quoted []string
		for _, h := range head[:min(len(head), 8)] {
			quoted = append(quoted, Quote(h))
		}
		if len(head) > 8 {
			quoted = append(quoted, "…")
		}
		return nil, nil, r.fault(line, "%s is %s, and no column has that name; the columns are %s.", flag, Quote(name), strings.Join(quoted, ", "))
	}
	for _, row := range g.rows[1:] {
		cells = append(cells, row[at])
	}
	before := *g
	var rest []int
	for col := range head {
		if col != at {
			rest = append(rest, col)
		}
	}
	g.keep(rest)
	return cells, func(row int) (int, int) { return before.at(row+1, at) }, nil
}

// weights takes the column of prior weights, nil where there is none.
func (r *reader) weights(g *grid) ([]float64, error) {
	name := r.Weights
	marked := slices.Contains(g.rows[0], weightsHeader)
	switch {
	case name == "" && marked:
		name = weightsHeader
	case name == "":
		return nil, r.likeWeights(g)
	case marked && name != weightsHeader:
		line, _ := g.at(0, 0)
		return nil, r.fault(line, "--weights is %s, and the table has its weights in %s; there is one weight for each object. Remove that column, or leave --weights out.", Quote(name), weightsHeader)
	}
	if len(g.rows[0]) > 0 && key(g.rows[0][0]) == key(name) && r.Group == "" {
		line, _ := g.at(0, 0)
		return nil, r.fault(line, "--weights is %s, which is the column of the objects' names. Name the column of weights.", Quote(name))
	}
	cells, place, err := r.take(g, "--weights", name)
	if err != nil {
		return nil, err
	}
	var n numerals
	for _, cell := range cells {
		n.learn(cell)
	}
	out := make([]float64, len(cells))
	for i, cell := range cells {
		v, ok := n.share(cell)
		if ok {
			out[i] = scaled(v.num, v.percent)
		}
		if line, column := place(i); !ok || !(out[i] > 0 && out[i] <= 1e300) {
			return nil, r.fault(line, "column %d (%s) is %s; a weight is a number above 0. Correct it, or remove the row.", column, Quote(name), show(cell))
		}
	}
	if name != weightsHeader {
		r.assume("column %s holds the prior weights", Quote(name))
	}
	return out, nil
}

// likeWeights warns of a question that is called as weights are.
func (r *reader) likeWeights(g *grid) error {
	for col, name := range g.rows[0] {
		if col == 0 || !weightNames[lower(name)] {
			continue
		}
		text := fmt.Sprintf("column %s is read as a question", Quote(name))
		if r.Direct {
			line, _ := g.at(0, col)
			return r.fault(line, "%s, and its name says that it holds prior weights. Run: %s or rename it if it is a question", text, r.command("--weights "+Shell(name)))
		}
		r.warn("%s: use --weights %s if it holds prior weights", text, Shell(name))
	}
	return nil
}
