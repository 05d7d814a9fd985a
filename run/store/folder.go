package store

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"
)

const (
	tempFolder = ".tmp"    // under the store's folder, so that a rename stays on one file system
	tempAge    = time.Hour // a temp file untouched for so long is what a kill left, not a Put under way
)

// How the names of temp files begin; [rand.Text] follows.
const (
	putTemp     = "put-"
	corruptTemp = "corrupt-"
)

var tempName = regexp.MustCompile("^(" + putTemp + "|" + corruptTemp + ")[A-Z2-7]{26}$")

// FolderStore is a Store in a folder of the file system; a name's slashes are folders under it.
// Open it with Folder. It may be used concurrently, by several processes on one folder too.
type FolderStore struct {
	dir string

	// create opens a new file in dir for writing; a field so that tests can fill the disk.
	create func(dir string) (tempFile, error)
}

// tempFile is what Put needs of an *os.File.
type tempFile interface {
	io.WriteCloser
	Name() string
	Sync() error
}

var _ Store = (*FolderStore)(nil)

// Folder opens the store in dir, making dir if need be. It tries one small write, so that a full or
// read-only disk is said before any work is done, and removes temp files an earlier kill left
// behind if they are over an hour old.
func Folder(dir string) (*FolderStore, error) {
	s := &FolderStore{dir: dir, create: createTemp}
	_, before := os.Lstat(dir)
	if err := s.prepare(); err != nil {
		if errors.Is(before, fs.ErrNotExist) { // what was made for nothing goes, if it is empty
			_ = os.Remove(filepath.Join(dir, tempFolder))
			_ = os.Remove(dir)
		}
		return nil, s.fault("open", dir, err)
	}
	return s, nil
}

// createTemp creates a file as [os.CreateTemp] does, except for its mode: the umask decides who may
// read what is stored.
func createTemp(dir string) (tempFile, error) {
	return os.OpenFile(filepath.Join(dir, putTemp+rand.Text()), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
}

// prepare makes the folders, probes for space and cleans up.
func (s *FolderStore) prepare() error {
	temp := filepath.Join(s.dir, tempFolder)
	if err := os.MkdirAll(temp, 0o777); err != nil {
		return err
	}
	probe, err := s.writeTemp(make([]byte, 4096))
	if err != nil {
		return err
	}
	if err := os.Remove(probe); err != nil {
		return err
	}
	return removeOld(temp, time.Now().Add(-tempAge))
}

// removeOld removes the temp files of dir last written before the given time; what has another name is
// another process's. One that vanishes meanwhile was removed by another process doing the same.
func removeOld(dir string, before time.Time) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !tempName.MatchString(e.Name()) {
			continue
		}
		info, err := e.Info()
		if err == nil && info.Mode().IsRegular() && info.ModTime().Before(before) {
			err = os.Remove(filepath.Join(dir, e.Name()))
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// Get implements Store.
func (s *FolderStore) Get(ctx context.Context, name string) ([]byte, error) {
	if err := Ready(ctx, name); err != nil {
		return nil, err
	}
	blob, err := os.ReadFile(s.path(name))
	if errors.Is(err, fs.ErrNotExist) && isLink(s.path(name)) {
		return nil, &Fault{fmt.Errorf("store: read %s: %s is a link to a file that is not there: mount its disk, or remove the link", name, s.path(name))}
	}
	if err != nil {
		return nil, s.fault("read", name, err)
	}
	data, err := Unseal(name, blob)
	if err != nil {
		return nil, fmt.Errorf("store: read %s: %w (file %s)", name, err, s.path(name))
	}
	return data, nil
}

// isLink reports whether there is a symbolic link at path.
func isLink(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode()&fs.ModeSymlink != 0
}

// Put implements Store: temp file, fsync, rename, fsync of the folder. A failed Put removes its temp
// file; a killed one leaves it for a later Folder.
func (s *FolderStore) Put(ctx context.Context, name string, data []byte) error {
	if err := Ready(ctx, name); err != nil {
		return err
	}
	if err := s.put(name, Seal(name, data)); err != nil {
		return s.fault("write", name, err)
	}
	return nil
}

func (s *FolderStore) put(name string, blob []byte) error {
	target := s.path(name)
	if err := s.makeFolder(filepath.Dir(target)); err != nil {
		return err
	}
	temp, err := s.writeTemp(blob)
	if err != nil {
		return err
	}
	if err := os.Rename(temp, target); err != nil {
		os.Remove(temp) // the first fault is the one to report
		return err
	}
	return syncFolder(filepath.Dir(target))
}

// PutNew implements Store: a hard link fails where a name is taken. On a file system without hard links a rename
// takes its place, and of several at once the last stays.
func (s *FolderStore) PutNew(ctx context.Context, name string, data []byte) ([]byte, error) {
	if err := Ready(ctx, name); err != nil {
		return nil, err
	}
	for {
		there, err := s.Get(ctx, name)
		if err == nil || !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, ErrCorrupt) {
			return there, err
		}
		if errors.Is(err, ErrCorrupt) {
			if err := s.discard(name); err != nil {
				return nil, s.fault("delete", name, err)
			}
		}
		if err := s.putNew(name, Seal(name, data)); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, s.fault("write", name, err)
		}
	}
}

// discard takes a corrupt object away, but puts back one that another process has made sound meanwhile.
func (s *FolderStore) discard(name string) error {
	aside := filepath.Join(s.dir, tempFolder, corruptTemp+rand.Text())
	if err := os.Rename(s.path(name), aside); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	}
	defer os.Remove(aside)
	blob, unread := os.ReadFile(aside)
	if unread == nil {
		if _, err := Unseal(name, blob); err != nil {
			return nil
		}
	}
	if err := moveNew(aside, s.path(name)); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return unread
}

