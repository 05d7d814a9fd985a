package main

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"mapo/internal/console"
)

// TestExamplesInHelp checks that every command shows examples, of itself, with flags that it takes and
// with files that are there where they are this repository's.
func TestExamplesInHelp(t *testing.T) {
	root, seen := command(), 0
	each(root, func(c *cobra.Command) {
		if c.Hidden {
			return
		}
		if c.Example == "" {
			t.Errorf("the help of %s has no example", c.CommandPath())
		}
		for line := range strings.Lines(c.Example) {
			words := strings.Fields(line)
			named, _, err := root.Find(words[1:])
			if words[0] != "mapo" || err != nil || !strings.HasPrefix(named.CommandPath(), c.CommandPath()) {
				t.Errorf("%s has the example %q, which is not of it (%v)", c.CommandPath(), line, err)
				continue
			}
			for _, m := range flagName.FindAllStringSubmatch(line, -1) {
				if seen++; !takes(root, named, m[1]) {
					t.Errorf("%s has the example %q with --%s, which it does not take", c.CommandPath(), line, m[1])
				}
			}
			for _, file := range regexp.MustCompile(`examples/\S+`).FindAllString(line, -1) {
				if _, err := os.Stat(filepath.Join("../..", file)); err != nil {
					t.Errorf("%s has the example %q: %v", c.CommandPath(), line, err)
				}
			}
		}
	})
	if seen < 10 {
		t.Errorf("only %d flags are in examples", seen)
	}
	for path := range examples {
		if c, _, err := root.Find(strings.Fields(path)[1:]); err != nil || c.CommandPath() != path {
			t.Errorf("there are examples of %s, which is no command", path)
		}
	}
}

// TestDidYouMean checks what mistyped commands and flags are answered with.
func TestDidYouMean(t *testing.T) {
	for line, want := range map[string]string{
		"rum x.yaml":          `mapo: unknown command "rum"; did you mean "run"?: see mapo --help`,
		"rnu x.yaml":          `mapo: unknown command "rnu"; did you mean "run"?: see mapo --help`,
		"srve --addr x":       `mapo: unknown command "srve"; did you mean "serve"?: see mapo --help`,
		"inspekt":             `mapo: unknown command "inspekt"; did you mean "inspect"?: see mapo --help`,
		"data fetsh":          `mapo: unknown command "fetsh"; did you mean "fetch"?: see mapo data --help`,
		"data":                "mapo: missing subcommand: use fetch, import, tabulate or pool: see mapo data --help",
		"help pley":           `mapo: unknown command "pley"; did you mean "play"?: see mapo --help`,
		"help data ftech":     `mapo: unknown command "ftech"; did you mean "fetch"?: see mapo data --help`,
		"run x.yaml --reusme": "mapo: unknown flag --reusme; did you mean --resume?: see mapo run --help",
		"run x.yaml --zzzzzz": "mapo: unknown flag: --zzzzzz: see mapo run --help",
	} {
		var out, said strings.Builder
		code := execute(strings.Fields(line), &out, &said)
		want = strings.Replace(want, "see mapo", "see "+self(), 1)
		if got := strings.TrimSpace(said.String()); code != exitFault || got != want || out.Len() > 0 {
			t.Errorf("mapo %s: code %d, says %q, want %q", line, code, got, want)
		}
	}
	var out, said strings.Builder
	if execute([]string{"xyzzy"}, &out, &said); !strings.Contains(said.String(), "known are ") || !strings.Contains(said.String(), " run, ") {
		t.Errorf("an unknown command is answered with %q", said.String())
	}
}

// TestVersion checks that mapo version names what a report of a fault needs.
func TestVersion(t *testing.T) {
	var out strings.Builder
	if code := execute([]string{"version"}, &out, &out); code != 0 || !regexp.MustCompile(`^version  \S.*\ncommit   \S.*\ngo       go1\S+, \S+/\S+\nkernel   \S+\n$`).MatchString(out.String()) {
		t.Errorf("code %d, %q", code, out.String())
	}
}

// TestHelpFits checks that no help has a line that a terminal of the usual width would break, but
// for words that are longer.
func TestHelpFits(t *testing.T) {
	each(command(), func(c *cobra.Command) {
		if c.DisableFlagParsing {
			return // its help is another program's
		}
		var out strings.Builder
		words := append(strings.Fields(c.CommandPath())[1:], "--help")
		if code := execute(words, &out, &out); code != 0 {
			t.Errorf("%s --help: code %d", c.CommandPath(), code)
		}
		if !strings.Contains(out.String(), c.Example) {
			t.Errorf("%s --help does not show its examples", c.CommandPath())
		}
		for line := range strings.Lines(out.String()) {
			if n := console.Columns(strings.TrimRight(line, "\n")); n > 100 {
				t.Errorf("%s --help has a line of %d columns: %s", c.CommandPath(), n, line)
			}
		}
	})
}

// TestComplainOneLine checks that a fault is one line where it is not a terminal's.
func TestComplainOneLine(t *testing.T) {
	var b strings.Builder
	complain(&b, errors.New("stopped; "+goOn+"mapo run 'a b.yaml'\n"))
	if got := b.String(); got != "mapo: stopped; go on with: mapo run 'a b.yaml'\n" {
		t.Errorf("%q", got)
	}
}
