package mapo_test

import (
	"bytes"
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "mapo"

// layers is the table of docs/design.md: a package imports only from layers with a smaller number, test
// files aside. TestLayersTable compares them.
var layers = map[string]int{
	".":                 10,
	"game":              1,
	"rng":               1,
	"record":            1,
	"internal/num":      1,
	"internal/xls":      1,
	"difficulty":        2,
	"policy/posterior":  2,
	"game/sim":          2,
	"game/exact":        2,
	"policy/nn":         3,
	"policy/decision":   3,
	"policy/stopping":   3,
	"policy/rival":      4,
	"game/play":         4,
	"data/learn":        5,
	"data/table":        3,
	"data/dataset":      4,
	"data/family":       2,
	"adversary":         4,
	"adversary/search":  3,
	"data/fetch":        5,
	"train":             5,
	"judge":             5,
	"train/optim":       4,
	"train/paper":       2,
	"train/preset":      6,
	"pretrain":          7,
	"spec":              8,
	"report":            8,
	"run/store":         6,
	"run/store/s3":      7,
	"run/store/locate":  8,
	"policy/onnx":       6,
	"policy/external":   6,
	"run/job":           7,
	"run":               8,
	"run/folder":        9,
	"run/plan":          9,
	"bench":             9,
	"serve/outage":      7,
	"serve/database":    8,
	"serve/wire":        8,
	"serve/policies":    9,
	"serve/learning":    10,
	"serve/sessions":    11,
	"serve/web":         12,
	"serve/mcp":         12,
	"run/cluster":       9,
	"run/remote":        8,
	"cmd/mapo":          13,
	"cmd/mapo/terminal": 12,

	"internal/names":   1,
	"internal/disk":    1,
	"internal/console": 2,
	"cmd/mapo-worker":  14,
}

// testOnly are the folders that only test files, and each other, may import. They may import anything.
var testOnly = map[string]bool{
	"internal/check":      true,
	"internal/suite":      true,
	"run/store/storetest": true,
	"run/runtest":         true,
	"serve/dbtest":        true,
	"serve/servetest":     true,
}

// standardOnly are the folders that import nothing but the standard library.
var standardOnly = map[string]bool{"game": true, "record": true}

const longFile = 400 // lines: a smoke alarm, logged and not failed

func TestImports(t *testing.T) {
	sources := moduleSources(t, ".")
	for _, fault := range importFaults(sources) {
		t.Error(fault)
	}
	for _, file := range slices.Sorted(maps.Keys(sources)) {
		if n := bytes.Count(sources[file], []byte("\n")); n > longFile {
			t.Logf("%s has %d lines, over %d", file, n, longFile)
		}
	}
}

// TestLayersTable: the table of packages in docs/design.md has every folder, with its layer, and no other.
func TestLayersTable(t *testing.T) {
	doc, err := os.ReadFile("docs/design.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, fault := range layerFaults(string(doc)) {
		t.Error(fault)
	}
}

// layerFaults returns, sorted, what a page's table of packages has otherwise than layers, and test-only folders that it does not name.
func layerFaults(doc string) (faults []string) {
	_, doc, _ = strings.Cut(doc, "\n## Packages\n")
	doc, _, _ = strings.Cut(doc, "\n## ")
	seen := map[string]int{}
	for _, row := range regexp.MustCompile("(?m)^\\| (`[^|]+) \\| (\\d+) \\|").FindAllStringSubmatch(doc, -1) {
		for _, m := range backticked.FindAllStringSubmatch(row[1], -1) {
			seen[m[1]], _ = strconv.Atoi(row[2])
		}
	}
	for folder, layer := range layers {
		if seen[folder] != layer {
			faults = append(faults, fmt.Sprintf("docs/design.md: %s has layer %d in the table, %d in imports_test.go", folder, seen[folder], layer))
		}
	}
	for folder := range seen {
		if layers[folder] == 0 {
			faults = append(faults, fmt.Sprintf("docs/design.md: %s is in the table and not in imports_test.go", folder))
		}
	}
	for folder := range testOnly {
		if !strings.Contains(doc, "`"+folder+"`") {
			faults = append(faults, fmt.Sprintf("docs/design.md: %s, for tests only, is not named", folder))
		}
	}
	slices.Sort(faults)
	return faults
}

// TestLayerFaults plants a missing row, a wrong layer and a folder that does not exist.
func TestLayerFaults(t *testing.T) {
	doc, err := os.ReadFile("docs/design.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ old, new, want string }{
		{"| `rng` | 1 |", "| `rng` | 2 |", "docs/design.md: rng has layer 2 in the table, 1 in imports_test.go"},
		{"| `rng` | 1 |", "| rng | 1 |", "docs/design.md: rng has layer 0 in the table, 1 in imports_test.go"},
		{"| `rng` | 1 |", "| `rng`, `helpers` | 1 |", "docs/design.md: helpers is in the table and not in imports_test.go"},
		{"`internal/check`", "check", "docs/design.md: internal/check, for tests only, is not named"},
	} {
		if got := layerFaults(strings.Replace(string(doc), c.old, c.new, 1)); !slices.Equal(got, []string{c.want}) {
			t.Errorf("%q for %q: %q, want %q", c.new, c.old, got, c.want)
		}
	}
}

// moduleSources returns the Go files of the module in root by slash-separated path: all but those of
// nested modules, testdata and hidden folders. It reads through package os, so that the test cache
// sees a change.
func moduleSources(t *testing.T, root string) map[string][]byte {
	t.Helper()
	sources := map[string][]byte{}
	dir := os.DirFS(root)
	err := fs.WalkDir(dir, ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if e.IsDir() {
			if _, err := fs.Stat(dir, path.Join(name, "go.mod")); err == nil && name != "." {
				return fs.SkipDir
			}
			if base := path.Base(name); name != "." && (strings.ContainsRune("._", rune(base[0])) || base == "testdata") {
				return fs.SkipDir
			}
			return nil
		}
		if path.Ext(name) == ".go" {
			sources[name], err = fs.ReadFile(dir, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return sources
}

// importFaults returns, sorted, what breaks the layers in sources (path to Go source): one line a fault.
func importFaults(sources map[string][]byte) []string {
	var faults []string
	folders := map[string]bool{}
	for _, file := range slices.Sorted(maps.Keys(sources)) {
		folder := path.Dir(file)
		if !folders[folder] && layers[folder] == 0 && !testOnly[folder] {
			faults = append(faults, fmt.Sprintf("%s: the folder %s has no layer: add it to docs/design.md and to this test", file, folder))
		}
		folders[folder] = true
		parsed, err := parser.ParseFile(token.NewFileSet(), file, sources[file], parser.ImportsOnly)
		if err != nil {
			faults = append(faults, err.Error())
			continue
		}
		if strings.HasSuffix(file, "_test.go") || testOnly[folder] {
			continue
		}
		for _, spec := range parsed.Imports {
			target, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				faults = append(faults, fmt.Sprintf("%s: import %s: %v", file, spec.Path.Value, err))
			} else if fault := importFault(folder, target); fault != "" {
				faults = append(faults, file+": "+fault)
			}
		}
	}
	return faults
}

// importFault says what is wrong with folder importing target, "" when nothing is.
func importFault(folder, target string) string {
	inside, ok := strings.CutPrefix(target, module+"/")
	switch first, _, _ := strings.Cut(target, "/"); {
	case target == module:
		inside = "."
	case !ok && standardOnly[folder] && strings.Contains(first, "."):
		return fmt.Sprintf("imports %s: the folder %s uses the standard library only", target, folder)
	case !ok:
		return ""
	}
	switch own, other := layers[folder], layers[inside]; {
	case testOnly[inside]:
		return fmt.Sprintf("imports %s, which is for tests only", target)
	case other == 0:
		return fmt.Sprintf("imports %s, a folder without a layer", target)
	case other >= own && own != 0:
		return fmt.Sprintf("layer %d imports %s of layer %d: only smaller layers may be imported", own, target, other)
	}
	return ""
}

// TestImportFaults plants each fault the check is for, and sound files that look like one.
func TestImportFaults(t *testing.T) {
	for _, c := range []struct {
		file, source string
		want         string // a part of the only fault; "" for none
	}{
		{"game/sim/a.go", `package sim; import ("fmt"; "mapo/game"; "mapo/rng"; "mapo/internal/num")`, ""},
		{"game/sim/a.go", `package sim; import "mapo/game/exact"`, "layer 2 imports mapo/game/exact of layer 2"},
		{"game/sim/a.go", `package sim; import n "mapo/policy/nn"`, "layer 2 imports mapo/policy/nn of layer 3"},
		{"game/sim/a_test.go", `package sim; import "mapo/policy/nn"`, ""},
		{"game/sim/a_test.go", `package sim; import "mapo/internal/check"`, ""},
		{"game/sim/a.go", `package sim; import "mapo/internal/check"`, "for tests only"},
		{"run/a.go", `package run; import "mapo/run/store/storetest"`, "for tests only"},
		{"internal/check/a.go", `package check; import "mapo/train"`, ""},
		{"game/game.go", `package game; import "math/rand/v2"`, ""},
		{"game/game.go", `package game; import "mapo/rng"`, "layer 1 imports mapo/rng of layer 1"},
		{"game/game.go", `package game; import "gonum.org/v1/gonum/mat"`, "standard library only"},
		{"game/game_test.go", `package game_test; import "github.com/google/go-cmp/cmp"`, ""},
		{"policy/nn/a.go", `package nn; import "gonum.org/v1/gonum/mat"`, ""},
		{"policy/nn/a.go", `package nn; import "mapocalypse/x"`, ""},
		{"game/game.go", `package game; import "mapo"`, "layer 1 imports mapo of layer 10"},
		{"cmd/mapo/main.go", `package main; import ("mapo/run"; "mapo/serve/web")`, ""},
		{"run/a.go", `package run; import "mapo/cmd/mapo"`, "layer 8 imports mapo/cmd/mapo of layer 13"},
		{"run/a.go", `package run; import "mapo/report"`, "layer 8 imports mapo/report of layer 8"},
		{"run/a.go", `package run; import "mapo/spec"`, "layer 8 imports mapo/spec of layer 8"},
		{"judge/a.go", `package judge; import "mapo/train"`, "layer 5 imports mapo/train of layer 5"},
		{"record/a.go", `package record; import "gonum.org/v1/gonum/mat"`, "standard library only"},
		{"run/a.go", `package run; import "mapo/helpers"`, "a folder without a layer"},
		{"helpers/a.go", `package helpers`, "the folder helpers has no layer"},
		{"train/deep/a.go", `package deep`, "the folder train/deep has no layer"},
		{"helpers/a_test.go", `package helpers`, "the folder helpers has no layer"},
		{"game/sim/a.go", `package`, "expected"},
	} {
		faults := importFaults(map[string][]byte{c.file: []byte(c.source)})
		switch {
		case c.want == "" && len(faults) > 0:
			t.Errorf("%s: %s: faults %q, want none", c.file, c.source, faults)
		case c.want != "" && (len(faults) != 1 || !strings.Contains(faults[0], c.want)):
			t.Errorf("%s: %s: faults %q, want one with %q", c.file, c.source, faults, c.want)
		}
	}
}

// TestModuleSources: the check sees the files it should, and stays out of other modules.
func TestModuleSources(t *testing.T) {
	root := t.TempDir()
	for _, name := range []string{"go.mod", "a.go", "sim/b_test.go", "tools/go.mod", "tools/c.go", "nn/testdata/d.go", ".hidden/e.go", "_old/f.go"} {
		if err := os.MkdirAll(path.Join(root, path.Dir(name)), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path.Join(root, name), nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	got := slices.Sorted(maps.Keys(moduleSources(t, root)))
	if want := []string{"a.go", "sim/b_test.go"}; !slices.Equal(got, want) {
		t.Errorf("moduleSources = %q, want %q", got, want)
	}
}
