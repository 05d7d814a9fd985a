package dataset

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"mapo/data/table"
)

// Files of the 20 Questions release (Hu et al. 2018). The names may stand with
// other numbers of people and questions.
const (
	rightFile   = "rightProb.people*.question*.txt"
	wrongFile   = "wrongProb.people*.question*.txt"
	actionFile  = "action2qid.question*.txt"
	personNames = "pid2name.txt"
	queryNames  = "qid2name.txt"
)

// noPeople are rows of the release that stand for no one.
var noPeople = map[string]string{"10000005": "just clicking at random", "10000007": "yourself"}

// sumSlack is how far rounding may take right + wrong above 1.
const sumSlack = 1e-6

// ReadTwentyQ reads the 20 Questions release in a folder as a table: one person a
// row, one question a column. In rightProb…txt and wrongProb…txt each line is a
// person's number and one probability a question, between tabs: that people answer
// yes, and no; the rest is "unknown". P(yes) is renormalised over yes and no
// (App. I). A cell with neither is ½, which counts for no majority; with rows true
// it is unknown, and the smoothed mean of its column stands in for it. The two rows
// that do not stand for people are dropped. The names are looked up in pid2name.txt and, by
// action2qid…txt, in qid2name.txt; without these files people and questions go by
// number.
func ReadTwentyQ(folder string, rows bool) (t *Table, warnings []string, err error) {
	q := twentyQ{folder: folder, rows: rows}
	for _, step := range []func() error{q.read, q.sameOrder, q.divide, q.named} {
		if err := step(); err != nil {
			return nil, nil, err
		}
	}
	return q.t, q.warnings, nil
}

// twentyQ is the release under way to a table.
type twentyQ struct {
	folder       string
	rows         bool // a cell with neither yes nor no is unknown
	right, wrong *people
	t            *Table
	warnings     []string
}

// people is one of the two matrices.
type people struct {
	file  string
	pid   []string
	line  []int
	at    map[string]int // the row of a pid
	cells [][]float64    // [people][questions]
}

// read reads both matrices, which must have the same questions.
func (q *twentyQ) read() (err error) {
	if q.right, err = readPeople(q.folder, rightFile); err != nil {
		return err
	}
	if q.wrong, err = readPeople(q.folder, wrongFile); err != nil {
		return err
	}
	if a, b := len(q.right.cells[0]), len(q.wrong.cells[0]); a != b {
		return fmt.Errorf("%s:1: %d questions, and %s has %d: the two files are not of one release", q.wrong.file, b, filepath.Base(q.right.file), a)
	}
	return nil
}

// readPeople reads one matrix.
func readPeople(folder, pattern string) (*people, error) {
	p, err := readOnly(folder, pattern, readMatrix)
	if p == nil && err == nil {
		err = fmt.Errorf("%s holds no %s: mapo data fetch twentyq gets the release", folder, pattern)
	}
	return p, err
}

// readMatrix reads one matrix from an open file.
func readMatrix(l *lines) (*people, error) {
	p := &people{file: l.name, at: map[string]int{}}
	if err := eachLine(l.tabs, func(cells []string) error { return p.person(l, cells) }); err != nil {
		return nil, err
	}
	if len(p.cells) == 0 {
		return nil, l.fault("the file has no people: each line is a person's number and one probability a question, between tabs")
	}
	return p, nil
}

// person takes one line in.
func (p *people) person(l *lines, cells []string) error {
	pid := cells[0]
	if at, ok := p.at[pid]; ok {
		return l.fault("person %s stands on line %d too: remove one", table.Quote(pid), p.line[at])
	}
	if n := len(cells) - 1; n < 1 || len(p.cells) > 0 && n != len(p.cells[0]) {
		want := "at least 1"
		if len(p.cells) > 0 {
			want = strconv.Itoa(len(p.cells[0]))
		}
		return l.fault("the row has %d probabilities behind the person's number, want %s: is the line cut short?", n, want)
	}
	if (len(p.cells)+1)*len(cells) > MaxCells {
		return l.fault("the file has more than %d cells, too many to hold", MaxCells)
	}
	row := make([]float64, len(cells)-1)
	for i, cell := range cells[1:] {
		v, err := number(cell)
		if err != nil || !(v >= 0 && v <= 1) {
			return l.fault("column %d is %s: want a probability from 0 to 1", i+2, table.Quote(cell))
		}
		row[i] = v
	}
	p.at[pid] = len(p.pid)
	p.pid, p.line, p.cells = append(p.pid, pid), append(p.line, l.line), append(p.cells, row)
	return nil
}

// sameOrder checks that the same people stand in both files, in any order.
func (q *twentyQ) sameOrder() error {
	for _, pair := range [2][2]*people{{q.right, q.wrong}, {q.wrong, q.right}} {
		for i, pid := range pair[0].pid {
			if _, ok := pair[1].at[pid]; !ok {
				return fmt.Errorf("%s:%d: person %s is not in %s: the two files are not of one release", pair[0].file, pair[0].line[i], table.Quote(pid), filepath.Base(pair[1].file))
			}
		}
	}
	return nil
}

