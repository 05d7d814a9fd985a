package mapo_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// What the paper has, so that docs/paper.md leaves nothing out.
const (
	equations  = 12
	algorithms = 4
	appendices = "ABCDEFGHIJ"
	readings   = 19
)

// TestPaper: every name and file docs/paper.md gives exists, every part of the paper has a row, every reading is
// there, and the code cites none that is not.
func TestPaper(t *testing.T) {
	doc, err := os.ReadFile("docs/paper.md")
	if err != nil {
		t.Fatal(err)
	}
	sources := moduleSources(t, ".")
	names := declared(t, sources)
	rows := codeRows(string(doc))
	for _, fault := range slices.Concat(nameFaults("docs/paper.md", rows, names), proseFaults("docs/paper.md", string(doc), names), coverFaults(rows), readingFaults(string(doc)), citeFaults(sources)) {
		t.Error(fault)
	}
}

// TestAlgorithm: every line of the default trainer's pseudocode names a function that exists, and lines are numbered from 1.
func TestAlgorithm(t *testing.T) {
	const page = "docs/paper.md"
	doc, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, section, ok := strings.Cut(string(doc), "\n## The default trainer\n")
	if !ok {
		t.Fatalf("%s: no section headed The default trainer", page)
	}
	section, _, _ = strings.Cut(section, "\n## ")
	section = strings.Repeat("\n", strings.Count(before, "\n")+2) + section // lines are the page's
	names := declared(t, moduleSources(t, "."))
	rows := codeRows(section)
	for _, fault := range slices.Concat(nameFaults(page, rows, names), lineFaults(page, rows)) {
		t.Error(fault)
	}
}

// lineFaults returns a line for each row whose first cell is not 1 in the first row of a table and one more in each
// row after it.
func lineFaults(page string, rows []codeRow) []string {
	var faults []string
	for i, r := range rows {
		want := 1
		if i > 0 && rows[i-1].line == r.line-1 {
			want, _ = strconv.Atoi(rows[i-1].part)
			want++
		}
		if r.part != strconv.Itoa(want) {
			faults = append(faults, fmt.Sprintf("%s:%d: line %s stands where %d should", page, r.line, r.part, want))
		}
	}
	return faults
}

// codeRow is a row of a table that has a column headed "code".
type codeRow struct {
	line int
	part string // the first cell: what of the paper it is
	code string
}

// codeRows returns the rows of every such table of a Markdown text.
func codeRows(doc string) []codeRow {
	var rows []codeRow
	column := -1 // of "code" in the table being read
	for i, line := range strings.Split(doc, "\n") {
		if !strings.HasPrefix(line, "|") {
			column = -1
			continue
		}
		cells := strings.Split(strings.Trim(line, "|"), "|")
		for j := range cells {
			cells[j] = strings.TrimSpace(cells[j])
		}
		switch {
		case slices.Contains(cells, "code"):
			column = slices.Index(cells, "code")
		case column >= 0 && column < len(cells) && !strings.HasPrefix(cells[0], "---"):
			rows = append(rows, codeRow{i + 1, cells[0], cells[column]})
		}
	}
	return rows
}

var backticked = regexp.MustCompile("`([^`]+)`")

// nameFaults returns a line for each name in rows that is not declared, and for each row without a name
// that does not say, after a dash, why it has none.
func nameFaults(page string, rows []codeRow, names map[string]bool) []string {
	var faults []string
	if len(rows) == 0 {
		faults = append(faults, page+": no table has a column headed code")
	}
	for _, r := range rows {
		found := backticked.FindAllStringSubmatch(r.code, -1)
		if len(found) == 0 && !(strings.HasPrefix(r.code, "— ") && len(r.code) > len("— ")) {
			faults = append(faults, fmt.Sprintf("%s:%d: %s: no name, and no reason after a dash", page, r.line, r.part))
		}
		for _, m := range found {
			if !names[m[1]] {
				faults = append(faults, fmt.Sprintf("%s:%d: %s: there is no %s in the code", page, r.line, r.part, m[1]))
			}
		}
	}
	return faults
}

var (
	qualified = regexp.MustCompile(`^[a-z]+\.[A-Z]\w*(\.\w+)*$`)
	goFile    = regexp.MustCompile(`^[a-z/_]+\.go$`)
)

