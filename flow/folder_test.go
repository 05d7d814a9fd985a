package flow

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"mapo/store"
)

// Of different runs begun in one folder at once one has it, the others are refused.
func TestOpenAtOnce(t *testing.T) {
	for round := range 20 {
		dir := filepath.Join(t.TempDir(), "run")
		var wg sync.WaitGroup
		had := make(chan string, 8)
		for i := range cap(had) {
			wg.Go(func() {
				spec := fmt.Sprintf("%stiny-%d\n", SpecHead, i)
				f, err := Open(t.Context(), dir, []byte(spec), i%2 == 0, nil)
				if err != nil {
					return
				}
				had <- spec
				if err := f.Close(); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		close(had)
		spec, err := os.ReadFile(filepath.Join(dir, specFile))
		if err != nil || len(had) != 1 || string(spec) != <-had {
			t.Fatalf("round %d: %d runs have the folder of %q (%v)", round, len(had), spec, err)
		}
	}
}

// A folder that a store was made in is a new run's; one that holds anything besides is not.
func TestOpenBesideStore(t *testing.T) {
	dir, spec := t.TempDir(), []byte(SpecHead+"tiny\n")
	s, err := store.Folder(filepath.Join(dir, storeFolder))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "thesis.tex"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), dir, spec, false, s); err == nil {
		t.Error("a run in a folder with something else")
	}
	if err := os.Remove(filepath.Join(dir, "thesis.tex")); err != nil {
		t.Fatal(err)
	}
	f, err := Open(t.Context(), dir, spec, false, s)
	if err != nil || !f.New {
		t.Fatalf("%+v, %v: want a new run", f, err)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
}

// What a folder's spec says of itself is told without what could steer a terminal.
func TestOpenOtherQuoted(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, specFile), []byte(SpecHead+"a\x1b[31m\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), dir, []byte(SpecHead+"tiny\n"), true, nil); err == nil || !strings.Contains(err.Error(), `another run ("a\x1b[31m"; this one is "tiny")`) {
		t.Errorf("%q", err)
	}
}

// A file that is called as the environment's object is may be the user's: it is told of and stays.
func TestOpenBesideEnvironment(t *testing.T) {
	dir, place := t.TempDir(), t.TempDir()
	s, err := store.Folder(place)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(place, "environment")
	if err := os.WriteFile(file, []byte("mine"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), dir, []byte(SpecHead+"tiny\n"), false, s); err == nil || !strings.Contains(err.Error(), "move it away") {
		t.Errorf("%v, want the remedy", err)
	}
	if data, err := os.ReadFile(file); err != nil || string(data) != "mine" {
		t.Errorf("the file holds %q (%v)", data, err)
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	f, err := Open(t.Context(), dir, []byte(SpecHead+"tiny\n"), false, s) // what was refused left no run behind
	if err != nil || !f.New {
		t.Fatalf("%+v, %v: want a new run", f, err)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
}