// moveNew gives the file at temp the name target as well, where nothing has it; on a file system without hard links, that
// name alone, whatever has it.
func moveNew(temp, target string) error {
	err := os.Link(temp, target)
	if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.EPERM) {
		return os.Rename(temp, target)
	}
	return err
}

func (s *FolderStore) putNew(name string, blob []byte) error {
	target := s.path(name)
	if err := s.makeFolder(filepath.Dir(target)); err != nil {
		return err
	}
	temp, err := s.writeTemp(blob)
	if err != nil {
		return err
	}
	defer os.Remove(temp)
	if err := moveNew(temp, target); err != nil {
		return err
	}
	return syncFolder(filepath.Dir(target))
}

// writeTemp writes blob to a new temp file, synced and closed, and returns its path. On an error
// there is no file.
func (s *FolderStore) writeTemp(blob []byte) (string, error) {
	f, err := s.create(filepath.Join(s.dir, tempFolder))
	if err != nil {
		return "", err
	}
	_, err = f.Write(blob)
	if err == nil {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		os.Remove(f.Name()) // the first fault is the one to report
		return "", err
	}
	return f.Name(), nil
}

// makeFolder makes dir and what is missing above it, durably: a synced file in a folder whose own
// entry was never synced can still be lost.
func (s *FolderStore) makeFolder(dir string) error {
	if info, err := os.Stat(dir); err == nil && info.IsDir() {
		return nil
	}
	switch err := os.MkdirAll(dir, 0o777); {
	case errors.Is(err, fs.ErrExist): // a link that leads nowhere; of an object it would say that another was quicker
		return &fs.PathError{Op: "mkdir", Path: dir, Err: syscall.ENOTDIR}
	case err != nil:
		return err
	}
	for d := dir; len(d) > len(s.dir); d = filepath.Dir(d) {
		if err := syncFolder(filepath.Dir(d)); err != nil {
			return err
		}
	}
	return nil
}

// List implements Store. Cost: a walk of the folder that the prefix names.
func (s *FolderStore) List(ctx context.Context, prefix string) ([]string, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("store: list %q: %w", prefix, err)
	}
	base, _ := path.Split(prefix)
	base = strings.TrimSuffix(base, "/")
	var names []string
	if base == "" || CheckName(base) == nil { // else no name starts so
		var err error
		if names, err = s.walk(base); err != nil {
			return nil, s.fault("list", prefix, err)
		}
	}
	names = slices.DeleteFunc(names, func(name string) bool { return !strings.HasPrefix(name, prefix) })
	slices.Sort(names) // a walk goes by folder: "a/b" before "a-b"
	return names, nil
}

// walk returns the names under base, a name or "" for all, in the order of the walk.
func (s *FolderStore) walk(base string) ([]string, error) {
	var names []string
	err := fs.WalkDir(os.DirFS(s.dir), cmp.Or(base, "."), func(name string, e fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil // no such folder, or removed while walking
		case err != nil:
			return err
		case e.IsDir() && e.Name() == tempFolder:
			return fs.SkipDir
		case !e.IsDir() && CheckName(name) == nil:
			names = append(names, name)
		}
		return nil
	})
	return names, err
}

// Delete implements Store. Folders left empty stay: removing one could pull it from under a Put.
func (s *FolderStore) Delete(ctx context.Context, name string) error {
	if err := Ready(ctx, name); err != nil {
		return err
	}
	err := os.Remove(s.path(name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = syncFolder(filepath.Dir(s.path(name)))
	}
	if err != nil {
		return s.fault("delete", name, err)
	}
	return nil
}

// HasFolder reports whether a folder is a store that [Folder] made.
func HasFolder(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, tempFolder))
	return !errors.Is(err, fs.ErrNotExist)
}

// Ready refuses a call that is cancelled or names what no store accepts.
func Ready(ctx context.Context, name string) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("store: %s: %w", name, err)
	}
	return CheckName(name)
}

func (s *FolderStore) path(name string) string {
	return filepath.Join(s.dir, filepath.FromSlash(name))
}

// fault turns a file error into one line that names the object, the cause and, where there is one,
// the remedy. The temp file's path, which the cause would name, means nothing to a reader.
func (s *FolderStore) fault(op, name string, err error) error {
	cause := err
	var pe *fs.PathError
	var le *os.LinkError
	switch {
	case errors.As(err, &pe):
		cause = pe.Err
	case errors.As(err, &le):
		cause = le.Err
	}
	says := fmt.Errorf("store: %s %s: %w", op, name, cause)
	if r := remedy(err); r != "" {
		says = fmt.Errorf("store: %s %s: %w (%s: %s)", op, name, cause, s.dir, r)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return says
	}
	return &Fault{says}
}

// remedy says what to do about the faults a user can mend, "" for others.
func remedy(err error) string {
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return "free some space there, or choose a folder on another disk; what was stored before is intact"
	case errors.Is(err, syscall.EROFS), errors.Is(err, fs.ErrPermission):
		return "make the folder writable, or choose another"
	case errors.Is(err, syscall.ENOTDIR):
		return "a file is where a folder is needed: choose another folder"
	}
	return ""
}

// syncFolder makes the entries of dir durable. Windows cannot, and needs no such call.
func syncFolder(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	err = d.Sync()
	if cerr := d.Close(); err == nil {
		err = cerr
	}
	return err
}
