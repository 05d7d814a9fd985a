package store

import (
	"crypto/rand"
	"os"
	"path/filepath"
	"testing"
)

// TestRemove: of a folder, be it reached by a link, the store's own goes and what else is there stays.
func TestRemove(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(t.TempDir(), dir); err != nil {
		t.Skip(err)
	}
	s, key := open(t, dir), string(KeyOf("step", nil))
	for _, name := range []string{"artifacts/" + key, "timings/" + key + "-marks", "marks/" + key + "/3", "checkpoints/" + key + "-000000000007"} {
		if err := s.Put(t.Context(), name, nil); err != nil {
			t.Fatal(err)
		}
	}
	leave := func(name string) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, nil, 0o666); err != nil {
			t.Fatal(err)
		}
		return file
	}
	leave(filepath.Join(tempFolder, putTemp+rand.Text()))
	mine := leave("artifacts/thesis.tex")
	if err := s.Remove(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(mine); err != nil {
		t.Error(err)
	}
	if names, err := s.List(t.Context(), ""); err != nil || len(names) != 1 {
		t.Errorf("%q, %v are left, want the user's file alone", names, err)
	}
	if err := os.Remove(mine); err != nil {
		t.Fatal(err)
	}
	if err := open(t, dir).Remove(t.Context()); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("%v, %v are left, want an empty folder", left, err)
	}
}
