package main

import (
	"bytes"

	"github.com/spf13/cobra"

	"mapo/data/dataset"
	"mapo/data/table"
)

// imported holds the flags of `mapo data import`.
type imported struct {
	table.Options
	madeTable
}

func importCommand() *cobra.Command {
	i := imported{madeTable: madeTable{by: "import"}}
	c := &cobra.Command{
		Use:   "import FILE",
		Short: "Make a table of shares of the file that you have, and say what was assumed",
		Long: `import reads a table in the forms that spreadsheets and statistics programs write: .csv with any separator
and encoding, .xlsx, and records of JSON. It writes the form that needs no assumption: UTF-8 with commas,
the first column object, and in a cell a share, a count k/n, or nothing where it is unknown.

A cell may be a share, a percentage, a count such as 18/20, a range such as 60-70%, yes or no in several
languages, a mark or nothing, a list, or + and - with v and d between. Columns of text make one question
for each value. What was assumed is printed. Where two readings fit, the file is refused, with a command
for each.

TABLE.csv.imported beside the table says what was written, so that import replaces the table when it runs
again, unless it was changed by hand.`,
		Example: "  mapo data import survey.csv -o table.csv\n" +
			"  mapo data import survey.xlsx --sheet Answers -o table.csv\n" +
			"  mapo data import grades.csv --counts-of 5 -o table.csv\n" +
			"  mapo data import symptoms.csv --transpose --weights cases -o table.csv\n" +
			"  mapo data import patients.csv --group diagnosis -o table.csv",
		Args: args(cobra.ExactArgs(1)),
		RunE: func(c *cobra.Command, list []string) error { return i.importFile(c, list[0]) },
	}
	f := c.Flags()
	f.StringVarP(&i.out, "out", "o", "-", "the table, - for standard output")
	f.StringVar(&i.Separator, "separator", "", "between cells: a character, or comma, semicolon, tab or bar (default as found)")
	f.StringVar(&i.Encoding, "encoding", "", "of the text, such as windows-1252 or iso-8859-2 (default as found)")
	f.StringVar(&i.Sheet, "sheet", "", "of a workbook (default the only one with cells)")
	f.BoolVar(&i.Header, "header", false, "line 1 is a header, whatever it holds")
	f.BoolVar(&i.NoHeader, "no-header", false, "line 1 is data: questions are called question 1, question 2, …")
	f.StringVar(&i.Object, "object", "", "the column of the objects' names, by its name or number (default the first)")
	f.BoolVar(&i.NoNames, "no-names", false, "no column names the objects: number them")
	f.BoolVar(&i.Transpose, "transpose", false, "objects are columns, questions are rows")
	f.BoolVar(&i.Percent, "percent", false, "numbers are percent")
	f.IntVar(&i.CountsOf, "counts-of", 0, "numbers are counts of yes among that many")
	f.BoolVar(&i.Categories, "categories", false, "columns hold values: one question for each, thresholds for numbers")
	f.StringVar(&i.Missing, "missing", "", "what a cell without a value is: a share, or unknown (default unknown; no beside marks)")
	f.StringVar(&i.Absent, "absent", "", "what a cell is that a table in long form does not name: a share, or unknown (default 0.02; no in a list of pairs)")
	f.StringVar(&i.Weights, "weights", "", "the column of prior weights (default mapo:weight where it is there)")
	f.StringVar(&i.Group, "group", "", "each line is one case of the class in this column: count the cases of each class")
	return c
}

// importFile runs `mapo data import`.
func (i *imported) importFile(c *cobra.Command, path string) error {
	if err := i.checkOut(path); err != nil {
		return err
	}
	t, err := table.Read(path, i.Options)
	if err != nil {
		return err
	}
	var text bytes.Buffer
	if err := t.Write(&text); err != nil {
		return err
	}
	if err := i.leave(c.OutOrStdout(), text.Bytes()); err != nil {
		return err
	}
	return dataset.Describe(c.ErrOrStderr(), t)
}