// proseFaults returns a line for each name with its package, and each file, that a text gives and the code does not have,
// but for package.Name and the like, by which the text says what names look like.
func proseFaults(page, doc string, names map[string]bool) []string {
	var faults []string
	for i, line := range strings.Split(doc, "\n") {
		for _, m := range backticked.FindAllStringSubmatch(line, -1) {
			missing := qualified.MatchString(m[1]) && !strings.HasPrefix(m[1], "package.") && !names[m[1]]
			if goFile.MatchString(m[1]) {
				_, err := os.Stat(m[1])
				missing = err != nil
			}
			if missing {
				faults = append(faults, fmt.Sprintf("%s:%d: there is no %s in the code", page, i+1, m[1]))
			}
		}
	}
	return faults
}

// coverFaults returns a line for each equation, algorithm and appendix that no row begins with.
func coverFaults(rows []codeRow) []string {
	var parts []string
	for n := range equations {
		parts = append(parts, fmt.Sprintf("Eq. %d", n+1))
	}
	for n := range algorithms {
		parts = append(parts, fmt.Sprintf("Alg. %d", n+1))
	}
	for _, letter := range appendices {
		parts = append(parts, "App. "+string(letter))
	}
	var faults []string
	for _, part := range parts {
		whole := regexp.MustCompile(`^` + regexp.QuoteMeta(part) + `\b`)
		if !slices.ContainsFunc(rows, func(r codeRow) bool { return whole.MatchString(r.part) }) {
			faults = append(faults, "docs/paper.md: no row for "+part)
		}
	}
	return faults
}

var numbered = regexp.MustCompile(`(?m)^(\d+)\. `)

// readingFaults checks that the section headed "Readings" numbers its items 1 to 19.
func readingFaults(doc string) []string {
	_, section, ok := strings.Cut(doc, "\n## Readings\n")
	if !ok {
		return []string{"docs/paper.md: no section headed Readings"}
	}
	section, _, _ = strings.Cut(section, "\n## ")
	var faults []string
	items := numbered.FindAllStringSubmatch(section, -1)
	for i, m := range items {
		if m[1] != strconv.Itoa(i+1) {
			faults = append(faults, fmt.Sprintf("docs/paper.md: reading %s stands where %d should", m[1], i+1))
		}
	}
	if len(items) != readings {
		faults = append(faults, fmt.Sprintf("docs/paper.md: %d readings, want %d", len(items), readings))
	}
	return faults
}

var cited = regexp.MustCompile(`\b(?:([Rr]eading)|(Eq\.)) (\d+)\b`)

// citeFaults returns a line for each comment that cites a reading or an equation that does not exist.
func citeFaults(sources map[string][]byte) []string {
	var faults []string
	for _, file := range slices.Sorted(maps.Keys(sources)) {
		for _, m := range cited.FindAllSubmatch(sources[file], -1) {
			n, err := strconv.Atoi(string(m[3]))
			if limit := map[bool]int{true: readings, false: equations}[len(m[1]) > 0]; err != nil || n < 1 || n > limit {
				faults = append(faults, fmt.Sprintf("%s: cites %s, which docs/paper.md does not have", file, m[0]))
			}
		}
	}
	return faults
}

// declared returns what the sources declare at top level, outside tests, as package.Name, and the fields
// and methods of named types as package.Type.Name.
func declared(t *testing.T, sources map[string][]byte) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	for file, source := range sources {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, source, parser.SkipObjectResolution)
		if err != nil {
			t.Errorf("%s: %v", path.Dir(file), err)
			continue
		}
		for _, decl := range parsed.Decls {
			for _, name := range declNames(decl) {
				names[parsed.Name.Name+"."+name] = true
			}
		}
	}
	return names
}

// declNames returns the names one top-level declaration makes, those of fields and methods behind their
// type's.
func declNames(decl ast.Decl) []string {
	if f, ok := decl.(*ast.FuncDecl); ok {
		if f.Recv != nil {
			return []string{baseType(f.Recv.List[0].Type) + "." + f.Name.Name}
		}
		return []string{f.Name.Name}
	}
	var names []string
	for _, spec := range decl.(*ast.GenDecl).Specs {
		switch spec := spec.(type) {
		case *ast.ValueSpec:
			for _, id := range spec.Names {
				names = append(names, id.Name)
			}
		case *ast.TypeSpec:
			names = append(names, spec.Name.Name)
			for _, m := range members(spec.Type) {
				names = append(names, spec.Name.Name+"."+m)
			}
		}
	}
	return names
}

// members returns the field names of a struct type, or the method names of an interface type.
func members(typ ast.Expr) []string {
	var list *ast.FieldList
	switch typ := typ.(type) {
	case *ast.StructType:
		list = typ.Fields
	case *ast.InterfaceType:
		list = typ.Methods
	default:
		return nil
	}
	var names []string
	for _, field := range list.List {
		for _, id := range field.Names {
			names = append(names, id.Name)
		}
	}
	return names
}

