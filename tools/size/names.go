package main

import (
	"fmt"
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// mostSame is how many functions and methods of one name a package may declare, so that a search for the name finds the one that is
// meant.
const mostSame = 3

// repeated returns, in order, the names of functions and methods that a package declares more often than [mostSame], with how
// often. Methods count where no interface that the package can see asks for them of their type.
func repeated(list []*packages.Package) []string {
	faces := interfaces(list)
	var out []string
	for _, p := range list {
		count := map[string]int{}
		for _, file := range p.Syntax {
			for _, d := range file.Decls {
				f, ok := d.(*ast.FuncDecl)
				if ok && f.Name.Name != "init" && f.Name.Name != "_" && !demanded(p.TypesInfo.Defs[f.Name].(*types.Func), faces) {
					count[f.Name.Name]++
				}
			}
		}
		for name, n := range count {
			if n > mostSame {
				out = append(out, fmt.Sprintf("%s %s is declared %d times", p.PkgPath, name, n))
			}
		}
	}
	slices.Sort(out)
	return out
}

// demanded reports whether an interface asks for f of the type that has it.
func demanded(f *types.Func, faces map[string][]*types.Interface) bool {
	receiver := f.Signature().Recv()
	if receiver == nil {
		return false
	}
	t := receiver.Type()
	if _, pointer := t.(*types.Pointer); !pointer {
		t = types.NewPointer(t)
	}
	return slices.ContainsFunc(faces[f.Name()], func(i *types.Interface) bool { return types.Implements(t, i) })
}

// interfaces returns the interfaces that the packages name, write out or import, by the names of their methods.
func interfaces(list []*packages.Package) map[string][]*types.Interface {
	out := map[string][]*types.Interface{}
	add := func(t types.Type) {
		i, ok := t.Underlying().(*types.Interface)
		if !ok || i.NumMethods() == 0 {
			return
		}
		for m := range i.Methods() {
			if !slices.Contains(out[m.Name()], i) {
				out[m.Name()] = append(out[m.Name()], i)
			}
		}
	}
	seen := map[*types.Package]bool{}
	var visit func(*types.Package)
	visit = func(p *types.Package) {
		if seen[p] {
			return
		}
		seen[p] = true
		for _, name := range p.Scope().Names() {
			if named, ok := p.Scope().Lookup(name).Type().(*types.Named); ok && named.TypeParams() == nil {
				add(named)
			}
		}
		for _, imported := range p.Imports() {
			visit(imported)
		}
	}
	for _, p := range list {
		visit(p.Types)
		for e, tv := range p.TypesInfo.Types {
			if _, literal := e.(*ast.InterfaceType); literal && strings.HasPrefix(p.PkgPath, "mapo") {
				add(tv.Type)
			}
		}
	}
	return out
}
