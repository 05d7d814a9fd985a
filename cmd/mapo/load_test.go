package main

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/spf13/cobra"
)

// TestOneLevel: a spec's only level is trained for as train.Config.OneLevel has it, unless the spec says otherwise.
func TestOneLevel(t *testing.T) {
	path := filepath.Join(t.TempDir(), "spec.yaml")
	add := func(levels, train string) int {
		t.Helper()
		text := fmt.Sprintf("problem: {thresholds: {d: 5}}\nbudget: 6\nloss: best-identification\nlevels: %s\ntrain: %s\n", levels, train)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		plan, err := load(&cobra.Command{}, path, options{})
		if err != nil {
			t.Fatal(err)
		}
		return plan.Train.Add
	}
	one, ladder := add("[16]", "{preset: desk}"), add("[16, 32]", "{preset: desk}")
	if one <= ladder {
		t.Errorf("searches add %d at the only level, %d on a ladder: want more", one, ladder)
	}
	text := "problem: {thresholds: {d: 100}}\nbudget: 1\nloss: best-identification\ntrain: {preset: desk}\n"
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	var command cobra.Command
	command.SetContext(t.Context())
	plan, err := load(&command, path, options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(plan.Levels) != 1 || plan.Train.Add != one {
		t.Errorf("where levels %v are chosen searches add %d, want %d at one", plan.Levels, plan.Train.Add, one)
	}
	if said := add("[16]", "{preset: desk, add: 5}"); said != 5 {
		t.Errorf("add: 5 became %d", said)
	}
}
