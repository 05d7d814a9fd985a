package main

import (
	"fmt"
	"strings"
	"testing"

	"mapo/data/table"
)

// TestBroken checks that lines break between words only, nothing is lost, and what is short stays.
func TestBroken(t *testing.T) {
	for text, want := range map[string]string{
		"short\n":                         "short\n",
		"one two three four\n":            "one two\n  three\n  four\n",
		"a\tb\n":                          "a\tb\n",
		"verylongwordthatdoesnotfit\n":    "verylongwordthatdoesnotfit\n",
		"x verylongwordthatdoesnotfit\n":  "x\n  verylongwordthatdoesnotfit\n",
		"1234567890\n1234567890\n":        "1234567890\n1234567890\n",
		"abc      def     ghi\n":          "abc\n  def\n  ghi\n",
		"äöü äöü ab\n":                    "äöü äöü ab\n",
		"\x1b[K12345 789\r12345 7890 1\n": "\x1b[K12345 789\r12345 7890\n  1\n",
	} {
		p := wrapped{hang: "  "}
		if got := p.broken(text, 10); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	p := wrapped{hang: "  "} // in pieces, as tables come
	var got string
	for _, piece := range []string{"name", "  ", "0.5", "  ", "[0.4, 0.6]", "\n"} {
		got += p.broken(piece, 10)
	}
	if strings.Join(strings.Fields(got), " ") != "name 0.5 [0.4, 0.6]" || got != "name  0.5  \n  [0.4,\n  0.6]\n" {
		t.Errorf("in pieces: %q", got)
	}
}

func TestReflowed(t *testing.T) {
	got := reflowed("one two\nthree four five\n\n  as it is written here\nand on", 12)
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
