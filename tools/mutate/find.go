package main

import (
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// place is where a declaration stands.
type place struct {
	file     string // path
	from, to int    // its bytes
}

// tree is what is declared in a module: by name the places, and by folder the functions of its
// test files.
type tree struct {
	places map[string][]place
	tests  map[string][]*ast.FuncDecl
}

// readTree parses the Go files of the module in root that this machine builds, those of nested
// modules, testdata and hidden folders aside.
func readTree(root string) (*tree, error) {
	t := &tree{places: map[string][]place{}, tests: map[string][]*ast.FuncDecl{}}
	err := filepath.WalkDir(root, func(name string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if e.IsDir() {
			_, nested := os.Stat(filepath.Join(name, "go.mod"))
			if name != root && (nested == nil || e.Name() == "testdata" || strings.ContainsAny(e.Name()[:1], "._")) {
				return fs.SkipDir
			}
			return nil
		}
		if filepath.Ext(name) != ".go" {
			return nil
		}
		if ok, err := build.Default.MatchFile(filepath.Dir(name), e.Name()); err != nil || !ok {
			return err
		}
		return t.add(root, name)
	})
	return t, err
}

// add takes in one file.
func (t *tree) add(root, name string) error {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, name, nil, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	if strings.HasSuffix(name, "_test.go") {
		folder, err := filepath.Rel(root, filepath.Dir(name))
		if err != nil {
			return err
		}
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok {
				t.tests[filepath.ToSlash(folder)] = append(t.tests[filepath.ToSlash(folder)], f)
			}
		}
		return nil
	}
	put := func(of string, node ast.Node) {
		full := file.Name.Name + "." + of
		t.places[full] = append(t.places[full], place{name, set.Position(node.Pos()).Offset, set.Position(node.End()).Offset})
	}
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			put(method(d), d)
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					put(s.Name.Name, s)
				case *ast.ValueSpec:
					for _, n := range s.Names {
						put(n.Name, s)
					}
				}
			}
		}
	}
	return nil
}

// method returns the name of a function, with its receiver's type before it: F, T.F or (*T).F.
func method(f *ast.FuncDecl) string {
	if f.Recv == nil || len(f.Recv.List) == 0 {
		return f.Name.Name
	}
	of, format := f.Recv.List[0].Type, "%s.%s"
	if star, ok := of.(*ast.StarExpr); ok {
		of, format = star.X, "(*%s).%s"
	}
	switch generic := of.(type) {
	case *ast.IndexExpr:
		of = generic.X
	case *ast.IndexListExpr:
		of = generic.X
	}
	return fmt.Sprintf(format, of.(*ast.Ident).Name, f.Name.Name)
}

// apply returns the file that e changes and its text after that.
func (t *tree) apply(e entry) (file string, text []byte, err error) {
	at := t.places[e.In]
	if len(at) != 1 {
		return "", nil, fmt.Errorf("%s is declared %d times, want once", e.In, len(at))
	}
	src, err := os.ReadFile(at[0].file)
	if err != nil {
		return "", nil, err
	}
	before, of, after := src[:at[0].from], string(src[at[0].from:at[0].to]), src[at[0].to:]
	if n := strings.Count(of, e.Old); n != 1 {
		return "", nil, fmt.Errorf("the old text occurs %d times in %s, want once", n, e.In)
	}
	return at[0].file, []byte(string(before) + strings.Replace(of, e.Old, e.New, 1) + string(after)), nil
}

// golden returns the tests of a folder that compare bytes with what was recorded: those named after
// Bytes or Golden, and those that call a function named golden or Golden, directly or through other
// functions of the package's tests. Such a test fails at every change that matters, and tells
// nothing about its meaning.
func (t *tree) golden(folder string) []string {
	compares := map[string]bool{"golden": true, "Golden": true}
	for grown := true; grown; {
		grown = false
		for _, f := range t.tests[folder] {
			if !compares[f.Name.Name] && (named(f) || calls(f, compares)) {
				compares[f.Name.Name], grown = true, true
			}
		}
	}
	var tests []string
	for _, f := range t.tests[folder] {
		if f.Recv == nil && strings.HasPrefix(f.Name.Name, "Test") && compares[f.Name.Name] {
			tests = append(tests, f.Name.Name)
		}
	}
	return tests
}

// named reports whether a test's name says that it compares bytes.
func named(f *ast.FuncDecl) bool {
	return strings.HasPrefix(f.Name.Name, "Test") && (strings.Contains(f.Name.Name, "Bytes") || strings.Contains(f.Name.Name, "Golden"))
}

// calls reports whether f calls a function of one of the names.
func calls(f *ast.FuncDecl, names map[string]bool) (found bool) {
	ast.Inspect(f, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		switch fun := call.Fun.(type) {
		case *ast.Ident:
			found = found || names[fun.Name]
		case *ast.SelectorExpr:
			found = found || names[fun.Sel.Name]
		}
		return true
	})
	return found
}
