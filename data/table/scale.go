package table

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
)

// mostPercent is the largest percentage.
const mostPercent = 100

// mostSmall is of how many percentages one may be below 1: more are shares.
const mostSmall = 3

// percentHead is a header that says that its numbers are percent.
var percentHead = regexp.MustCompile(`(?i)%|％|\b(?:per ?cent|percentages?|pct|prozent|prozentsatz|pourcent|pourcentage|porcentaje|procent)\b|pro cent`)

// saysPercent reports whether a header says that its numbers are percent.
func saysPercent(head string) bool { return percentHead.MatchString(head) }

// missingCodes are what surveys write for a cell without a value.
var missingCodes = map[float64]bool{-1: true, -8: true, -9: true, -88: true, -98: true, -99: true, -999: true, -9999: true}

// figures is what was found of the numbers that may be shares.
type figures struct {
	all, small   int // how many, and how many are between 0 and 1
	zeros, ones  int // that are 0, or 1
	signs        int // that are -1, 0 or 1
	top          float64
	least        float64 // between 0 and 1
	row, col     int     // of the first that is above 1
	below        [2]int  // the row and column of the first that is negative
	low          float64 // it
	whole, plain bool    // all are whole; none is a range or stands beside a count
	answers      bool    // a column has 0 and 1 alone
	endless      int     // the row of a number too large to hold
}

// scale decides for the whole table what its numbers are: shares, percent, counts, -1 and 1, or values with thresholds. Numbers
// of which that is not clear are refused, with the ways of reading them.
func (r *reader) scale(g *grid, p *profile) error {
	valued := r.Categories || r.Group != ""
	for col := range p.cols {
		valued = valued || p.cols[col].form == asValues
	}
	r.findBoth(p)
	all := figures{whole: true, plain: true}
	var heads []string
	for col := 1; col < len(p.cols); col++ {
		c := &p.cols[col]
		if c.form != asShares {
			continue
		}
		said := (saysPercent(g.rows[0][col]) || r.percents) && !r.Categories && r.CountsOf == 0
		c.percent = r.Percent || said
		f := r.figuresOf(g, p, col)
		if f.all == 0 {
			continue
		}
		if at := f.endless; at > 0 {
			return r.cellFault(g, at, col, "a share is from 0 to 1. Correct it.")
		}
		if said && !r.Percent {
			if heads = append(heads, Quote(g.rows[0][col])); len(heads) == 1 && !r.percents {
				r.assume("numbers are percent where the name of their column says so, such as %s", heads[0])
			}
			if err := r.headPercent(g, p, col, f); err != nil {
				return err
			}
			continue
		}
		if err := r.mixedPercent(g, p, col); err != nil {
			return err
		}
		if valued && !c.percent && r.CountsOf == 0 && r.isMeasure(g, p, col, f) {
			if c.form = asNumbers; c.count[isCount] > 0 { // coded states
				c.form, c.seps = asValues, "/"
			}
			continue
		}
		all.add(f)
	}
	return r.judge(g, p, &all)
}

// add counts another column's numbers.
func (f *figures) add(g figures) {
	if f.below == [2]int{} {
		f.below, f.low = g.below, g.low
	}
	if g.top > f.top {
		f.top, f.row, f.col = g.top, g.row, g.col
	}
	if g.small > 0 && (f.small == 0 || g.least < f.least) {
		f.least = g.least
	}
	f.all, f.small, f.zeros, f.ones, f.signs = f.all+g.all, f.small+g.small, f.zeros+g.zeros, f.ones+g.ones, f.signs+g.signs
	f.whole, f.plain, f.answers = f.whole && g.whole, f.plain && g.plain, f.answers || g.answers
}

// figuresOf looks at the numbers of one column.
func (r *reader) figuresOf(g *grid, p *profile, col int) figures {
	f := figures{whole: true, plain: p.cols[col].count[isCount] == 0}
	others := 0
	for i, row := range g.rows[1:] {
		v := p.values[row[col]]
		x, ok := v.largest()
		if !ok {
			continue
		}
		if math.IsInf(x, 0) {
			f.endless = i + 1
		}
		f.all++
		f.whole, f.plain = f.whole && x == math.Trunc(x), f.plain && v.kind == isNumber
		switch {
		case x == 1:
			f.ones++
		case x == 0:
			f.zeros++
		default:
			others++
		}
		if x == -1 || x == 0 || x == 1 {
			f.signs++
		} else if x > 0 && x < 1 {
			if f.small++; f.small == 1 || x < f.least {
				f.least = x
			}
		}
		if x < 0 && f.below == [2]int{} {
			f.below, f.low = [2]int{i + 1, col}, x
		}
		if x > f.top {
			f.top, f.row, f.col = x, i+1, col
		}
	}
	f.answers = f.ones > 0 && others == 0
	return f
}

// findBoth finds cells that say that both of 0 and 1 occur, as keys for identification have them.
func (r *reader) findBoth(p *profile) {
	digits, both, other := false, "", r.CountsOf > 0 || r.Percent
	for cell, v := range p.values {
		switch {
		case cell == "0" || cell == "1":
			digits = true
		case v.both:
			p.both = true
		case cell == "01" || v.kind == isCount && v.count.N < 2 && v.count.K+v.count.N == 1:
			both = max(both, cell)
		case v.kind == isCount:
			other = true
		}
	}
	if digits && both != "" && !other {
		p.both = true
	}
}

