package table

import (
	"fmt"
	"slices"
)

// longForm reports whether a grid has one cell of the table a line, with objects repeated: object, question and share, or pairs
// of object and question, each a yes.
func (r *reader) longForm(g *grid) bool {
	n := len(g.rows[0])
	if n != 2 && n != 3 || r.Transpose || r.Categories || r.Group != "" || r.NoNames {
		return false
	}
	for _, row := range g.rows[1:] {
		if n == 2 && r.numbers.parse(row[0]).kind != isText {
			return false
		}
		if kind := r.numbers.parse(row[1]).kind; kind != isText && (n == 2 || kind != isDate) {
			return false
		}
		if n == 3 && slices.Contains([]kind{isText, isDate, isFault}, r.numbers.parse(row[2]).kind) {
			return false
		}
	}
	return len(g.set(0)) < len(g.rows)-1
}

// widen makes a table in long form one with an object a row. Objects and questions stand in the order of the file.
func (r *reader) widen(g *grid) error {
	pairs := len(g.rows[0]) == 2
	var objects, queries naming
	at := map[[2]int]int{}
	for i, row := range g.rows[1:] {
		line, _ := g.at(i+1, 0)
		if row[0] == "" || row[1] == "" {
			return r.fault(line, "the line lacks a name; in long form each line is an object, a question and a share. Write it, or remove the line.")
		}
		cell := [2]int{objects.place(row[0]) + 1, queries.place(row[1]) + 1}
		if first, ok := at[cell]; ok {
			other, _ := g.at(first, 0)
			return r.twice(g, i+1, other)
		}
		at[cell] = i + 1
	}
	if (len(objects.names)+1)*(len(queries.names)+nameCells) > MaxCells {
		return r.fault(g.lines[0], "%d objects and %d questions are more than %d cells, too many to hold. Is each in its own column?", len(objects.names), len(queries.names), MaxCells)
	}
	before := *g
	rows := make([][]string, len(objects.names)+1)
	rows[0] = append([]string{objectHeader}, queries.names...)
	for i := range objects.names {
		row := make([]string, len(queries.names)+1)
		row[0] = objects.names[i]
		for j := range queries.names {
			row[j+1] = absent
			if k, ok := at[[2]int{i + 1, j + 1}]; ok {
				if row[j+1] = "1"; !pairs {
					row[j+1] = g.rows[k][2]
				}
			}
		}
		rows[i+1] = row
	}
	lineOf := make([]int, len(objects.names)+1) // the first line of each object
	for cell, k := range at {
		if first := lineOf[cell[0]]; first == 0 || k < first {
			lineOf[cell[0]] = k
		}
	}
	g.rows, g.lines = rows, nil
	g.place = func(row, col int) (int, int) {
		if k, ok := at[[2]int{row, col}]; ok {
			return before.at(k, len(before.rows[0])-1)
		}
		return before.at(lineOf[row], 0)
	}
	r.long, r.percents = true, !pairs && saysPercent(before.rows[0][2])
	if r.Absent == "" {
		r.absent = reading{share: absentShare}
		if pairs {
			r.absent = reading{}
		}
	}
	r.sayLong(before.rows[0], &objects, &queries, len(at))
	return nil
}

// twice refuses a pair of object and question that stands on two lines.
func (r *reader) twice(g *grid, row, other int) error {
	line, _ := g.at(row, 0)
	rule := "in long form each object has one share for each question. Remove one; if each line is one answer, use mapo data tabulate"
	if len(g.rows[0]) == 2 {
		rule = "in a list of pairs each is a yes. Remove one"
	} else if !isRaw(g.rows[0]) {
		rule += " and let line 1 be object,query,answer"
	}
	return r.refuse(line, fmt.Sprintf("%s and %s stand on line %d too; %s.", Quote(g.rows[row][0]), Quote(g.rows[row][1]), other, rule), r.classWays(g)...)
}

// sayLong notes the long form and what the cells are that it does not name.
func (r *reader) sayLong(head []string, objects, queries *naming, named int) {
	pairs := len(head) == 2
	if r.NoHeader {
		head = []string{"object", "question", "share"}
	}
	if pairs {
		r.assume("each line is a pair of %s and %s, and says yes", Quote(head[0]), Quote(head[1]))
	} else {
		r.assume("the table is in long form: %s, %s and %s a line", Quote(head[0]), Quote(head[1]), Quote(head[2]))
	}
	for _, text := range slices.Concat(objects.variants, queries.variants) {
		r.assume("%s are read as one", text)
	}
	all := len(objects.names) * len(queries.names)
	open := all - named
	switch {
	case open == 0:
	case r.Absent != "":
		r.assume("%d of %d cells do not occur and are %s", open, all, r.Absent)
	case pairs:
		r.assume("%d of %d pairs do not occur and say no (--absent unknown makes them unknown)", open, all)
	default:
		r.assume("%d of %d cells do not occur and are %g (--absent unknown makes them unknown)", open, all, absentShare)
	}
}

// naming numbers names in the order of the file. Spellings that differ in case alone are one name.
type naming struct {
	names    []string
	variants []string // the pairs of spellings, in quotes
	known    map[string]int
	spelled  map[string]bool
}

// place returns a name's number, and gives a new name the next number.
func (n *naming) place(name string) int {
	if n.known == nil {
		n.known, n.spelled = map[string]int{}, map[string]bool{}
	}
	at, ok := n.known[lower(key(name))]
	if !ok {
		at = len(n.names)
		n.known[lower(key(name))], n.names = at, append(n.names, Fold(name))
	} else if !n.spelled[key(name)] {
		n.variants = append(n.variants, Quote(n.names[at])+" and "+Quote(Fold(name)))
	}
	n.spelled[key(name)] = true
	return at
}
