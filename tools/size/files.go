package main

import (
	"bytes"
	"go/scanner"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// tracked returns the files of the tree that git tracks, by their paths below root.
func tracked(root string) ([]string, error) {
	cmd := exec.Command("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		return nil, err
	}
	return slices.Compact(strings.Split(strings.TrimRight(string(out), "\x00"), "\x00")), nil // a file with a conflict stands there thrice
}

// countFiles counts lines and tokens of Go files, and words of Markdown files. A line of code is one with a token on it, so
// comments and blank lines do not count; neither do internal/num and generated files.
func countFiles(root string, files []string) (map[string]int, error) {
	figures := map[string]int{}
	for _, file := range files {
		data, err := os.ReadFile(filepath.Join(root, file))
		if os.IsNotExist(err) {
			continue // deleted, and not yet committed
		}
		if err != nil {
			return nil, err
		}
		switch {
		case strings.HasSuffix(file, ".md") && !bytes.HasPrefix(data, []byte("<!-- generated")):
			figures["words of documents"] += len(strings.Fields(string(data)))
		case strings.HasSuffix(file, "_test.go"):
			lines, _ := codeOf(data)
			figures["lines of tests"] += lines
		case strings.HasSuffix(file, ".go") && !strings.HasPrefix(file, "internal/num/") && !bytes.Contains(data[:min(len(data), 400)], []byte("Code generated ")):
			lines, tokens := codeOf(data)
			figures["lines of code"] += lines
			figures["tokens"] += tokens
			if strings.HasPrefix(file, "cmd/mapo/") && strings.Count(file, "/") == 2 {
				figures["lines of cmd/mapo"] += bytes.Count(data, []byte("\n"))
			}
		}
	}
	return figures, nil
}

// codeOf returns how many lines of a Go file have a token that is not a comment, and how many tokens there are.
func codeOf(data []byte) (lines, tokens int) {
	set := token.NewFileSet()
	file := set.AddFile("", set.Base(), len(data))
	var s scanner.Scanner
	s.Init(file, data, nil, 0)
	last := 0
	for {
		pos, tok, lit := s.Scan()
		if tok == token.EOF {
			return lines, tokens
		}
		if tok == token.SEMICOLON && lit == "\n" {
			continue // it is not written
		}
		tokens++
		first := file.Line(pos)
		end := first + strings.Count(lit, "\n")
		lines += end - max(first-1, last)
		last = max(last, end)
	}
}
