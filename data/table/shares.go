package table

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// maxCount bounds n of a cell k/n: larger counts are a slip.
const maxCount = 1 << 40

// plainTable reads a grid whose cells are all shares, counts k/n or empty, and returns nil for any other. It is the
// form that [Table.Write] writes.
func (r *reader) plainTable(g *grid) *Table {
	said := g.rows[0][0] != objectHeader && slices.ContainsFunc(g.rows[0], saysPercent)
	if said || r.percents || r.Percent || r.CountsOf > 0 || r.Categories || r.Group != "" {
		return nil
	}
	both, other := false, false // cells 0/1, and cells that show that these are counts
	t := newTable(r.name, g.below(0), g.rows[0][1:])
	empty := 0
	for i, row := range g.rows[1:] {
		for j, cell := range row[1:] {
			if cell == "" {
				t.put(i, j, r.missing)
				empty++
				continue
			}
			if k, n, ok := strings.Cut(cell, "/"); ok {
				c, ok := countOf(k, n)
				if !ok {
					return nil
				}
				both, other = both || cell == "0/1" || cell == "1/0", other || cell != "0/1" && cell != "1/0"
				t.put(i, j, counted(c))
				continue
			}
			v, err := strconv.ParseFloat(cell, 64)
			if err != nil || !isPlain(cell) || !(v >= 0 && v <= 1) {
				return nil
			}
			t.put(i, j, reading{share: v})
		}
	}
	if both && !other { // both of 0 and 1, where cells have these
		return nil
	}
	r.onesAndBlanks(t, empty)
	t.FillUnknown()
	return t
}

// countOf reads a count k/n with k at most n.
func countOf(k, n string) (Count, bool) {
	if !isDigits(k) || !isDigits(n) {
		return Count{}, false
	}
	a, err1 := strconv.Atoi(k)
	of, err2 := strconv.Atoi(n)
	return Count{a, of}, err1 == nil && err2 == nil && a <= of && of <= maxCount
}

// isDigits reports whether s is a number of digits alone.
func isDigits(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}

// onesAndBlanks warns of a table whose filled cells all say yes: its blanks probably say no.
func (r *reader) onesAndBlanks(t *Table, empty int) {
	if empty == 0 || r.Missing != "" {
		return
	}
	for at, p := range t.P {
		if p != 1 && !(t.Unknown != nil && t.Unknown[at]) {
			return
		}
	}
	r.warn("every known cell is 1, and %d cells have no value, which is read as unknown: use --missing 0 where that means no", empty)
}

// stray refuses a cell of text in a column of shares.
func (r *reader) stray(g *grid, p *profile, c *column, col int) error {
	rule := "a cell is a share from 0 to 1, a count k/n, yes or no, or empty where it is unknown. Correct it."
	if c.count[isWord] > 0 {
		rule += " Between yes and no? Write a share, such as 0.5."
	}
	line, text := r.cellText(g, c.first[isText], col, rule)
	f := r.figuresOf(g, p, col)
	if r.long || f.small > 0 || len(g.set(col)) > mostNames {
		return r.fault(line, "%s", text)
	}
	return r.refuse(line, text, r.asValuesWay("columns hold values"))
}

// cell reads one cell of a column that is not [asValues] nor [asNumbers].
func (r *reader) cell(g *grid, p *profile, row, col int) (reading, error) {
	cell := g.rows[row][col]
	v := p.values[cell]
	switch form := p.cols[col].form; {
	case v.kind == isAbsent:
		return r.absent, nil
	case form == asSigns && isSign(cell):
		return reading{share: signs[lower(cell)]}, nil
	case form == asLetters && v.kind == isText:
		low := lower(cell)
		return reading{share: truth(low == letters[low][0])}, nil
	case form == asMarks && v.kind != isMissing:
		return reading{share: 1}, nil
	case form == asMarks && r.Missing == "" && cell == "" && (p.marks || p.cols[col].own):
		return reading{share: 0}, nil
	case v.kind == isMissing, p.signed && v.kind == isNumber && scaled(v.num, false) == 0:
		return r.missing, nil
	case p.signed && v.kind == isNumber:
		return reading{share: truth(scaled(v.num, false) > 0)}, nil
	case p.saysBoth(cell):
		return reading{share: 0.5}, nil
	case v.kind == isWord:
		return reading{share: truth(v.yes)}, nil
	case v.kind == isCount && v.count.K > v.count.N:
		return reading{}, r.cellFault(g, row, col, "a count k/n is k answers of yes among n, so k is at most n. Correct it.")
	case v.kind == isCount:
		return counted(v.count), nil
	case r.CountsOf > 0 && v.kind == isNumber && !v.percent:
		k := scaled(v.num, false)
		if k != math.Trunc(k) || k < 0 || k > float64(r.CountsOf) {
			return reading{}, r.cellFault(g, row, col, fmt.Sprintf("--counts-of %d takes whole numbers from 0 to %d. Correct it.", r.CountsOf, r.CountsOf))
		}
		return counted(Count{int(k), r.CountsOf}), nil
	}
	share := v.shareOf(p.cols[col].percent)
	if !(share >= 0 && share <= 1) {
		return reading{}, r.cellFault(g, row, col, "a share is from 0 to 1, or from 0 % to 100 %. Correct it.")
	}
	return reading{share: share}, nil
}

// isSign reports whether a cell is one that tables for identification use.
func isSign(cell string) bool { _, ok := signs[lower(cell)]; return ok }

// truth returns 1 for yes and 0 for no.
func truth(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}
