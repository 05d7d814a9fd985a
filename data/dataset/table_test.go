package dataset

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// packed is text as a gzip file.
func packed(text string) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write([]byte(text))
	_ = z.Close()
	return b.Bytes()
}

const small = "object,flies,\"barks, loudly\"\nowl,1,0\ndog,0.1,.9\n"

func TestReadTable(t *testing.T) {
	for why, text := range map[string][]byte{
		"plain":             []byte(small),
		"BOM":               []byte("\ufeff" + small),
		"CRLF":              []byte(strings.ReplaceAll(small, "\n", "\r\n")),
		"no end of line":    []byte(strings.TrimSpace(small)),
		"blank lines":       []byte("\n" + strings.ReplaceAll(small, "\n", "\n \n\n")),
		"blanks round cell": []byte(strings.ReplaceAll(strings.ReplaceAll(small, "owl", " owl\t"), "0.1", " 0.1 ")),
		"Object":            []byte(strings.Replace(small, "object", "Object", 1)),
		"another header":    []byte(strings.Replace(small, "object", "Animal; or bird", 1)),
		"no first header":   []byte(strings.Replace(small, "object", "", 1)),
		"semicolons":        []byte(strings.Replace(small, "object", "a; b; c; d", 1)),
		"control character": []byte(strings.Replace(small, "flies", "\u0085flies", 1)),
	} {
		for _, name := range []string{"t.csv", "t.csv.gz"} {
			if name == "t.csv.gz" {
				text = packed(string(text))
			}
			table, err := ParseTable(bytes.NewReader(text), name)
			if err != nil {
				t.Errorf("%s in %s: %v", why, name, err)
				continue
			}
			got := fmt.Sprintf("%q %q %v", table.Queries, table.Objects, table.P)
			if want := `["flies" "barks, loudly"] ["owl" "dog"] [1 0 0.1 0.9]`; got != want {
				t.Errorf("%s in %s: %s, want %s", why, name, got, want)
			}
		}
	}
}

func TestReadTableFromDisk(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "pets.csv.gz")
	if err := os.WriteFile(path, packed(small), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadTable(path, ""); err != nil {
		t.Error(err)
	}
	if _, err := ReadTable(filepath.Join(dir, "none.csv"), ""); err == nil {
		t.Error("a missing file was read")
	}
	if _, err := ReadTable(dir, ""); err == nil {
		t.Error("a folder was read")
	}
}

func FuzzParseTable(f *testing.F) {
	for _, seed := range []string{small, "", "\ufeff" + small, "object,a\nx,1\ny,0\n", "object,a\n\"x\ny\",1\n", "object,a,a\n", "object,\xff\n"} {
		f.Add([]byte(seed), false)
		f.Add(packed(seed), true)
	}
	f.Fuzz(func(t *testing.T, text []byte, gz bool) {
		name := "t.csv"
		if gz {
			name = "t.csv.gz"
		}
		table, err := ParseTable(bytes.NewReader(text), name)
		if err != nil {
			if !strings.HasPrefix(err.Error(), name+":") || strings.Contains(err.Error(), "\n") {
				t.Errorf("the error is not one line with its place: %q", err)
			}
			return
		}
		p, prior, _, err := Majorities(table, Options{T: 1, Select: Select{Queries: 3}})
		if err != nil {
			return
		}
		if err := p.Check(); err != nil {
			t.Errorf("a table was read into no game: %v", err)
		}
		if len(prior) != len(table.Objects) {
			t.Errorf("%d rows in the prior of %d objects", len(prior), len(table.Objects))
		}
	})
}
