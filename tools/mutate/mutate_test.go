package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// module is a small module: a test of meaning, a golden test through a helper, and one that fails.
var module = map[string]string{
	"go.mod": "module small\n\ngo 1.26\n",
	"sums/sums.go": `package sums

type Sum struct{ n int }

func (s *Sum) Add(x int) { s.n += x }

func (s Sum) Value() int { return s.n + 0*s.n }

const start = 0

func Twice(x int) int { return x + x }
`,
	"sums/sums_test.go": `package sums

import "testing"

func TestAdd(t *testing.T) {
	s := Sum{start}
	s.Add(2)
	if s.Value() != 2 {
		t.Error(s)
	}
}

func TestStart(t *testing.T) {
	if start != 0 {
		t.Error(start)
	}
}

func TestRecorded(t *testing.T) { recorded(t) }

func recorded(t *testing.T) { golden(t, Twice(3)) }

func golden(t *testing.T, got int) {
	if got != 6 {
		t.Error(got)
	}
}
`,
	"failing/failing.go":      "package failing\n\nfunc One() int { return 1 }\n",
	"failing/failing_test.go": "package failing\n\nimport \"testing\"\n\nfunc TestOne(t *testing.T) { t.Error(One()) }\n",
	"nested/go.mod":           "module nested\n",
	"nested/sums.go":          "package sums\n\nfunc Twice(x int) int { return x + x }\n",
}

const list = `# comment
sums.(*Sum).Add: nothing is added
- s.n += x
+ s.n += 0 * x
! sums -run=TestAdd

sums.start: a sum starts elsewhere
- 0
+ 1
!! sums -run=TestAdd|TestStart

sums.Twice: only a golden test sees it
- x + x
+ x + 1
! sums

sums.Sum.Value: the text is there twice
- s.n
+ 0
! sums

sums.Thrice: there is no such function
- x
+ y
! sums

sums.Sum.Value: does not compile
- return
+ returns
! sums

sums.(*Sum).Add: one of the tests named does not see it
- s.n += x
+ s.n -= x
!! sums -run=TestAdd|TestStart

failing.One: its tests fail anyway
- return 1
+ return 2
! failing

sums.(*Sum).Add: no test is run
- s.n += x
+ s.n -= x
! sums -run=TestNothing

sums.(*Sum).Add: the package is named by itself
- s.n += x
+ s.n -= x
! sum
`

// Each kind of entry has its outcome, and the tree stays as it is.
func TestOutcomes(t *testing.T) {
	root := t.TempDir()
	for name, text := range module {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	entries, err := parseList(list)
	if err != nil {
		t.Fatal(err)
	}
	tree, err := readTree(root)
	if err != nil {
		t.Fatal(err)
	}
	want := []struct{ outcome, detail string }{
		{caught, "TestAdd"}, {caught, "TestAdd TestStart"}, {survived, "pass"}, {broken, "occurs 2 times"},
		{broken, "declared 0 times"}, {broken, "does not build"}, {survived, "TestStart of sums passes"}, {broken, "without the bug"}, {broken, "runs no test"}, {broken, "no tests"},
	}
	if len(entries) != len(want) {
		t.Fatalf("%d entries, want %d", len(entries), len(want))
	}
	r := &runner{root: root, scratch: t.TempDir(), tree: tree, sound: map[string]error{}}
	var results []result
	for i, e := range entries {
		got := r.try(t.Context(), e)
		if got.outcome != want[i].outcome || !strings.Contains(got.row(), want[i].detail) {
			t.Errorf("%s: %s; got %q, want %s and %q", e.In, e.Why, got.row(), want[i].outcome, want[i].detail)
		}
		if got.outcome == caught && got.cpu <= 0 {
			t.Errorf("%s: it took no time", e.In)
		}
		results = append(results, got)
	}
	var out strings.Builder
	if err := summary(&out, results, len(results)); err == nil || !strings.Contains(err.Error(), "8 of 10") {
		t.Errorf("the summary's error is %v, want 8 of 10 not caught:\n%s", err, out.String())
	}
	if err := summary(&out, results[:2], 2); err != nil {
		t.Errorf("all caught: %v", err)
	}
	if err := summary(&out, results[:2], 3); err == nil {
		t.Error("an entry that was not tried passes for caught")
	}
	for name, text := range module {
		if now, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name))); err != nil || string(now) != text {
			t.Errorf("%s was changed: %v", name, err)
		}
	}
}

// Incomplete lists are refused with the line.
func TestParseListRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"- x\n":                   "line 1",
		"\na.B wrong\n":           "line 2",
		"a.B: why\n- x\n+ y\n":    "line 1",
		"a.B: why\n+ y\n! p\n":    "line 1",
		"a.B: why\n- x\n+ y\n!\n": "line 4",

		"a.B: why\n- x\n+ y\n!! p -short\n": "line 4",
	} {
		if _, err := parseList(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
	e, err := parseList("a.B: why: so\n- x\n-  y\n+ z\n! p -short\n! q\n")
	if err != nil || len(e) != 1 || e[0].Old != "x\n y" || e[0].New != "z" || e[0].Why != "why: so" || len(e[0].Runs) != 2 || e[0].Runs[0].Flags[0] != "-short" {
		t.Errorf("got %+v, %v", e, err)
	}
}
