package table

import "slices"

// sayWords notes how words, signs, marks, ranges and missing cells were read.
func (r *reader) sayWords(g *grid, p *profile) {
	has := func(f form) bool { return slices.ContainsFunc(p.cols[1:], func(c column) bool { return c.form == f }) }
	say := func(format string, is func(cell string, v *value) bool) {
		if list := found(g, p, func(cell string) bool { return is(cell, p.values[cell]) }); list != "" {
			r.assume(format, list)
		}
	}
	if r.numbers.commaDecimal {
		r.assume("a comma is the decimal point: 0,1 is 0.1")
	}
	if has(asSigns) {
		r.assume("+ is 1, - is 0, and signs between, such as v and d, are 0.5")
	}
	if has(asLetters) {
		r.assume("single letters are answers: %s", r.letterPairs(p))
	}
	if has(asMarks) {
		r.assume("%s is 1, and an empty cell %s", r.marksOf(g, p), r.blankSays(p))
	}
	say("read as both of 0 and 1, which is 0.5: %s", func(cell string, _ *value) bool { return p.saysBoth(cell) })
	say("read as yes: %s", func(_ string, v *value) bool { return v.kind == isWord && v.yes && !v.direct })
	say("read as no: %s", func(_ string, v *value) bool { return v.kind == isWord && !v.yes && !v.direct })
	say("read as counts k/n: %s", func(_ string, v *value) bool { return v.kind == isCount && !v.direct })
	say("about a number is that number, and a range is its middle: %s", func(_ string, v *value) bool { return v.kind == isApprox })
	say("read as missing: %s", func(cell string, v *value) bool {
		return v.kind == isMissing && !v.direct && !(has(asSigns) && isSign(cell))
	})
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
