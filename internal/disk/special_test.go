//go:build unix

package disk

import (
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
)

// TestSpecial: a pipe, as a device would be, is neither replaced nor written to, also where a link
// leads to it.
func TestSpecial(t *testing.T) {
	dir := t.TempDir()
	pipe, by := filepath.Join(dir, "pipe"), filepath.Join(dir, "link")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip(err)
	}
	if err := os.Symlink("pipe", by); err != nil {
		t.Skip(err)
	}
	for _, path := range []string{pipe, by} {
		if err := Write(path, []byte("x")); err == nil {
			t.Errorf("%s was written", path)
		}
	}
	if err := Replace(pipe, []byte("x")); err == nil {
		t.Error("the pipe was replaced")
	}
	if info, err := os.Lstat(pipe); err != nil || info.Mode().Type() != fs.ModeNamedPipe {
		t.Errorf("the pipe is %v (%v)", info.Mode(), err)
	}
	// Of an unnamed pipe, /dev/stdout and the like lead to a name that is not there.
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	out := filepath.Join(dir, "stdout")
	if err := os.Symlink(filepath.Join("/proc/self/fd", strconv.Itoa(int(w.Fd()))), out); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(out); err != nil {
		t.Skip(err)
	}
	if err := Write(out, []byte("x")); err == nil {
		t.Error("the link to an unnamed pipe was replaced")
	}
}
