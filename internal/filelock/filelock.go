// Package filelock keeps a file to one process. The system frees it when that process ends,
// however it ends: a file that no process holds is one whose writer is gone.
package filelock

import (
	"errors"
	"os"
)

// ErrTaken is the error of [Take] where the file is not to be had.
var ErrTaken = errors.New("another process has the file")

// Take keeps f from every other Take until f is closed. Its error is [ErrTaken] where another
// has f, or where f no longer stands under the name it was opened by, and
// [errors.ErrUnsupported] where the system knows no such locks.
func Take(f *os.File) error {
	if err := lock(f); err != nil {
		return err
	}
	a, err := f.Stat()
	if err != nil {
		return err
	}
	if b, err := os.Lstat(f.Name()); err != nil || !os.SameFile(a, b) {
		return ErrTaken
	}
	return nil
}
