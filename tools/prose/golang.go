package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

var directive = regexp.MustCompile(`^//[a-z0-9]+:[a-z0-9]`)

// checkGo returns the findings of a Go file: of its comments, its texts and the help of its commands. A file that does
// not parse has none, as the compiler reports it.
func checkGo(name, source string, retired *retired) (list []finding) {
	files := token.NewFileSet()
	parsed, err := parser.ParseFile(files, name, source, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil
	}
	for _, group := range parsed.Comments {
		for _, b := range commentBlocks(files, group) {
			list = append(append(list, retired.in(b)...), tooLong(sentences(b))...)
		}
	}
	ast.Inspect(parsed, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec:
			return false
		case *ast.FuncDecl:
			if word := noVerb(n); word != "" && !strings.HasSuffix(name, "_test.go") {
				list = append(list, finding{files.Position(n.Doc.Pos()).Line, "verb", fmt.Sprintf("%q: say what the function does, such as %q", n.Name.Name+" "+word, n.Name.Name+" returns")})
			}
		case *ast.BasicLit:
			list = append(list, retired.in(textBlock(files, n))...)
		case *ast.KeyValueExpr:
			if key, ok := n.Key.(*ast.Ident); ok && (key.Name == "Short" || key.Name == "Long") {
				for _, b := range helpBlocks(files, n.Value) {
					list = append(list, tooLong(sentences(b))...)
				}
			}
		}
		return true
	})
	return list
}

// noVerb returns the word behind the name in a function's comment where that says what the function is or has; "" of others.
func noVerb(f *ast.FuncDecl) string {
	words := strings.Fields(f.Doc.Text())
	if len(words) < 2 || words[0] != f.Name.Name || !slices.Contains([]string{"is", "are", "was", "were", "has", "have"}, words[1]) {
		return ""
	}
	return words[1]
}

// commentBlocks returns the paragraphs and list items of a comment, without directives and code.
func commentBlocks(files *token.FileSet, group *ast.CommentGroup) []block {
	var p paragraphs
	for _, c := range group.List {
		at := files.Position(c.Pos()).Line
		if directive.MatchString(c.Text) {
			continue
		}
		for i, line := range strings.Split(strings.TrimSuffix(strings.TrimPrefix(c.Text, "/*"), "*/"), "\n") {
			p.read(strings.TrimPrefix(line, "//"), at+i)
		}
	}
	return p.end()
}

// paragraphs collects the blocks of a comment or a help text.
type paragraphs struct {
	blocks []block
	open   block
}

func (p *paragraphs) read(line string, at int) {
	code := strings.HasPrefix(line, "\t") || strings.HasPrefix(line, "    ")
	item := bullet.MatchString(line)
	if code && !item && len(p.open.words) == 0 {
		return
	}
	if strings.TrimSpace(line) == "" || item {
		p.end()
	}
	p.open.add(strip(bullet.ReplaceAllString(line, "")), at)
}

func (p *paragraphs) end() []block {
	if len(p.open.words) > 0 {
		p.blocks = append(p.blocks, p.open)
	}
	p.open = block{}
	return p.blocks
}

// textBlock returns the words of a string that has at least one blank: others are names.
func textBlock(files *token.FileSet, lit *ast.BasicLit) (b block) {
	text, err := strconv.Unquote(lit.Value)
	if lit.Kind != token.STRING || err != nil || !strings.Contains(strings.TrimSpace(text), " ") {
		return b
	}
	at := files.Position(lit.Pos()).Line
	if !strings.HasPrefix(lit.Value, "`") {
		b.add(text, at)
		return b
	}
	for i, line := range strings.Split(text, "\n") {
		b.add(line, at+i)
	}
	return b
}

// helpBlocks returns the paragraphs of a text that is made of strings and their sums.
func helpBlocks(files *token.FileSet, e ast.Expr) []block {
	var p paragraphs
	ast.Inspect(e, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			at := files.Position(lit.Pos()).Line
			text, _ := strconv.Unquote(lit.Value)
			for i, line := range strings.Split(text, "\n") {
				if i > 0 && !strings.HasPrefix(lit.Value, "`") {
					p.end()
				}
				if strings.HasPrefix(lit.Value, "`") {
					p.read(line, at+i)
				} else {
					p.read(line, at)
				}
			}
		}
		return true
	})
	return p.end()
}
