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
	learned, err := mapo.Learn(context.Background(), table, mapo.Options{Scale: "smoke"})
	if err != nil {
		log.Fatal(err)
	}
	file := filepath.Join(dir, "coins.safetensors")
	if err := learned.Save(file); err != nil {
		log.Fatal(err)
	}
	if learned, err = mapo.Load(file); err != nil {
		log.Fatal(err)
	}
	worst, err := learned.WorstCase(context.Background(), 16, mapo.Options{Scale: "smoke"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(learned.Problem().X), "queries,", learned.Problem().T, "answers, a worst case between 0.4 and 0.8:", 0.4 < worst.Mean && worst.Mean < 0.8)
	// Output: 3 queries, 3 answers, a worst case between 0.4 and 0.8: true
}

// TestReadme: every line of the README's example is one that runs here, at smoke scale.
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
		line = strings.NewReplacer("ctx,", "context.Background(),", "mapo.Options{}", "mapo.Options{Scale: \"smoke\"}").Replace(line)
		if !strings.Contains(string(example), line) {
			t.Errorf("no example has the line %s", line)
		}
	}
}

// TestUntrainedWorstCase: a policy that trusts the table has a worst case, too, unless the spec has a hypothesis that no game
// is drawn from.
func TestUntrainedWorstCase(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"coins.csv":  "object,first?,second?,third?\nnone,0.05,0.05,0.05\none,0.95,0.05,0.05\ntwo,0.95,0.95,0.05\nthree,0.95,0.95,0.95\n",
		"other.yaml": "problem: {table: coins.csv}\nother: 0.1\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for name, refused := range map[string]bool{"coins.csv": false, "other.yaml": true} {
		table, err := mapo.ReadTable(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		policy, err := table.Policy()
		if err != nil {
			t.Fatal(err)
		}
		worst, err := policy.WorstCase(t.Context(), 16, mapo.Options{Scale: "smoke"})
		if refused != (err != nil) || !refused && !(worst.Mean > 0.4 && worst.Rho <= 16*(1+1e-6)) {
			t.Errorf("%s: worst case %+v, %v", name, worst, err)
		}
	}
}

// TestFrontDoorRefuses: what makes no sense is an error and not a number.
func TestFrontDoorRefuses(t *testing.T) {
	table, err := mapo.ReadTable("examples/animals.csv")
	if err != nil {
		t.Fatal(err)
	}
	policy, err := table.Policy()
	if err != nil {
		t.Fatal(err)
	}
	if err := policy.Save(filepath.Join(t.TempDir(), "p.safetensors")); err == nil {
		t.Error("a policy without training was saved")
	}
	game := policy.Play(1)
	if game.Answer(true); game.Next() || game.Err() == nil {
		t.Errorf("an answer without a question: %v", game.Err())
	}
	game = policy.Play(1)
	if !game.Next() {
		t.Fatal(game.Err())
	}
	game.Answer(true)
	if game.Answer(true); game.Err() == nil {
		t.Error("a question took two answers")
	}
	if _, known := table.Share("penguin", "Is it nothing at all?"); known {
		t.Error("a query that the table does not have has a share")
	}
	if _, err := mapo.ReadTable("example_test.go"); err == nil {
		t.Error("a file that is not a table was read")
	}
	if _, err := mapo.Load("examples/animals.csv"); err == nil || !strings.Contains(err.Error(), "animals.csv") {
		t.Errorf("a file that is not a policy: %v", err)
	}
}
