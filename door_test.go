package mapo_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"mapo"
	"mapo/adversary"
	"mapo/game"
	"mapo/internal/check"
	"mapo/rng"
)

// coins is a table of four rows that differ by one question each.
func coins(t *testing.T) *mapo.Table {
	t.Helper()
	table, err := mapo.NewTable([]string{"none", "one", "two", "three"}, []string{"first?", "second?", "third?"}, coinShares(), mapo.TableOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return table
}

func coinShares() [][]float64 {
	return [][]float64{{0.05, 0.05, 0.05}, {0.95, 0.05, 0.05}, {0.95, 0.95, 0.05}, {0.95, 0.95, 0.95}}
}

// TestZeroValues: what was not made by a function of the package says so, and does not panic.
func TestZeroValues(t *testing.T) {
	var table mapo.Table
	var policy mapo.Policy
	var empty mapo.Game
	_, noPolicy := table.Policy()
	_, noWith := table.With(inOrder{3})
	_, noLearn := mapo.Learn(t.Context(), &table, mapo.Options{Scale: "smoke"})
	for name, err := range map[string]error{"Policy": noPolicy, "With": noWith, "Learn": noLearn} {
		if err == nil || !strings.Contains(err.Error(), "the table is empty: make it by ReadTable or NewTable") {
			t.Errorf("%s of a zero table: %v", name, err)
		}
	}
	_, known := table.Share("a", "b")
	if known || table.Names() != nil || table.Queries() != nil || table.Warnings() != nil || table.Problem().Queries() != 0 {
		t.Error("a zero table has something in it")
	}
	_, noWorst := policy.WorstCase(t.Context(), 16, mapo.Options{Scale: "smoke"})
	played := policy.Play(1)
	for name, g := range map[string]*mapo.Game{"a zero policy's game": played, "a zero game": &empty} {
		best, _ := g.Best()
		if _, guesses := g.Guess(); g.Next() || guesses || best != "" || g.Undo() {
			t.Errorf("%s goes on", name)
		}
		g.Answer(true)
		g.Label("a")
		g.Number(1)
	}
	for name, err := range map[string]error{"Save": policy.Save("p"), "WorstCase": noWorst, "Play": played.Err(), "Game": empty.Err()} {
		if err == nil || !strings.Contains(err.Error(), "the policy is empty: make it by Table.Policy, Table.With, Learn or Load") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if policy.Problem().Queries() != 0 || policy.Policy() != nil {
		t.Error("a zero policy is for a problem")
	}
}

// TestTableFromMemory: a table in memory is played and learned as the file with its cells is, to the byte.
func TestTableFromMemory(t *testing.T) {
	path := filepath.Join(t.TempDir(), "table.csv")
	const text = "object,mapo:weight,first?,second?,third?\nnone,1,0.05,0.05,\none,2,0.95,0.05,0.05\ntwo,1,0.95,0.95,0.05\nthree,1,0.95,0.95,0.95\n"
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	read, err := mapo.ReadTable(path)
	if err != nil {
		t.Fatal(err)
	}
	shares := coinShares()
	shares[0][2] = math.NaN()
	made, err := mapo.NewTable(read.Names(), read.Queries(), shares, mapo.TableOptions{Weights: []float64{1, 2, 1, 1}})
	if err != nil {
		t.Fatal(err)
	}
	shares[1][0], shares[2] = 0.5, nil // which the table does not follow
	dir, files := t.TempDir(), [][]byte(nil)
	for _, table := range []*mapo.Table{read, made} {
		learned, err := mapo.Learn(t.Context(), table, mapo.Options{Scale: "smoke"})
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(dir, "p.safetensors")
		if err := learned.Save(file); err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, data)
	}
	if !bytes.Equal(files[0], files[1]) {
		t.Error("the table in memory is learned otherwise than the file")
	}
}

// TestTableFromMemoryRefuses: errors name the row and the column, and what the budget may be.
func TestTableFromMemoryRefuses(t *testing.T) {
	shares := coinShares()
	shares[2][1] = 95
	names, queries := coins(t).Names(), coins(t).Queries()
	if _, err := mapo.NewTable(names, queries, shares, mapo.TableOptions{}); err == nil || !strings.Contains(err.Error(), `row 3 ("two"), column 2 ("second?") is 95; a share is from 0 to 1`) {
		t.Errorf("a share of 95: %v", err)
	}
	if _, err := mapo.NewTable(names, queries, coinShares(), mapo.TableOptions{Budget: -1}); err == nil || !strings.HasPrefix(err.Error(), "table: budget is -1; it must be from 1 to") {
		t.Errorf("a budget of -1: %v", err)
	}
	short, err := mapo.NewTable(names, queries, coinShares(), mapo.TableOptions{Budget: 2})
	if err != nil || short.Problem().T != 2 || coins(t).Problem().T != 3 {
		t.Errorf("a budget of 2: %v", err)
	}
}

// says is a policy of one's own that answers any state alike.
type says []float32

func (s says) Probs(dst []float32, states game.States) {
	for b := range states.Len(len(s)) {
		copy(dst[b*len(s):], s)
	}
}

// ends is a policy that ends games by itself.
type ends struct{ inOrder }

func (ends) Stop([]bool, game.States) {}

// TestOwnPolicyRefused: what is not a policy is an error, where it is first seen.
func TestOwnPolicyRefused(t *testing.T) {
	table := coins(t)
	nan := float32(math.NaN())
	for want, policy := range map[string]game.Policy{
		"the policy is nil":                                        nil,
		"it has the method Stop":                                   ends{inOrder{3}},
		`asks query 0 ("first?") with the probability NaN`:         says{nan, 1, 0},
		`asks query 1 ("second?") with the probability -0.5`:       says{1.5, -0.5, 0},
		"probabilities sum to 0.75 in one state; they must sum to": says{0.5, 0.25, 0},
	} {
		if _, err := table.With(policy); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	stubborn, err := table.With(says{1, 0, 0}) // the table asks no question twice
	if err != nil {
		t.Fatal(err)
	}
	const want = `asks query 0 ("first?") with the probability 1, and the state's mask says that it may not be asked`
	g := stubborn.Play(1)
	if !g.Next() {
		t.Fatal(g.Err())
	}
	if g.Answer(true); g.Next() || g.Err() == nil || !strings.Contains(g.Err().Error(), want) {
		t.Errorf("a game: %v", g.Err())
	}
	if name, _ := g.Best(); g.Undo() || name == "" {
		t.Errorf("after the error %q is recommended, and its answers can be taken back", name)
	}
	if _, err := stubborn.WorstCase(t.Context(), 16, mapo.Options{Scale: "smoke"}); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("a search: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	sound, err := table.With(inOrder{3})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := sound.WorstCase(ctx, 16, mapo.Options{Scale: "smoke"}); !errors.Is(err, context.Canceled) {
		t.Errorf("a search that is cancelled: %v", err)
	}
}

// first recommends the first hypothesis.
type first struct{ hypotheses int }

func (f first) Decide(dst []float32, _ game.States) {
	clear(dst)
	for at := 0; at < len(dst); at += f.hypotheses {
		dst[at] = 1
	}
}

// TestOwnPolicy: a policy of the user's is judged, recommends by its own decision where it has one, and plays every kind of problem.
func TestOwnPolicy(t *testing.T) {
	table := coins(t)
	p := table.Problem()
	asked := game.Deciding(check.Even{P: p}, first{p.Hypotheses()})
	worst := map[string]float64{}
	for name, policy := range map[string]game.Policy{"even": check.Even{P: p}, "first": asked} {
		own, err := table.With(policy)
		if err != nil {
			t.Fatal(err)
		}
		again, err := table.With(own.Policy())
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range []*mapo.Policy{own, again} {
			found, err := x.WorstCase(t.Context(), 16, mapo.Options{Scale: "smoke"})
			if err != nil {
				t.Fatal(err)
			}
			if was, seen := worst[name]; seen && was != found.Mean {
				t.Errorf("%s: %v and %v", name, was, found.Mean)
			}
			worst[name] = found.Mean
		}
	}
	if worst["first"] != 1 || worst["even"] > 0.8 {
		t.Errorf("the worst cases are %v, where one always recommends the first hypothesis", worst)
	}
	for _, path := range []string{"examples/arms.yaml", "examples/arms-gaussian.yaml", "examples/linear.yaml", "examples/thresholds.yaml", "examples/classifiers.yaml"} {
		table, err := mapo.ReadTable(path)
		if err != nil {
			t.Fatal(err)
		}
		p := table.Problem()
		own, err := table.With(check.Even{P: p})
		if err != nil {
			t.Fatal(path, err)
		}
		g, asked := own.Play(1), 0
		for ; g.Next(); asked++ {
			switch {
			case p.Answer().Noun() == "numbers":
				g.Number(0.25)
			case p.Answer().Noun() == "classes":
				g.Label(p.Answer().Names()[0])
			default:
				g.Answer(true)
			}
		}
		if name, _ := g.Best(); g.Err() != nil || asked == 0 || name == "" {
			t.Errorf("%s: after %d answers %q, %v", path, asked, name, g.Err())
		}
		if _, guesses := g.Guess(); guesses != (path == "examples/thresholds.yaml") {
			t.Errorf("%s: a guess: %v", path, guesses)
		}
	}
}

// TestPolicyOfAnyKind: without training the front door plays a pool and vectors as the command does, and says what to do where a policy has to be named.
func TestPolicyOfAnyKind(t *testing.T) {
	for path, want := range map[string]string{"examples/animals.csv": "information:0.03", "examples/classifiers.yaml": "uncertainty", "examples/linear.yaml": "linear-top-two:0.5"} {
		table, err := mapo.ReadTable(path)
		if err != nil {
			t.Fatal(err)
		}
		policy, err := table.Policy()
		if err != nil {
			t.Fatal(path, err)
		}
		if name := fmt.Sprint(policy.Policy()); name != want {
			t.Errorf("%s is played by %s, want %s", path, name, want)
		}
	}
	for _, path := range []string{"examples/arms.yaml", "examples/thresholds.yaml"} {
		table, err := mapo.ReadTable(path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := table.Policy(); err == nil || !strings.Contains(err.Error(), path+" has no table of shares to play: give Table.With a policy") {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// TestReplies: a game with don't know, half answers, a wrong guess and steps back is the one without what was taken back.
func TestReplies(t *testing.T) {
	policy, err := coins(t).Policy()
	if err != nil {
		t.Fatal(err)
	}
	g := policy.Play(3)
	if g.Undo() || g.Err() != nil {
		t.Errorf("before the first answer something was taken back, %v", g.Err())
	}
	var questions []string
	for step := 0; g.Next(); step++ {
		first := g.Question()
		for _, reply := range []func(){func() { g.Answer(true) }, func() { g.Probably(true) }, func() { g.DontKnow() }} {
			before, sure := g.Best()
			reply()
			g.Next()
			if !g.Undo() || !g.Next() || g.Question() != first {
				t.Fatalf("taken back, the question is %q, was %q, %v", g.Question(), first, g.Err())
			}
			if after, again := g.Best(); after != before || again != sure {
				t.Errorf("taken back, %q with %v is recommended, was %q with %v", after, again, before, sure)
			}
		}
		if questions = append(questions, first); step == 0 {
			g.DontKnow()
		} else {
			g.Probably(false)
		}
	}
	if fmt.Sprint(questions) == "[]" || len(questions) > 3 {
		t.Fatalf("the questions are %q", questions)
	}
	seen := map[string]bool{}
	for name, ok := g.Guess(); ok; name, ok = g.Guess() {
		best, _ := g.Best()
		if again, _ := g.Guess(); best != name || again != name || seen[name] {
			t.Errorf("it guesses %q and then %q, and recommends %q", name, again, best)
		}
		seen[name] = true
		g.Guessed(true)
		if _, more := g.Guess(); more || g.Next() {
			t.Error("a game goes on after its right guess")
		}
		if !g.Undo() {
			t.Error("the yes to a guess cannot be taken back")
		}
		if again, _ := g.Guess(); again != name {
			t.Errorf("taken back, it guesses %q, was %q", again, name)
		}
		g.Guessed(false)
		g.Undo()
		if again, _ := g.Guess(); again != name {
			t.Errorf("taken back, it guesses %q, was %q", again, name)
		}
		g.Guessed(false)
		for g.Next() {
			g.DontKnow()
		}
	}
	if best, _ := g.Best(); len(seen) == 0 || seen[best] || g.Err() != nil {
		t.Errorf("after the wrong guesses %v it recommends %q, %v", seen, best, g.Err())
	}
	for g.Undo() {
	}
	if best, _ := g.Best(); best != "" || !g.Next() || g.Question() != questions[0] {
		t.Errorf("all taken back, it asks %q, was %q", g.Question(), questions[0])
	}
}

// TestUndoAfterAGuess: of an answer after a wrong guess and the guess before it, the answer is taken back first.
func TestUndoAfterAGuess(t *testing.T) {
	table, err := mapo.ReadTable("examples/animals.csv")
	if err != nil {
		t.Fatal(err)
	}
	policy, err := table.Policy()
	if err != nil {
		t.Fatal(err)
	}
	undone := 0
	for seed := range uint64(8) {
		g := policy.Play(seed)
		for g.Next() {
			share, _ := table.Share(table.Names()[seed], g.Question())
			g.Answer(share > 0.5)
		}
		guess, ok := g.Guess()
		if g.Guessed(false); !ok || !g.Next() {
			continue // it was not sure before the last answer
		}
		question := g.Question()
		g.Answer(true)
		if !g.Undo() || !g.Next() || g.Question() != question {
			t.Fatalf("seed %d: taken back, the question is %q, was %q, %v", seed, g.Question(), question, g.Err())
		}
		if best, _ := g.Best(); best == guess {
			t.Fatalf("seed %d: with an answer taken back, %q is recommended again, which was a wrong guess", seed, best)
		}
		undone++
	}
	if undone == 0 {
		t.Error("no game had a question after a wrong guess: the test shows nothing")
	}
}

// TestRepliesRefused: a reply that no question waits for, or that its game does not have, ends the game with an error.
func TestRepliesRefused(t *testing.T) {
	yesNo, err := coins(t).Policy()
	if err != nil {
		t.Fatal(err)
	}
	arms, numbers := saved(t, nil), saved(t, game.Answers{Sigma: 1, Bound: 10})
	for want, c := range map[string]struct {
		policy *mapo.Policy
		reply  func(*mapo.Game)
	}{
		"is half an answer; this game may ask again": {arms, func(g *mapo.Game) { g.Probably(true) }},
		"answers are numbers: call Number":           {numbers, func(g *mapo.Game) { g.Probably(false) }},
		"a reply without a guess: call Guess":        {yesNo, func(g *mapo.Game) { g.Guessed(false) }},
		"an answer without a question: call Next":    {yesNo, func(g *mapo.Game) { g.DontKnow(); g.DontKnow() }},
	} {
		g := c.policy.Play(1)
		g.Next()
		if c.reply(g); g.Err() == nil || !strings.Contains(g.Err().Error(), want) || g.Next() {
			t.Errorf("%v, want %q", g.Err(), want)
		}
	}
	g := numbers.Play(1)
	if g.Next(); g.Err() != nil {
		t.Fatal(g.Err())
	}
	first := g.Question()
	for g.DontKnow(); g.Next(); g.Number(1) {
		if g.Question() == first {
			t.Errorf("%q comes again after don't know", first)
		}
	}
	if g.Err() != nil {
		t.Error(g.Err())
	}
}

// watched is an adversary that counts.
type watched struct {
	box
	wrong float64 // draws this mean where it is not 0
	draws *int
}

func (w watched) Draw(b *adversary.Batch, key rng.Key) {
	w.box.Draw(b, key)
	*w.draws++
	if w.wrong != 0 {
		b.Theta[0] = w.wrong
	}
}

// TestOwnAdversary: each training of Algorithm 1 plays against an adversary of its own, and what is learned depends on it.
func TestOwnAdversary(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"coins.csv":      "object,first?,second?,third?\nnone,0.05,0.05,0.05\none,0.95,0.05,0.05\ntwo,0.95,0.95,0.05\nthree,0.95,0.95,0.95\n",
		"coins.yaml":     "problem: {table: coins.csv}\nlevels: [8, 16]\ntrain: {preset: smoke}\n",
		"instances.csv":  "0.9,0.9,0.9\n-0.9,-0.9,-0.9\n",
		"instances.yaml": "problem: {table: coins.csv}\nlevels: [16]\ninstances: instances.csv\ntrain: {preset: smoke}\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	table, err := mapo.ReadTable(filepath.Join(dir, "coins.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	levels, draws := map[string]int{}, []*int(nil)
	against := func(wrong float64) mapo.Options {
		return mapo.Options{Adversary: func(s adversary.Setting) adversary.Adversary {
			mu.Lock()
			defer mu.Unlock()
			levels[fmt.Sprint(s.R)]++
			draws = append(draws, new(int))
			if s.P.Queries() != 3 || s.C == nil {
				t.Errorf("the setting is %+v", s)
			}
			return watched{wrong: wrong, draws: draws[len(draws)-1]}
		}}
	}
	var files []string
	for _, o := range []mapo.Options{{}, against(0), against(0)} {
		learned, err := mapo.Learn(t.Context(), table, o)
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(dir, "p.safetensors")
		if err := learned.Save(file); err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, string(data))
	}
	if files[0] == files[1] || files[1] != files[2] {
		t.Error("the adversary changes nothing, or chance does")
	}
	if fmt.Sprint(levels) != "map[[16]:2 [8 16]:2 [8]:2]" {
		t.Errorf("twice, it was asked for at the levels %v", levels)
	}
	for _, n := range draws {
		if *n == 0 {
			t.Error("an adversary drew nothing")
		}
	}
	for want, o := range map[string]mapo.Options{
		`its mean at query 0 ("first?") is 1.5; move`:      against(1.5),
		`its mean at query 0 ("first?") is NaN; move`:      against(math.NaN()),
		"the function that makes adversaries returned nil": {Adversary: func(adversary.Setting) adversary.Adversary { return nil }},
	} {
		if _, err := mapo.Learn(t.Context(), table, o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	finite, err := mapo.ReadTable(filepath.Join(dir, "instances.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := mapo.Learn(t.Context(), finite, against(0)); err == nil || !strings.Contains(err.Error(), "instances.yaml: instances: says on what to train, and so does Options.Adversary") {
		t.Errorf("with instances: %v", err)
	}
	policy, err := table.Policy()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := policy.WorstCase(t.Context(), 16, against(0)); err == nil || !strings.Contains(err.Error(), "Options.Adversary is what Learn trains against") {
		t.Errorf("a worst case: %v", err)
	}
}
