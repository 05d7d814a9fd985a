package table

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// What headers say of their columns.
var (
	weightNames   = words("weight weights")
	countNames    = words("prior priors frequency frequencies freq count counts n")
	questionNames = words("question questions query queries symptom symptoms feature features attribute attributes property properties trait traits character characters characteristic characteristics variable variables frage fragen merkmal merkmale eigenschaft eigenschaften question symptôme symptômes caractère pregunta preguntas rasgo")
	numberNames   = words("id ids _id code codes no no. nr nr. # index idx row lfd.nr. lfd.nr")
	notNumbers    = words("age year years alter jahr")
	timeNames     = words("timestamp zeitstempel horodateur date datum time submitted")
	caseNames     = words("case patient respondent participant subject sample proband fall pid")
	classNames    = words("class target label diagnosis outcome prognosis disease species type klasse diagnose krankheit art classe")
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

// headless puts a header above a grid that has none.
func (r *reader) headless(g *grid) {
	before, what := *g, "question"
	if r.Transpose {
		what = "object"
	}
	names := 0 // the column of the objects' names
	if n, err := strconv.Atoi(r.Object); err == nil {
		names = n - 1
	} else if r.NoNames || r.Group != "" {
		names = -1
	}
	head, n := make([]string, width(g.rows)), 0
	for col := range head {
		if col != names {
			n++
			head[col] = what + " " + strconv.Itoa(n)
		}
	}
	g.rows = append([][]string{head}, g.rows...)
	g.lines = append([]int{g.lines[0]}, g.lines...)
	g.place = func(row, col int) (int, int) { return before.at(max(row-1, 0), col) }
}

// header checks the first row, that it is one and what it says of the columns.
func (r *reader) header(g *grid) error {
	head := g.rows[0]
	line, _ := g.at(0, 0)
	if len(head) < 2 {
		return r.fault(line, "the first line has one cell, %s; it names the columns, first the objects, then one question each. Cells between other characters? Use --separator.", Quote(head[0]))
	}
	if why := r.isData(g); why != "" && !r.Header && !r.NoHeader {
		what := "line " + strconv.Itoa(line)
		if r.Transpose {
			what = "the first column"
		}
		return r.refuse(line, fmt.Sprintf("%s may be a header or data like the others, as %s.", what, why),
			way{what + " is a header", func(o *Options) { o.Header = true }}, way{what + " is data", func(o *Options) { o.NoHeader = true }})
	}
	asked := 0
	for _, name := range head[1:] {
		if strings.HasSuffix(name, "?") {
			asked++
		}
	}
	if !r.Transpose && questionNames[lower(head[0])] && 2*asked <= len(head)-1 {
		r.warn("the first column is headed %s, as questions are, and its rows are read as objects: use --transpose where the columns are objects", Quote(head[0]))
	}
	return nil
}

// isData returns what makes a first row look like data: a number, or a value of its own column. The header that
// [Table.Write] writes is one whatever it holds.
func (r *reader) isData(g *grid) string {
	head := g.rows[0]
	if head[0] == objectHeader {
		return ""
	}
	var n numerals
	for _, cell := range head {
		n.learn(cell)
	}
	words := 0
	for _, cell := range head {
		switch n.parse(cell).kind {
		case isNumber, isCount:
			return show(cell) + " is a number"
		case isWord:
			words++
		}
	}
	if words == len(head)-1 && n.parse(head[0]).kind != isWord {
		return show(head[1]) + " is an answer"
	}
	for col, name := range head {
		own, other := false, col == 0
		for _, row := range g.rows[1:] {
			same := row[col] == name
			own = own || same && name != ""
			other = other || !same && row[col] != ""
		}
		if own && other { // a column of its own name and blanks has marks
			return show(name) + " stands below itself, too"
		}
	}
	return ""
}

// names brings the questions' names into one form, and refuses those that are missing or equal. Two questions of
// one name would make a game that cannot be answered.
func (r *reader) names(g *grid) error {
	head := slices.Clone(g.rows[0])
	first := map[string]int{}
	var same []string
	fault := 0
	for col, name := range head[1:] {
		col++
		line, column := g.at(0, col)
		if name == "" {
			return r.fault(line, "column %d has values and no name; the header names every question. Name it, or remove the column.", column)
		}
		if at, ok := first[key(name)]; ok {
			if head[at] == name {
				same = append(same, fmt.Sprintf("%s and %d have one name, %s", r.number(g, at), r.place(g, col), Quote(name)))
			} else {
				same = append(same, fmt.Sprintf("%s and %d have one name after Unicode normalisation (NFC), written %s and %s",
					r.number(g, at), r.place(g, col), strconv.QuoteToASCII(head[at]), strconv.QuoteToASCII(name)))
			}
			if fault == 0 {
				fault = line
			}
			continue
		}
		first[key(name)] = col
	}
	if len(same) > 0 {
		return r.fault(fault, "%s; the names of questions must differ. Rename one or remove it.", strings.Join(few(same), "; "))
	}
	for col, name := range head[1:] {
		g.rows[0][col+1] = Fold(name)
	}
	return nil
}

// number returns the file's columns, or its lines where they are transposed, up to the first of some of one name.
func (r *reader) number(g *grid, col int) string {
	what := "columns "
	if r.Transpose {
		what = "lines "
	}
	return what + strconv.Itoa(r.place(g, col))
}

// place returns the number of a column in the file, or of its line where the file is transposed.
func (r *reader) place(g *grid, col int) int {
	line, column := g.at(0, col)
	if r.Transpose {
		return line
	}
	return column
}

// few cuts a list for a message.
func few(list []string) []string {
	if len(list) > 6 {
		return append(slices.Clone(list[:5]), fmt.Sprintf("%d more", len(list)-5))
	}
	return list
}

// answers refuses a file with one answer a line, unless a flag says what its columns are.
func (r *reader) answers(g *grid) error {
	head := g.rows[0]
	if !isExport(head) && !(isRaw(head) && !r.longForm(g)) || r.Group != "" || r.Object != "" || r.NoNames || r.Categories || r.NoHeader || r.Transpose {
		return nil
	}
	return r.faultAt(g, 0, "the columns say that each line is one answer, and here a line is an object. Run: mapo data tabulate %s -o %s", Shell(r.name), Shell(outName(r.name)))
}

// isExport reports whether a header is that of exported sessions, an answer a line.
func isExport(head []string) bool { return headed(head, "session", "step", "outcome", "answer") }

// isRaw reports whether a header is that of raw answers, one a line, which mapo data tabulate reads.
func isRaw(head []string) bool {
	return headed(head, objectHeader, "answer") && (headed(head, "query") || headed(head, "question"))
}

// headed reports whether a header has columns of all these names.
func headed(head []string, all ...string) bool {
	return !slices.ContainsFunc(all, func(name string) bool {
		return !slices.ContainsFunc(head, func(h string) bool { return key(h) == name })
	})
}

// column returns the column of that name, or of that number in the file; flag asked for it.
func (r *reader) column(g *grid, flag, name string) (int, error) {
	head := g.rows[0]
	if at := slices.IndexFunc(head, func(h string) bool { return key(h) == key(strings.TrimSpace(name)) }); at >= 0 {
		return at, nil
	}
	for col := range head {
		if strconv.Itoa(r.place(g, col)) == name {
			return col, nil
		}
	}
	line, _ := g.at(0, 0)
	var quoted []string
	for _, h := range head[:min(len(head), 8)] {
		quoted = append(quoted, Quote(h))
	}
	if len(head) > 8 {
		quoted = append(quoted, "…")
	}
	return 0, r.fault(line, "%s is %s, and no column has that name or number; the columns are %s.", flag, Quote(name), strings.Join(quoted, ", "))
}

// take removes the column that a flag asks for and returns its cells and where it stood.
func (r *reader) take(g *grid, flag, name string) ([]string, func(row int) (line, column int), error) {
	at, err := r.column(g, flag, name)
	if err != nil {
		return nil, nil, err
	}
	cells, before := g.below(at), *g
	g.keep(slices.Delete(g.columns(), at, at+1))
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
		return nil, nil
	case marked && name != weightsHeader:
		return nil, r.faultAt(g, 0, "--weights is %s, and the table has its weights in %s; there is one weight for each object. Remove that column, or leave --weights out.", Quote(name), weightsHeader)
	}
	if key(g.rows[0][0]) == key(name) && r.Group == "" && !r.NoNames && r.Object == "" {
		return nil, r.faultAt(g, 0, "--weights is %s, which is the column of the objects' names. Name the column of weights.", Quote(name))
	}
	cells, place, err := r.take(g, "--weights", name)
	if err != nil {
		return nil, err
	}
	out := weightsOf(cells)
	for i, weight := range out {
		if line, column := place(i); !(weight > 0 && weight <= 1e300) {
			return nil, r.fault(line, "column %d (%s) is %s; a weight is a number above 0. Correct it, or remove the row.", column, Quote(name), show(cells[i]))
		}
	}
	if name != weightsHeader {
		r.assume("column %s holds the prior weights", Quote(name))
	}
	return out, nil
}

