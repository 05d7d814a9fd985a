package table

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
)

// note is something that the reader assumed.
type note struct {
	text     string
	doubtful bool // a person should confirm it: not for tables that are named directly
}

// reader holds what reading one file has found so far.
type reader struct {
	Options
	name     string // the file, for messages
	notes    []note
	warnings []string
	missing  reading // what a cell without a value is
	absent   reading // what a cell is that a table in long form does not name
	numbers  numerals
	mayWeigh bool // a column could still be named for prior weights
}

// assume notes an assumption that any reader of tables would make.
func (r *reader) assume(format string, a ...any) {
	r.notes = append(r.notes, note{text: fmt.Sprintf(format, a...)})
}

// doubt notes an assumption that a person should confirm.
func (r *reader) doubt(format string, a ...any) {
	r.notes = append(r.notes, note{text: fmt.Sprintf(format, a...), doubtful: true})
}

// warn notes what is probably not as the user meant it.
func (r *reader) warn(format string, a ...any) {
	r.warnings = append(r.warnings, fmt.Sprintf(format, a...))
}

// fault returns an error at a line; its text says what was found, the rule and the remedy.
func (r *reader) fault(line int, format string, a ...any) error {
	return fmt.Errorf("%s:%d: %s", r.name, max(line, 1), fmt.Sprintf(format, a...))
}

// faultUse returns an error at a line that flags of the import command mend, each of them alone;
// text says what was found and the rule.
func (r *reader) faultUse(line int, text string, flags ...string) error {
	if !r.Direct {
		return r.fault(line, "%s Use %s.", text, Either(flags))
	}
	if len(flags) == 1 {
		return r.fault(line, "%s Run: %s", text, r.command(flags[0]))
	}
	return r.fault(line, "%s Run: %s with %s", text, r.command(), Either(flags))
}

// command returns the import command for the file, with flags.
func (r *reader) command(flags ...string) string {
	words := append([]string{"mapo data import", Shell(r.name)}, flags...)
	for _, f := range []struct{ name, value string }{
		{"--separator", r.Separator}, {"--encoding", r.Encoding}, {"--sheet", r.Sheet}, {"--missing", r.Missing}, {"--absent", r.Absent},
		{"--weights", r.Weights}, {"--group", r.Group},
	} {
		if f.value != "" && !strings.Contains(strings.Join(flags, " "), f.name+" ") {
			words = append(words, f.name, Shell(f.value))
		}
	}
	return strings.Join(append(words, "-o", Shell(outName(r.name))), " ")
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
