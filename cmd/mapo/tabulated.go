package main

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"strings"
)

// mark is the file beside a table that says what was written.
func (t *tabulation) mark() string { return t.out + ".tabulated" }

// markOf is what a table's mark says.
func markOf(table []byte) []byte {
	return fmt.Appendf(nil, "mapo data tabulate, sha256 %x\n", sha256.Sum256(table))
}

var markLine = regexp.MustCompile("^mapo data tabulate, sha256 [0-9a-f]{64}\n$")

// check says before the work why the table or its mark could not be written after it.
func (t *tabulation) check() error {
	if strings.HasSuffix(strings.ToLower(t.out), ".gz") {
		return fmt.Errorf("--out is %s, and a table is written plain: leave the .gz out", t.out)
	}
	if err := writable(t.out, "--out", "is no table", isTable); err != nil {
		return err
	}
	return writable(t.mark(), "--out", "is no mark of mapo data tabulate's", holds(markLine.Match))
}

// isOwn reports whether nothing is lost where table is written: nothing or the same is there, or what an earlier
// tabulation left, as its mark says.
func (t *tabulation) isOwn(table []byte) (bool, error) {
	had, err := os.ReadFile(t.out)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return true, nil
	case err != nil:
		return false, err
	case len(had) == 0 || bytes.Equal(had, table):
		return true, nil
	}
	mark, err := os.ReadFile(t.mark())
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return bytes.Equal(mark, markOf(had)), err
}
