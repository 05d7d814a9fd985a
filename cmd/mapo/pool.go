package main

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"mapo/data/dataset"
	"mapo/internal/disk"
)

// drawnPool holds the flags of `mapo data pool`.
type drawnPool struct {
	dataset.Pool
	accuracy   []float64
	out, truth string
}

func poolCommand() *cobra.Command {
	d := drawnPool{}
	c := &cobra.Command{
		Use:   "pool --out PREDICTIONS.csv",
		Short: "Draw the predictions of made-up models on a pool of items, to try classifiers on",
		Long: `pool draws items with true classes, and models that predict them. With correlation 0 the models' errors are
independent; with 1 the worse model is wrong wherever the better one is. The same seed draws the same pool.
--truth writes the true classes, as labels.`,
		Args: args(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error { return d.draw(c) },
	}
	f := c.Flags()
	f.StringVarP(&d.out, "out", "o", "", "write the predictions to this CSV file, which must not exist")
	f.StringVar(&d.truth, "truth", "", "write the true classes to this CSV file, which must not exist")
	f.IntVar(&d.Items, "items", 500, "how many items")
	f.IntVar(&d.Models, "models", 8, "how many models")
	f.IntVar(&d.Classes, "classes", 4, "how many classes")
	f.Float64Var(&d.Correlation, "correlation", 0.5, "how far models share errors, from 0 to 1")
	f.Float64SliceVar(&d.accuracy, "accuracy", []float64{0.5, 0.9}, "models' accuracies are drawn between `LEAST,MOST` (default 0.5,0.9)")
	f.Lookup("accuracy").DefValue = "" // the text has it, as it is typed
	f.Uint64Var(&d.Seed, "seed", 1, "draws the pool")
	return c
}

// draw runs `mapo data pool`.
func (d *drawnPool) draw(c *cobra.Command) error {
	switch {
	case d.out == "":
		return hint(c, errors.New("--out is missing: name the CSV file of the predictions"))
	case len(d.accuracy) != 2:
		return fmt.Errorf("--accuracy has %d numbers; it is the least and the most, such as 0.5,0.9", len(d.accuracy))
	case d.truth != "" && filepath.Clean(d.truth) == filepath.Clean(d.out):
		return fmt.Errorf("--truth is %s, as --out is: name another file", d.truth)
	}
	out, labels := disk.Output{Flag: "--out", Path: d.out}, disk.Output{Flag: "--truth", Path: d.truth}
	for _, file := range []disk.Output{out, labels} {
		if err := errors.Join(commas(file), file.Vacant()); err != nil {
			return err
		}
	}
	d.Low, d.High = d.accuracy[0], d.accuracy[1]
	t, truth, err := d.Generate()
	if err != nil {
		return err
	}
	if err := out.Create(nil, t.CSV()); err != nil || d.truth == "" {
		return err
	}
	return labels.Create(nil, t.LabelCSV(truth))
}

// commas refuses a name for a file of cells with commas between by which it would be read otherwise.
func commas(file disk.Output) error {
	if dataset.IsTSV(file.Path) {
		return fmt.Errorf("%s is %s, and cells are written with commas between: name a file that ends in .csv", file.Flag, file.Path)
	}
	return file.Plain()
}
