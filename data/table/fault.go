package table

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
)

// reader holds what one attempt to read a file has found so far.
type reader struct {
	Options
	name     string   // the file, for messages
	notes    []string // what was assumed
	warnings []string
	missing  reading // what a cell without a value is
	absent   reading // what a cell is that a table in long form does not name
	numbers  numerals
	long     bool // the table was in long form
	percents bool // and the header of its shares says that they are percent
}

// assume notes an assumption.
func (r *reader) assume(format string, a ...any) {
	r.notes = append(r.notes, fmt.Sprintf(format, a...))
}

// warn notes what is probably not as the user meant it.
func (r *reader) warn(format string, a ...any) {
	r.warnings = append(r.warnings, fmt.Sprintf(format, a...))
}

// fault returns an error at a line; its text says what was found, the rule and the remedy.
func (r *reader) fault(line int, format string, a ...any) error {
	return fmt.Errorf("%s:%d: %s", r.name, max(line, 1), fmt.Sprintf(format, a...))
}

// faultAt returns an error at the line of a row.
func (r *reader) faultAt(g *grid, row int, format string, a ...any) error {
	line, _ := g.at(row, 0)
	return r.fault(line, format, a...)
}

// way is one of the readings of a file that needs a flag: when it is right, and the option that asks for it.
type way struct {
	when string
	set  func(o *Options)
}

// refusal is a fault that a flag may mend. [file.explain] tries each way and names those that give a table.
type refusal struct {
	name string
	line int
	text string // what was found, the rule, and what to correct by hand
	ways []way
}

func (f *refusal) Error() string { return fmt.Sprintf("%s:%d: %s", f.name, max(f.line, 1), f.text) }

// refuse returns an error at a line that each of the ways may mend.
func (r *reader) refuse(line int, text string, ways ...way) error {
	return &refusal{r.name, line, text, ways}
}

// command returns the import command that reads a file with options.
func command(name string, o Options) string {
	words := append([]string{"mapo data import", Shell(name)}, o.flags()...)
	return strings.Join(append(words, "-o", Shell(outName(name))), " ")
}

// outName returns a name for the table made of a file.
func outName(file string) string {
	name := filepath.Base(file)
	for _, ext := range []string{".gz", ".csv", ".tsv", ".tab", ".txt", ".xlsx", ".xlsm", ".json", ".jsonl", ".ndjson"} {
		if len(name) > len(ext) && strings.EqualFold(name[len(name)-len(ext):], ext) {
			name = name[:len(name)-len(ext)]
		}
	}
	return name + "-table.csv"
}

// plainWord is text that a shell takes as it stands.
var plainWord = regexp.MustCompile(`^[A-Za-z0-9_./,:@%+=-]+$`)

// Shell returns text as one word of a command line.
func Shell(text string) string {
	if plainWord.MatchString(text) {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

// Either lists alternatives: "a", "a or b", "a, b or c".
func Either(list []string) string { return listed(list, "or") }

// listed joins a list with a word before its last item.
func listed(list []string, word string) string {
	if len(list) < 2 {
		return strings.Join(list, "")
	}
	last := len(list) - 1
	return strings.Join(list[:last], ", ") + " " + word + " " + list[last]
}

// Quote returns s in quotes for a message; more than 40 characters are cut.
func Quote(s string) string {
	if runes := []rune(s); len(runes) > 40 {
		s = string(runes[:39]) + "…"
	}
	return fmt.Sprintf("%q", s)
}

// Size returns n bytes in the largest unit that fits, for a message.
func Size(n int64) string {
	if n >= 1<<30 {
		return fmt.Sprintf("%d GiB", n>>30)
	}
	return fmt.Sprintf("%d MiB", n>>20)
}
