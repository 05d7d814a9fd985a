package disk

import (
	"os"
	"strings"
)

// Growing is a file that lines are added to.
type Growing struct{ *os.File }

// Grow opens the file at path for lines to be added, and makes it where there is none.
func Grow(path string) (Growing, error) {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	return Growing{f}, err
}

// IsEmpty reports whether nothing is in the file, or it is a device or a pipe.
func (g Growing) IsEmpty() bool {
	info, err := g.Stat()
	return err == nil && (info.Size() == 0 || !info.Mode().IsRegular())
}

// Begins reports whether the file's first line is head, behind the mark by which some programs begin.
func (g Growing) Begins(head string) bool {
	const mark = "\ufeff"
	text, err := Beginning(g.Name(), len(mark)+len(head)+2)
	line, _, _ := strings.Cut(strings.TrimPrefix(string(text), mark)+"\n", "\n")
	return err == nil && strings.TrimSuffix(line, "\r") == head
}

// Add adds whole lines, at once: those of several processes do not mix. Where the file's last line has no end, as an editor may
// leave it, it gets one.
func (g Growing) Add(lines []byte) error {
	info, err := g.Stat()
	if err != nil {
		return err
	}
	if n := info.Size(); n > 0 && info.Mode().IsRegular() && len(lines) > 0 {
		f, err := os.Open(g.Name())
		if err != nil {
			return err
		}
		defer f.Close()
		var last [1]byte
		if _, err := f.ReadAt(last[:], n-1); err != nil {
			return err
		}
		if last[0] != '\n' {
			lines = append([]byte{'\n'}, lines...)
		}
	}
	_, err = g.Write(lines)
	return err
}
