package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mapo/data/dataset"
	"mapo/internal/console"
	"mapo/internal/disk"
	"mapo/run/plan"
	"mapo/spec"
)

// levelsTime is how long choosing levels may take. Tests of what commands say make it long.
var levelsTime = 10 * time.Second

// draft holds the flags of `mapo init`.
type draft struct {
	out     string // "-" for standard output
	weights string
	time    time.Duration // how long choosing levels may take
}

func initCommand() *cobra.Command {
	d := draft{time: levelsTime}
	c := &cobra.Command{
		Use:   "init TABLE",
		Short: "Print a commented spec for a table, with what was found in it",
		Long: `init reads a table and prints a spec that is ready to be played, judged and trained. Its comments say what
was found: rows, questions, unknown cells, weights, rows that are equal. Levels of difficulty are chosen as
mapo run chooses them, within 10 seconds; where that does not suffice they are left out. An existing file
is never overwritten. A file that is not a table yet is refused with the mapo data import command for it.`,
		Args: args(cobra.ExactArgs(1)),
		RunE: func(c *cobra.Command, list []string) error { return d.init(c, list[0]) },
	}
	f := c.Flags()
	f.StringVarP(&d.out, "out", "o", "-", "the spec, - for standard output")
	f.StringVar(&d.weights, "weights", "", "the column of the table that holds prior weights (default mapo:weight where it is there)")
	return c
}

// init runs `mapo init`.
func (d *draft) init(c *cobra.Command, path string) error {
	if err := d.checkNames(path); err != nil {
		return err
	}
	l := console.Wait(c.ErrOrStderr(), "reading "+path)
	defer l.Stop()
	t, err := dataset.ReadTable(path, d.weights)
	if err != nil {
		return err
	}
	named, err := d.named(path)
	if err != nil {
		return err
	}
	text, err := spec.NewDraft(t, named, d.weights)
	if err != nil {
		return err
	}
	text.File = "SPEC.yaml"
	if d.out != "-" {
		text.File = file(d.out)
	}
	if err := d.levels(c.Context(), text, l.Tell); err != nil {
		return err
	}
	return d.leave(c, text.Text())
}

// checkNames refuses what is not a table, and a file that must not be written, before the work.
func (d *draft) checkNames(path string) error {
	lower := strings.ToLower(path)
	if slices.ContainsFunc([]string{".yaml", ".yml", policySuffix}, func(end string) bool { return strings.HasSuffix(lower, end) }) {
		return fmt.Errorf("%s is not a table; init makes a spec of a table such as animals.csv", path)
	}
	if spec.IsTable(d.out) || strings.HasSuffix(d.out, policySuffix) {
		return fmt.Errorf("--out is %s; a spec's name ends in .yaml", d.out)
	}
	return d.file().Vacant()
}

// file returns where the spec is written.
func (d *draft) file() disk.Output { return disk.Output{Flag: "--out", Path: d.out} }

// named returns the table's path as the spec names it: relative to the folder of the spec, unless it is absolute.
func (d *draft) named(path string) (string, error) {
	if d.out == "-" || filepath.IsAbs(path) {
		return path, nil
	}
	from, err := filepath.Abs(filepath.Dir(d.out))
	if err != nil {
		return "", err
	}
	to, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	return filepath.Rel(from, to)
}

// levels chooses the draft's levels within [levelsTime], or says why there are none.
func (d *draft) levels(ctx context.Context, text *spec.Draft, tell func(what string, share float64)) error {
	tell("choosing levels", 0)
	where := d.out
	if where == "-" {
		where = "spec.yaml" // in the working folder
	}
	short, cancel := context.WithTimeout(ctx, d.time)
	defer cancel()
	type chosen struct {
		levels []float64
		err    error
	}
	done, first := make(chan chosen, 1), text.Text()
	go func() {
		levels, err := chosenLevels(short, where, first, tell)
		done <- chosen{levels, err}
	}()
	var got chosen
	select {
	case got = <-done:
	case <-short.Done(): // not every step of the choice looks at it
		got.err = short.Err()
	}
	switch {
	case ctx.Err() != nil:
		return &interrupted{"nothing was written"}
	case errors.Is(got.err, context.DeadlineExceeded):
		text.Why = fmt.Sprintf("choosing them takes more than %v here, and mapo run chooses them when it begins", d.time)
	case got.err != nil:
		text.Why = "none can be chosen: " + got.err.Error()
	}
	text.Levels = got.levels
	return nil
}

// chosenLevels returns the levels of a run of a spec that names none.
func chosenLevels(ctx context.Context, path string, text []byte, tell func(what string, share float64)) ([]float64, error) {
	s, err := spec.Parse(path, text, spec.Override{})
	if err != nil {
		return nil, err
	}
	p, err := plan.PlanOf(ctx, s, plan.Options{Alone: true, Look: true, Source: path, Tell: tell})
	return p.Levels, err
}

// leave leaves the spec where it was asked for, and says what it is good for.
func (d *draft) leave(c *cobra.Command, text []byte) error {
	if err := d.file().Create(c.OutOrStdout(), text); err != nil || d.out == "-" {
		return err
	}
	return d.next(c.OutOrStdout())
}

// next prints the command that plays the spec.
func (d *draft) next(w io.Writer) error {
	_, err := fmt.Fprintf(w, "spec: %s\nplay: %s play %s\n", d.out, self(), file(d.out))
	return err
}
