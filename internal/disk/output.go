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

// Output is a file that a command writes, and the flag that names it. Its errors say how to mend the command line. The path "" stands
// for none, and "-" for standard output: there is nothing to check of either.
type Output struct{ Flag, Path string }

// isFile reports whether it is one.
func (o Output) isFile() bool { return o.Path != "" && o.Path != "-" }

// other returns what helps where the path will not do.
func (o Output) other() string { return "choose another file with " + o.Flag }

// Plain refuses a name of a compressed file.
func (o Output) Plain() error {
	if strings.HasSuffix(strings.ToLower(o.Path), ".gz") {
		return fmt.Errorf("%s is %s, and the file is written plain: leave the .gz out", o.Flag, o.Path)
	}
	return nil
}

// Vacant returns before the work why a file that must not exist could not be made after it.
func (o Output) Vacant() error {
	if !o.isFile() {
		return nil
	}
	switch info, err := os.Lstat(o.Path); {
	case err == nil && info.IsDir():
		return fmt.Errorf("%s is a folder: name a file in it with %s", o.Path, o.Flag)
	case err == nil:
		return o.exists()
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	return o.inFolder()
}

// exists returns the error of a file that is not replaced.
func (o Output) exists() error {
	return fmt.Errorf("%s exists: move it away, or %s", o.Path, o.other())
}

// inFolder refuses a file in a folder that is not there.
func (o Output) inFolder() error {
	if dir := filepath.Dir(o.Path); !IsFolder(dir) {
		return fmt.Errorf("%s: there is no folder %s: make it, or %s", o.Path, dir, o.other())
	}
	return nil
}

// Replaceable returns before the work why the file could not be written after it. One that is there is replaced if its content is
// of the command's own kind, else it exists and is what not says; a device or a pipe is not a file to replace.
func (o Output) Replaceable(not string, own func(content []byte) bool) error {
	if !o.isFile() {
		return nil
	}
	info, err := os.Stat(o.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if err := o.inFolder(); err != nil {
			return err
		}
	case err != nil:
		return fmt.Errorf("%w: %s", err, o.other())
	case info.IsDir():
		return fmt.Errorf("%s is a folder: %s", o.Path, o.other())
	case special(info):
		return fmt.Errorf("%s is not a regular file: %s", o.Path, o.other())
	default:
		if content, err := os.ReadFile(o.Path); err != nil || !own(content) {
			return errors.Join(err, fmt.Errorf("%s exists and %s: %s", o.Path, not, o.other()))
		}
	}
	if err := beside(o.Path); err != nil {
		return fmt.Errorf("%s cannot be written: %w: %s", o.Path, err, o.other())
	}
	return nil
}

// beside tries whether a file could be made beside path.
func beside(path string) error {
	f, err := os.CreateTemp(filepath.Dir(path), prefix(path)+"*")
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// Create writes the file, or to w for "-". A file that appeared since [Output.Vacant] is not replaced.
func (o Output) Create(w io.Writer, data []byte) error {
	if o.Path == "-" {
		_, err := w.Write(data)
		return err
	}
	err := Create(o.Path, data)
	if errors.Is(err, fs.ErrExist) {
		return o.exists()
	}
	return o.failed(err)
}

// Write writes the file in place of one that is there.
func (o Output) Write(data []byte) error { return o.failed(Write(o.Path, data)) }

// failed returns the error of a file that could not be written.
func (o Output) failed(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("write %s: %w: free some space, or %s", o.Path, err, o.other())
}

// IsFolder reports whether path is one.
func IsFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// IsDevice reports whether there is something at path that is neither a regular file nor a folder.
func IsDevice(path string) bool {
	info, err := os.Stat(path)
	return err == nil && special(info)
}

// Beginning returns a file's first n bytes, or all where it has fewer.
func Beginning(path string, n int) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, int64(n)))
}