// weightsOf returns the numbers in cells, 0 where there is none.
func weightsOf(cells []string) []float64 {
	var n numerals
	for _, cell := range cells {
		n.learn(cell)
	}
	out := make([]float64, len(cells))
	for i, cell := range cells {
		if v, ok := n.share(cell); ok {
			out[i] = scaled(v.num, v.percent)
		}
	}
	return out
}

// likeWeights warns of questions that may be prior weights.
func (r *reader) likeWeights(g *grid) {
	for col := 1; col < len(g.rows[0]); col++ {
		if name := g.rows[0][col]; r.mayWeigh(g, col) {
			r.warn("column %s is read as a question: use --weights %s if it holds prior weights", Quote(name), Shell(name))
		}
	}
}

// mayWeigh reports whether a column may hold prior weights: it is called so, and its cells are shares that sum to 1, or
// whole numbers under a name that no measurement has.
func (r *reader) mayWeigh(g *grid, col int) bool {
	name := lower(g.rows[0][col])
	if r.Transpose || !weightNames[name] && !countNames[name] {
		return false
	}
	sum, whole := 0.0, true
	for _, x := range weightsOf(g.below(col)) {
		if x <= 0 {
			return false
		}
		sum, whole = sum+x, whole && x == math.Trunc(x)
	}
	const rounding = 0.005
	return math.Abs(sum-1) < rounding || whole && countNames[name]
}
