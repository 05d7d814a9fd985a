package table

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// object makes the column of the objects' names the first. Without a flag it is the file's first, after columns of
// identifiers; numbers and answers are not names.
func (r *reader) object(g *grid) error {
	switch {
	case r.Object != "":
		at, err := r.column(g, "--object", r.Object)
		if err == nil {
			g.keep(append([]int{at}, slices.Delete(g.columns(), at, at+1)...))
		}
		return err
	case r.NoNames:
		r.noNames(g)
		return nil
	}
	r.dropIDs(g)
	head := g.rows[0][0]
	if head == objectHeader || r.Header && head == "" && g.distinct(0) {
		return nil
	}
	answers := false
	for _, row := range g.rows[1:] {
		switch r.numbers.parse(row[0]).kind {
		case isNumber, isCount, isApprox, isWord, isDate:
			answers = true
		case isMissing:
		default:
			return r.cases(g)
		}
	}
	if !answers {
		return r.cases(g)
	}
	line, column := g.at(1, 0)
	return r.refuse(line, fmt.Sprintf("column %d (%s) is %s, which is not the name of an object; --object says which column names them.",
		column, Quote(r.headOf(g, 1, 0)), show(g.rows[1][0])), r.namings(g)...)
}

// cases refuses lines that are identified by a code and have a class, where no column names an object: each may be an object,
// or a case.
func (r *reader) cases(g *grid) error {
	ways := r.classWays(g)
	if name := lower(g.rows[0][0]); !numberNames[name] && !caseNames[name] || !g.distinct(0) || len(ways) == 0 || r.longForm(g) {
		return nil
	}
	for _, w := range ways {
		o := Options{}
		if w.set(&o); o.Group != "" && !classNames[lower(o.Group)] {
			return nil
		}
	}
	name := r.columnFlag(g, 0)
	line, _ := g.at(0, 0)
	return r.refuse(line, fmt.Sprintf("column %s identifies lines, which may be objects or cases of a class.", Quote(g.rows[0][0])),
		append([]way{{"each line is an object", func(o *Options) { o.Object = name }}}, ways...)...)
}

// namings returns the ways of naming the objects where the first column does not.
func (r *reader) namings(g *grid) (ways []way) {
	const most = 2 // of a kind
	objects := 0
	for col := range g.rows[0] {
		text := g.texts(r, col) && !numbered.MatchString(g.rows[0][col])
		digits := col == 0 && !notNumbers[lower(g.rows[0][0])] && g.digits(0)
		if (g.distinct(col) && (digits || text) || digits && r.longForm(g)) && objects < most {
			objects++
			name := r.columnFlag(g, col)
			ways = append(ways, way{r.called(g, col) + " names the objects", func(o *Options) { o.Object = name }})
		}
	}
	if r.longForm(g) {
		return ways
	}
	if 2*len(g.set(0)) <= len(g.rows)-1 || !g.texts(r, 0) {
		ways = append(ways, way{"no column names the objects", func(o *Options) { o.NoNames = true }})
	}
	return append(ways, r.classWays(g)...)
}

// classWays returns the ways of reading each line as a case of a class.
func (r *reader) classWays(g *grid) (ways []way) {
	if r.Transpose || r.Percent || r.CountsOf > 0 {
		return nil
	}
	add := func(cols []int, class func(col int) bool) {
		for _, col := range cols {
			if repeats := len(g.set(col)) < len(g.rows)-1; repeats && class(col) && !questionNames[lower(g.rows[0][col])] {
				name := r.columnFlag(g, col)
				ways = append(ways, way{"each line is one case of " + r.called(g, col), func(o *Options) { o.Group = name }})
			}
		}
	}
	all := g.columns()
	if add(all, func(col int) bool {
		return classNames[lower(g.rows[0][col])] || col == 0 && g.texts(r, 0)
	}); len(ways) == 0 {
		last := len(all) - 1
		add([]int{last}, func(col int) bool { return g.texts(r, col) && 2*len(g.set(col)) <= len(g.rows)-1 })
	}
	return ways
}

// columnFlag returns a column as flags name it: by its name, or by its number in the file.
func (r *reader) columnFlag(g *grid, col int) string {
	if name := g.rows[0][col]; name != "" && !r.NoHeader {
		if at, err := r.column(g, "", name); err == nil && at == col {
			return name
		}
	}
	return strconv.Itoa(r.place(g, col))
}

// called returns a column as messages name it.
func (r *reader) called(g *grid, col int) string {
	if name := r.columnFlag(g, col); name == g.rows[0][col] {
		return Quote(name)
	}
	return "column " + strconv.Itoa(r.place(g, col))
}

