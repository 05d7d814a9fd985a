package store

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Remove takes away what the store, which no process may be using, has made in its folder: objects with a key in their
// name, temp files, and then the folders under it that are empty. What else is there may be a user's and stays.
func (s *FolderStore) Remove(ctx context.Context) error {
	names, err := s.List(ctx, "")
	if err != nil {
		return err
	}
	for _, name := range names {
		if !keyed(name) {
			continue
		}
		if err := s.Delete(ctx, name); err != nil {
			return err
		}
	}
	if err := removeOld(filepath.Join(s.dir, tempFolder), time.Now().Add(tempAge)); err != nil {
		return s.fault("delete", tempFolder, err)
	}
	return s.removeEmpty()
}

// keyed reports whether a part of name is a key, or begins with one and a dash.
func keyed(name string) bool {
	return slices.ContainsFunc(strings.Split(name, "/"), func(part string) bool {
		key, _, _ := strings.Cut(part, "-")
		_, err := ParseKey(key)
		return err == nil
	})
}

// removeEmpty removes the empty folders under the store's.
func (s *FolderStore) removeEmpty() error {
	var folders []string
	err := fs.WalkDir(os.DirFS(s.dir), ".", func(name string, e fs.DirEntry, err error) error {
		if err == nil && e.IsDir() && name != "." {
			folders = append(folders, name)
		}
		return err
	})
	for _, name := range slices.Backward(folders) {
		_ = os.Remove(s.path(name)) // one that is not empty stays
	}
	if err != nil {
		return s.fault("delete", s.dir, err)
	}
	return nil
}
