package main

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"testing"

	"golang.org/x/tools/go/packages"
)

func TestCodeOf(t *testing.T) {
	for text, want := range map[string][2]int{
		"package a\n": {1, 2},
		"package a\n\n// a comment\n\nvar x = 1 // more\n": {2, 6},
		"package a\nvar x = `one\ntwo\nthree`\n":           {4, 6},
		"package a; var x = 1; var y = 2\n":                {1, 12},
		"package a\n/* a\nb */ var x = 1\n":                {2, 6},
	} {
		if lines, tokens := codeOf([]byte(text)); lines != want[0] || tokens != want[1] {
			t.Errorf("%q has %d lines and %d tokens, want %v", text, lines, tokens, want)
		}
	}
}

// TestAsks: each form of a class question is seen once, and what only looks like one is not.
func TestAsks(t *testing.T) {
	const game = `package game
type Shares struct{ Yes []float64 }
type Labels struct{ First, Cell []int32 }
type Vectors struct{}
type Answers struct{ Sigma float64 }
func (a Answers) Gaussian() bool { return a.Sigma > 0 }
type Problem struct { Shares *Shares; Labels *Labels; Vectors *Vectors; Answers Answers; Offset []float32; T int; Known []float32 }
func (p *Problem) IsArms() bool { return false }
func (p *Problem) Closed(i int) bool { return false }
`
	const user = `package user
import "mapo/game"
func f(p *game.Problem, s *game.Shares) (n int) {
	if p.Shares != nil { n++ }               // 1
	if s == nil { n++ }                      // 2
	if p.Labels != nil && p.Labels.First != nil { n++ } // 3, 4
	if p.Answers.Sigma > 0 { n++ }           // 5
	if p.Answers == (game.Answers{}) { n++ } // 6
	if p.IsArms() || p.Answers.Gaussian() { n++ } // 7, 8
	if len(p.Offset) > 0 { n++ }             // 9
	if p.T > 3 || p.Known == nil || p.Closed(1) || len(p.Labels.Cell) > 3 { n++ }
	return n
}
`
	set := token.NewFileSet()
	base, _ := checked(t, set, "mapo/game", game, importer.Default())
	_, info := checked(t, set, "user", user, one{base})
	var got int
	for _, f := range info.files {
		ast.Inspect(f, func(n ast.Node) bool {
			if asks(info.Info, n) != "" {
				got++
			}
			return true
		})
	}
	if got != 9 {
		t.Errorf("%d questions, want 9", got)
	}
}

// one imports a single package.
type one struct{ *types.Package }

func (o one) Import(string) (*types.Package, error) { return o.Package, nil }

type source struct {
	*types.Info
	files []*ast.File
}

func checked(t *testing.T, set *token.FileSet, path, text string, from types.Importer) (*types.Package, source) {
	t.Helper()
	f, err := parser.ParseFile(set, path+".go", text, 0)
	if err != nil {
		t.Fatal(err)
	}
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{}, Defs: map[*ast.Ident]types.Object{}}
	pkg, err := (&types.Config{Importer: from}).Check(path, set, []*ast.File{f}, info)
	if err != nil {
		t.Fatal(err)
	}
	return pkg, source{info, []*ast.File{f}}
}

// TestRepeated: a name is one too many from the fourth declaration on, unless an interface asks for it.
func TestRepeated(t *testing.T) {
	const text = `package user
type asked interface{ Ask() }
type a struct{}
type b struct{}
type c struct{}
type d struct{}
func (a) Ask() {}
func (b) Ask() {}
func (*c) Ask() {}
func (d) Ask() {}
func (a) told() {}
func (b) told() {}
func (*c) told() {}
func told() {}
func (a) thrice() {}
func (b) thrice() {}
func thrice() {}
func init() {}
func init() {}
func init() {}
func init() {}
`
	pkg, info := checked(t, token.NewFileSet(), "user", text, importer.Default())
	got := repeated([]*packages.Package{{PkgPath: "user", Types: pkg, TypesInfo: info.Info, Syntax: info.files}})
	if want := []string{"user told is declared 4 times"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
