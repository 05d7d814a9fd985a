package disk

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// Write makes data the content of path: it writes a hidden sibling, makes it durable and
// renames it, so that under whatever goes wrong path holds what it held before or all of
// data. The sibling that a kill left there goes with the next Write. The mode stays as it was, and
// so does the owner where the process may give files away. A new file has what the umask allows. A
// link stays a link. Its error is the bare cause, without the sibling's name, which means nothing to a
// reader. A device, a pipe or a socket at path is an error: it is not replaced.
func Write(path string, data []byte) error {
	switch info, err := os.Stat(path); {
	case err == nil && special(info):
		return errSpecial
	case errors.Is(err, fs.ErrNotExist):
		path = dangling(path)
	}
	if to, err := filepath.EvalSymlinks(path); err == nil {
		path = to
	}
	return Replace(path, data)
}

// mostLinks is how many links in a row are followed.
const mostLinks = 40

// dangling returns where a link leads whose end is not there yet. What is not a link is returned as it is.
func dangling(path string) string {
	for range mostLinks {
		to, err := os.Readlink(path)
		if err != nil {
			break
		}
		if !filepath.IsAbs(to) {
			dir, _ := filepath.Split(path)
			to = dir + to
		}
		// The folder first: lexically, ".." after a link to a folder would be another one.
		dir, name := filepath.Split(to)
		if at, err := filepath.EvalSymlinks(dir); err == nil {
			to = filepath.Join(at, name)
		}
		path = to
	}
	return path
}

// Replace makes data the content of path as Write does, but replaces a link at path itself: what it leads to stays.
func Replace(path string, data []byte) error {
	if info, err := os.Lstat(path); err == nil && info.Mode()&fs.ModeSymlink == 0 && special(info) {
		return errSpecial
	}
	return cause(write(path, data, os.Rename))
}

var errSpecial = errors.New("it is not a regular file")

// special reports whether a file is a device, a pipe or a socket.
func special(info fs.FileInfo) bool { return !info.Mode().IsRegular() && !info.IsDir() }

// Create makes data the content of path as Write does, where path must not be there yet: of several at once one makes it,
// the others get [fs.ErrExist].
func Create(path string, data []byte) error { return cause(write(path, data, link)) }

// link puts the file at from, which then goes by that name alone, to where nothing is.
func link(from, to string) error {
	err := os.Link(from, to)
	switch {
	case err == nil:
		return os.Remove(from)
	case !errors.Is(err, errors.ErrUnsupported) && !errors.Is(err, syscall.EPERM):
		return err
	}
	// A file system without links: of several at the same moment the last has it.
	if _, err := os.Lstat(to); err == nil {
		return fs.ErrExist
	}
	return os.Rename(from, to)
}

func write(path string, data []byte, move func(from, to string) error) (err error) {
	dir := filepath.Dir(path)
	f, held, err := sibling(path)
	if err != nil {
		return err
	}
	temp := f.Name()
	defer func() {
		if err != nil {
			_ = f.Close()       // the first error is the one to tell
			_ = os.Remove(temp) // a leftover is harmless
		}
	}()
	if _, err = f.Write(data); err != nil {
		return err
	}
	if old, e := os.Lstat(path); e == nil && old.Mode().IsRegular() {
		if err = f.Chmod(old.Mode().Perm()); err != nil {
			return err
		}
		keepOwner(f, old)
	}
	if err = f.Sync(); err != nil {
		return err
	}
	if held { // until it has its name: before that it would pass for a leftover
		defer f.Close()
	} else if err = f.Close(); err != nil {
		return err
	}
	if err = move(temp, path); err != nil {
		return err
	}
	if d, e := os.Open(dir); e == nil { // the rename itself; not every file system lets a folder be synced
		_ = d.Sync()
		_ = d.Close()
	}
	sweep(path)
	return nil
}

// sibling makes the hidden file that is to become path and, where the system can, holds it
// until it is closed.
func sibling(path string) (f *os.File, held bool, err error) {
	for {
		name := filepath.Join(filepath.Dir(path), prefix(path)+rand.Text())
		if f, err = os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666); err != nil {
			return nil, false, err
		}
		err := Lock(f)
		if !errors.Is(err, ErrLocked) {
			return f, err == nil, nil
		}
		_ = f.Close() // a sweep was faster and removes it
	}
}

// prefix returns how the siblings of path begin; [rand.Text] follows.
func prefix(path string) string { return "." + filepath.Base(path) + "." }

// sweep removes the siblings of path that no process holds: what kills left. A failure leaves
// them to the next.
func sweep(path string) {
	entries, _ := os.ReadDir(filepath.Dir(path))
	for _, e := range entries {
		end, ok := strings.CutPrefix(e.Name(), prefix(path))
		if !ok || len(end) != len(rand.Text()) || !e.Type().IsRegular() {
			continue
		}
		f, err := os.Open(filepath.Join(filepath.Dir(path), e.Name()))
		if err != nil {
			continue
		}
		if Lock(f) == nil {
			_ = os.Remove(f.Name())
		}
		_ = f.Close()
	}
}

func cause(err error) error {
	var pe *fs.PathError
	var le *os.LinkError
	switch {
	case errors.As(err, &pe):
		return pe.Err
	case errors.As(err, &le):
		return le.Err
	}
	return err
}
