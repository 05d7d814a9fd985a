package mapo_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mapo"
)

// Play a table at once: the policy asks by information gain and says how sure it is.
func Example() {
	table, err := mapo.ReadTable("examples/animals.csv")
	if err != nil {
		log.Fatal(err)
	}
	policy, err := table.Policy()
	if err != nil {
		log.Fatal(err)
	}
	game := policy.Play(1)
	for game.Next() {
		yes, _ := table.Share("penguin", game.Question())
		game.Answer(yes > 0.5)
	}
	name, confidence := game.Best()
	fmt.Printf("%s, %.2f\n", name, confidence)
	// Output: penguin, 0.96
}

// Learn a policy, keep its file, and measure its worst case.
func ExampleLearn() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "coins.csv")
	const coins = "object,first?,second?,third?\nnone,0.05,0.05,0.05\none,0.95,0.05,0.05\ntwo,0.95,0.95,0.05\nthree,0.95,0.95,0.95\n"
	if err := os.WriteFile(path, []byte(coins), 0o666); err != nil {
		log.Fatal(err)
	}
	table, err := mapo.ReadTable(path)
	if err != nil {
		log.Fatal(err)
	}
	policy, err := mapo.Learn(context.Background(), table, mapo.Options{Scale: "smoke"})
	if err != nil {
		log.Fatal(err)
	}
	file := filepath.Join(dir, "coins.safetensors")
	if err := policy.Save(file); err != nil {
		log.Fatal(err)
	}
	if policy, err = mapo.Load(file); err != nil {
		log.Fatal(err)
	}
	worst, err := policy.WorstCase(context.Background(), 16, mapo.Options{Scale: "smoke"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(policy.Problem().X), "queries,", policy.Problem().T, "answers, a worst case between 0.4 and 0.8:", 0.4 < worst.Mean && worst.Mean < 0.8)
	// Output: 3 queries, 3 answers, a worst case between 0.4 and 0.8: true
}

// TestReadme: the README's example is the one that runs here, but for errors and the table's own worst case.
func TestReadme(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	example, err := os.ReadFile("example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	_, code, _ := strings.Cut(string(readme), "```go\n")
	code, _, found := strings.Cut(code, "```")
	if !found {
		t.Fatal("the README has no example")
	}
	for line := range strings.Lines(code) {
		line = strings.TrimSpace(line)
		line, _, _ = strings.Cut(line, " //")
		line = strings.Replace(line, "ctx, 16, mapo.Options{}", "context.Background(), 16, mapo.Options{Scale: \"smoke\"}", 1)
		if !strings.Contains(string(example), line) {
			t.Errorf("no example has the line %s", line)
		}
	}
}
