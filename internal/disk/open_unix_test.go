//go:build unix

package disk

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"mapo/internal/suite"
)

// A named pipe that nobody writes to is refused at once, by whatever link; a file is opened.
func TestOpen(t *testing.T) {
	dir := t.TempDir()
	pipe, link, file := filepath.Join(dir, "pipe"), filepath.Join(dir, "link"), filepath.Join(dir, "file")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip(err)
	}
	if err := os.Symlink(pipe, link); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{pipe, link} {
		if _, err := Open(path); err == nil || !strings.Contains(err.Error(), path+" is a named pipe: ") {
			t.Errorf("%s: %v", path, err)
		}
		if _, err := ReadFile(path); err == nil {
			t.Errorf("%s was read", path)
		}
	}
	if _, err := Open(file); !os.IsNotExist(err) {
		t.Errorf("no file: %v", err)
	}
	if err := os.WriteFile(file, []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	reads(t, file)
}

// A named pipe in the machine's shared memory, which is under /dev, is a user's as well.
func TestOpenShared(t *testing.T) {
	dir, err := os.MkdirTemp("/dev/shm", "")
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip(err)
	}
	opened := make(chan error, 1)
	go func() {
		_, err := Open(pipe)
		opened <- err
	}()
	select {
	case err := <-opened:
		if err == nil || !strings.Contains(err.Error(), pipe+" is a named pipe: ") {
			t.Error(err)
		}
	case <-time.After(suite.Patience):
		t.Error("a named pipe was waited for")
	}
}

// The pipe of a shell's <(…) is opened.
func TestOpenInherited(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	path := fmt.Sprintf("/dev/fd/%d", r.Fd())
	if _, err := os.Stat(path); err != nil {
		t.Skip(err)
	}
	if _, err := w.WriteString("text"); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	reads(t, path)
}

// reads wants the file to open and to hold "text".
func reads(t *testing.T, path string) {
	t.Helper()
	if got, err := ReadFile(path); err != nil || string(got) != "text" {
		t.Errorf("%s holds %q (%v)", path, got, err)
	}
}
