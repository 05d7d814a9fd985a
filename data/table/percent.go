package table

import (
	"fmt"
	"strconv"
	"strings"
)

// What the largest cell of a table says of all its numbers.
const (
	mostGrade   = 10  // above 1 and up to this: grades, counts or percent, which cannot be told
	mostPercent = 100 // above mostGrade and up to this: percent
)

// percent decides for the whole table whether numbers without % are percent.
func (r *reader) percent(g *grid, p *profile) (bool, error) {
	if r.Percent || r.CountsOf > 0 {
		return r.Percent, nil
	}
	top, row, col := 0.0, 0, 0
	small, all := 0, 0
	ones, others := make([]bool, len(p.cols)), make([]bool, len(p.cols)) // whether a column has a 1, and a number but 0 and 1
	tops := make([]float64, len(p.cols))                                 // the largest of each column
	above, below := make([]int, len(p.cols)), make([]bool, len(p.cols))  // how many are above 1, and whether one is below
	for i, cells := range g.rows[1:] {
		for j, cell := range cells[1:] {
			v, ok := p.values[cell].largest()
			if !ok || p.cols[j+1].form != asShares {
				continue
			}
			if v < 0 {
				rule := "a share is from 0 to 1. Correct it."
				if v == -1 || v == -9 || v == -99 || v == -999 || v == -9999 {
					rule = "a share is from 0 to 1. Leave the cell empty where it is unknown."
				}
				return false, r.cellFault(g, i+1, j+1, rule)
			}
			if all++; v > 0 && v < 1 {
				small++
			}
			tops[j+1] = max(tops[j+1], v)
			if below[j+1] = below[j+1] || v < 1; v > 1 {
				above[j+1]++
			}
			ones[j+1], others[j+1] = ones[j+1] || v == 1, others[j+1] || v != 0 && v != 1
			if v > top {
				top, row, col = v, i+1, j+1
			}
		}
	}
	lone := r.mayWeigh && isLone(above, below)
	switch {
	case top <= 1:
		return false, nil
	case top > mostPercent || top <= mostGrade:
		return false, r.large(g, row, col, top, lone)
	}
	for j, one := range ones {
		if one && !others[j] {
			return false, r.mixed(g, row, col, j, lone)
		}
	}
	if lone && 2*small > all {
		return false, r.cellFault(g, row, col, "the numbers of all other columns are from 0 to 1. Correct a slip. Percentages or prior weights?",
			"--percent", "--categories", "--weights "+Shell(r.headOf(g, row, col)))
	}
	r.doubt("numbers are percent: the largest is %s (%s in the file means %s; --counts-of and --categories say otherwise)", strconv.FormatFloat(top, 'g', -1, 64), g.rows[row][col],
		strconv.FormatFloat(scaled(strconv.FormatFloat(top, 'f', -1, 64), true), 'g', -1, 64))
	if 2*small > all {
		r.warn("%d of %d numbers are below 1, which is less than 1 %%: is the largest, %s, a slip?", small, all, g.rows[row][col])
		return true, nil
	}
	for j, top := range tops {
		if top > 0 && top <= 1 && !r.Transpose {
			r.warn("column %s has numbers up to %s alone, which are read as percent: are they shares?", Quote(g.rows[0][j]), strconv.FormatFloat(top, 'g', -1, 64))
		}
	}
	return true, nil
}

// isLone reports whether one column has numbers from 1 on, several above it, and all others have shares: it may hold prior
// weights. above counts each column's numbers above 1, and below says whether it has one below 1.
func isLone(above []int, below []bool) bool {
	lone := 0
	for j, n := range above {
		switch {
		case n == 0:
		case n == 1 || below[j] || lone > 0:
			return false
		default:
			lone = j
		}
	}
	return lone > 0 && len(above) > 2
}

// mixed refuses a table with a number above 10 at row and col and another column of 0 and 1 alone. In percent such a column is rare:
// beside heights or counts it has answers of no and yes.
func (r *reader) mixed(g *grid, row, col, answers int, lone bool) error {
	rule := fmt.Sprintf("a share is from 0 to 1, and %s has 0 and 1 alone. Leave out a column that is not a question.", Quote(r.headOf(g, 1, answers)))
	if name := r.headOf(g, row, col); weightNames[strings.ToLower(name)] {
		return r.cellFault(g, row, col, rule, "--weights "+Shell(name))
	}
	if lone {
		return r.cellFault(g, row, col, rule+" Percentages or prior weights?", "--percent", "--categories", "--weights "+Shell(r.headOf(g, row, col)))
	}
	return r.cellFault(g, row, col, rule+" Percentages?", "--percent", "--categories")
}

