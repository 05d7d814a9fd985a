package disk

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// TestLock: a file is one's alone until it is closed, and one that has lost its name is nobody's.
func TestLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a")
	open := func() *os.File {
		t.Helper()
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	first, second := open(), open()
	err := Lock(first)
	if errors.Is(err, errors.ErrUnsupported) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := Lock(second); !errors.Is(err, ErrLocked) {
		t.Errorf("the second: %v, want ErrLocked", err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	if err := Lock(second); err != nil {
		t.Errorf("after the first is closed: %v", err)
	}
	if err := second.Close(); err != nil {
		t.Fatal(err)
	}

	gone := open()
	defer gone.Close()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := Lock(gone); !errors.Is(err, ErrLocked) {
		t.Errorf("a removed file: %v, want ErrLocked", err)
	}
	other := open()
	defer other.Close()
	if err := Lock(gone); !errors.Is(err, ErrLocked) {
		t.Errorf("a removed file with another in its place: %v, want ErrLocked", err)
	}
}