// baseType returns the name of a receiver's type: T of T, *T, T[P] and *T[P, Q].
func baseType(typ ast.Expr) string {
	switch typ := typ.(type) {
	case *ast.Ident:
		return typ.Name
	case *ast.StarExpr:
		return baseType(typ.X)
	case *ast.IndexExpr:
		return baseType(typ.X)
	case *ast.IndexListExpr:
		return baseType(typ.X)
	}
	return ""
}

// TestDeclared: the look-up finds every kind of name, and no name of a test, a comment or a function's
// inside.
func TestDeclared(t *testing.T) {
	names := declared(t, map[string][]byte{
		"a/a.go": []byte(`package a
			const One, Two = 1, 2
			var V = func() int { inner := 1; return inner }()
			type T struct { F, G int; Embedded; in struct{ Deep int } }
			type I interface { M() }
			type P[K any] struct{}
			func (t *T) Do() {}
			func (p P[K]) At() {}
			func Fn() { type Local struct{} }
			// type Commented struct{}`),
		"a/a_test.go": []byte(`package a; func TestOnly() {}`),
	})
	want := []string{"a.Fn", "a.I", "a.I.M", "a.One", "a.P", "a.P.At", "a.T", "a.T.Do", "a.T.F", "a.T.G", "a.T.in", "a.Two", "a.V"}
	if got := slices.Sorted(maps.Keys(names)); !slices.Equal(got, want) {
		t.Errorf("declared = %q, want %q", got, want)
	}
}

// TestPaperFaults plants each fault in a small document.
func TestPaperFaults(t *testing.T) {
	doc := "| paper | code | note |\n|---|---|---|\n" +
		"| Eq. 1 | `a.Here` | `not.Looked` |\n" +
		"| Eq. 10, in full | `a.Here`, `a.Gone` | |\n" +
		"| Alg. 3 | — restates Alg. 2 | |\n" +
		"| App. F | — | |\n" +
		"| App. G | prose | |\n\n" +
		"| other | table |\n|---|---|\n| x | `b.NoCodeColumn` |\n"
	rows := codeRows(doc)
	if len(rows) != 5 {
		t.Fatalf("codeRows found %d rows, want 5: %v", len(rows), rows)
	}
	got := nameFaults("docs/paper.md", rows, map[string]bool{"a.Here": true})
	want := []string{
		"docs/paper.md:4: Eq. 10, in full: there is no a.Gone in the code",
		"docs/paper.md:6: App. F: no name, and no reason after a dash",
		"docs/paper.md:7: App. G: no name, and no reason after a dash",
	}
	if !slices.Equal(got, want) {
		t.Errorf("nameFaults = %q, want %q", got, want)
	}
	if got := nameFaults("docs/paper.md", nil, nil); len(got) != 1 {
		t.Errorf("nameFaults of no table = %q, want one", got)
	}
	missing := coverFaults(rows)
	if n := equations + algorithms + len(appendices) - 5; len(missing) != n {
		t.Errorf("coverFaults = %d lines, want %d: %q", len(missing), n, missing)
	}
	for _, there := range []string{"Eq. 1", "Eq. 10", "App. G"} {
		if slices.Contains(missing, "docs/paper.md: no row for "+there) {
			t.Errorf("coverFaults misses %s, which has a row", there)
		}
	}
}

// TestLineFaults: a line left out, one twice and a table that does not begin at 1 are found.
func TestLineFaults(t *testing.T) {
	doc := "| line | code |\n|---|---|\n| 1 | `a.A` |\n| 3 | `a.A` |\n| 3 | `a.A` |\n| 4 | `a.A` |\n\n| line | code |\n|---|---|\n| 2 | `a.A` |\n"
	got := lineFaults("p.md", codeRows(doc))
	want := []string{"p.md:4: line 3 stands where 2 should", "p.md:5: line 3 stands where 4 should", "p.md:10: line 2 stands where 1 should"}
	if !slices.Equal(got, want) {
		t.Errorf("lineFaults = %q, want %q", got, want)
	}
}

func TestReadingFaults(t *testing.T) {
	var sound strings.Builder
	sound.WriteString("# Paper\n1. not a reading\n\n## Readings\n\n")
	for n := range readings {
		fmt.Fprintf(&sound, "%d. Text\n   3. indented\n", n+1)
	}
	sound.WriteString("\n## After\n\n1. not a reading\n")
	for _, c := range []struct {
		doc  string
		want int
		why  string
	}{
		{sound.String(), 0, "sound"},
		{"# Paper\n", 1, "no section"},
		{strings.Replace(sound.String(), "7. Text", "8. Text", 1), 1, "a number twice"},
		{strings.Replace(sound.String(), "19. Text", "and", 1), 1, "one too few"},
	} {
		if got := readingFaults(c.doc); len(got) != c.want {
			t.Errorf("%s: %q, want %d", c.why, got, c.want)
		}
	}
}

