package table

import (
	"fmt"
	"strconv"
	"strings"
)

// groupTable makes one object of each class in a file with one case a line: every cell counts its cases.
func (r *reader) groupTable(g *grid, p *profile, qs []question, classes []string, place func(row int) (line, column int), weights []float64) (*Table, error) {
	names, member, err := r.classes(classes, place)
	if err != nil {
		return nil, err
	}
	t := newTable(r.name, names, textsOf(qs))
	sums := make([]Count, len(t.P))
	for i := range g.rows[1:] {
		for j := range qs {
			c, err := r.caseOf(g, p, &qs[j], i)
			if err != nil {
				return nil, err
			}
			sum := &sums[member[i]*len(qs)+j]
			sum.K, sum.N = sum.K+c.K, sum.N+c.N
		}
	}
	single := len(names) == len(member) // each class has one case: its cells are answers, not counts
	for at, c := range sums {
		next := counted(c)
		if single && c.N == 1 {
			next = reading{share: float64(c.K)}
		}
		t.put(at/len(qs), at%len(qs), next)
	}
	t.Weights, t.Lines = make([]float64, len(names)), make([]int, len(names))
	for i, k := range member {
		if t.Lines[k] == 0 {
			t.Lines[k], _ = place(i)
		}
		if weights == nil {
			t.Weights[k]++
		} else {
			t.Weights[k] += weights[i]
		}
	}
	r.sayClasses(t, len(member), weights != nil)
	t.FillUnknown()
	return t, nil
}

// sayClasses notes the classes and their weights.
func (r *reader) sayClasses(t *Table, cases int, weighted bool) {
	var counts []string
	for k, name := range t.Objects[:min(len(t.Objects), 6)] {
		counts = append(counts, name+" "+strconv.FormatFloat(t.Weights[k], 'f', -1, 64))
	}
	if len(t.Objects) > 6 {
		counts = append(counts, "…")
	}
	what, by := "counts", "column "+Quote(r.Group)
	if isDigits(r.Group) {
		by = "column " + r.Group
	}
	if weighted {
		what = "sums of weights"
	}
	r.assume("%d cases of %d classes by %s; the classes' %s are their prior weights: %s", cases, len(t.Objects), by, what, strings.Join(counts, ", "))
}

// classes numbers the classes in the order of the file, [cases].
func (r *reader) classes(cells []string, place func(row int) (line, column int)) (names []string, member []int, err error) {
	var known naming
	for i, cell := range cells {
		if r.numbers.parse(cell).kind == isMissing {
			line, column := place(i)
			return nil, nil, r.fault(line, "column %d (%s) is %s; every case has a class. Write it, or remove the line.", column, Quote(r.Group), show(cell))
		}
		member = append(member, known.place(cell))
	}
	for _, text := range known.variants {
		r.assume("%s are read as one", text)
	}
	names = known.names
	if len(names) < 2 {
		line, column := place(0)
		return nil, nil, r.fault(line, "column %d (%s) is %s in every line; a game needs at least 2 classes. Name the column of classes.", column, Quote(r.Group), show(names[0]))
	}
	return names, member, nil
}

// caseOf returns what case i counts for a question: nothing where its cell is unknown.
func (r *reader) caseOf(g *grid, p *profile, q *question, i int) (Count, error) {
	c, err := r.asks(g, p, q, i+1)
	switch {
	case err != nil, c.unknown:
		return Count{}, err
	case c.count.N > 0:
		return c.count, nil
	case c.share == 0 || c.share == 1:
		return Count{int(c.share), 1}, nil
	}
	return Count{}, r.cellFault(g, i+1, q.col, fmt.Sprintf("with --group a case says yes or no, and this is %g. Correct it, or leave it empty.", c.share))
}
