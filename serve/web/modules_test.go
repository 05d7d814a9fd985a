package web

import (
	"bytes"
	"encoding/json"
	"math"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mapo/game"
	"mapo/internal/check"
	"mapo/policy/nn"
	"mapo/rng"
	"mapo/serve/servetest"
)

// node returns the value of a JavaScript expression in which "page" is a module of the pages, and
// "input" an input. Where there is no Node.js the test is skipped, and fails where MAPO_CI is set.
func node[T any](t *testing.T, module, expression string, input any) (out T) {
	t.Helper()
	path, err := exec.LookPath("node")
	if err != nil {
		absent(t, "node is not installed (Debian: apt-get install nodejs)")
	}
	file := filepath.Join(t.TempDir(), "page.mjs")
	must(t, os.WriteFile(file, embedded(module), 0o666))
	text, err := json.Marshal(input)
	must(t, err)
	cmd := exec.Command(path, "--input-type=module", "-e", `import * as page from "`+(&url.URL{Scheme: "file", Path: file}).String()+`";
		import { readFileSync } from "node:fs";
		const input = JSON.parse(readFileSync(0, "utf8"));
		console.log(JSON.stringify(`+expression+`));`)
	var said bytes.Buffer
	cmd.Stdin, cmd.Stderr = bytes.NewReader(text), &said
	printed, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, said.String())
	}
	must(t, json.Unmarshal(printed, &out))
	return out
}

// TestPageScores: the page of a policy scores hypotheses on an instance as the game does, also
// where they are rows of shares or combinations of vectors.
func TestPageScores(t *testing.T) {
	rows, err := animalRows()
	must(t, err)
	for name, p := range map[string]*game.Problem{
		"majorities": servetest.Wheels(), "rows": rows, "vectors": check.RandomVectors(3, 5, 0, 3, rng.New(1).Rand()),
	} {
		t.Run(name, func(t *testing.T) {
			r := rng.New(2).Rand()
			theta := make([]float64, p.Queries())
			for i := range theta {
				theta[i] = 2*r.Float64() - 1
			}
			got := node[[]float64](t, "scores.js", "page.scores(input.contract.problem, input.theta)",
				map[string]any{"contract": nn.Contract{Problem: p}, "theta": theta})
			want := p.Instance(theta).Value
			if !slices.EqualFunc(got, want, func(a, b float64) bool { return math.Abs(a-b) < 1e-4 }) {
				t.Errorf("the page has %.3f, the game %.3f", got, want)
			}
		})
	}
}

// TestPageNumbers: a number has three digits, and keeps the zeros before its point.
func TestPageNumbers(t *testing.T) {
	got := node[[]string](t, "common.js", "input.map(page.num)", []float64{0, 99.96, -99.96, 100, 1234.5, 10, 10.04, 0.5, 0.12345, 1e-10, -3})
	const want = "0 100 -100 100 1235 10 10 0.5 0.123 1e-10 -3"
	if text := strings.Join(got, " "); text != want {
		t.Errorf("%s, want %s", text, want)
	}
}

// TestPageStorage: where a browser blocks storage, what a page keeps lasts as long as the page.
func TestPageStorage(t *testing.T) {
	got := node[[]*string](t, "common.js", `(() => {
		Object.defineProperty(globalThis, "localStorage", { get() { throw new Error("blocked"); } });
		const before = page.kept("name");
		page.keep("name", "Ada");
		const after = page.kept("name");
		page.keep("name", null);
		return [before, after, page.kept("name")];
	})()`, nil)
	if len(got) != 3 || got[0] != nil || got[1] == nil || *got[1] != "Ada" || got[2] != nil {
		t.Errorf("%v, want nothing, Ada and nothing", got)
	}
}
