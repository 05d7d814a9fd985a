package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// writable says before the work why file, which flag names, could not be written after it. One that is there is replaced
// if it is ours, of the kind the command writes; any other is a user's, and a device or a pipe is not a file to replace.
func writable(file, flag, not string, ours func(file string) (bool, error)) error {
	other := "choose another file with " + flag
	info, err := os.Stat(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if dir := filepath.Dir(file); !isFolder(dir) {
			return fmt.Errorf("%s: there is no folder %s: make it, or %s", file, dir, other)
		}
	case err != nil:
		return fmt.Errorf("%w: %s", err, other)
	case info.IsDir():
		return fmt.Errorf("%s is a folder: %s", file, other)
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s is not a regular file: %s", file, other)
	default:
		if ours, err := ours(file); err != nil || !ours {
			return errors.Join(err, fmt.Errorf("%s exists and %s: %s", file, not, other))
		}
	}
	if err := replaceable(file); err != nil {
		return fmt.Errorf("%s cannot be written: %w: %s", file, err, other)
	}
	return nil
}

// replaceable tries whether a file could be made beside file.
func replaceable(file string) error {
	f, err := os.CreateTemp(filepath.Dir(file), "."+filepath.Base(file)+".*")
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// isFolder reports whether path is one.
func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
