package store

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"mapo/internal/suite"
)

func open(t *testing.T, dir string) *FolderStore {
	t.Helper()
	s, err := Folder(dir)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestCutAnywhere: a stored file cut at any byte, with any byte altered, or with one added is refused.
func TestCutAnywhere(t *testing.T) {
	s := open(t, t.TempDir())
	data := []byte("some weights\n\x00\xff")
	if err := s.Put(t.Context(), "a/b", data); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(s.path("a/b"))
	if err != nil {
		t.Fatal(err)
	}
	refused := func(blob []byte, why string, at int) {
		t.Helper()
		if err := os.WriteFile(s.path("a/b"), blob, 0o666); err != nil {
			t.Fatal(err)
		}
		if got, err := s.Get(t.Context(), "a/b"); !errors.Is(err, ErrCorrupt) {
			t.Errorf("%s at %d of %d: Get = %q, %v, want ErrCorrupt", why, at, len(whole), got, err)
		}
	}
	for i := range whole {
		refused(whole[:i], "cut", i)
		altered := bytes.Clone(whole)
		altered[i] ^= 0x20
		refused(altered, "altered", i)
	}
	refused(append(bytes.Clone(whole), 0), "one byte more", len(whole))
	if err := s.Put(t.Context(), "a/b", data); err != nil {
		t.Fatalf("Put over a corrupt file: %v", err)
	}
	if got, err := s.Get(t.Context(), "a/b"); err != nil || !bytes.Equal(got, data) {
		t.Errorf("Get after the repair = %q, %v", got, err)
	}
}

// TestMovedFile: a sound file under another name, such as a checkpoint renamed to a later
// iteration, is not that name's.
func TestMovedFile(t *testing.T) {
	s := open(t, t.TempDir())
	if err := s.Put(t.Context(), "a", []byte("1")); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(s.path("a"), s.path("b")); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Get(t.Context(), "b"); !errors.Is(err, ErrCorrupt) {
		t.Errorf("Get = %v, want ErrCorrupt", err)
	}
}

// TestDiscard: what is corrupt goes, what another process has made sound meanwhile stays.
func TestDiscard(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	for content, want := range map[string]error{"": fs.ErrNotExist, "sound": nil} {
		if err := s.Put(t.Context(), "a", []byte(content)); err != nil {
			t.Fatal(err)
		}
		if content == "" {
			if err := os.WriteFile(s.path("a"), []byte("torn"), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.discard("a"); err != nil {
			t.Fatal(err)
		}
		if data, err := s.Get(t.Context(), "a"); !errors.Is(err, want) || string(data) != content {
			t.Errorf("%q: Get = %q, %v, want %v", content, data, err, want)
		}
		if left, err := os.ReadDir(filepath.Join(dir, tempFolder)); err != nil || len(left) != 0 {
			t.Errorf("%v is left (%v)", left, err)
		}
	}
	if err := s.discard("nothing"); err != nil {
		t.Error(err)
	}
}

// TestTruncatedCheckpoint: whatever a kill or a bad disk leaves of the last checkpoint, the one before it is
// read, with one warning; with both damaged the job begins anew.
func TestTruncatedCheckpoint(t *testing.T) {
	s, job := open(t, t.TempDir()), KeyOf("train/1", nil)
	for _, iter := range []int{8, 9, 10} {
		if err := SaveCheckpoint(t.Context(), s, job, iter, bytes.Repeat([]byte{byte(iter)}, 20)); err != nil {
			t.Fatal(err)
		}
	}
	last := s.path(checkpointName(job, 10))
	whole, err := os.ReadFile(last)
	if err != nil {
		t.Fatal(err)
	}
	for n := range whole {
		if err := os.WriteFile(last, whole[:n], 0o666); err != nil {
			t.Fatal(err)
		}
		iter, data, warnings, err := LoadCheckpoint(t.Context(), s, job)
		if err != nil || iter != 9 || !bytes.Equal(data, bytes.Repeat([]byte{9}, 20)) || len(warnings) != 1 {
			t.Fatalf("cut at %d: iteration %d, %v, %q, %v", n, iter, data, warnings, err)
		}
		if !strings.Contains(warnings[0], "iteration 10 skipped") {
			t.Fatalf("cut at %d: warning %q", n, warnings[0])
		}
	}
	if err := os.WriteFile(s.path(checkpointName(job, 9)), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	iter, data, warnings, err := LoadCheckpoint(t.Context(), s, job)
	if err != nil || iter != 0 || data != nil || len(warnings) != 2 {
		t.Errorf("both damaged: iteration %d, %v, %q, %v", iter, data, warnings, err)
	}
}

// TestDamagedAhead: corrupt checkpoints ahead of the sound one do not make the next saves vanish.
func TestDamagedAhead(t *testing.T) {
	s, job := open(t, t.TempDir()), KeyOf("train/1", nil)
	for _, iter := range []int{50, 60} {
		if err := SaveCheckpoint(t.Context(), s, job, iter, []byte("x")); err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(s.path(checkpointName(job, iter)), 3); err != nil {
			t.Fatal(err)
		}
	}
	for iter := 10; iter <= 90; iter += 10 {
		if err := SaveCheckpoint(t.Context(), s, job, iter, []byte{byte(iter)}); err != nil {
			t.Fatal(err)
		}
		got, data, _, err := LoadCheckpoint(t.Context(), s, job)
		if err != nil || got < iter || data[0] != byte(got) {
			t.Errorf("after saving %d: iteration %d, %v, %v", iter, got, data, err)
		}
	}
	if names, _ := s.List(t.Context(), ""); len(names) != 2 {
		t.Errorf("kept %q, want the last two", names)
	}
}

func TestForeignCheckpointNames(t *testing.T) {
	s, job := open(t, t.TempDir()), KeyOf("train/1", nil)
	for _, tail := range []string{"latest", "7", "-00000000007", "999999999999999999999999"} {
		if err := s.Put(t.Context(), checkpointPrefix(job)+tail, nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := SaveCheckpoint(t.Context(), s, job, 3, nil); err != nil {
		t.Fatal(err)
	}
	iter, data, warnings, err := LoadCheckpoint(t.Context(), s, job)
	if err != nil || iter != 3 || data == nil || len(warnings) != 4 {
		t.Errorf("iteration %d, %v, %q, %v", iter, data, warnings, err)
	}
}

// TestLeftovers: opening removes old temp files, leaves one that may be a Put under way and what no store has
// made, and no List shows any.
func TestLeftovers(t *testing.T) {
	dir := t.TempDir()
	open(t, dir)
	text := strings.Repeat("A", len(rand.Text()))
	long := time.Now().Add(-2 * tempAge)
	kept := map[string]bool{
		putTemp + rand.Text(): false, corruptTemp + rand.Text(): false,
		"notes.tex": true, "put-aside": true, putTemp + text + "A": true, putTemp + text[1:] + "a": true, putTemp + text[1:] + "1": true, "in" + putTemp + text: true,
	}
	leave := func(name string, at time.Time) {
		file := filepath.Join(dir, tempFolder, name)
		if err := errors.Join(os.WriteFile(file, []byte("half"), 0o666), os.Chtimes(file, at, at)); err != nil {
			t.Fatal(err)
		}
	}
	for name := range kept {
		leave(name, long)
	}
	young := putTemp + rand.Text()
	kept[young] = true
	leave(young, time.Now())
	s := open(t, dir)
	for name, kept := range kept {
		if _, err := os.Stat(filepath.Join(dir, tempFolder, name)); kept && err != nil || !kept && !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v, want it kept: %t", name, err, kept)
		}
	}
	if names, err := s.List(t.Context(), ""); err != nil || len(names) != 0 {
		t.Errorf("List = %q, %v", names, err)
	}
}

// brokenFile fails as a disk does: at a write (having taken part of it), at the sync, or at the close.
type brokenFile struct {
	tempFile
	at  string
	err error
}

func (f brokenFile) Write(p []byte) (int, error) {
	if f.at == "write" {
		n, _ := f.tempFile.Write(p[:len(p)/2])
		return n, &fs.PathError{Op: "write", Path: f.Name(), Err: f.err}
	}
	return f.tempFile.Write(p)
}

func (f brokenFile) Sync() error {
	if f.at == "sync" {
		return &fs.PathError{Op: "sync", Path: f.Name(), Err: f.err}
	}
	return f.tempFile.Sync()
}

func (f brokenFile) Close() error {
	err := f.tempFile.Close()
	if f.at == "close" {
		err = &fs.PathError{Op: "close", Path: f.Name(), Err: f.err}
	}
	return err
}

// TestFullDisk: a Put that fails, at whichever call, gives one clear line, leaves what was there and no temp
// file, and opening a store on such a disk fails at once.
func TestFullDisk(t *testing.T) {
	for _, c := range []struct {
		at     string
		err    error
		remedy string
	}{
		{"create", syscall.ENOSPC, "free some space"},
		{"write", syscall.ENOSPC, "free some space"},
		{"sync", syscall.EDQUOT, "free some space"},
		{"close", syscall.ENOSPC, "free some space"},
		{"create", syscall.EROFS, "make the folder writable"},
		{"create", syscall.EACCES, "make the folder writable"},
		{"write", io.ErrShortWrite, ""},
	} {
		dir := t.TempDir()
		s := open(t, dir)
		if err := s.Put(t.Context(), "kept", []byte("before")); err != nil {
			t.Fatal(err)
		}
		s.create = func(dir string) (tempFile, error) {
			if c.at == "create" {
				return nil, &fs.PathError{Op: "open", Path: dir, Err: c.err}
			}
			f, err := createTemp(dir)
			return brokenFile{f, c.at, c.err}, err
		}
		err := s.Put(t.Context(), "kept", []byte("after"))
		if !errors.Is(err, c.err) || !strings.HasPrefix(err.Error(), "store: write kept: "+c.err.Error()) ||
			!strings.Contains(err.Error(), c.remedy) || strings.ContainsAny(err.Error(), "\n") || strings.Contains(err.Error(), tempFolder) {
			t.Errorf("%s, %v: %v", c.at, c.err, err)
		}
		if got, err := s.Get(t.Context(), "kept"); err != nil || string(got) != "before" {
			t.Errorf("%s, %v: afterwards %q, %v", c.at, c.err, got, err)
		}
		if left, err := os.ReadDir(filepath.Join(dir, tempFolder)); err != nil || len(left) > 0 {
			t.Errorf("%s, %v: left %v, %v", c.at, c.err, left, err)
		}
		if err := s.prepare(); !errors.Is(err, c.err) {
			t.Errorf("%s, %v: opening: %v", c.at, c.err, err)
		}
	}
}

// TestDevFull meets a real ENOSPC.
func TestDevFull(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("no /dev/full here")
	}
	s := open(t, t.TempDir())
	s.create = func(dir string) (tempFile, error) {
		link := filepath.Join(dir, "put-full")
		if err := os.Symlink("/dev/full", link); err != nil {
			return nil, err
		}
		return os.OpenFile(link, os.O_WRONLY, 0)
	}
	err := s.Put(t.Context(), "name", []byte("data"))
	if err == nil || !strings.HasPrefix(err.Error(), "store: write name: no space left on device (") {
		t.Errorf("Put = %v", err)
	}
}

func TestFolderIsAFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{file, filepath.Join(file, "under")} {
		if _, err := Folder(dir); err == nil || !strings.Contains(err.Error(), "choose another folder") {
			t.Errorf("Folder(%s) = %v, want the remedy", dir, err)
		}
	}
}

func TestReadOnlyFolder(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may write anywhere")
	}
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o555); err != nil {
		t.Fatal(err)
	}
	if _, err := Folder(dir); err == nil || !strings.Contains(err.Error(), "make the folder writable") {
		t.Errorf("Folder = %v, want the remedy", err)
	}
}

// TestDanglingLink: an object that is a link to a file that is not there, as on a disk that is not mounted, is a fault, and
// no reason to do its job again and then to try for ever to store the result.
func TestDanglingLink(t *testing.T) {
	s := open(t, t.TempDir())
	if err := s.Put(t.Context(), "a/b", nil); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("../nowhere", s.path("a/link")); err != nil {
		t.Skip(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), suite.Patience)
	defer cancel()
	var fault *Fault
	if _, err := s.Get(ctx, "a/link"); !errors.As(err, &fault) || errors.Is(err, fs.ErrNotExist) || !strings.HasSuffix(err.Error(), "mount its disk, or remove the link") {
		t.Errorf("get: %v", err)
	}
	if _, err := s.PutNew(ctx, "a/link", []byte("x")); !errors.As(err, &fault) || ctx.Err() != nil {
		t.Errorf("put: %v", err)
	}
	if err := s.Delete(ctx, "a/link"); err != nil {
		t.Error(err)
	}
	if data, err := s.PutNew(ctx, "a/link", []byte("x")); err != nil || string(data) != "x" {
		t.Errorf("%q, %v", data, err)
	}
	if err := os.Symlink("nowhere", s.path("folder")); err != nil {
		t.Fatal(err)
	}
	if _, err := s.PutNew(ctx, "folder/b", []byte("x")); !errors.As(err, &fault) || ctx.Err() != nil {
		t.Errorf("put into a folder that is not there: %v", err)
	}
}
