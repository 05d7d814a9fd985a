package disk

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// TestWrite: new and old files get the content and nothing is left beside them; where the
// rename cannot be, neither is anything else, and the error names no hidden file.
func TestWrite(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a")
	for _, text := range []string{"first, and longer", "second"} {
		if err := Write(path, []byte(text)); err != nil {
			t.Fatal(err)
		}
		if data, err := os.ReadFile(path); err != nil || string(data) != text {
			t.Errorf("%q, %v, want %q", data, err, text)
		}
	}
	folder := filepath.Join(dir, "folder")
	if err := os.MkdirAll(filepath.Join(folder, "full"), 0o777); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{folder, filepath.Join(dir, "none", "a")} {
		if err := Write(path, nil); err == nil || strings.Contains(err.Error(), dir) {
			t.Errorf("%s: %v, want the bare cause", path, err)
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 2 {
		t.Errorf("%v, %v are in the folder, want a and folder", entries, err)
	}
}

// TestWriteMode: who may read a file stays as it was, and a link a link.
func TestWriteMode(t *testing.T) {
	dir := t.TempDir()
	path, by := filepath.Join(dir, "a"), filepath.Join(dir, "link")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("a", by); err != nil {
		t.Skip(err)
	}
	if err := Write(by, []byte("through the link")); err != nil {
		t.Fatal(err)
	}
	info, err := os.Lstat(path)
	if err != nil || info.Mode() != 0o600 {
		t.Errorf("the file is %v (%v), want -rw-------", info.Mode(), err)
	}
	if data, err := os.ReadFile(path); err != nil || string(data) != "through the link" {
		t.Errorf("it holds %q (%v)", data, err)
	}
	if to, err := os.Readlink(by); err != nil || to != "a" {
		t.Errorf("the link leads to %q (%v)", to, err)
	}
}

// TestReplace: a link gives way, and what it leads to stays.
func TestReplace(t *testing.T) {
	dir := t.TempDir()
	path, by := filepath.Join(dir, "a"), filepath.Join(dir, "link")
	if err := os.WriteFile(path, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("a", by); err != nil {
		t.Skip(err)
	}
	if err := Replace(by, []byte("new")); err != nil {
		t.Fatal(err)
	}
	if data, err := os.ReadFile(path); err != nil || string(data) != "mine" {
		t.Errorf("what the link led to holds %q (%v)", data, err)
	}
	if info, err := os.Lstat(by); err != nil || !info.Mode().IsRegular() || info.Mode().Perm()&0o111 != 0 {
		t.Errorf("in the link's place is %v (%v)", info.Mode(), err)
	}
}

// TestCreate: of many at once one makes the file, whole; the others are told that it is there.
func TestCreate(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a")
	made := make(chan string, 16)
	var wg sync.WaitGroup
	for i := range cap(made) {
		wg.Go(func() {
			text := strings.Repeat(string(rune('a'+i)), 10_000)
			switch err := Create(path, []byte(text)); {
			case err == nil:
				made <- text
			case !errors.Is(err, fs.ErrExist):
				t.Error(err)
			}
		})
	}
	wg.Wait()
	close(made)
	data, err := os.ReadFile(path)
	if err != nil || len(made) != 1 || string(data) != <-made {
		t.Errorf("%d made the file, which has %d bytes (%v)", len(made), len(data), err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("%v is left (%v), want the file alone", entries, err)
	}
}

// TestSweep: what a kill left goes with the next write of the same file; what another is
// writing, and files that only look alike, stay.
func TestSweep(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a")
	left, _, err := sibling(path)
	if err != nil {
		t.Fatal(err)
	}
	under, held, err := sibling(path)
	if err != nil {
		t.Fatal(err)
	}
	defer under.Close()
	if !held {
		t.Skip("no locks here")
	}
	alike := filepath.Join(dir, ".a.notes")
	other := filepath.Join(dir, prefix("b")+strings.Repeat("A", 26))
	for _, name := range []string{alike, other} {
		if err := os.WriteFile(name, nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := left.Close(); err != nil { // as a kill does
		t.Fatal(err)
	}
	if err := Write(path, []byte("next")); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(left.Name()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("what a kill left: %v, want it gone", err)
	}
	for _, name := range []string{path, under.Name(), alike, other} {
		if _, err := os.Lstat(name); err != nil {
			t.Error(err)
		}
	}
}

// TestWriteAtOnce: writers of one file take no other's sibling for a leftover.
func TestWriteAtOnce(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a")
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 50 {
				if err := Write(path, []byte("whole")); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("%v is left (%v), want the file alone", entries, err)
	}
}

// TestWriteDangling: a link to a file that is not there yet stays a link, and the file is made where it leads, also over
// another link and from a folder that is one.
func TestWriteDangling(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"disk/deep", "home"} {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	for from, to := range map[string]string{"home/folder": "../disk/deep", "disk/deep/link": "../last", "disk/last": "file", "home/lost": "nowhere/file"} {
		if err := os.Symlink(to, filepath.Join(dir, from)); err != nil {
			t.Skip(err)
		}
	}
	path := filepath.Join(dir, "home/folder/link")
	if err := Write(path, []byte("x")); err != nil {
		t.Fatal(err)
	}
	if data, err := os.ReadFile(filepath.Join(dir, "disk/file")); err != nil || string(data) != "x" {
		t.Errorf("where the link leads is %q, %v", data, err)
	}
	for _, link := range []string{path, filepath.Join(dir, "disk/last")} {
		if info, err := os.Lstat(link); err != nil || info.Mode()&fs.ModeSymlink == 0 {
			t.Errorf("%s is a link no more", link)
		}
	}
	if err := Write(filepath.Join(dir, "home/lost"), []byte("x")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a link into a folder that is not there: %v", err)
	}
}
