package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// words returns a sentence of n words.
func words(n int) string { return "The" + strings.Repeat(" word", n-1) + "." }

// wrapped returns a text at 60 columns.
func wrapped(text string) string {
	var out []string
	line := ""
	for _, word := range strings.Fields(text) {
		if len(line)+len(word) > 60 {
			out, line = append(out, line), ""
		}
		line = strings.TrimSpace(line + " " + word)
	}
	return strings.Join(append(out, line), "\n")
}

func testRetired(t *testing.T) *retired {
	t.Helper()
	r, err := parseRetired("# note\nluck → control variate\nis no → is not a\nthe dial → the weight\n! there is no\n")
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// seen returns findings as "line rule".
func seen(list []finding) (out []string) {
	for _, f := range list {
		out = append(out, fmt.Sprintf("%d %s", f.line, f.rule))
	}
	return out
}

// TestMarkdown plants each fault in a document.
func TestMarkdown(t *testing.T) {
	short := strings.Repeat("A short one. ", 30)
	for _, c := range []struct {
		why, doc string
		want     []string
	}{
		{"clean", "# Title\n\nA text. It has 0.5 of it, see [a page](https://x.org/1.html), e.g. this one.\n", nil},
		{"a retired word", "A text.\nIt takes Luck off.\n", []string{"2 retired"}},
		{"over the end of a line", "It turns the\ndial up.\n", []string{"1 retired"}},
		{"part of another word", "A pluck of lucky ones.\n", nil},
		{"allowed", "If there is no reason, it goes. There is no other.\n", nil},
		{"after an allowed text", "Where there\nis no reason it\nis no text.\n", []string{"3 retired"}},
		{"in a table", "| a | luck |\n|---|---|\n", []string{"1 retired"}},
		{"in code", "A `luck` and\n\n```\nluck .5\n```\n\n    luck .5\n", nil},
		{"a bare decimal", "It is .5 or [.25, 0.35].\n", []string{"1 decimal", "1 decimal"}},
		{"in a table", "| .5 |\n", []string{"1 decimal"}},
		{"no decimals", "Go1.26, 0.5, `.5`, and so on...\n", nil},
		{"40 words", wrapped(short + words(40)), nil},
		{"41 words", "A line.\n" + wrapped(words(41)) + "\n\n" + wrapped(short), []string{"2 sentence"}},
		{"41 words of a list", "- One.\n- " + strings.ReplaceAll(wrapped(words(41)), "\n", "\n  ") + "\n\n" + wrapped(short), []string{"2 sentence"}},
		{"an abbreviation", "A line. " + wrapped(strings.TrimSuffix(words(20), ".")+" e.g. "+words(25)) + "\n\n" + wrapped(short), []string{"1 sentence"}},
		{"items are sentences", strings.Repeat("- some words without an end\n", 20), nil},
		{"many long ones", wrapped(words(39) + " " + words(38) + " " + words(40)), nil},
		{"two that are too long", wrapped(words(41) + " Short. " + words(42)), []string{"1 sentence", "4 sentence"}},
		{"101 columns", strings.Repeat("abcdefghi. ", 10)[:101] + "\n", []string{"1 columns"}},
		{"100 columns of two bytes", strings.Repeat("ä", 100) + "\n", nil},
		{"a wide table", "| " + strings.Repeat("wide ", 40) + "|\n", nil},
		{"a wide link", "A [page](https://x.org/" + strings.Repeat("x", 100) + ").\n", nil},
		{"silenced", "<!-- prose:ok a citation -->\nIt is luck.\n", nil},
		{"silenced on the line", "It is luck. <!-- prose:ok a citation -->\n", nil},
		{"silenced without a reason", "<!-- prose:ok -->\nIt is luck.\n", []string{"2 retired"}},
		{"silenced elsewhere", "<!-- prose:ok a citation -->\nIt is\nluck.\n", []string{"3 retired"}},
	} {
		if got := seen(checkFile("a.md", c.doc, testRetired(t))); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.why, got, c.want)
		}
	}
}

// TestGo plants faults in comments, texts and help.
func TestGo(t *testing.T) {
	comment := "// " + strings.ReplaceAll(wrapped(words(41)), "\n", "\n// ")
	for _, c := range []struct {
		why, source string
		want        []string
	}{
		{"clean", "package a\n\n// Luck2 is fine.\nvar luck = `luck`\n", nil},
		{"a doc comment", "package a\n\n// F takes\n// luck off.\nfunc F() {}\n", []string{"4 retired"}},
		{"an inner comment", "package a\n\nfunc F() {\n\treturn // luck\n}\n", []string{"4 retired"}},
		{"code of a comment", "package a\n\n// F does:\n//\n//\tluck of code\nfunc F() {}\n", nil},
		{"a text", "package a\n\nvar s = \"it is luck\"\n", []string{"3 retired"}},
		{"a raw text", "package a\n\nvar s = `it is\nluck`\n", []string{"4 retired"}},
		{"a long sentence", "package a\n\n" + comment + "\nfunc F() {}\n", []string{"3 sentence"}},
		{"a long help", "package a\n\nvar c = T{Long: `Some.\n\n" + wrapped(words(41)) + "`}\n", []string{"5 sentence"}},
		{"a help in parts", "package a\n\nvar c = T{Long: \"Some.\\n\" +\n\t\"" + words(20) + "\\n\" +\n\t\"" + words(30) + "\"}\n", nil},
		{"no verb", "package a\n\n// F is the share.\nfunc F() int\n\n// G has none.\nfunc G() {}\n\n// H returns what is there.\nfunc H() {}\n\n// T is a type.\ntype T int\n", []string{"3 verb", "6 verb"}},
		{"silenced", "package a\n\n//prose:ok a name of the paper\n// luck\nvar x int\n", nil},
	} {
		if got := seen(checkFile("a.go", c.source, testRetired(t))); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.why, got, c.want)
		}
	}
}

// TestCheck: findings of all documents and Go files below a folder are written with file and line. Tests and testdata are not
// read, nor are files beside those that are named.
func TestCheck(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{
		"bad.md": "Fine.\nIt is luck.\n", "good.md": "It is fine.\n", "sub/b.go": "package a // luck\n", "a_test.go": "package a // luck\n",
		"testdata/x.md": "It is luck.\n", "made.md": "<!-- generated by x -->\nIt is luck.\n",
	} {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	const bad, inGo = "bad.md:2: retired: \"luck\": write control variate\n", "sub/b.go:1: retired: \"luck\": write control variate\n"
	for _, c := range []struct {
		names []string
		want  string
	}{{nil, bad + inGo}, {[]string{"bad.md"}, bad}, {[]string{"good.md"}, ""}} {
		var out strings.Builder
		found, err := check(&out, root, c.names, testRetired(t))
		if err != nil || out.String() != c.want || found != strings.Count(c.want, "\n") {
			t.Errorf("%q: %d findings, %v, want %q:\n%s", c.names, found, err, c.want, out.String())
		}
	}
	if _, err := check(&strings.Builder{}, root, []string{"gone.md"}, testRetired(t)); err == nil {
		t.Error("a file that is missing is read")
	}
}

// TestRetired: the list can be read, and a line without an arrow cannot.
func TestRetired(t *testing.T) {
	if r, err := parseRetired(retiredText); err != nil || len(r.phrases) < 20 {
		t.Errorf("retired.txt: %v", err)
	}
	if _, err := parseRetired("luck\n"); err == nil {
		t.Error("a line without an arrow is read")
	}
}
