package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"testing"

	"mapo/game/play"
	"mapo/serve/database"
)

// watched is a context that does something as soon as work asks it.
type watched struct {
	context.Context
	do func()
}

func (w watched) Done() <-chan struct{} {
	w.do()
	return w.Context.Done()
}

// TestAppeared: a file that appears during the work is not replaced.
func TestAppeared(t *testing.T) {
	dir := t.TempDir()
	out, table, db := filepath.Join(dir, "new.csv"), filepath.Join(dir, "t.csv"), filepath.Join(dir, "s.db")
	write := func(path, text string) {
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Error(err)
		}
	}
	write(table, "object,flies,swims\ncod,0,1\nowl,1,0\n")
	store, err := database.OpenSQLite(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	if _, err = store.Enlist(t.Context(), "t", []string{"cod", "owl"}, []string{"flies", "swims"}); err == nil {
		_, err = store.Tell(t.Context(), database.Told{ID: "t/1", Policy: "t", Objects: []int{1}, Truth: "owl", Recommended: "owl", Learn: true, Answers: []play.Answered{{Answer: play.Yes}}})
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	for _, words := range [][]string{
		{"table", "learn", table, "--games", db, "--out", out},
		{"init", table, "--out", filepath.Join(dir, "new.yaml")},
	} {
		path := words[len(words)-1]
		c := command()
		c.SetArgs(words)
		c.SetOut(io.Discard)
		c.SetErr(io.Discard)
		err := c.ExecuteContext(watched{t.Context(), func() { write(path, "mine") }})
		if want := path + " exists: move it away, or choose another file with --out"; err == nil || err.Error() != want {
			t.Errorf("%v: %v, want %s", words, err, want)
		}
		if text, err := os.ReadFile(path); err != nil || string(text) != "mine" {
			t.Errorf("%v: %v, %q", words, err, text)
		}
	}
}
