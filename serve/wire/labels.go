package wire

import (
	"encoding/csv"
	"io"
	"strconv"
	"strings"
)

// Label is the class of an item, and the probability with which the item was asked.
type Label struct {
	Item, Class string
	Propensity  float64
}

// labelsHeader is the first row of a file of labels.
var labelsHeader = []string{"item", "class", "propensity"}

// LabelsHeader returns the first line of a file of labels.
func LabelsHeader() string { return strings.Join(labelsHeader, ",") }

// WriteLabels writes labels as CSV, in order, with a header or without. Texts are written as they are, for programs that look
// them up.
func WriteLabels(out io.Writer, list []Label, header bool) error {
	w := csv.NewWriter(out)
	var rows [][]string
	if header {
		rows = append(rows, labelsHeader)
	}
	for _, l := range list {
		rows = append(rows, []string{l.Item, l.Class, strconv.FormatFloat(l.Propensity, 'g', -1, 32)})
	}
	return w.WriteAll(rows)
}
