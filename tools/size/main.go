// Command size counts what the project keeps small, and ends with exit code 1 where a figure is above its limit.
//
//	go run -C tools ./size
//
// The figures are lines of Go code and of tests, tokens, lines of cmd/mapo and words of documents. Class questions are the places
// outside of package game that ask which class of problem they have. Names count that a package declares too often. limits.txt
// has the limits. A change that lowers a figure lowers its limit, too.
package main

import (
	"bufio"
	_ "embed"
	"fmt"
	"os"
	"strconv"
	"strings"
)

//go:embed limits.txt
var limitsText string

func main() {
	over, err := report(os.Stdout, "..", limitsText)
	if err != nil {
		fmt.Fprintln(os.Stderr, "size:", err)
		os.Exit(2)
	}
	if over > 0 {
		os.Exit(1)
	}
}

// report writes each figure of the tree under root beside its limit, and returns how many are above theirs.
func report(w *os.File, root, limits string) (over int, err error) {
	files, err := tracked(root)
	if err != nil {
		return 0, err
	}
	figures, err := countFiles(root, files)
	if err != nil {
		return 0, err
	}
	list, err := load(root)
	if err != nil {
		return 0, err
	}
	asked, same := classQuestions(list), repeated(list)
	figures["class questions"] = len(asked)
	most := map[string]int{}
	for _, n := range asked.byPackage() {
		most["class questions in a package"] = max(most["class questions in a package"], n)
	}
	figures["class questions in a package"] = most["class questions in a package"]
	figures["names declared too often"] = len(same)
	lines := bufio.NewScanner(strings.NewReader(limits))
	for lines.Scan() {
		name, number, ok := strings.Cut(lines.Text(), ":")
		if !ok || strings.HasPrefix(name, "#") {
			continue
		}
		limit, err := strconv.Atoi(strings.TrimSpace(number))
		if err != nil {
			return 0, fmt.Errorf("limits.txt: %q: %w", lines.Text(), err)
		}
		have, known := figures[name]
		if !known {
			return 0, fmt.Errorf("limits.txt: %q is not a figure", name)
		}
		note := ""
		if have > limit {
			over++
			note = "  ABOVE"
		}
		fmt.Fprintf(w, "%-30s %8d of %8d%s\n", name, have, limit, note)
	}
	if most := os.Getenv("MAPO_SIZE_LIST"); most != "" {
		for _, q := range asked {
			fmt.Fprintln(w, q)
		}
		for _, name := range same {
			fmt.Fprintln(w, name)
		}
	}
	return over, lines.Err()
}
