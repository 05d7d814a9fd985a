package console

import (
	"fmt"
	"testing"

	"mapo/data/table"
)

func TestReflowed(t *testing.T) {
	got := Reflowed("one two\nthree four five\n\n  as it is written here\nand on", 12)
	if want := "one two\nthree four\nfive\n\n  as it is\nwritten here\nand on"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestContinued checks that what goes over several lines is the same command.
func TestContinued(t *testing.T) {
	got := continued("play:  ", "mapo play "+table.Shell("a b/c")+" --seed 7", 20)
	if want := "play:  mapo play \\\n    'a b/c' --seed 7"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestShellWords(t *testing.T) {
	line := "mapo play " + table.Shell("a b/it's") + " --seed 7"
	if got := fmt.Sprintf("%q", shellWords(line)); got != `["mapo" "play" "'a b/it'\\''s'" "--seed" "7"]` {
		t.Error(got)
	}
}
