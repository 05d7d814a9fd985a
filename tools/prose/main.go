// Command prose checks that documents and comments can be read by people who do not know the project.
//
//	go run -C tools ./prose [FILE…]
//
// It reports `file:line: rule: text` and ends with exit code 1 if there is a finding. The rules:
//
//   - retired: a word or phrase of retired.txt, in documents, comments and texts of Go files;
//   - decimal: a number such as .5 without its leading zero, in documents;
//   - sentence: more than 40 words, in documents, comments and the help of commands;
//   - columns: a line of prose in a document has more than 100 columns;
//   - verb: a function's comment says what it is or has, not what it does. Tests are exempt.
//
// Code, link targets and, for sentences and columns, tables are exempt. A comment `prose:ok REASON`
// silences its own line and the next: `<!-- prose:ok REASON -->` in Markdown, `//prose:ok REASON` in
// Go. Pages that begin with `<!-- generated ` are exempt.
package main

import (
	_ "embed"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

//go:embed retired.txt
var retiredText string

func main() {
	root := flag.String("root", "..", "check the tree under `DIR`")
	flag.Parse()
	retired, err := parseRetired(retiredText)
	var found int
	if err == nil {
		found, err = check(os.Stdout, *root, flag.Args(), retired)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "prose:", err)
		os.Exit(2)
	}
	if found > 0 {
		fmt.Fprintf(os.Stderr, "prose: %d findings\n", found)
		os.Exit(1)
	}
}

// finding is one broken rule at a line, which counts from 1.
type finding struct {
	line       int
	rule, text string
}

// check writes the findings of the files under root, or of the named ones, and returns their number.
func check(w io.Writer, root string, names []string, retired *retired) (found int, err error) {
	if len(names) == 0 {
		if names, err = sources(root); err != nil {
			return 0, err
		}
	}
	for _, name := range names {
		source, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			return found, err
		}
		if strings.HasPrefix(string(source), "<!-- generated ") {
			continue // what it is made of is checked
		}
		for _, f := range checkFile(name, string(source), retired) {
			found++
			fmt.Fprintf(w, "%s:%d: %s: %s\n", name, f.line, f.rule, f.text)
		}
	}
	return found, nil
}

// sources returns the files that are checked, with slashes, sorted: Markdown and Go without tests.
func sources(root string) (names []string, err error) {
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() {
			if path != root && (strings.HasPrefix(name, ".") || name == "testdata" || name == "node_modules" || name == "runs") {
				return filepath.SkipDir
			}
			return nil
		}
		if strings.HasSuffix(name, ".md") || strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") {
			rel, err := filepath.Rel(root, path)
			names = append(names, filepath.ToSlash(rel))
			return err
		}
		return nil
	})
	return names, err
}

// checkFile returns the findings of one file that are not silenced, sorted by line.
func checkFile(name, source string, retired *retired) (list []finding) {
	if strings.HasSuffix(name, ".md") {
		list = checkMarkdown(source, retired)
	} else {
		list = checkGo(name, source, retired)
	}
	all := strings.Split(source, "\n")
	list = slices.DeleteFunc(list, func(f finding) bool {
		return silent(all, f.line) || f.line > 1 && silent(all, f.line-1)
	})
	slices.SortStableFunc(list, func(a, b finding) int { return a.line - b.line })
	return list
}

// silent reports whether a line, from 1, has a comment that silences it. Without a reason it does not.
func silent(all []string, line int) bool {
	_, after, ok := strings.Cut(all[line-1], "prose:ok ")
	return ok && len(strings.Fields(strings.TrimSuffix(strings.TrimSpace(after), "-->"))) > 0
}

// lines returns the lines of a list that are neither empty nor comments.
func lines(text string) (out []string) {
	for line := range strings.SplitSeq(text, "\n") {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			out = append(out, line)
		}
	}
	return out
}
