package table

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Options say how to read a file. The zero value finds out.
type Options struct {
	Separator string // between cells: a character, or a word of [separatorWords]; "": found
	Encoding  string // of the text, by its name on the web, such as windows-1252; "": found
	Sheet     string // of an .xlsx file; "": the only one that is not empty
	NoHeader  bool   // line 1 is an object, and questions have no names
	Transpose bool   // objects are columns

	Percent    bool   // numbers are percent
	CountsOf   int    // numbers are counts of "yes" among that many; 0: they are not
	Categories bool   // columns hold values, not shares
	Missing    string // what a missing cell is: a share, or unknown; "": as the table's form says
	Absent     string // what a cell is that a table in long form does not name: a share, or unknown; "": 0.02
	Weights    string // the column of prior weights; "": the one headed mapo:weight, if any
	Group      string // the column of classes where each line is one case; "": each line is an object

	// Direct refuses what needs a doubtful assumption, and names the import command that reads it.
	Direct bool
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

// check refuses values that no file is read with.
func (o Options) check() error {
	var ways []string
	if o.Percent {
		ways = append(ways, "--percent")
	}
	if o.CountsOf != 0 {
		ways = append(ways, "--counts-of")
	}
	if o.Categories {
		ways = append(ways, "--categories")
	}
	switch {
	case o.CountsOf < 0 || o.CountsOf > maxCount:
		return fmt.Errorf("--counts-of is %d; it must be from 1 to %d", o.CountsOf, maxCount)
	case len(ways) > 1:
		return fmt.Errorf("%s and %s are two readings of the same numbers: choose one", ways[0], ways[1])
	case o.Group != "" && (o.Percent || o.CountsOf != 0):
		return fmt.Errorf("%s and --group are two readings of the same numbers: choose one", ways[0])
	case o.Group != "" && o.Missing != "" && o.Missing != unknown && o.Missing != "0" && o.Missing != "1":
		return fmt.Errorf("--missing is %s, and with --group a case says yes or no: use 0, 1 or unknown", o.Missing)
	case o.Group != "" && o.Transpose:
		return fmt.Errorf("--group is for files with one case a line, and --transpose turns lines into questions: choose one")
	}
	return nil
}
