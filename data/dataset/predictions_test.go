package dataset

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestPredictions(t *testing.T) {
	for _, c := range []struct {
		why, name, text string
		given           []string
		models, items   []string
		classes         []string
		of              []int32
	}{
		{
			"classes in order, items by the header", "p.csv", "item,a,b\nx,dog,cat\ny,cat,cat\n", nil,
			[]string{"a", "b"}, []string{"x", "y"}, []string{"cat", "dog"}, []int32{1, 0, 0, 0},
		},
		{
			"a first column of texts that no model predicts", "p.csv", "picture,a,b\nx,dog,cat\ny,cat,cat\n", nil,
			[]string{"a", "b"}, []string{"x", "y"}, []string{"cat", "dog"}, []int32{1, 0, 0, 0},
		},
		{
			"no column of items", "p.csv", "a,b\n0,1\n1,1\n0,0\n", nil,
			[]string{"a", "b"}, []string{"item 1", "item 2", "item 3"}, []string{"0", "1"}, []int32{0, 1, 1, 1, 0, 0},
		},
		{
			"two items without names", "p.csv", "a,b\ndog,cat\ncat,dog\n", nil,
			[]string{"a", "b"}, []string{"item 1", "item 2"}, []string{"cat", "dog"}, []int32{1, 0, 0, 1},
		},
		{
			"tabs, numbers by size, whole floats", "p.tsv", "\ta\tb\nx\t10\t9.0\ny\t9\t10.0\n", nil,
			[]string{"a", "b"}, []string{"x", "y"}, []string{"9", "10"}, []int32{1, 0, 0, 1},
		},
		{
			"numbers of rows, as pandas writes them, are not a model", "p.csv", "Unnamed: 0,a,b\n0,1,0\n1,0,0\n", nil,
			[]string{"a", "b"}, []string{"0", "1"}, []string{"0", "1"}, []int32{1, 0, 0, 0},
		},
		{
			"a class that is called NA, as it is listed", "p.csv", "item,a,b\nx,EU,NA\ny,NA,EU\n", []string{"EU", "NA"},
			[]string{"a", "b"}, []string{"x", "y"}, []string{"EU", "NA"}, []int32{0, 1, 1, 0},
		},
		{
			"given classes keep their order", "p.csv", "item,a,b\nx,dog,cat\n", []string{"dog", "bird", "cat"},
			[]string{"a", "b"}, []string{"x"}, []string{"dog", "bird", "cat"}, []int32{0, 2},
		},
	} {
		got, err := parsePredictions(strings.NewReader(c.text), c.name, c.given)
		if err != nil {
			t.Errorf("%s: %v", c.why, err)
			continue
		}
		if !slices.Equal(got.Models, c.models) || !slices.Equal(got.Items, c.items) || !slices.Equal(got.Classes, c.classes) || !slices.Equal(got.Of, c.of) {
			t.Errorf("%s: models %q, items %q, classes %q, predictions %v", c.why, got.Models, got.Items, got.Classes, got.Of)
		}
	}
}

func TestPredictionFaults(t *testing.T) {
	for _, c := range []struct {
		text, want string
		given      []string
	}{
		{"", "p.csv:1: the file has no items", nil},
		{"item,a,b\n", "p.csv:1: the file has no items", nil},
		{"item,a,\nx,1,2\n", "p.csv:1: column 3 has no name", nil},
		{"item,a,a\nx,1,2\n", `columns 2 and 3 are both called "a"`, nil},
		{"item;a;b\n", "the header has one cell", nil},
		{"item,a\nx,1\n", `there is 1 model, "a"`, nil},
		{"item,a,b\nx,1\n", "p.csv:2: the row has 2 cells and the header 3", nil},
		{"item,a,b\nx,1,0\nx,0,0\n", `p.csv:3: item "x" stands on line 2 too`, nil},
		{"item,a,b\n,1,0\n", "p.csv:2: the item has no name", nil},
		{"item,a,b\nx,1,\ny,0,\n", `p.csv:1: column 3 ("b") is a model without predictions`, nil},
		{"item,a,b\nx,1,0\ny,0,\n", `p.csv:3: column 3 ("b") has no prediction`, nil},
		{"a,b\n,0\n1,1\n1,0\n", `p.csv:2: column 1 ("a") has no prediction`, nil},
		{"item,a,b\nx,cat,dog\ny,cat,nan\n", `p.csv:3: column 3 ("b") is "nan", no prediction; a model predicts a class for every item: fill it in, or remove the item or the model. Is it a class?`, nil},
		{"item,a,b\nx,NaN,dog\ny,cat,nan\n", `p.csv:2: column 2 ("a") is "NaN", no prediction`, nil},
		{"item,a,b\nx,0,NaN\ny,1,NaN\n", `p.csv:1: column 3 ("b") is a model without predictions`, nil},
		{"item,a,b\nx,cat,dog\ny,N/A,cat\n", `p.csv:3: column 2 ("a") is "N/A", no prediction`, nil},
		{"a,b\ncat,dog\nnan,dog\ncat,cat\n", `p.csv:3: column 1 ("a") is "nan", no prediction`, nil},
		{"item,a,b\nx,cat,dog\ny,nan,cat\n", `p.csv:3: column 2 ("a") is "nan", no prediction; a model predicts a class for every item: fill it in, or remove the item or the model`, []string{"cat", "dog"}},
		{"item,a,b\nx,cat,dgo\n", `p.csv:2: column 3 ("b"): "dgo" is not one of the 2 classes (nearest: dog)`, []string{"cat", "dog"}},
		{"a,b\ncat,dog\ncow,dog\ncow,dog\n", `p.csv:3: column 1 ("a"): "cow" is not one of the 2 classes`, []string{"cat", "dog"}},
		{"item,a,b\n", "classes lists 1; there must be from 2", []string{"cat"}},
		{"item,a,b\n", `class "cat" stands twice`, []string{"cat", "cat"}},
		{"item,a,b\n", "class 2 of the list is empty", []string{"cat", " "}},
		{shares(), "is class number 1001; a prediction is a class, not a probability", nil},
	} {
		_, err := parsePredictions(strings.NewReader(c.text), "p.csv", c.given)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%.40q: %v, want %q in one line", c.text, err, c.want)
		}
	}
}

