package main

import (
	"fmt"
	"strings"
)

// entry is a bug to plant: in the declaration In, Old becomes New, and every run must fail then.
type entry struct {
	Line int    // of the list
	In   string // package.Name, package.Type.Method or package.(*Type).Method
	Why  string // what the bug does
	Old  string
	New  string
	Runs []run
}

// run is one `go test` of a package.
type run struct {
	Package string   // its folder in the module, "." for the root
	Flags   []string // such as -short or -run=TestX
	Each    bool     // whether every test that -run names must fail
}

// tests returns those that must fail, none where one is enough.
func (r run) tests() []string {
	for _, f := range r.Flags {
		if names, ok := strings.CutPrefix(f, "-run="); ok && r.Each {
			return strings.Split(names, "|")
		}
	}
	return nil
}

// parseList reads a list of entries. An entry begins with a line "In: Why". Its lines "- " are the
// old text, "+ " the new one, and "! " a package whose tests must fail, with the flags of `go test`
// behind it; after "!! " every test that -run=A|B names must. Blank lines and lines with # are skipped.
func parseList(text string) ([]entry, error) {
	var list []entry
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimRight(line, " \t\r")
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		mark, rest := line[:1], strings.TrimPrefix(line[1:], " ")
		if !strings.Contains("-+!", mark) {
			in, why, ok := strings.Cut(line, ": ")
			if !ok {
				return nil, fmt.Errorf("line %d: %q; an entry begins with DECLARATION: WHAT IS WRONG", i+1, line)
			}
			list = append(list, entry{Line: i + 1, In: in, Why: why})
			continue
		}
		if len(list) == 0 {
			return nil, fmt.Errorf("line %d: %q stands before the first entry", i+1, line)
		}
		e := &list[len(list)-1]
		switch mark {
		case "-":
			e.Old = joined(e.Old, rest)
		case "+":
			e.New = joined(e.New, rest)
		default:
			rest, each := strings.CutPrefix(rest, "!")
			fields := strings.Fields(rest)
			if len(fields) == 0 {
				return nil, fmt.Errorf("line %d: no package is named; write ! PACKAGE FLAGS", i+1)
			}
			r := run{fields[0], fields[1:], each}
			if each && r.tests() == nil {
				return nil, fmt.Errorf("line %d: -run names no tests; after !! it must, as in -run=TestA|TestB", i+1)
			}
			e.Runs = append(e.Runs, r)
		}
	}
	for _, e := range list {
		if e.Old == "" || len(e.Runs) == 0 {
			return nil, fmt.Errorf("line %d: %s has no old text or no package whose tests must fail", e.Line, e.In)
		}
	}
	return list, nil
}

// joined returns text with one more line.
func joined(text, line string) string {
	if text == "" {
		return line
	}
	return text + "\n" + line
}