// divide makes P(yes) of right and wrong.
func (q *twentyQ) divide() error {
	q.t = &Table{Name: q.right.file, Queries: make([]string, len(q.right.cells[0]))} // named later
	var dropped []string
	var open []bool // cells with neither yes nor no
	nobody := 0
	for i, pid := range q.right.pid {
		if why, ok := noPeople[pid]; ok {
			dropped = append(dropped, pid+" ("+why+")")
			continue
		}
		other, before := q.wrong.at[pid], nobody
		for j, right := range q.right.cells[i] {
			wrong := q.wrong.cells[other][j]
			p := 0.5
			switch sum := right + wrong; {
			case sum > 1+sumSlack:
				return fmt.Errorf("%s:%d: column %d: person %s has right %g and wrong %g, together above 1: these are not probabilities of yes and no", q.wrong.file, q.wrong.line[other], j+2, table.Quote(pid), right, wrong)
			case sum > 0:
				p = right / sum
			default:
				nobody++
			}
			q.t.P, open = append(q.t.P, p), append(open, right+wrong == 0)
		}
		if q.rows && nobody-before == len(q.right.cells[i]) {
			return fmt.Errorf("%s:%d: person %s has neither yes nor no to any question; a row needs a known cell: remove it from both files", q.right.file, q.right.line[i], table.Quote(pid))
		}
		q.t.Objects, q.t.Lines = append(q.t.Objects, pid), append(q.t.Lines, q.right.line[i])
	}
	if len(q.t.Objects) < 2 {
		return fmt.Errorf("%s:1: the release has %d people: a game needs at least 2 that differ", q.right.file, len(q.t.Objects))
	}
	if len(dropped) > 0 {
		q.warnings = append(q.warnings, fmt.Sprintf("%s: dropped %d rows that do not stand for people: %s", q.t.Name, len(dropped), strings.Join(dropped, ", ")))
	}
	q.unanswered(open, nobody)
	return nil
}

// unanswered takes in the cells with neither yes nor no, and counts them in a warning.
func (q *twentyQ) unanswered(open []bool, count int) {
	are := "their P(yes) is taken as 1/2"
	switch {
	case count == 0:
		return
	case q.rows:
		are, q.t.Unknown = "they are unknown", open
		q.t.FillUnknown()
	}
	q.warnings = append(q.warnings, fmt.Sprintf("%s: %d cells have neither yes nor no; %s", q.t.Name, count, are))
}

// named replaces numbers by names where there are any; equal names keep their
// numbers behind them.
func (q *twentyQ) named() error {
	var names [3]map[string]string
	var err error
	for i, file := range []string{personNames, actionFile, queryNames} {
		if names[i], err = readOnly(q.folder, file, readPairs); err != nil {
			return err
		}
	}
	person, action, question := names[0], names[1], names[2]
	pids := slices.Clone(q.t.Objects)
	for i, pid := range pids {
		q.t.Objects[i] = person[pid]
	}
	unique(q.t.Objects, func(i int) string { return "person " + pids[i] })
	for j := range q.t.Queries {
		q.t.Queries[j] = question[action[strconv.Itoa(j)]]
	}
	unique(q.t.Queries, func(j int) string { return "question " + strconv.Itoa(j) })
	return nil
}

// unique gives names that are empty or not alone their number.
func unique(names []string, number func(i int) string) {
	count := map[string]int{}
	for _, name := range names {
		count[name]++
	}
	for i, name := range names {
		switch {
		case name == "":
			names[i] = number(i)
		case count[name] > 1:
			names[i] = name + " (" + number(i) + ")"
		}
	}
}

// readOnly returns what of makes of the one file of a folder with that pattern, nothing where there is none.
func readOnly[T any](folder, pattern string, of func(l *lines) (T, error)) (out T, err error) {
	found, err := filepath.Glob(filepath.Join(escaped(folder), pattern))
	switch {
	case err != nil || len(found) == 0:
		return out, err
	case len(found) > 1:
		return out, fmt.Errorf("%s holds %s and %s: keep one", folder, filepath.Base(found[0]), filepath.Base(found[1]))
	}
	return read(found[0], of)
}

// readPairs reads two columns between tabs from an open file.
func readPairs(l *lines) (map[string]string, error) {
	out := map[string]string{}
	return out, eachLine(l.tabs, func(cells []string) error {
		switch {
		case len(cells) != 2:
			return l.fault("the line has %d columns, want 2 between a tab", len(cells))
		case out[cells[0]] == "": // the release's own reader keeps the first, too
			out[cells[0]] = cells[1]
		}
		return nil
	})
}

// escaped returns a pattern that matches only the folder of that name.
func escaped(folder string) string {
	return strings.NewReplacer(`*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(folder)
}

// CheckTwentyQ reads one file of the release, whatever stands before its name, and
// reports what is wrong with it: a matrix of probabilities, or two columns.
func CheckTwentyQ(path string) error {
	if strings.Contains(filepath.Base(path), "Prob.") {
		_, err := read(path, readMatrix)
		return err
	}
	_, err := read(path, readPairs)
	return err
}
