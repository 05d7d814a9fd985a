package filelock

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// TestTake: a file is one's alone until it is closed, and one that has lost its name is nobody's.
func TestTake(t *testing.T) {
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
	err := Take(first)
	if errors.Is(err, errors.ErrUnsupported) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := Take(second); !errors.Is(err, ErrTaken) {
		t.Errorf("the second: %v, want ErrTaken", err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	if err := Take(second); err != nil {
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
	if err := Take(gone); !errors.Is(err, ErrTaken) {
		t.Errorf("a removed file: %v, want ErrTaken", err)
	}
	other := open()
	defer other.Close()
	if err := Take(gone); !errors.Is(err, ErrTaken) {
		t.Errorf("a removed file with another in its place: %v, want ErrTaken", err)
	}
}
