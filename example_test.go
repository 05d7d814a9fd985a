package mapo_test

import (
	"context"
	"fmt"
	"log"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mapo"
	"mapo/adversary"
	"mapo/game"
	"mapo/rng"
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

// Play a table that is in memory. NaN stands for a share that is unknown.
func ExampleNewTable() {
	names := []string{"penguin", "parrot", "bat"}
	queries := []string{"Does it fly?", "Does it have feathers?", "Does it swim?"}
	shares := [][]float64{{0.02, 0.98, 0.97}, {0.95, 0.99, 0.03}, {0.98, 0.01, math.NaN()}}
	table, err := mapo.NewTable(names, queries, shares, mapo.TableOptions{Weights: []float64{2, 1, 1}})
	if err != nil {
		log.Fatal(err)
	}
	policy, err := table.Policy()
	if err != nil {
		log.Fatal(err)
	}
	game := policy.Play(1)
	for game.Next() {
		yes, _ := table.Share("bat", game.Question())
		game.Answer(yes > 0.5)
	}
	name, _ := game.Best()
	fmt.Println(name)
	// Output: bat
}

// inOrder is a policy of one's own: it asks the first query that was asked the least.
type inOrder struct{ queries int }

func (o inOrder) Probs(dst []float32, s game.States) {
	for b := range s.Len(o.queries) {
		state, next := s.Row(b, o.queries), -1
		for i, n := range state.N {
			if open := state.Mask == nil || !state.Mask[i]; open && (next < 0 || n < state.N[next]) {
				next = i
			}
		}
		clear(dst[b*o.queries : (b+1)*o.queries])
		dst[b*o.queries+next] = 1
	}
}

// Play and measure a policy of one's own.
func ExampleTable_With() {
	shares := [][]float64{{0.05, 0.05, 0.05}, {0.95, 0.05, 0.05}, {0.95, 0.95, 0.05}, {0.95, 0.95, 0.95}}
	table, err := mapo.NewTable([]string{"none", "one", "two", "three"}, []string{"first?", "second?", "third?"}, shares, mapo.TableOptions{})
	if err != nil {
		log.Fatal(err)
	}
	policy, err := table.With(inOrder{queries: len(table.Queries())})
	if err != nil {
		log.Fatal(err)
	}
	game := policy.Play(1)
	for game.Next() {
		fmt.Print(game.Question(), " ")
		game.Answer(game.Question() == "first?")
	}
	name, _ := game.Best()
	worst, err := policy.WorstCase(context.Background(), 16, mapo.Options{Scale: "smoke"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(name, 0.4 < worst.Mean && worst.Mean < 0.9)
	// Output: first? second? third? one true
}

// box is an adversary of one's own: instances that are uniform over the box |θ_i| ≤ 1 − ε. It learns nothing.
type box struct{}

func (box) Enter(adversary.Phase, []byte) error                                     { return nil }
func (box) Prepare(context.Context, game.Policy, int) (int64, error)                { return 0, nil }
func (box) Observe(*adversary.Batch, *adversary.Games) (seen adversary.Diagnostics) { return seen }
func (box) Snapshot() ([]byte, error)                                               { return nil, nil }

func (box) Draw(b *adversary.Batch, key rng.Key) {
	r := key.Rand()
	for i := range b.Theta {
		b.Theta[i] = (2*r.Float64() - 1) * (1 - game.Edge)
	}
}

// Learn against an adversary of one's own.
func ExampleLearn_adversary() {
	shares := [][]float64{{0.05, 0.05, 0.05}, {0.95, 0.05, 0.05}, {0.95, 0.95, 0.05}, {0.95, 0.95, 0.95}}
	table, err := mapo.NewTable([]string{"none", "one", "two", "three"}, []string{"first?", "second?", "third?"}, shares, mapo.TableOptions{})
	if err != nil {
		log.Fatal(err)
	}
	learned, err := mapo.Learn(context.Background(), table, mapo.Options{
		Scale:     "smoke",
		Adversary: func(adversary.Setting) adversary.Adversary { return box{} },
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(learned.Problem().X), "queries")
	// Output: 3 queries
}

// Play as in the terminal: with guesses, answers that are unsure, and one that is taken back.
func ExampleGame() {
	table, err := mapo.ReadTable("examples/animals.csv")
	if err != nil {
		log.Fatal(err)
	}
	policy, err := table.Policy()
	if err != nil {
		log.Fatal(err)
	}
	game := policy.Play(1)
	for {
		for game.Next() {
			switch yes, _ := table.Share("penguin", game.Question()); {
			case yes > 0.4 && yes < 0.6:
				game.DontKnow()
			case yes > 0.2 && yes < 0.8:
				game.Probably(yes > 0.5)
			default:
				game.Answer(yes <= 0.5) // a slip
				game.Undo()
				game.Next()
				game.Answer(yes > 0.5)
			}
		}
		name, ok := game.Guess()
		if !ok {
			break
		}
		fmt.Printf("Is it %s?\n", name)
		game.Guessed(name == "penguin")
	}
	// Output: Is it penguin?
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
