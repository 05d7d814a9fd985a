package mapo_test

import (
	"os"
	"path/filepath"
	"testing"

	"mapo"
)

// TestStop: where a spec has a rule of stopping, the worst cases of a policy without training and of one that is learned, kept
// and loaded are of games that end by it, and so are games that are played.
func TestStop(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"coins.csv":  "object,first?,second?,third?\nnone,0.05,0.05,0.05\none,0.95,0.05,0.05\ntwo,0.95,0.95,0.05\nthree,0.95,0.95,0.95\n",
		"coins.yaml": "problem: {table: coins.csv}\nlevels: [16]\nstop: {confidence: 0.7}\ntrain: {preset: smoke, pi: 20}\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	table, err := mapo.ReadTable(filepath.Join(dir, "coins.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	untrained, err := table.Policy()
	if err != nil {
		t.Fatal(err)
	}
	learned, err := mapo.Learn(t.Context(), table, mapo.Options{})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "coins.safetensors")
	if err := learned.Save(file); err != nil {
		t.Fatal(err)
	}
	loaded, err := mapo.Load(file)
	if err != nil {
		t.Fatal(err)
	}
	for name, policy := range map[string]*mapo.Policy{"untrained": untrained, "learned": learned, "loaded": loaded} {
		worst, err := policy.WorstCase(t.Context(), 16, mapo.Options{Scale: "smoke"})
		if q := worst.Questions; err != nil || !(q.Mean > 0 && q.Mean < 3) || q.Lo >= q.Hi {
			t.Errorf("%s: the worst case has %v questions, %v", name, q, err)
		}
		early := 0
		for seed := range uint64(40) {
			game, questions := policy.Play(seed), 0
			for game.Next() {
				yes, _ := table.Share("three", game.Question())
				game.Answer(yes > 0.5)
				questions++
			}
			if _, sure := game.Best(); questions < 3 {
				if early++; sure < 0.7 {
					t.Errorf("%s: a game ended after %d questions, sure to %v", name, questions, sure)
				}
			}
		}
		if early == 0 {
			t.Errorf("%s: no game ends early", name)
		}
	}
}