func TestCiteFaults(t *testing.T) {
	source := "// %s 2 and Eq. 9–10, %s 19; Eq. %d, %s %d, pre%s 40\npackage a"
	reading := "reading" // apart from its number, or this file would cite it
	planted := fmt.Sprintf(source, reading, reading, 13, reading, 20, reading)
	if got := citeFaults(map[string][]byte{"a.go": []byte(planted)}); len(got) != 2 {
		t.Errorf("citeFaults = %q, want two", got)
	}
}

var (
	linked  = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	fenced  = regexp.MustCompile("(?ms)^ *```.*?^ *```")
	heading = regexp.MustCompile(`(?m)^#+ (.*)$`)
	unslug  = regexp.MustCompile(`[^\p{L}\p{N}_ -]`)
)

// TestLinks: the files and headings that documents link to exist.
func TestLinks(t *testing.T) {
	pages := map[string]string{}
	err := filepath.WalkDir(".", func(path string, _ os.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".md") {
			var doc []byte
			doc, err = os.ReadFile(path)
			pages[filepath.ToSlash(path)] = string(doc)
		}
		return err
	})
	if err != nil || len(pages) < 10 {
		t.Fatalf("%d documents, %v", len(pages), err)
	}
	for _, fault := range linkFaults(pages) {
		t.Error(fault)
	}
}

// linkFaults returns a line for each link to a file or a heading that does not exist. Addresses of other hosts are not looked at.
func linkFaults(pages map[string]string) (faults []string) {
	anchors := map[string]map[string]bool{}
	for page, doc := range pages {
		anchors[page] = map[string]bool{"": true}
		for _, m := range heading.FindAllStringSubmatch(fenced.ReplaceAllString(doc, ""), -1) {
			anchors[page][strings.ReplaceAll(unslug.ReplaceAllString(strings.ToLower(m[1]), ""), " ", "-")] = true
		}
	}
	for _, page := range slices.Sorted(maps.Keys(pages)) {
		for _, m := range linked.FindAllStringSubmatch(fenced.ReplaceAllString(pages[page], ""), -1) {
			if strings.Contains(m[1], ":") {
				continue
			}
			file, anchor, _ := strings.Cut(m[1], "#")
			if file == "" {
				file = path.Base(page)
			}
			file = path.Join(path.Dir(page), file)
			if there, known := anchors[file]; known && !there[anchor] {
				faults = append(faults, fmt.Sprintf("%s: %s has no heading %s", page, file, anchor))
			} else if _, err := os.Stat(file); !known && err != nil {
				faults = append(faults, fmt.Sprintf("%s: there is no %s", page, file))
			}
		}
	}
	return faults
}

// TestLinkFaults plants links to what does not exist.
func TestLinkFaults(t *testing.T) {
	got := linkFaults(map[string]string{
		"docs/a.md": "# A `b`, c\n[here](#a-b-c) [there](b.md#x) [gone](b.md#y) [file](../go.mod) [no file](no.md) [web](https://x/#y)\n```\n# y\n[code](z.md)\n```\n",
		"docs/b.md": "## X\n[up](#z)\n",
	})
	want := []string{"docs/a.md: docs/b.md has no heading y", "docs/a.md: there is no docs/no.md", "docs/b.md: docs/b.md has no heading z"}
	if !slices.Equal(got, want) {
		t.Errorf("linkFaults = %q, want %q", got, want)
	}
}

// TestNamedTests: every folder whose tests a page, a script or CI runs has tests.
func TestNamedTests(t *testing.T) {
	named := 0
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/*.sh", "bench/*.md", ".ci/run"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: no files, %v", pattern, err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, line := range regexp.MustCompile(`go test .*`).FindAllString(string(text), -1) {
				for _, folder := range regexp.MustCompile(` \./([a-z0-9/-]*[a-z0-9])`).FindAllStringSubmatch(line, -1) {
					named++
					if tests, _ := filepath.Glob(folder[1] + "/*_test.go"); len(tests) == 0 && !strings.Contains(line, folder[1]+"/...") && !strings.Contains(line, "-C tools") {
						t.Errorf("%s: %s has no tests: %s", file, folder[1], line)
					}
				}
			}
		}
	}
	if named < 20 {
		t.Errorf("%d folders are named; the pattern no longer matches", named)
	}
}
