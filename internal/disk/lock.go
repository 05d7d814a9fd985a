package disk

import (
	"errors"
	"os"
)

// ErrLocked is the error of [Lock] where the file is not to be had.
var ErrLocked = errors.New("another process has the file")

// Lock keeps f from every other Lock until f is closed. The system frees it when the process ends, however it ends: a file that
// no process holds is one whose writer is gone. Its error is [ErrLocked] where another
// has f, or where f no longer stands under the name it was opened by, and
// [errors.ErrUnsupported] where the system knows no such locks.
func Lock(f *os.File) error {
	if err := lock(f); err != nil {
		return err
	}
	a, err := f.Stat()
	if err != nil {
		return err
	}
	if b, err := os.Lstat(f.Name()); err != nil || !os.SameFile(a, b) {
		return ErrLocked
	}
	return nil
}
