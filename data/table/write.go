package table

import (
	"encoding/csv"
	"io"
	"strconv"
)

// Write writes the table in the form that is read without any assumption: UTF-8 with commas. The first column is
// "object", the weights are in a column mapo:weight behind it. A cell has a share, a count k/n, or nothing where it
// is unknown. Reading that and writing it again gives the same bytes.
func (t *Table) Write(w io.Writer) error {
	out := csv.NewWriter(w)
	row := []string{objectHeader}
	if t.Weights != nil {
		row = append(row, weightsHeader)
	}
	names := len(row)
	if err := out.Write(append(row, t.Queries...)); err != nil {
		return err
	}
	row = make([]string, names+len(t.Queries))
	for i, object := range t.Objects {
		if row[0] = object; t.Weights != nil {
			row[1] = short(t.Weights[i])
		}
		for j, p := range t.Row(i) {
			switch c, counted := t.Count(i, j); {
			case t.IsUnknown(i, j):
				row[names+j] = ""
			case counted:
				row[names+j] = strconv.Itoa(c.K) + "/" + strconv.Itoa(c.N)
			default:
				row[names+j] = short(p)
			}
		}
		if err := out.Write(row); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// short returns the shortest number that reads as v.
func short(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
