package disk

import (
	"bufio"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Unpacked is a file that may be compressed with gzip, as it reads unpacked.
type Unpacked struct {
	io.Reader
	Regular bool // a regular file, which can be read once more

	packed bool
	begun  bool // the gzip header was read
	close  []io.Closer
}

// Unpack opens the file at path. It refuses a folder.
func Unpack(path string) (*Unpacked, error) {
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && info.IsDir() {
		_ = f.Close()
		return nil, fmt.Errorf("%s: is a folder: name a file in it", path)
	}
	out, err := UnpackFrom(f, path)
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	out.close, out.Regular = append(out.close, f), info != nil && info.Mode().IsRegular()
	return out, nil
}

// IsPointer reports whether data begins as the text that Git LFS leaves in place of a file.
func IsPointer(data []byte) bool {
	return bytes.HasPrefix(data, []byte("version https://git-lfs.github.com/spec/"))
}

// Pointer says what the file of [IsPointer] is and what to do.
const Pointer = "a Git LFS pointer, not the file itself: run git lfs pull"

// UnpackFrom reads from r, which stays the caller's to close; gzip is unpacked where name ends in .gz.
func UnpackFrom(r io.Reader, name string) (*Unpacked, error) {
	f := &Unpacked{Reader: r, packed: strings.HasSuffix(strings.ToLower(name), ".gz")}
	if !f.packed {
		return f, nil
	}
	z, err := gzip.NewReader(bufio.NewReader(r))
	if err != nil {
		return nil, fmt.Errorf("%s:1: %s", name, f.Fault(err, 0))
	}
	f.Reader, f.close, f.begun = z, append(f.close, z), true
	return f, nil
}

// Close ends reading. What was read has been checked by then, so errors of closing say nothing more.
func (f *Unpacked) Close() {
	for _, c := range f.close {
		_ = c.Close()
	}
}

// Fault says what a failed read means, after that many bytes unpacked.
func (f *Unpacked) Fault(err error, bytes int64) string {
	var corrupt flate.CorruptInputError
	switch {
	case !f.packed:
	case errors.Is(err, gzip.ErrHeader) && f.begun:
		return "something else follows the gzip data: fetch the file again"
	case errors.Is(err, gzip.ErrHeader), !f.begun && (errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)):
		return "not a gzip file: unpack it or drop the .gz from its name"
	case errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Sprintf("the gzip file is cut short after %d bytes: fetch it again", bytes)
	case errors.Is(err, gzip.ErrChecksum), errors.As(err, &corrupt):
		return fmt.Sprintf("the gzip file is damaged (%v): fetch it again", err)
	}
	return err.Error()
}
