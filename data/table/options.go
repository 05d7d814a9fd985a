package table

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Options say how to read a file. The zero value finds out, and refuses where two readings fit.
type Options struct {
	Separator string // between cells: a character, or a word of [separatorWords]; "": found
	Encoding  string // of the text, by its name on the web, such as windows-1252; "": found
	Sheet     string // of an .xlsx file; "": the only one that is not empty
	Header    bool   // line 1 names the columns, whatever it holds
	NoHeader  bool   // line 1 is data, and questions have no names
	Transpose bool   // objects are columns

	Object  string // the column of the objects' names, by its name or number; "": the first
	NoNames bool   // no column names the objects: they are numbered

	Percent    bool   // numbers are percent
	CountsOf   int    // numbers are counts of "yes" among that many; 0: they are not
	Categories bool   // columns hold values, not shares
	Missing    string // what a missing cell is: a share, or unknown; "": as the table's form says
	Absent     string // what a cell is that a table in long form does not name: a share, or unknown; "": as the form says
	Weights    string // the column of prior weights; "": the one headed mapo:weight, if any
	Group      string // the column of classes where each line is one case; "": each line is an object
}

// Words that stand for what an option cannot show.
const (
	unknown       = "unknown"
	absentShare   = 0.02
	weightsHeader = "mapo:weight"
	objectHeader  = "object"
)

// separatorWords are the separators that have names on a command line.
var separatorWords = map[string]rune{"comma": ',', "semicolon": ';', "tab": '\t', `\t`: '\t', "bar": '|'}

// flags returns the options as words of a command line.
func (o Options) flags() (words []string) {
	for _, f := range []struct {
		name  string
		given bool
	}{
		{"--header", o.Header}, {"--no-header", o.NoHeader}, {"--transpose", o.Transpose}, {"--no-names", o.NoNames},
		{"--percent", o.Percent}, {"--categories", o.Categories},
	} {
		if f.given {
			words = append(words, f.name)
		}
	}
	counts := ""
	if o.CountsOf > 0 {
		counts = strconv.Itoa(o.CountsOf)
	}
	for _, f := range []struct{ name, value string }{
		{"--separator", o.Separator}, {"--encoding", o.Encoding}, {"--sheet", o.Sheet}, {"--object", o.Object}, {"--counts-of", counts},
		{"--missing", o.Missing}, {"--absent", o.Absent}, {"--weights", o.Weights}, {"--group", o.Group},
	} {
		if f.value != "" {
			words = append(words, f.name, Shell(f.value))
		}
	}
	return words
}

// separator returns the separator that was asked for, 0 where it is to be found.
func (o Options) separator() (rune, error) {
	if o.Separator == "" {
		return 0, nil
	}
	if r, ok := separatorWords[o.Separator]; ok {
		return r, nil
	}
	r, n := utf8.DecodeRuneInString(o.Separator)
	if n != len(o.Separator) || strings.ContainsRune("\"\r\n\ufffd", r) {
		return 0, fmt.Errorf("--separator is %s; it is one character, or comma, semicolon, tab or bar", Quote(o.Separator))
	}
	return r, nil
}

// without reads --missing or --absent: what a cell without a value is.
func without(flag, text string) (reading, error) {
	if text == "" || text == unknown {
		return reading{unknown: true}, nil
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || !(v >= 0 && v <= 1) {
		return reading{}, fmt.Errorf("%s is %s; it is a share from 0 to 1, or unknown", flag, Quote(text))
	}
	return reading{share: v}, nil
}

// check refuses values that no file is read with, and options that exclude each other.
func (o Options) check() error {
	given := func(flags string) []string {
		return slices.DeleteFunc(o.flags(), func(f string) bool { return !slices.Contains(strings.Fields(flags), f) })
	}
	if o.CountsOf < 0 || o.CountsOf > maxCount {
		return fmt.Errorf("--counts-of is %d; it must be from 1 to %d", o.CountsOf, maxCount)
	}
	for _, one := range []struct{ flags, of string }{
		{"--percent --categories --counts-of", "the same numbers"}, {"--percent --group", "the same numbers"}, {"--counts-of --group", "the same numbers"},
		{"--header --no-header", "line 1"}, {"--object --no-names", "the first column"}, {"--object --group", "a line"}, {"--no-names --group", "a line"},
	} {
		if both := given(one.flags); len(both) > 1 {
			return fmt.Errorf("%s and %s are two readings of %s: choose one", both[0], both[1], one.of)
		}
	}
	switch {
	case o.Group != "" && o.Missing != "" && o.Missing != unknown && o.Missing != "0" && o.Missing != "1":
		return fmt.Errorf("--missing is %s, and with --group a case says yes or no: use 0, 1 or unknown", o.Missing)
	case o.Group != "" && o.Transpose:
		return fmt.Errorf("--group is for files with one case a line, and --transpose turns lines into questions: choose one")
	}
	return nil
}
