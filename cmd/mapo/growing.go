package main

import (
	"fmt"
	"os"
	"strings"

	"mapo/data/dataset"
)

// growing is a file that lines are added to.
type growing struct{ *os.File }

// openGrowing opens the file at path for lines to be added, and makes it where there is none.
func openGrowing(path string) (growing, error) {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	return growing{f}, err
}

// isEmpty reports whether nothing is in the file, or it is a device or a pipe.
func (g growing) isEmpty() bool {
	info, err := g.Stat()
	return err == nil && (info.Size() == 0 || !info.Mode().IsRegular())
}

// begins reports whether the file's first line is head.
func (g growing) begins(head string) bool {
	text, err := beginning(g.Name(), len(utf8Mark)+len(head)+2)
	line, _, _ := strings.Cut(strings.TrimPrefix(string(text), utf8Mark)+"\n", "\n")
	return err == nil && strings.TrimSuffix(line, "\r") == head
}

// utf8Mark begins files that some programs write.
const utf8Mark = "\ufeff"

// add adds whole lines, at once: those of several processes do not mix. Where the file's last line
// has no end, as an editor may leave it, it gets one.
func (g growing) add(lines []byte) error {
	info, err := g.Stat()
	if err != nil {
		return err
	}
	if n := info.Size(); n > 0 && info.Mode().IsRegular() && len(lines) > 0 {
		last, err := lastByte(g.Name(), n)
		if err != nil {
			return err
		}
		if last != '\n' {
			lines = append([]byte{'\n'}, lines...)
		}
	}
	_, err = g.Write(lines)
	return err
}

// lastByte returns the last byte of a file of n bytes.
func lastByte(path string, n int64) (byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	var b [1]byte
	_, err = f.ReadAt(b[:], n-1)
	return b[0], err
}

// commas refuses a name for a file of cells with commas between by which it would be read
// otherwise.
func commas(flag, path string) error {
	if dataset.IsTSV(path) {
		return fmt.Errorf("%s is %s, and cells are written with commas between: name a file that ends in .csv", flag, path)
	}
	return unpacked(flag, path)
}

// unpacked refuses a name of a compressed file for one that is written plain.
func unpacked(flag, path string) error {
	if strings.HasSuffix(strings.ToLower(path), ".gz") {
		return fmt.Errorf("%s is %s, and the file is written plain: leave the .gz out", flag, path)
	}
	return nil
}
