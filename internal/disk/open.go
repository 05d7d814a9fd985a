package disk

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Open opens a file as [os.Open] does, but refuses a named pipe, which would wait for
// a writer, deaf to interrupts. The pipes of standard input and of a shell's <(…) are
// under /dev and are opened.
func Open(path string) (*os.File, error) {
	info, err := os.Stat(path)
	if err == nil && info.Mode()&fs.ModeNamedPipe != 0 && !isSystems(path) {
		return nil, fmt.Errorf("%s is a named pipe: name a file, or /dev/stdin", path)
	}
	return os.Open(path)
}

// ReadFile reads a file as [os.ReadFile] does, but opens it by [Open].
func ReadFile(path string) ([]byte, error) {
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(f)
	return data, errors.Join(err, f.Close())
}

// isSystems reports whether path is one that the system gives a process for what is open already. /dev/shm has users' files.
func isSystems(path string) bool {
	path = filepath.Clean(path)
	return strings.HasPrefix(path, "/dev/") && !strings.HasPrefix(path, "/dev/shm/") || strings.HasPrefix(path, "/proc/")
}
