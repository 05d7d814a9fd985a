package main

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// classFields are the fields of game.Problem that are nil, or zero, but for some classes of problem.
var classFields = []string{"Shares", "Vectors", "Labels", "Anchors", "Offset", "Majority", "Answers"}

// classTypes are the types of package game that only some classes of problem have.
var classTypes = []string{"Shares", "Vectors", "Labels", "Answers"}

// question is a place that asks which class of problem it has.
type question struct{ path, file, text string }

func (q question) String() string { return q.path + " " + q.file + " " + q.text }

type questions []question

// byPackage returns how many questions each package has.
func (all questions) byPackage() map[string]int {
	out := map[string]int{}
	for _, q := range all {
		out[q.path]++
	}
	return out
}

// load returns the packages of the module at root, without their tests.
func load(root string) ([]*packages.Package, error) {
	list, err := packages.Load(&packages.Config{
		Dir:  root,
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesInfo | packages.NeedExportFile | packages.NeedImports,
	}, "mapo/...")
	if err != nil {
		return nil, err
	}
	if packages.PrintErrors(list) > 0 {
		return nil, fmt.Errorf("the module does not compile")
	}
	return list, nil
}

// classQuestions returns the class questions of the module's packages, outside of package game: comparisons of what only some
// classes have, calls of exported predicates of package game, and assertions and switches on its types.
func classQuestions(list []*packages.Package) questions {
	var out questions
	for _, p := range list {
		if p.PkgPath == "mapo/game" {
			continue
		}
		for _, file := range p.Syntax {
			ast.Inspect(file, func(n ast.Node) bool {
				if text := asks(p.TypesInfo, n); text != "" {
					at := p.Fset.Position(n.Pos())
					out = append(out, question{p.PkgPath, fmt.Sprintf("%s:%d", filepath.Base(at.Filename), at.Line), text})
				}
				return true
			})
		}
	}
	slices.SortFunc(out, func(a, b question) int { return cmp.Or(cmp.Compare(a.path, b.path), cmp.Compare(a.file, b.file)) })
	return out
}

// asks returns what a node asks about the class of a problem, or "".
func asks(info *types.Info, n ast.Node) string {
	switch n := n.(type) {
	case *ast.BinaryExpr:
		if !slices.Contains([]token.Token{token.EQL, token.NEQ, token.GTR, token.LSS, token.GEQ, token.LEQ}, n.Op) {
			return ""
		}
		for _, side := range []ast.Expr{n.X, n.Y} {
			if ofClass(info, side) {
				return "comparison with " + types.ExprString(side)
			}
		}
	case *ast.CallExpr:
		if selector, ok := n.Fun.(*ast.SelectorExpr); ok {
			if f, ok := info.Uses[selector.Sel].(*types.Func); ok && isPredicate(f) {
				return "call of " + f.Name()
			}
		}
	case *ast.TypeAssertExpr:
		if n.Type != nil && named(info.TypeOf(n.X), classTypes) {
			return "assertion of " + types.ExprString(n.Type)
		}
	}
	return ""
}

// ofClass reports whether an expression is what only some classes of problem have, or a field of that.
func ofClass(info *types.Info, e ast.Expr) bool {
	e = ast.Unparen(e)
	if call, ok := e.(*ast.CallExpr); ok && len(call.Args) == 1 && types.ExprString(call.Fun) == "len" {
		e = call.Args[0]
	}
	if named(info.TypeOf(e), classTypes) {
		return true
	}
	selector, ok := e.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	s := info.Selections[selector]
	if s == nil || s.Kind() != types.FieldVal {
		return false
	}
	switch {
	case named(s.Recv(), []string{"Problem"}):
		return slices.Contains(classFields, selector.Sel.Name)
	case named(s.Recv(), []string{"Answers"}):
		return true
	case named(s.Recv(), []string{"Labels"}):
		return selector.Sel.Name == "First" || selector.Sel.Name == "Of"
	}
	return false
}

// isPredicate reports whether f is an exported method of a problem's type, without parameters, that returns a bool.
func isPredicate(f *types.Func) bool {
	sig := f.Signature()
	if f.Pkg() == nil || f.Pkg().Path() != "mapo/game" || !f.Exported() || sig.Recv() == nil || sig.Params().Len() > 0 || sig.Results().Len() != 1 {
		return false
	}
	b, ok := sig.Results().At(0).Type().Underlying().(*types.Basic)
	return ok && b.Kind() == types.Bool && named(sig.Recv().Type(), append([]string{"Problem"}, classTypes...))
}

// named reports whether t is one of some types of package game, or a pointer to one.
func named(t types.Type, names []string) bool {
	if t == nil {
		return false
	}
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem()
	}
	n, ok := t.(*types.Named)
	return ok && n.Obj().Pkg() != nil && strings.HasSuffix(n.Obj().Pkg().Path(), "mapo/game") && slices.Contains(names, n.Obj().Name())
}