// set returns the values of a column as names are compared.
func (g *grid) set(col int) map[string]bool {
	out := map[string]bool{}
	for _, row := range g.rows[1:] {
		out[key(row[col])] = true
	}
	return out
}

// distinct reports whether each row has a value of its own in a column.
func (g *grid) distinct(col int) bool {
	set := g.set(col)
	return len(set) == len(g.rows)-1 && !set[""]
}

// texts reports whether every cell of a column is text.
func (g *grid) texts(r *reader, col int) bool {
	return !slices.ContainsFunc(g.rows[1:], func(row []string) bool { return r.numbers.parse(row[col]).kind != isText })
}

// digits reports whether every cell of a column is a number of digits alone.
func (g *grid) digits(col int) bool {
	return !slices.ContainsFunc(g.rows[1:], func(row []string) bool { return !isDigits(row[col]) })
}

// isID reports whether the column in front identifies rows: it has no name, is called so, numbers them in order, or says when
// they were entered.
func (r *reader) isID(g *grid, col int) bool {
	name := lower(g.rows[0][col])
	if timeNames[name] {
		return !slices.ContainsFunc(g.rows[1:], func(row []string) bool { return r.numbers.parse(row[col]).kind != isDate })
	}
	if !g.distinct(col) {
		return false
	}
	digits, ordered, first := g.digits(col), true, 0
	for i, row := range g.rows[1:] {
		n, err := strconv.Atoi(row[col])
		if i == 0 {
			first = n
		}
		ordered = ordered && err == nil && n == first+i
	}
	const few = 3 // rows, fewer of which are in order by chance
	return digits && isUnnamed(g.rows[0][col]) || numberNames[name] || ordered && digits && first <= 1 && !notNumbers[name] && len(g.rows) > few
}

// ids returns how many columns in front identify rows.
func (r *reader) ids(g *grid) (n int) {
	for n+1 < len(g.rows[0]) && r.isID(g, n) {
		n++
	}
	return n
}

// dropIDs removes the columns in front that identify rows where the names of the objects follow, or those of the questions
// if the table is to be transposed.
func (r *reader) dropIDs(g *grid) {
	n := r.ids(g)
	for ; n > 0; n-- {
		rest := &grid{}
		for _, row := range g.rows {
			rest.rows = append(rest.rows, row[n:])
		}
		if g.distinct(n) && g.texts(r, n) || r.longForm(rest) || isRaw(rest.rows[0]) {
			break
		}
	}
	if n == 0 {
		return
	}
	what := "objects"
	if r.Transpose {
		what = "questions"
	}
	r.sayIDs(g, n, ": column "+strings.TrimPrefix(r.called(g, n), "column ")+" names the "+what)
	g.dropFirst(n)
}

// sayIDs notes columns of identifiers that are left out.
func (r *reader) sayIDs(g *grid, n int, also string) {
	if n > 1 {
		r.assume("columns 1 to %d identify the rows and are left out%s", n, also)
		return
	}
	name := ""
	if !isUnnamed(g.rows[0][0]) {
		name = " (" + Quote(g.rows[0][0]) + ")"
	}
	r.assume("column 1%s identifies the rows and is left out%s", name, also)
}

// noNames numbers the objects, after identifiers are left out.
func (r *reader) noNames(g *grid) {
	if n := r.ids(g); n > 0 {
		r.sayIDs(g, n, "")
		g.dropFirst(n)
	}
	before := *g
	for i, row := range g.rows {
		name := objectHeader
		if i > 0 {
			name = strconv.Itoa(i)
		}
		g.rows[i] = append([]string{name}, row...)
	}
	g.place = func(row, col int) (int, int) { return before.at(row, max(col-1, 0)) }
}

// objects brings the objects' names into one form, and refuses those that are missing or equal.
func (r *reader) objects(g *grid) error {
	first := make(map[string]int, len(g.rows))
	var same []string
	fault := 0
	for i, row := range g.rows[1:] {
		name := key(row[0])
		line, _ := g.at(i+1, 0)
		if name == "" {
			return r.fault(line, "the object has no name; every row begins with one. Write one in the first cell.")
		}
		if at, ok := first[name]; ok {
			other, _ := g.at(at, 0)
			if fault == 0 {
				fault = line
			}
			if text := fmt.Sprintf("object %s stands on line %d too", Quote(row[0]), other); !slices.Contains(same, text) {
				same = append(same, text)
			}
			continue
		}
		first[name] = i + 1
		row[0] = Fold(row[0])
	}
	if len(same) == 0 {
		return nil
	}
	return r.refuse(fault, strings.Join(few(same), "; ")+"; the names of objects must differ. Rename one or remove it.", r.namings(g)...)
}
