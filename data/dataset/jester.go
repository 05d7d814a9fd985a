package dataset

import (
	"archive/zip"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"mapo/data/table"
	"mapo/internal/disk"
	"mapo/internal/xls"
)

// Jester's first dataset (Goldberg, Roeder, Gupta and Perkins 2001), the paper's
// App. J: ratings of 100 jokes from −10 to 10.
const (
	Jokes     = 100
	unrated   = 99
	most10    = 10      // the largest rating
	mostXLS   = 1 << 28 // bytes of an unpacked workbook
	countCell = 1       // the published files begin a row with how many jokes are rated
)

// Ratings are the users who rated every joke.
type Ratings struct {
	Name     string      // of the files, for messages
	Users    [][]float64 // ratings/10: θ of each user, in [−1, 1], [users, Jokes]
	All      int         // users read, also those who did not rate all
	Warnings []string
}

// ReadJester reads the users who rated all jokes from the files given, in order:
// CSV (.csv, .csv.gz) without a header, one user a row of 100 ratings. Or it is the
// published .xls, alone or in its .zip, where the number of rated jokes comes
// first and 99 stands for a joke not rated. The data is free for research that
// cites Goldberg et al. 2001; the paper's 14,116 users are those of parts 1 and 2.
func ReadJester(paths ...string) (*Ratings, error) {
	r := &Ratings{Name: strings.Join(paths, ", ")}
	for i, path := range paths {
		if slices.Contains(paths[:i], path) {
			return nil, fmt.Errorf("%s: the file stands twice: its users would count twice", path)
		}
		if err := r.readFile(path); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// readFile adds one file's users.
func (r *Ratings) readFile(path string) error {
	before, all := len(r.Users), r.All
	var err error
	switch strings.ToLower(filepath.Ext(path)) {
	case ".zip":
		err = r.readZip(path)
	case ".xls":
		var f *os.File
		if f, err = disk.Open(path); err == nil {
			err = r.readXLS(path, f)
			_ = f.Close() // nothing was written
		}
	default:
		err = r.readCSV(path)
	}
	switch {
	case err != nil:
		return err
	case r.All == all:
		return fmt.Errorf("%s:1: the file has no users: each line is one user's %d ratings", path, Jokes)
	case len(r.Users) == before:
		return fmt.Errorf("%s:1: none of the %d users rated all %d jokes: part 3 has none (15 to 35 ratings each), use parts 1 and 2", path, r.All-all, Jokes)
	}
	return nil
}

// readCSV reads ratings as text.
func (r *Ratings) readCSV(path string) error {
	l, err := openLines(path)
	if err != nil {
		return err
	}
	defer l.Close()
	return eachLine(l.next, func(cells []string) (err error) {
		if len(cells) != Jokes {
			return l.fault("the row has %d cells, want %d ratings: %s", len(cells), Jokes, cellsRemedy(len(cells)))
		}
		row := make([]float64, Jokes)
		for i, cell := range cells {
			if row[i], err = number(cell); err != nil {
				return l.fault("column %d is %s, not a number: write a rating from -10 to 10, or 99 for none", i+1, table.Quote(cell))
			}
		}
		if at := r.user(row); at >= 0 {
			return l.fault("column %d is %v: a rating is from -10 to 10, or 99 for none", at+1, row[at])
		}
		return nil
	})
}

// cellsRemedy guesses what file has rows of n cells.
func cellsRemedy(n int) string {
	switch {
	case n == Jokes+countCell:
		return "remove the first column if it counts the rated jokes, or name the published .zip itself"
	case n > Jokes+countCell:
		return "this looks like a dataset of more jokes; the paper's is dataset 1, parts 1 and 2"
	}
	return "one user a line, no header, 99 for a joke not rated"
}

// user takes one user in, if all jokes are rated, and returns the column of a
// rating that cannot be, or −1.
func (r *Ratings) user(row []float64) int {
	complete := true
	for i, v := range row {
		switch {
		case v == unrated:
			complete = false
		case !(v >= -most10 && v <= most10):
			return i
		}
	}
	r.All++
	if !complete {
		return -1
	}
	theta := make([]float64, len(row))
	for i, v := range row {
		theta[i] = v / most10
	}
	r.Users = append(r.Users, theta)
	return -1
}

// readZip reads the one workbook in a .zip.
func (r *Ratings) readZip(path string) error {
	archive, err := disk.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = archive.Close() }() // what was read has been checked
	info, err := archive.Stat()
	if err != nil {
		return err
	}
	z, err := zip.NewReader(archive, info.Size())
	if err != nil {
		return fmt.Errorf("%s:1: not a .zip file, or cut short (%w): fetch it again", path, err)
	}
	found := slices.DeleteFunc(z.File, func(f *zip.File) bool {
		return !strings.EqualFold(filepath.Ext(f.Name), ".xls") || strings.HasPrefix(f.Name, "__MACOSX")
	})
	switch {
	case len(found) > 1:
		return fmt.Errorf("%s:1: the .zip holds more than one workbook: unpack it and name the .xls", path)
	case len(found) == 0:
		return fmt.Errorf("%s:1: the .zip holds no workbook (.xls): is this a part of Jester's dataset 1?", path)
	}
	f, err := found[0].Open()
	if err != nil {
		return fmt.Errorf("%s:1: %w: fetch it again", path, err)
	}
	defer func() { _ = f.Close() }() // a wrong checksum ends the reading
	return r.readXLS(path+"!"+found[0].Name, f)
}

// readXLS reads the published layout; name stands for the file in messages, where
// a line is a row of the sheet.
func (r *Ratings) readXLS(name string, in io.Reader) error {
	data, err := io.ReadAll(io.LimitReader(in, mostXLS+1))
	switch {
	case err != nil:
		return fmt.Errorf("%s:1: %w: fetch it again", name, err)
	case len(data) > mostXLS:
		return fmt.Errorf("%s:1: the workbook is larger than %s: it is not a part of Jester's dataset 1", name, table.Size(mostXLS))
	}
	rows, err := xls.Numbers(data)
	if err != nil {
		return fmt.Errorf("%s:1: %w", name, err)
	}
	off := 0
	for i, row := range rows {
		fault := func(format string, a ...any) error {
			return fmt.Errorf("%s:%d: %s", name, i+1, fmt.Sprintf(format, a...))
		}
		if row == nil {
			continue
		}
		if n := len(row); n != Jokes+countCell {
			remedy := "is this a part of Jester's dataset 1, as published?"
			if n > Jokes+countCell {
				remedy = cellsRemedy(n)
			}
			return fault("the row has %d cells, want the number of rated jokes and %d ratings: %s", n, Jokes, remedy)
		}
		if at := r.user(row[countCell:]); at >= 0 {
			if math.IsNaN(row[at+countCell]) {
				return fault("column %d is empty: 99 stands for a joke not rated", at+countCell+1)
			}
			return fault("column %d is %v: a rating is from -10 to 10, or 99 for none", at+countCell+1, row[at+countCell])
		}
		if row[0] != float64(rated(row[countCell:])) {
			off++
		}
	}
	if off > 0 {
		r.Warnings = append(r.Warnings, fmt.Sprintf("%s: the first column of %d rows is not the number of rated jokes; the ratings were taken as they stand", name, off))
	}
	return nil
}

// rated counts a row's ratings.
func rated(row []float64) (n int) {
	for _, v := range row {
		if v != unrated {
			n++
		}
	}
	return n
}
