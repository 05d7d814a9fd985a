package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"mapo/internal/disk"
	"mapo/report"
	"mapo/run"
)

// writeRows writes rows as results.csv to a file, to standard output for "-",
// or nowhere for "". A file is written whole or not at all; a device as it is.
func writeRows(c *cobra.Command, file string, rows []report.Row) error {
	if file == "" {
		return nil
	}
	if file == "-" {
		return report.WriteCSV(c.OutOrStdout(), rows)
	}
	var b bytes.Buffer
	if err := report.WriteCSV(&b, rows); err != nil {
		return err
	}
	if disk.IsDevice(file) {
		return os.WriteFile(file, b.Bytes(), 0o666)
	}
	return disk.Output{Flag: "--csv", Path: file}.Write(b.Bytes())
}

// checkCSV says before the work what [writeRows] would say after it.
func checkCSV(file string) error {
	if file == "" || file == "-" || disk.IsDevice(file) {
		return nil
	}
	if spec, err := os.ReadFile(filepath.Join(filepath.Dir(file), "spec.yaml")); err == nil && strings.HasPrefix(string(spec), run.SpecHead) && filepath.Base(file) == "results.csv" {
		return fmt.Errorf("--csv %s is a run's own: choose another file", file)
	}
	return disk.Output{Flag: "--csv", Path: file}.Replaceable("holds no results", func(content []byte) bool {
		return len(content) == 0 || bytes.HasPrefix(content, []byte(report.Header()))
	})
}
