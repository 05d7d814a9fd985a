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
type Goal interface{ Words() *Words }
type Answer interface{ Noun() string; Names() []string }
type Words struct{ Query string }
type Shares struct{ Wrong *float64 }
func (*Shares) Words() *Words { return nil }
type Labels struct{ First, Cell []int32 }
type Answers struct{ Sigma float64 }
func (a Answers) IsNumber() bool { return a.Sigma > 0 }
type Questions struct{}
func (Questions) Tells() float64 { return 1 }
type Problem struct { Seek Goal; Reply Answer; T int; Known []float32 }
func (p *Problem) Goal() Goal { return p.Seek }
func (p *Problem) Answer() Answer { return p.Reply }
func (p *Problem) IsArms() bool { return false }
func (p *Problem) Closed(i int) bool { return false }
func (p *Problem) Each(rows, arms func()) {}
func (p *Problem) Questions() Questions { return Questions{} }
`
	const user = `package user
import "mapo/game"
func f(p *game.Problem, s *game.Shares, l *game.Labels, a game.Answers, by map[string]int) (n int) {
	if p.Seek != nil { n++ }                 // 1
	if s == nil { n++ }                      // 2
	if l.First != nil { n++ }                // 3
	if a.Sigma > 0 { n++ }                   // 4
	if p.Goal().Words().Query == "item" { n++ } // 5
	if p.IsArms() || a.IsNumber() { n++ }    // 6, 7
	if p.Answer().Noun() == "numbers" || len(p.Answer().Names()) == 0 { n++ } // 8, 9
	switch p.Goal().(type) { case *game.Shares: n++ } // 10
	if _, is := p.Goal().(*game.Shares); is { n++ } // 11
	n += by[p.Goal().Words().Query]          // 12
	var m map[game.Goal]int                  // 13
	p.Each(func() {}, func() {})             // 14
	switch p.Answer().Noun() { case "": n++ } // 15
	if p.T > 3 || p.Known == nil || p.Closed(1) || len(l.Cell) > 3 || s.Wrong == nil || p.Questions().Tells() > 1 { n++ }
	return n + len(m)
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
	if got != 15 {
		t.Errorf("%d questions, want 15", got)
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