// large refuses a table whose numbers are neither shares nor percent; lone says that one column alone has such.
func (r *reader) large(g *grid, row, col int, top float64, lone bool) error {
	const rule = "a share is from 0 to 1."
	name := r.headOf(g, row, col)
	counts := "--counts-of N"
	if top > 1 && top <= mostGrade && top == float64(int(top)) {
		counts = fmt.Sprintf("--counts-of N (such as %d)", int(top))
	}
	if weightNames[strings.ToLower(name)] {
		return r.cellFault(g, row, col, rule, "--weights "+Shell(name))
	}
	what, flags := []string{"Percentages", "counts", "grades"}, []string{"--percent", counts, "--categories"}
	if top > mostPercent {
		what, flags = []string{"Counts", "measurements"}, flags[1:]
	}
	if lone {
		what, flags = append(what, "prior weights"), append(flags, "--weights "+Shell(name))
	}
	return r.cellFault(g, row, col, rule+" Correct a slip. "+Either(what)+"?", flags...)
}

// sayWords notes how words, signs, marks, ranges and missing cells were read.
func (r *reader) sayWords(g *grid, p *profile) {
	var forms [asNothing + 1]int
	var kind [kinds]int
	for _, c := range p.cols[1:] {
		forms[c.form]++
		for k, n := range c.count {
			if c.form != asValues {
				kind[k] += n
			}
		}
	}
	if r.numbers.commaDecimal {
		r.assume("a comma is the decimal point: 0,1 is 0.1")
	}
	if forms[asSigns] > 0 {
		r.doubt("+ is 1, - is 0, and signs between, such as v and d, are 0.5")
	}
	if forms[asLetters] > 0 {
		r.doubt("single letters are answers: %s", r.letterPairs(p))
	}
	if forms[asMarks] > 0 {
		switch {
		case p.marked != "":
			r.doubt("%s is 1, and an empty cell %s: every cell with a value is %s", Quote(p.marked), r.blankSays(), Quote(p.marked))
		default:
			r.doubt("in columns with one mark alone the mark is 1, and an empty cell %s", r.blankSays())
		}
	}
	is := func(want func(v *value) bool) func(string) bool {
		return func(cell string) bool { return want(p.values[cell]) }
	}
	if yes := found(g, is(func(v *value) bool { return v.kind == isWord && v.yes && !v.direct })); yes != "" {
		r.doubt("read as yes: %s", yes)
	}
	if no := found(g, is(func(v *value) bool { return v.kind == isWord && !v.yes && !v.direct })); no != "" {
		r.doubt("read as no: %s", no)
	}
	if list := found(g, is(func(v *value) bool { return v.kind == isCount && !v.direct })); list != "" {
		r.doubt("read as counts k/n: %s", list)
	}
	if kind[isApprox] > 0 {
		r.doubt("about a number is that number, and a range is its middle: %s", found(g, is(func(v *value) bool { return v.kind == isApprox })))
	}
	r.sayMissing(g, p, kind[isMissing], forms[asSigns] > 0)
}

// blankSays returns what an empty cell means in a column of marks.
func (r *reader) blankSays() string {
	if r.Missing != "" {
		return "is as --missing says"
	}
	return "is 0"
}

// letterPairs lists the pairs of letters that columns hold.
func (r *reader) letterPairs(p *profile) string {
	var list []string
	seen := map[string]bool{}
	for _, c := range p.cols[1:] {
		if c.form != asLetters {
			continue
		}
		for l := range c.set {
			if pair := letters[l]; !seen[pair[0]] {
				seen[pair[0]] = true
				list = append(list, pair[0]+" is 1 and "+pair[1]+" is 0")
			}
		}
	}
	return listed(list, "and")
}

// sayMissing notes which cells are read as missing.
func (r *reader) sayMissing(g *grid, p *profile, n int, signed bool) {
	if n == 0 {
		return
	}
	what := found(g, func(cell string) bool {
		v := p.values[cell]
		return v.kind == isMissing && !v.direct && !(signed && isSign(cell))
	})
	if what != "" {
		r.doubt("read as missing: %s", what)
	}
}
