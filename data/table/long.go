package table

// isLong reports whether a grid is in long form: an object, a question and a share a line, objects repeated.
func (r *reader) isLong(g *grid) bool {
	if len(g.rows[0]) != 3 || r.Transpose || r.Categories || r.Group != "" {
		return false
	}
	seen := map[string]bool{}
	repeated := false
	for _, row := range g.rows[1:] {
		repeated = repeated || seen[row[0]]
		seen[row[0]] = true
		switch r.numbers.parse(row[1]).kind {
		case isText, isDate:
		default:
			return false
		}
		switch r.numbers.parse(row[2]).kind {
		case isText, isDate, isFault:
			return false
		}
	}
	return repeated
}

// widen makes a table in long form one with an object a row. Objects and questions stand in the order of the file.
func (r *reader) widen(g *grid) error {
	var objects, queries []string
	object, query := map[string]int{}, map[string]int{}
	at := map[[2]int]int{}
	for i, row := range g.rows[1:] {
		line, _ := g.at(i+1, 0)
		if row[0] == "" || row[1] == "" {
			return r.fault(line, "the line lacks a name; in long form each line is an object, a question and a share. Write it, or remove the line.")
		}
		cell := [2]int{place(object, &objects, row[0]) + 1, place(query, &queries, row[1]) + 1}
		if first, ok := at[cell]; ok {
			other, _ := g.at(first, 0)
			rename := ""
			if !isRaw(g.rows[0]) {
				rename = " and let line 1 be object,query,answer"
			}
			return r.fault(line, "%s and %s stand on line %d too; in long form each object has one share for each question. Remove one; if each line is one answer, use mapo data tabulate%s.",
				Quote(row[0]), Quote(row[1]), other, rename)
		}
		at[cell] = i + 1
	}
	if (len(objects)+1)*(len(queries)+nameCells) > MaxCells {
		return r.fault(g.lines[0], "%d objects and %d questions are more than %d cells, too many to hold. Is each in its own column?", len(objects), len(queries), MaxCells)
	}
	before := *g
	rows := make([][]string, len(objects)+1)
	rows[0] = append([]string{objectHeader}, queries...)
	for i := range objects {
		row := make([]string, len(queries)+1)
		row[0] = objects[i]
		for j := range queries {
			row[j+1] = absent
			if k, ok := at[[2]int{i + 1, j + 1}]; ok {
				row[j+1] = g.rows[k][2]
			}
		}
		rows[i+1] = row
	}
	lineOf := make([]int, len(objects)+1) // the first line of each object
	for cell, k := range at {
		if first := lineOf[cell[0]]; first == 0 || k < first {
			lineOf[cell[0]] = k
		}
	}
	g.rows, g.lines = rows, nil
	g.place = func(row, col int) (int, int) {
		if k, ok := at[[2]int{row, col}]; ok {
			return before.at(k, 2)
		}
		return before.at(lineOf[row], 0)
	}
	r.sayLong(before.rows[0], len(objects), len(queries), len(at))
	return nil
}

// sayLong notes the long form and what the cells are that it does not name.
func (r *reader) sayLong(head []string, objects, queries, named int) {
	r.doubt("the table is in long form: %s, %s and %s a line", Quote(head[0]), Quote(head[1]), Quote(head[2]))
	open := objects*queries - named
	switch {
	case open == 0:
	case r.Absent == "":
		r.doubt("%d of %d cells do not occur and are %g (--absent unknown makes them unknown)", open, objects*queries, absentShare)
	default:
		r.doubt("%d of %d cells do not occur and are %s", open, objects*queries, r.Absent)
	}
}

// place returns a name's number, and gives a new name the next number.
func place(known map[string]int, names *[]string, name string) int {
	at, ok := known[key(name)]
	if !ok {
		at = len(*names)
		known[key(name)], *names = at, append(*names, Fold(name))
	}
	return at
}
