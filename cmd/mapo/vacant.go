package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"mapo/internal/disk"
)

// vacant returns before the work why a file that a flag names, and that must not exist, could not be made after it.
func vacant(flag, path string) error {
	switch info, err := os.Lstat(path); {
	case err == nil && info.IsDir():
		return fmt.Errorf("%s is a folder: name a file in it with %s", path, flag)
	case err == nil:
		return existing(flag, path)
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	if !isFolder(filepath.Dir(path)) {
		return fmt.Errorf("%s: there is no folder %s: make it, or choose another file with %s", path, filepath.Dir(path), flag)
	}
	return nil
}

// existing returns the error of a file that is not replaced.
func existing(flag, path string) error {
	return fmt.Errorf("%s exists: move it away, or choose another file with %s", path, flag)
}

// create writes a file that a flag names. One that appeared since [vacant] is not replaced.
func create(flag, path string, data []byte) error {
	switch err := disk.Create(path, data); {
	case errors.Is(err, fs.ErrExist):
		return existing(flag, path)
	case err != nil:
		return fmt.Errorf("write %s: %w; free some space, or choose another file with %s", path, err, flag)
	}
	return nil
}
