package xls

import (
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
)

func file(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// The fixtures come from another program (xlwt 1.3), which stores numbers in all
// the ways there are.
func TestNumbers(t *testing.T) {
	rows, err := Numbers(file(t, "kinds.xls"))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := fmt.Sprint(rows), "[[3.25 99 -7.14 0.001 NaN -1.2345678925e+08] [] [0 1 -1] [0]]"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	rows, err = Numbers(file(t, "jester.xls"))
	if err != nil || len(rows) != 60 {
		t.Fatal(len(rows), err)
	}
	for u, row := range rows {
		unrated := 0
		for _, v := range row[1:] {
			if v == 99 {
				unrated++
			}
		}
		if len(row) != 101 || row[0] != float64(100-unrated) {
			t.Errorf("user %d: %d cells, %v rated of which %d are 99", u, len(row), row[0], unrated)
		}
	}
}

func TestRK(t *testing.T) {
	for v, want := range map[uint32]float64{
		0x3FF00000: 1, 0x3FF00001: .01, 99<<2 | 2: 99, 0xFFFFFFFE: -1, 0xFFFFFD37: -1.79, 0x40590000: 100,
	} {
		if got := rk(v); math.Abs(got-want) > 1e-12 {
			t.Errorf("%#x is %v, want %v", v, got, want)
		}
	}
}

func TestFormulas(t *testing.T) {
	var s sheet
	number := append([]byte{0, 0, 1, 0, 15, 0}, binary.LittleEndian.AppendUint64(nil, math.Float64bits(2.5))...)
	if err := s.take(recFormula, append(number, make([]byte, 8)...)); err != nil || s[0][1] != 2.5 {
		t.Errorf("a formula with the result 2.5 is %v, %v", s, err)
	}
	text := append([]byte{0, 0, 1, 0, 15, 0}, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF)
	if err := s.take(recFormula, text); err == nil || err.Error() != "row 1, column 2 is not a number" {
		t.Errorf("a formula with a text for result: %v", err)
	}
	if err := s.take(recNumber, append([]byte{0, 0, 0, 1, 15, 0}, make([]byte, 8)...)); err == nil {
		t.Error("column 257 was taken")
	}
}

func TestFaults(t *testing.T) {
	good := file(t, "jester.xls")
	edit := func(at int, value uint32) []byte {
		out := append([]byte(nil), good...)
		binary.LittleEndian.PutUint32(out[at:], value)
		return out
	}
	for _, c := range []struct {
		why  string
		data []byte
		want string
	}{
		{"text", file(t, "text.xls"), "row 2, column 3 is not a number"},
		{"empty", nil, "this is not a workbook of Excel 95 to 2003 (.xls)"},
		{"a zip", []byte("PK\x03\x04" + strings.Repeat(" ", 600)), "this is not a workbook"},
		{"cut in its header", good[:600], "cut short or damaged"},
		{"cut in the middle", good[:len(good)/2], "cut short or damaged"},
		{"a table behind the end", edit(76, 1<<20), "cut short or damaged"},
		{"a folder behind the end", edit(48, 1<<20), "cut short or damaged"},
		{"sectors of a strange size", edit(30, 3), "cut short or damaged"},
	} {
		if _, err := Numbers(c.data); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.why, err, c.want)
		}
	}
}

func FuzzNumbers(f *testing.F) {
	for _, name := range []string{"kinds.xls", "text.xls"} {
		f.Add(file(f, name))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		rows, err := Numbers(data)
		if err != nil && strings.Contains(err.Error(), "\n") {
			t.Errorf("not one line: %q", err)
		}
		for _, row := range rows {
			if len(row) > mostColumns {
				t.Errorf("a row of %d", len(row))
			}
		}
	})
}

// TestChart: a chart in the sheet has numbers of its own, in the same records, which are not cells.
func TestChart(t *testing.T) {
	record := func(dst []byte, id uint16, body ...byte) []byte {
		dst = binary.LittleEndian.AppendUint16(dst, id)
		dst = binary.LittleEndian.AppendUint16(dst, uint16(len(body)))
		return append(dst, body...)
	}
	number := func(dst []byte, row, col byte, v float64) []byte {
		return record(dst, recNumber, binary.LittleEndian.AppendUint64([]byte{row, 0, col, 0, 15, 0}, math.Float64bits(v))...)
	}
	book := record(nil, recBOF, 0, 6, 5, 0)
	book = record(book, recBoundSheet, 22, 0, 0, 0, 0, 0)
	book = record(book, recEOF)
	book = record(book, recBOF, 0, 6, 0x10, 0) // at 22
	book = number(book, 0, 0, 3)
	book = record(book, recBOF, 0, 6, 0x20, 0)
	book = number(book, 0, 0, 7)
	book = number(book, 2, 1, 7)
	book = record(book, recEOF)
	book = number(book, 1, 0, 4)
	book = record(book, recEOF)
	if rows, err := Numbers(compound(book)); err != nil || fmt.Sprint(rows) != "[[3] [4]]" {
		t.Errorf("%v (%v), want the sheet's own numbers, 3 and 4", rows, err)
	}
}

// TestSheetBehindTheEnd: also where an int has 32 bits, and the offset is below 0.
func TestSheetBehindTheEnd(t *testing.T) {
	book := []byte{9, 8, 4, 0, 0, 6, 5, 0, 0x85, 0, 6, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 10, 0, 0, 0}
	if rows, err := Numbers(compound(book)); err == nil || !strings.Contains(err.Error(), "its first sheet lies behind its end") {
		t.Errorf("%v, %v", rows, err)
	}
}

// compound returns a container whose only stream is the workbook's.
func compound(book []byte) []byte {
	sectors := (len(book) + 511) / 512
	out := make([]byte, 512*(3+sectors)) // the header, the table, the folder, the stream
	copy(out, signature)
	le := binary.LittleEndian
	le.PutUint16(out[30:], 9)
	le.PutUint32(out[48:], 1)          // the folder's sector
	le.PutUint32(out[56:], 0)          // no stream is too short for sectors of its own
	le.PutUint32(out[68:], endOfChain) // no more of the table
	for at := 76; at < 512; at += 4 {
		le.PutUint32(out[at:], 0xFFFFFFFF)
	}
	le.PutUint32(out[76:], 0) // the table's sector
	fat := out[512:1024]
	le.PutUint32(fat[0:], 0xFFFFFFFD)
	le.PutUint32(fat[4:], endOfChain)
	for i := range sectors {
		next := uint32(3 + i)
		if i == sectors-1 {
			next = endOfChain
		}
		le.PutUint32(fat[4*(2+i):], next)
	}
	entry := out[1024:]
	for i, c := range "Workbook" {
		entry[2*i] = byte(c)
	}
	le.PutUint16(entry[64:], 2*9)
	entry[66] = entryStream
	le.PutUint32(entry[116:], 2)
	le.PutUint32(entry[120:], uint32(len(book)))
	copy(out[1536:], book)
	return out
}
