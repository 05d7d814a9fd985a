package mapo_test

import (
	"fmt"
	"go/parser"
	"go/token"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestPackagesNamed: the packages that comments name exist, so that go doc finds them.
func TestPackagesNamed(t *testing.T) {
	for _, fault := range packageFaults(moduleSources(t, ".")) {
		t.Error(fault)
	}
}

var (
	packagePath = regexp.MustCompile(`(?:^|[\s(\["])` + module + `((?:/[a-z0-9_-]+)+)`)
	// packageNames is "package a", or "packages a, b (what b does) and c". The word before says whether names follow.
	packageNames = regexp.MustCompile(`(?:(\w+)\s+)?[Pp]ackage(?:\s+([a-z][a-z0-9/]*)|s:?\s+([a-z][a-z0-9/]*(?:\s\([^)]*\))?(?:(?:, | and |, and )[a-z][a-z0-9/]*(?:\s\([^)]*\))?)*))`)
	aside        = regexp.MustCompile(`\s\([^)]*\)`)
	separator    = regexp.MustCompile(`, and | and |, `)
)

// notNamed are words before "package" that no name follows.
var notNamed = []string{"a", "each", "every", "no", "of", "one", "other", "that", "the", "this", "whose"}

// packageFaults returns a line for each package that a comment outside tests names and sources do not have: by its path, as
// mapo/game, or behind the word package by its name or its path below the root.
func packageFaults(sources map[string][]byte) (faults []string) {
	known := map[string]bool{module: true}
	for file := range sources {
		if folder := path.Dir(file); folder != "." {
			known[folder], known[path.Base(folder)] = true, true
		}
	}
	for _, file := range slices.Sorted(maps.Keys(sources)) {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		files := token.NewFileSet()
		parsed, err := parser.ParseFile(files, file, sources[file], parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			faults = append(faults, err.Error())
			continue
		}
		for _, comment := range parsed.Comments {
			text, line := strings.Join(strings.Fields(comment.Text()), " "), files.Position(comment.Pos()).Line
			var named []string
			for _, m := range packagePath.FindAllStringSubmatch(text, -1) {
				named = append(named, strings.TrimPrefix(m[1], "/"))
			}
			for _, m := range packageNames.FindAllStringSubmatch(text, -1) {
				if !slices.Contains(notNamed, strings.ToLower(m[1])) {
					named = append(named, separator.Split(aside.ReplaceAllString(m[2]+m[3], ""), -1)...)
				}
			}
			for _, name := range named {
				if folder, _ := strings.CutPrefix(name, module+"/"); !known[folder] {
					faults = append(faults, fmt.Sprintf("%s:%d: the comment names the package %s, which does not exist", file, line, name))
				}
			}
		}
	}
	return faults
}

// TestDoors: every package has its comment in a doc.go of at most 40 lines, which says what comes in, what goes out and what the
// package never does.
func TestDoors(t *testing.T) {
	for _, fault := range doorFaults(moduleSources(t, ".")) {
		t.Error(fault)
	}
}

// doorFaults returns, sorted, a line for each package without a whole doc.go, and for each other file that has a package comment.
func doorFaults(sources map[string][]byte) (faults []string) {
	for file, source := range sources {
		if _, ok := sources[path.Join(path.Dir(file), "doc.go")]; !ok {
			faults = append(faults, path.Dir(file)+" has no doc.go")
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, source, parser.PackageClauseOnly|parser.ParseComments)
		switch text := parsed.Doc.Text(); {
		case err != nil:
			faults = append(faults, err.Error())
		case path.Base(file) != "doc.go":
			if text != "" && !strings.HasSuffix(file, "_test.go") {
				faults = append(faults, file+" has a package comment: put it into doc.go")
			}
		case strings.Count(string(source), "\n") > 40:
			faults = append(faults, file+" has more than 40 lines")
		default:
			for _, part := range []string{"In:", "Out:", "It never:"} {
				if !strings.Contains(text, "- "+part+" ") {
					faults = append(faults, file+" has no item "+part)
				}
			}
		}
	}
	slices.Sort(faults)
	return slices.Compact(faults)
}

// TestDoorFaults plants a package without a page, pages that are long or lack a part, and a comment elsewhere.
func TestDoorFaults(t *testing.T) {
	const whole = "// Package a is a.\n//\n//   - In: x.\n//   - Out: y.\n//   - It never: z.\npackage a\n"
	for source, want := range map[string]string{
		whole: "a/a.go has a package comment: put it into doc.go b has no doc.go",
		strings.Replace(whole, "// ", strings.Repeat("// b\n", 40)+"// ", 1): "a/a.go has a package comment: put it into doc.go a/doc.go has more than 40 lines b has no doc.go",
		"package a\n": "a/a.go has a package comment: put it into doc.go a/doc.go has no item In: a/doc.go has no item It never: a/doc.go has no item Out: b has no doc.go",
	} {
		sources := map[string][]byte{"a/doc.go": []byte(source), "a/a.go": []byte("// Package a.\npackage a\n"), "b/b.go": []byte("package b\n")}
		if got := strings.Join(doorFaults(sources), " "); got != want {
			t.Errorf("%q: %s, want %s", source, got, want)
		}
	}
}

// TestPackageFaults plants packages that do not exist, and texts that look like one.
func TestPackageFaults(t *testing.T) {
	for comment, want := range map[string][]string{
		"made of public packages: game (Section 2 of the paper), policy (what asks) and train":    {"policy"},
		"It is mapo/game, [mapo/policy/nn.Net] and (mapo/data):":                                  {"data"},
		"see package nn, package policy/nn and package\nstores":                                   {"stores"},
		"what this package is, no other package makes and the package has; the packages that are": nil,
		"Package a is a comment, github.com/mapo/gone is not of this module":                      nil,
	} {
		sources := map[string][]byte{"game/game.go": []byte("package game"), "policy/nn/a.go": []byte("package nn"), "train/t.go": []byte("package train")}
		sources["a/a.go"] = []byte("package a\n\n// " + strings.ReplaceAll(comment, "\n", "\n// ") + "\n")
		var wanted []string
		for _, name := range want {
			wanted = append(wanted, "a/a.go:3: the comment names the package "+name+", which does not exist")
		}
		if got := packageFaults(sources); !slices.Equal(got, wanted) {
			t.Errorf("%q: faults %q, want %q", comment, got, wanted)
		}
	}
}
