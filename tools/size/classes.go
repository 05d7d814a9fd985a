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

// kinds are the types of package game that only some problems have, and the two interfaces that they stand behind.
var kinds = []string{"Goal", "Answer", "Majorities", "Arms", "Shares", "Vectors", "Labels", "YesNo", "Answers", "Classes"}

// sentinels are fields that say which kind of problem it is where they are compared, by their type.
var sentinels = map[string][]string{"Answers": nil, "Words": nil, "Labels": {"First", "Of"}}

// ownFiles are the files of package game that hold its kinds.
var ownFiles = []string{"majorities.go", "shares.go", "vectors.go", "span.go", "labels.go", "class.go", "answer.go", "answers.go", "wire.go", "document.go"}

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
		for _, file := range p.Syntax {
			if p.PkgPath == "mapo/internal/check" || p.PkgPath == "mapo/game" && slices.Contains(ownFiles, filepath.Base(p.Fset.Position(file.Pos()).Filename)) {
				continue
			}
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
			if ofKind(info, side) {
				return "comparison with " + types.ExprString(side)
			}
		}
	case *ast.SwitchStmt:
		if n.Tag != nil && ofKind(info, n.Tag) {
			return "switch on " + types.ExprString(n.Tag)
		}
	case *ast.CallExpr:
		if selector, ok := n.Fun.(*ast.SelectorExpr); ok {
			f, _ := info.Uses[selector.Sel].(*types.Func)
			switch {
			case f == nil:
			case isPredicate(f):
				return "call of " + f.Name()
			case takesFunctions(f):
				return "callbacks for " + f.Name()
			}
		}
	case *ast.TypeAssertExpr: // a switch on types is one
		if named(info.TypeOf(n.X), kinds) {
			return "type of " + types.ExprString(n.X)
		}
	case *ast.MapType:
		if named(info.TypeOf(n.Key), kinds) {
			return "map keyed by " + types.ExprString(n.Key)
		}
	case *ast.IndexExpr:
		if _, is := info.TypeOf(n.X).Underlying().(*types.Map); is && ofKind(info, n.Index) {
			return "map by " + types.ExprString(n.Index)
		}
	}
	return ""
}

// ofKind reports whether an expression is a kind, or what says which one it is.
func ofKind(info *types.Info, e ast.Expr) bool {
	e = ast.Unparen(e)
	if call, ok := e.(*ast.CallExpr); ok && len(call.Args) == 1 && types.ExprString(call.Fun) == "len" {
		e = call.Args[0]
	}
	if named(info.TypeOf(e), kinds) {
		return true
	}
	if call, ok := e.(*ast.CallExpr); ok {
		selector, ok := call.Fun.(*ast.SelectorExpr)
		return ok && named(info.TypeOf(selector.X), kinds) && (selector.Sel.Name == "Noun" || selector.Sel.Name == "Names")
	}
	selector, ok := e.(*ast.SelectorExpr)
	if !ok || info.Selections[selector] == nil || info.Selections[selector].Kind() != types.FieldVal {
		return false
	}
	for of, fields := range sentinels {
		if named(info.Selections[selector].Recv(), []string{of}) && (fields == nil || slices.Contains(fields, selector.Sel.Name)) {
			return true
		}
	}
	return false
}

// isPredicate reports whether f is an exported method of a problem's type, without parameters, that returns a bool.
func isPredicate(f *types.Func) bool {
	sig := f.Signature()
	if !ofGame(f) || sig.Params().Len() > 0 || sig.Results().Len() != 1 {
		return false
	}
	b, ok := sig.Results().At(0).Type().Underlying().(*types.Basic)
	return ok && b.Kind() == types.Bool
}

// takesFunctions reports whether f takes a function for each of several kinds.
func takesFunctions(f *types.Func) bool {
	sig, n := f.Signature(), 0
	for i := 0; ofGame(f) && i < sig.Params().Len(); i++ {
		if _, is := sig.Params().At(i).Type().Underlying().(*types.Signature); is {
			n++
		}
	}
	return n > 1
}

// ofGame reports whether f is an exported method of a problem, of its questions, or of a kind.
func ofGame(f *types.Func) bool {
	recv := f.Signature().Recv()
	return f.Exported() && recv != nil && named(recv.Type(), append([]string{"Problem", "Questions", "Words"}, kinds...))
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
