package main

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"regexp"
	"strings"

	"mapo/internal/disk"
)

// madeTable is a table that a command makes of another file. A mark beside it says what was written, so that a
// table that was changed by hand is not replaced.
type madeTable struct {
	out string // "-" for standard output
	by  string // the command: tabulate or import
}

// mark returns the file beside a table that says what was written.
func (m madeTable) mark() string {
	if m.by == "import" {
		return m.out + ".imported"
	}
	return m.out + ".tabulated"
}

// markOf returns what a table's mark says.
func (m madeTable) markOf(table []byte) []byte {
	return fmt.Appendf(nil, "mapo data %s, sha256 %x\n", m.by, sha256.Sum256(table))
}

var markLine = regexp.MustCompile("^mapo data (tabulate|import), sha256 [0-9a-f]{64}\n$")

// checkOut says before the work why the table or its mark could not be written after it; from is the file that is read.
func (m madeTable) checkOut(from string) error {
	if a, err := os.Stat(from); err == nil {
		if b, err := os.Stat(m.out); err == nil && os.SameFile(a, b) {
			return fmt.Errorf("--out is %s, the file that is read: name another", m.out)
		}
	}
	if m.out == "-" {
		return nil
	}
	table := m.file(m.out)
	if err := table.Plain(); err != nil {
		return err
	}
	if err := table.Replaceable("is not a table", isTable); err != nil {
		return err
	}
	return m.file(m.mark()).Replaceable("is not a mark of mapo data "+m.by+"'s", markLine.Match)
}

// isOwn reports whether nothing is lost where table is written: nothing or the same is there, or what the command
// left earlier, as its mark says.
func (m madeTable) isOwn(table []byte) (bool, error) {
	had, err := os.ReadFile(m.out)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return true, nil
	case err != nil:
		return false, err
	case len(had) == 0 || bytes.Equal(had, table):
		return true, nil
	}
	mark, err := os.ReadFile(m.mark())
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return bytes.Equal(mark, m.markOf(had)), err
}

// leave leaves the table where it was asked for, w for "-".
func (m madeTable) leave(w io.Writer, table []byte) error {
	if m.out == "-" {
		_, err := w.Write(table)
		return err
	}
	if ours, err := m.isOwn(table); err != nil || !ours {
		return errors.Join(err, fmt.Errorf("%s exists and is not as mapo data %s left it: move it away, or choose another file with --out", m.out, m.by))
	}
	if err := m.file(m.out).Write(table); err != nil {
		return err
	}
	return m.file(m.mark()).Write(m.markOf(table))
}

// file returns a file that --out names.
func (m madeTable) file(path string) disk.Output { return disk.Output{Flag: "--out", Path: path} }

// isTable reports whether a file is empty or begins as a table does, and not as a file of answers.
func isTable(content []byte) bool {
	const answers = "object,query,answer"
	head := strings.ToLower(string(content[:min(len(content), len(answers))]))
	return head == "" || strings.HasPrefix(head, "object,") && head != answers
}