// shares is a file of probabilities.
func shares() string {
	var b strings.Builder
	b.WriteString("item,a,b\n")
	for i := range 600 {
		fmt.Fprintf(&b, "x%d,0.1%03d,0.2%03d\n", i, i, i)
	}
	return b.String()
}

// npy is an array as NumPy saves it.
func npy(version byte, head string, data any) []byte {
	var b bytes.Buffer
	b.WriteString("\x93NUMPY")
	b.Write([]byte{version, 0})
	if version == 1 {
		_ = binary.Write(&b, binary.LittleEndian, uint16(len(head)))
	} else {
		_ = binary.Write(&b, binary.LittleEndian, uint32(len(head)))
	}
	b.WriteString(head)
	_ = binary.Write(&b, binary.LittleEndian, data)
	return b.Bytes()
}

func head(kind, shape string) string {
	return "{'descr': '" + kind + "', 'fortran_order': False, 'shape': (" + shape + "), }\n"
}

// fortran is the head of an array whose columns come first.
func fortran(kind, shape string) string {
	return strings.Replace(head(kind, shape), "False", "True", 1)
}

func TestNPY(t *testing.T) {
	want := []int32{1, 0, 0, 2, 2, 2}
	for _, c := range []struct {
		why   string
		data  []byte
		given []string
	}{
		{"64-bit whole numbers", npy(1, head("<i8", "3, 2"), []int64{1, 0, 0, 2, 2, 2}), nil},
		{"bytes, a long header", npy(2, head("|u1", "3, 2"), []uint8{1, 0, 0, 2, 2, 2}), nil},
		{"columns first, as Fortran and pandas have them", npy(1, fortran("<i8", "3, 2"), []int64{1, 0, 2, 0, 2, 2}), nil},
		{"columns first, as bytes written by hand", []byte("\x93NUMPY\x01\x00\x76\x00{'descr': '|u1', 'fortran_order': True, 'shape': (3, 2), }" + strings.Repeat(" ", 59) + "\n\x01\x00\x02\x00\x02\x02"), nil},
		{"floats", npy(3, head("<f4", "3, 2"), []float32{1, 0, 0, 2, 2, 2}), nil},
		{"indices of given classes", npy(1, head("<i2", "3, 2"), []int16{1, 0, 0, 2, 2, 2}), []string{"x", "y", "z", "w"}},
	} {
		got, err := parseNPY(bytes.NewReader(c.data), "p.npy", c.given)
		if err != nil {
			t.Errorf("%s: %v", c.why, err)
			continue
		}
		classes := c.given
		if classes == nil {
			classes = []string{"0", "1", "2"}
		}
		if !slices.Equal(got.Of, want) || !slices.Equal(got.Classes, classes) || got.Models[1] != "model 2" || got.Items[2] != "item 3" {
			t.Errorf("%s: %+v", c.why, got)
		}
	}
	for _, c := range []struct {
		want string
		data []byte
	}{
		{"not a .npy file", []byte("PK\x03\x04")},
		{"version 9", npy(9, "", []int8{})},
		{"rows are items and columns models, and a pool has more items than models: transpose it", npy(1, head("|i1", "2, 3"), make([]int8, 6))},
		{"the array has 1 dimensions; there must be 2", npy(1, head("|i1", "4"), make([]int8, 4))},
		{"Probabilities of classes? Save a.argmax(-1)", npy(1, head("<f4", "3, 2, 4"), make([]float32, 24))},
		{`of type "|O"`, npy(1, head("|O", "3, 2"), make([]int8, 6))},
		{"cut short in row 2 of 3, column 2 of 2", npy(1, fortran("<i4", "3, 2"), make([]int32, 4))},
		{"something follows the array", npy(1, fortran("<i4", "3, 2"), make([]int32, 7))},
		{"row 3, column 1 (model 1) is -1; a class is an index", npy(1, fortran("|i1", "3, 2"), []int8{0, 1, -1, 0, 0, 0})},
		{"cut short in row 3 of 3", npy(1, head("<i4", "3, 2"), make([]int32, 5))},
		{"something follows the array", npy(1, head("<i4", "3, 2"), make([]int32, 7))},
		{"row 1, column 2 (model 2) is NaN, no prediction", npy(1, head("<f8", "2, 2"), []uint64{0, 0x7ff8000000000001, 0, 0})},
		{"row 2, column 1 (model 1) is 0.5; a class is an index", npy(1, head("<f8", "2, 2"), []float64{0, 1, 0.5, 0})},
		{"is -1; a class is an index", npy(1, head("|i1", "2, 2"), []int8{0, 1, -1, 0})},
		{"too many to hold", npy(1, head("|i1", "99999999999, 2"), []int8{})},
	} {
		_, err := parseNPY(bytes.NewReader(c.data), "p.npy", nil)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
	_, err := parseNPY(bytes.NewReader(npy(1, head("|i1", "2, 2"), []int8{0, 1, 2, 0})), "p.npy", []string{"x", "y"})
	if err == nil || !strings.Contains(err.Error(), "is class index 2; the list of classes has 2") {
		t.Error(err)
	}
}

// TestPredictionFiles: both kinds are found by their names, packed or not.
func TestPredictionFiles(t *testing.T) {
	dir := t.TempDir()
	csv := []byte("item,a,b\nx,0,1\ny,1,1\n")
	array := npy(1, head("|u1", "2, 2"), []uint8{0, 1, 1, 1})
	for name, data := range map[string][]byte{"p.csv": csv, "p.csv.gz": packed(string(csv)), "p.npy": array, "p.npy.gz": packed(string(array))} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := ReadPredictions(path, nil)
		if err != nil || !slices.Equal(got.Of, []int32{0, 1, 1, 1}) {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
}

func FuzzPredictions(f *testing.F) {
	f.Add("item,a,b\nx,dog,cat\ny,cat,cat\n", "", false)
	f.Add("a,b\n0,1\n1,1\n", "0,1", false)
	f.Add("\ta\tb\nx\t10\t9.0\n", "", true)
	f.Fuzz(func(t *testing.T, text, given string, tabs bool) {
		name, classes := "p.csv", []string(nil)
		if tabs {
			name = "p.tsv"
		}
		if given != "" {
			classes = strings.Split(given, ",")
		}
		got, err := parsePredictions(strings.NewReader(text), name, classes)
		if err == nil {
			soundPredictions(t, got)
		}
	})
}

func FuzzNPY(f *testing.F) {
	f.Add(npy(1, head("<i8", "3, 2"), []int64{1, 0, 0, 2, 2, 2}))
	f.Add(npy(1, fortran("<i2", "3, 2"), []int16{1, 0, 2, 0, 2, 2}))
	f.Add(npy(2, head("|b1", "2, 2"), []uint8{1, 0, 0, 1}))
	f.Fuzz(func(t *testing.T, data []byte) {
		if got, err := parseNPY(bytes.NewReader(data), "p.npy", nil); err == nil {
			soundPredictions(t, got)
		}
	})
}

// soundPredictions checks that what was read fits together, and that the problem of it does.
func soundPredictions(t *testing.T, got *Predictions) {
	t.Helper()
	if len(got.Models) < 2 || len(got.Of) != len(got.Models)*len(got.Items) {
		t.Fatalf("%d models, %d items, %d predictions", len(got.Models), len(got.Items), len(got.Of))
	}
	for _, c := range got.Of {
		if c < 0 || int(c) >= len(got.Classes) {
			t.Fatalf("class %d of %d", c, len(got.Classes))
		}
	}
	made, err := got.Problem(PoolOptions{T: 1, Most: 3})
	if err == nil && len(made.Z) != made.Queries()*made.Hypotheses() {
		t.Fatalf("%d entries for %d × %d", len(made.Z), made.Hypotheses(), made.Queries())
	}
}