// saysBoth reports whether a cell says that both of 0 and 1 occur.
func (p *profile) saysBoth(cell string) bool {
	v := p.values[cell]
	return v.both || p.both && (cell == "01" || v.kind == isCount && v.count.K+v.count.N == 1)
}

// headPercent refuses numbers of which the header says that they are percent, and which look like shares.
func (r *reader) headPercent(g *grid, p *profile, col int, f figures) error {
	if f.top > 1 || f.small == 0 {
		return nil
	}
	line, column := g.at(f.row, col)
	return r.refuse(line, fmt.Sprintf("column %d (%s) says percent, and its largest number is %s. Rename it if its numbers are shares from 0 to 1.", column, Quote(r.headOf(g, f.row, col)), g.rows[f.row][col]),
		way{"numbers are percent", func(o *Options) { o.Percent = true }})
}

// mixedPercent refuses a column in which some numbers have a % and others do not.
func (r *reader) mixedPercent(g *grid, p *profile, col int) error {
	if p.cols[col].percent {
		return nil
	}
	signed, bare := false, 0
	for i, row := range g.rows[1:] {
		v := p.values[row[col]]
		signed = signed || v.percent
		if x, ok := v.largest(); ok && x != 0 && bare == 0 {
			bare = i + 1
		}
	}
	if !signed || bare == 0 {
		return nil
	}
	line, text := r.cellText(g, bare, col, "other cells of the column have a % sign. Write it here, too, or the number as a percentage.")
	return r.refuse(line, text, way{"numbers without % are percent, too", func(o *Options) { o.Percent = true }})
}

// judge reads or refuses the numbers of all columns that are not values.
func (r *reader) judge(g *grid, p *profile, f *figures) error {
	share := "a share is from 0 to 1."
	switch {
	case r.Percent || r.CountsOf > 0 || f.below == [2]int{} && f.top <= 1:
		return nil
	case f.below != [2]int{} && f.signs == f.all:
		return r.sign(g, p, f)
	case f.below != [2]int{}:
		line, text := r.cellText(g, f.below[0], f.below[1], share+" Correct it, or leave the cell empty where it is unknown.")
		if missingCodes[f.low] || f.top <= 1 {
			return r.fault(line, "%s", text)
		}
		return r.refuse(line, text, r.asValuesWay("the numbers are measurements"))
	}
	line, text := r.cellText(g, f.row, f.col, share+" Correct a slip.")
	var ways []way
	// Beside answers of yes and no, numbers are neither percent nor counts.
	answers := f.answers || slices.ContainsFunc(p.cols, func(c column) bool {
		return c.count[isCount]+c.count[isWord] > 0 || c.form == asLetters || c.form == asSigns || c.form == asMarks
	})
	top := strconv.FormatFloat(f.top, 'f', -1, 64)
	if f.top <= mostPercent && !answers && mostSmall*f.small <= f.all {
		when := "all numbers are percent (" + top + " is " + hundredth(top)
		if f.small > 0 {
			least := strconv.FormatFloat(f.least, 'f', -1, 64)
			when += " and " + least + " is " + hundredth(least)
		}
		ways = append(ways, way{when + ")", func(o *Options) { o.Percent = true }})
	}
	if f.whole && f.plain && !answers && f.top <= maxCount {
		ways = append(ways, way{"the numbers are how many of " + top + " said yes", func(o *Options) { o.CountsOf = int(f.top) }})
	}
	if !r.long {
		if !r.Transpose && r.mayWeigh(g, f.col) {
			name := r.columnFlag(g, f.col)
			ways = append(ways, way{r.called(g, f.col) + " holds prior weights", func(o *Options) { o.Weights = name }})
		}
		ways = append(ways, r.asValuesWay("the numbers are values or measurements"))
	}
	return r.refuse(line, text, ways...)
}

// hundredth returns a hundredth of a number, as text.
func hundredth(n string) string { return strconv.FormatFloat(scaled(n, true), 'g', -1, 64) }

// asValuesWay returns the way of reading columns as values.
func (r *reader) asValuesWay(when string) way {
	return way{when, func(o *Options) { o.Categories = true }}
}

// sign reads -1 and 1 as no and yes. What 0 is beside them has to be said.
func (r *reader) sign(g *grid, p *profile, f *figures) error {
	p.signed = true
	if f.zeros == 0 || r.Missing != "" {
		if r.assume("1 says yes and -1 says no"); f.zeros > 0 {
			r.assume("0 is as --missing says")
		}
		return nil
	}
	line, text := r.cellText(g, f.below[0], f.below[1], "beside 1 and 0 it says no, or a cell without a value. Leave cells empty that are unknown.")
	return r.refuse(line, text,
		way{"-1 says no and 0 is unknown", func(o *Options) { o.Missing = unknown }},
		way{"-1 says no and 0 is between, 0.5", func(o *Options) { o.Missing = "0.5" }})
}
