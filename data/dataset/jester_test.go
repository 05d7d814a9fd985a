package dataset

import (
	"archive/zip"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// jesterXLS is 60 made-up users in the published layout, 40 of whom rated all
// jokes, written by another program (internal/xls/testdata).
const jesterXLS = "../../internal/xls/testdata/jester.xls"

// zipped packs files into a .zip.
func zipped(t *testing.T, name string, files map[string][]byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	z := zip.NewWriter(f)
	for name, data := range files {
		w, err := z.Create(name)
		if err == nil {
			_, err = w.Write(data)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// write leaves text in a file of that name.
func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// ratings is a CSV row of n ratings, the last replaced.
func ratings(n int, last string) string {
	return strings.Join(append(slices.Repeat([]string{"-2.5"}, n-1), last), ",") + "\n"
}

// The published workbook, alone or zipped, and the same users as CSV are the same.
func TestReadJester(t *testing.T) {
	data, err := os.ReadFile(jesterXLS)
	if err != nil {
		t.Fatal(err)
	}
	a, err := ReadJester(jesterXLS)
	if err != nil {
		t.Fatal(err)
	}
	if len(a.Users) != 40 || a.All != 60 || len(a.Warnings) != 0 {
		t.Errorf("%d users of %d, %q", len(a.Users), a.All, a.Warnings)
	}
	var text strings.Builder
	for _, theta := range a.Users {
		for i, v := range theta {
			fmt.Fprintf(&text, "%s%.2f", map[bool]string{true: ",", false: ""}[i > 0], 10*v)
		}
		text.WriteString("\n")
	}
	b, err := ReadJester(zipped(t, "jester_dataset_1_1.zip", map[string][]byte{"jester-data-1.xls": data, "__MACOSX/._jester-data-1.xls": nil, "readme.txt": nil}))
	if err != nil {
		t.Fatal(err)
	}
	c, err := ReadJester(write(t, "j.csv", text.String()+ratings(Jokes, "99")))
	if err != nil {
		t.Fatal(err)
	}
	if c.All != 41 || fmt.Sprintf("%.6f", a.Users) != fmt.Sprintf("%.6f", b.Users) || fmt.Sprintf("%.6f", a.Users) != fmt.Sprintf("%.6f", c.Users) {
		t.Errorf("the same users read otherwise: %d, %d and %d of %d", len(a.Users), len(b.Users), len(c.Users), c.All)
	}
	both, err := ReadJester(jesterXLS, write(t, "k.csv", text.String()))
	if err != nil || len(both.Users) != 80 || both.All != 100 {
		t.Errorf("two files: %d users of %d, %v", len(both.Users), both.All, err)
	}
}

func TestReadJesterFaults(t *testing.T) {
	data, err := os.ReadFile(jesterXLS)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ path, want string }{
		{write(t, "j.csv", ratings(100, "1")+ratings(99, "1")), `j.csv:2: the row has 99 cells, want 100 ratings: one user a line, no header, 99 for a joke not rated`},
		{write(t, "j.csv", ratings(101, "1")), `j.csv:1: the row has 101 cells, want 100 ratings: remove the first column if it counts the rated jokes, or name the published .zip itself`},
		{write(t, "j.csv", ratings(151, "1")), `j.csv:1: the row has 151 cells, want 100 ratings: this looks like a dataset of more jokes; the paper's is dataset 1, parts 1 and 2`},
		{write(t, "j.csv", ratings(100, "10.01")), `j.csv:1: column 100 is 10.01: a rating is from -10 to 10, or 99 for none`},
		{write(t, "j.csv", ratings(100, "NaN")), `j.csv:1: column 100 is "NaN", not a number: write a rating from -10 to 10, or 99 for none`},
		{write(t, "j.csv", ratings(100, "")), `j.csv:1: column 100 is "", not a number: write a rating from -10 to 10, or 99 for none`},
		{write(t, "j.csv", ""), `j.csv:1: the file has no users: each line is one user's 100 ratings`},
		{write(t, "part3.csv", ratings(100, "99")+ratings(100, "99")), `part3.csv:1: none of the 2 users rated all 100 jokes: part 3 has none (15 to 35 ratings each), use parts 1 and 2`},
		{zipped(t, "j.zip", map[string][]byte{"a.txt": nil}), `j.zip:1: the .zip holds no workbook (.xls): is this a part of Jester's dataset 1?`},
		{zipped(t, "j.zip", map[string][]byte{"a.xls": data, "b.xls": data}), `j.zip:1: the .zip holds more than one workbook: unpack it and name the .xls`},
		{zipped(t, "j.zip", map[string][]byte{"a.xls": data[:9000]}), `j.zip!a.xls:1: the workbook is cut short or damaged: fetch it again`},
		{write(t, "j.zip", "<html>404</html>"), `j.zip:1: not a .zip file, or cut short (zip: not a valid zip file): fetch it again`},
		{"../../internal/xls/testdata/kinds.xls", `kinds.xls:1: the row has 6 cells, want the number of rated jokes and 100 ratings: is this a part of Jester's dataset 1, as published?`},
		{"../../internal/xls/testdata/text.xls", `text.xls:1: row 2, column 3 is not a number`},
		{"no.zip", `open no.zip: no such file or directory`},
	} {
		if _, err := ReadJester(c.path); err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s:\n got %v\nwant %s", c.path, err, c.want)
		}
	}
	if _, err := ReadJester(jesterXLS, jesterXLS); err == nil || !strings.Contains(err.Error(), "the file stands twice") {
		t.Error(err)
	}
}

func FuzzReadJester(f *testing.F) {
	for _, seed := range []string{ratings(100, "1"), ratings(100, "99"), ratings(99, "x"), "\n\n", ratings(100, "1e999")} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r, err := ReadJester(write(t, "j.csv", text))
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("not one line: %q", err)
			}
			return
		}
		for _, theta := range r.Users {
			for _, v := range theta {
				if len(theta) != Jokes || !(v >= -1 && v <= 1) {
					t.Fatalf("%v was read as a user", theta)
				}
			}
		}
	})
}
