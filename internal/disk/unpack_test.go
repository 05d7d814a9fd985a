package disk_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mapo/internal/disk"
)

// TestUnpack reads a file as it is and a .gz file unpacked, and refuses a folder, what is not gzip, and a file that is not
// there. A cut .gz file ends with an error, never as a shorter file.
func TestUnpack(t *testing.T) {
	dir, text := t.TempDir(), strings.Repeat("object,flies?\n", 1000)
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := z.Write([]byte(text)); err != nil || z.Close() != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{
		"plain.csv": []byte(text), "packed.csv.GZ": packed.Bytes(), "not.csv.gz": []byte(text), "cut.csv.gz": packed.Bytes()[:packed.Len()/2],
	} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"plain.csv", "packed.csv.GZ"} {
		f, err := disk.Unpack(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(f)
		if err != nil || string(got) != text || !f.Regular {
			t.Errorf("%s reads as %d bytes, regular %v, %v; want %d", name, len(got), f.Regular, err, len(text))
		}
		f.Close()
	}
	for _, name := range []string{"", "not.csv.gz", "none.csv"} {
		if _, err := disk.Unpack(filepath.Join(dir, name)); err == nil || !strings.Contains(err.Error(), dir) {
			t.Errorf("%q opens: %v; want an error that names it", name, err)
		}
	}
	f, err := disk.Unpack(filepath.Join(dir, "cut.csv.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if got, err := io.ReadAll(f); err == nil {
		t.Errorf("a cut file reads as %d bytes without an error", len(got))
	}
}
