//go:build unix

package disk

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestOwner: a file that root writes for another user stays that user's.
func TestOwner(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root gives files away")
	}
	path := filepath.Join(t.TempDir(), "a")
	if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(path, 65532, 65531); err != nil {
		t.Skip(err)
	}
	if err := Write(path, []byte("new")); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if is := info.Sys().(*syscall.Stat_t); is.Uid != 65532 || is.Gid != 65531 || info.Mode().Perm() != 0o600 {
		t.Errorf("the file is of %d:%d with mode %v, want 65532:65531 and 600", is.Uid, is.Gid, info.Mode())
	}
}
