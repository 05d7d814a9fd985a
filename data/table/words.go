package table

import "slices"

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
		r.assume("+ is 1, - is 0, and signs between, such as v and d, are 0.5")
	}
	if forms[asLetters] > 0 {
		r.assume("single letters are answers: %s", r.letterPairs(p))
	}
	if forms[asMarks] > 0 {
		r.assume("%s is 1, and an empty cell %s", r.marksOf(g, p), r.blankSays(p))
	}
	if both := found(g, p, p.saysBoth); both != "" {
		r.assume("read as both of 0 and 1, which is 0.5: %s", both)
	}
	is := func(want func(v *value) bool) func(string) bool {
		return func(cell string) bool { return want(p.values[cell]) }
	}
	if yes := found(g, p, is(func(v *value) bool { return v.kind == isWord && v.yes && !v.direct })); yes != "" {
		r.assume("read as yes: %s", yes)
	}
	if no := found(g, p, is(func(v *value) bool { return v.kind == isWord && !v.yes && !v.direct })); no != "" {
		r.assume("read as no: %s", no)
	}
	if list := found(g, p, is(func(v *value) bool { return v.kind == isCount && !v.direct })); list != "" {
		r.assume("read as counts k/n: %s", list)
	}
	if kind[isApprox] > 0 {
		r.assume("about a number is that number, and a range is its middle: %s", found(g, p, is(func(v *value) bool { return v.kind == isApprox })))
	}
	r.sayMissing(g, p, kind[isMissing], forms[asSigns] > 0)
}

// marksOf lists the marks.
func (r *reader) marksOf(g *grid, p *profile) string {
	var list []string
	for col := 1; col < len(p.cols); col++ {
		for _, row := range g.rows[1:] {
			if cell := row[col]; p.cols[col].form == asMarks && p.values[cell].kind != isMissing && !slices.Contains(list, Quote(cell)) {
				list = append(list, Quote(cell))
			}
		}
	}
	return listed(few(list), "or")
}

// blankSays returns what an empty cell means in a column of marks.
func (r *reader) blankSays(p *profile) string {
	own := slices.ContainsFunc(p.cols, func(c column) bool { return c.own })
	switch {
	case r.Missing != "":
		return "is as --missing says"
	case p.marks || own:
		return "beside it is 0"
	}
	return "is unknown, as other cells say no (--missing 0 makes it no)"
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
	what := found(g, p, func(cell string) bool {
		v := p.values[cell]
		return v.kind == isMissing && !v.direct && !(signed && isSign(cell))
	})
	if what != "" {
		r.assume("read as missing: %s", what)
	}
}
