package table

import (
	"errors"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// numerals is how a table writes numbers.
type numerals struct {
	commaDecimal bool // 0,1 is 0.1
	commaGroups  bool // 1,234,567 is 1234567
	dotGroups    bool // 1.234.567 is 1234567
	guessed      string
}

var (
	numberShape = regexp.MustCompile(`^[-+\x{2212}]?[0-9.,]+([eE][-+]?[0-9]+)?$`)
	commaGroup  = regexp.MustCompile(`^[-+]?[1-9][0-9]{0,2}(,[0-9]{3})+(\.[0-9]*)?$`)
	dotGroup    = regexp.MustCompile(`^[-+]?[1-9][0-9]{0,2}(\.[0-9]{3})+(,[0-9]*)?$`)
	spaceGroup  = regexp.MustCompile(`[0-9][ \x{a0}\x{2009}\x{202f}'\x{2019}][0-9]{3}\b`)
)

// isPlain reports whether s has the characters of a number in Go's notation and no others.
func isPlain(s string) bool {
	return s != "" && strings.Trim(s, "0123456789.+-eE") == ""
}

// learn takes what one cell shows of how the table writes numbers; ambiguous cells, such as 1,234, show nothing.
func (n *numerals) learn(cell string) {
	commas, dots := strings.Count(cell, ","), strings.Count(cell, ".")
	if commas == 0 && dots < 2 || len(cell) > longestValue {
		return
	}
	cell = strings.TrimSpace(strings.TrimSuffix(ungroup(cell), "%"))
	if !numberShape.MatchString(cell) {
		return
	}
	comma, dot := strings.LastIndexByte(cell, ','), strings.LastIndexByte(cell, '.')
	switch {
	case commas == 0:
		n.dotGroups = n.dotGroups || dotGroup.MatchString(cell)
	case dots > 0 && comma > dot:
		n.commaDecimal, n.dotGroups = true, true
	case dots > 0, commas > 1:
		n.commaGroups = true
	case !commaGroup.MatchString(cell):
		n.commaDecimal = true
	case n.guessed == "":
		n.guessed = cell
	}
}

// ungroup takes blanks and apostrophes between groups of three digits away, and makes a minus sign one of ASCII.
func ungroup(s string) string {
	if isPlain(s) {
		return s
	}
	for spaceGroup.MatchString(s) {
		at := spaceGroup.FindStringIndex(s)[0] + 1
		_, n := utf8.DecodeRuneInString(s[at:])
		s = s[:at] + s[at+n:]
	}
	return strings.ReplaceAll(s, "\u2212", "-")
}

// number returns s in Go's notation, and false where s is not a number.
func (n *numerals) number(s string) (string, bool) {
	if len(s) > longestValue {
		return "", false
	}
	if !isPlain(s) {
		s = ungroup(s)
		if !numberShape.MatchString(s) {
			return "", false
		}
	}
	if strings.Contains(s, ",") {
		if commaGroup.MatchString(s) && (n.commaGroups || !n.commaDecimal) {
			s = strings.ReplaceAll(s, ",", "")
		} else {
			if n.commaDecimal && strings.Contains(s, ".") && dotGroup.MatchString(s) {
				s = strings.ReplaceAll(s, ".", "")
			}
			s = strings.Replace(s, ",", ".", 1)
		}
	} else if (n.dotGroups || n.commaDecimal) && dotGroup.MatchString(s) {
		s = strings.ReplaceAll(s, ".", "")
	}
	_, err := strconv.ParseFloat(s, 64)
	return s, err == nil || errors.Is(err, strconv.ErrRange)
}

// scaled returns the value of a number in Go's notation, or a hundredth of it. The hundredth is rounded once.
func scaled(s string, percent bool) float64 {
	if percent && !strings.ContainsAny(s, "eE") {
		s += "e-2"
		percent = false
	}
	v, err := strconv.ParseFloat(s, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		panic("table: scaled wants a number")
	}
	if percent {
		v /= 100
	}
	return v
}
