// Command mutate plants the bugs of a list, one at a time, and says which of them no test sees.
//
//	go run -C tools ./mutate [-list FILE] [-only REGEXP] [-check]
//
// An entry of the list names a declaration, an old text that occurs once in it, the new text, and
// the packages whose tests must fail (see mutants.txt). The bug is planted in a copy, which
// `go test -overlay` compiles in place of the file, so the tree stays as it is. Tests that compare
// bytes with what was recorded do not count and are skipped. An entry that does not apply or does
// not compile is a failure, as is one whose tests fail without the bug.
package main

import (
	"context"
	_ "embed"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
)

//go:embed mutants.txt
var mutants string

func main() {
	file := flag.String("list", "", "read the entries from `FILE` instead of mutants.txt")
	only := flag.String("only", "", "take only entries whose declaration or reason matches `REGEXP`")
	check := flag.Bool("check", false, "say only whether all entries apply; run no tests")
	root := flag.String("root", "..", "the module's `DIR`")
	flag.Parse()
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt)
	defer cancel()
	if err := mutate(ctx, *root, *file, *only, *check); err != nil {
		fmt.Fprintln(os.Stderr, "mutate:", err)
		os.Exit(1)
	}
}

func mutate(ctx context.Context, root, file, only string, check bool) error {
	list, err := entries(file, only)
	if err != nil {
		return err
	}
	if root, err = filepath.Abs(root); err != nil {
		return err
	}
	tree, err := readTree(root)
	if err != nil {
		return err
	}
	scratch, err := os.MkdirTemp("", "mutate-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	r := &runner{root: root, scratch: scratch, tree: tree, sound: map[string]error{}, check: check}
	var results []result
	for _, e := range list {
		res := r.try(ctx, e)
		if ctx.Err() != nil {
			break
		}
		fmt.Println(res.row())
		results = append(results, res)
	}
	return summary(os.Stdout, results, len(list))
}

// entries reads the list and returns those that are asked for.
func entries(file, only string) ([]entry, error) {
	text := mutants
	if file != "" {
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		text = string(data)
	}
	list, err := parseList(text)
	if err != nil {
		return nil, err
	}
	wanted, err := regexp.Compile(only)
	if err != nil {
		return nil, fmt.Errorf("-only: %w", err)
	}
	list = slices.DeleteFunc(list, func(e entry) bool { return !wanted.MatchString(e.In + ": " + e.Why) })
	if len(list) == 0 {
		return nil, fmt.Errorf("no entry matches %q", only)
	}
	return list, nil
}
