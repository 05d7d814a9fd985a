package folder

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"mapo/run"
	"mapo/run/job"
	"mapo/run/store"
)

// Of different runs begun in one folder at once one has it, the others are refused.
func TestOpenAtOnce(t *testing.T) {
	for round := range 20 {
		dir := filepath.Join(t.TempDir(), "run")
		var wg sync.WaitGroup
		had := make(chan string, 8)
		for i := range cap(had) {
			wg.Go(func() {
				spec := fmt.Sprintf("%stiny-%d\n", run.SpecHead, i)
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
	dir, spec := t.TempDir(), []byte(run.SpecHead+"tiny\n")
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
	if err := os.WriteFile(filepath.Join(dir, specFile), []byte(run.SpecHead+"a\x1b[31m\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), dir, []byte(run.SpecHead+"tiny\n"), true, nil); err == nil || !strings.Contains(err.Error(), `another run ("a\x1b[31m"; this one is "tiny")`) {
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
	if _, err := Open(t.Context(), dir, []byte(run.SpecHead+"tiny\n"), false, s); err == nil || !strings.Contains(err.Error(), "move it away") {
		t.Errorf("%v, want the remedy", err)
	}
	if data, err := os.ReadFile(file); err != nil || string(data) != "mine" {
		t.Errorf("the file holds %q (%v)", data, err)
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	f, err := Open(t.Context(), dir, []byte(run.SpecHead+"tiny\n"), false, s) // what was refused left no run behind
	if err != nil || !f.New {
		t.Fatalf("%+v, %v: want a new run", f, err)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
}

// A new run that did not begin leaves nothing: neither its folder nor the store's note of the machine. One that began,
// one that is continued, and what a user put there stay.
func TestDiscard(t *testing.T) {
	spec := []byte(run.SpecHead + "tiny\n")
	begin := func(f *Folder) { f.Begin() }
	logged := func(f *Folder) {
		if err := f.Log(job.Event{Kind: job.Started, Step: "train", For: "pi-1"}); err != nil {
			t.Error(err)
		}
	}
	for _, c := range []struct {
		name   string
		shared bool // a store outside the folder
		before func(dir string) error
		during func(f *Folder)
		gone   bool
		left   []string // in the run's parent folder
	}{
		{"own store", false, nil, nil, true, nil},
		{"shared store", true, nil, nil, true, nil},
		{"began", false, nil, begin, false, []string{"run/checkpoints/environment", "run/log.jsonl", "run/spec.yaml"}},
		{"logged", true, nil, logged, false, []string{"run/log.jsonl", "run/spec.yaml", "store/environment"}},
		{"folder was there", true, func(dir string) error { return os.Mkdir(dir, 0o777) }, nil, true, []string{"run/"}},
		{"store was there", false, func(dir string) error {
			s, err := store.Folder(filepath.Join(dir, storeFolder))
			if err != nil {
				return err
			}
			return s.Put(t.Context(), "mine", nil)
		}, nil, true, []string{"run/checkpoints/mine"}},
		{"continued", true, func(dir string) error {
			return errors.Join(os.Mkdir(dir, 0o777), os.WriteFile(filepath.Join(dir, specFile), spec, 0o666))
		}, nil, false, []string{"run/log.jsonl", "run/spec.yaml", "store/environment"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			parent := t.TempDir()
			dir := filepath.Join(parent, "run")
			if c.before != nil {
				if err := c.before(dir); err != nil {
					t.Fatal(err)
				}
			}
			var s store.Store
			if c.shared {
				folder, err := store.Folder(filepath.Join(parent, "store"))
				if err != nil {
					t.Fatal(err)
				}
				s = folder
			}
			f, err := Open(t.Context(), dir, spec, true, s)
			if err != nil {
				t.Fatal(err)
			}
			if c.during != nil {
				c.during(f)
			}
			gone, err := f.Discard(t.Context())
			if err != nil || gone != c.gone {
				t.Errorf("gone %v, %v; want %v", gone, err, c.gone)
			}
			if left := leaves(t, parent); !slices.Equal(left, c.left) {
				t.Errorf("%q is left, want %q", left, c.left)
			}
		})
	}
}

// leaves are the files under dir and its empty folders, these with a slash behind, sorted; a store's and its temp folder
// are not counted.
func leaves(t *testing.T, dir string) (names []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || path == dir || e.Name() == ".tmp" || path == filepath.Join(dir, "store") {
			return err
		}
		name, _ := filepath.Rel(dir, path)
		if e.IsDir() {
			if inside, err := os.ReadDir(path); err != nil || len(inside) > 0 {
				return err
			}
			name += "/"
		}
		names = append(names, filepath.ToSlash(name))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(names)
	return names
}

// What is refused while it is opened leaves nothing either.
func TestOpenRefusedLeavesNothing(t *testing.T) {
	parent := t.TempDir()
	s, err := store.Folder(filepath.Join(parent, "store"))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Put(t.Context(), environmentName, []byte("kernel=abacus")); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), filepath.Join(parent, "run"), []byte(run.SpecHead+"tiny\n"), false, s); err == nil || !strings.Contains(err.Error(), "abacus") {
		t.Errorf("%v, want a refusal", err)
	}
	if left := leaves(t, parent); !slices.Equal(left, []string{"store/environment"}) {
		t.Errorf("%q is left", left)
	}
}

func TestOpen(t *testing.T) {
	ctx := context.Background()
	spec, other := []byte(run.SpecHead+"a-1\nname: a\n"), []byte(run.SpecHead+"b-2\nname: b\n")
	dir := filepath.Join(t.TempDir(), "deep", "run")
	open := func(dir string, spec []byte, resume bool) error {
		f, err := Open(ctx, dir, spec, resume, nil)
		if err != nil {
			return err
		}
		return f.Close()
	}
	for _, c := range []struct {
		why    string
		spec   []byte
		resume bool
		want   string
	}{
		{"a new folder", spec, false, ""},
		{"the same run", spec, false, "--resume"},
		{"the same run, gone on with", spec, true, ""},
		{"another run", other, true, `another run ("a-1"; this one is "b-2")`},
		{"another run", other, false, "another run"},
	} {
		err := open(dir, c.spec, c.resume)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: got %v, want %q", c.why, err, c.want)
		}
	}
	// A kill in the middle of a write leaves a hidden file, half a line of log, or both.
	half := filepath.Join(dir, logFile)
	if err := os.WriteFile(half, []byte(`{"time":"2026`), 0o666); err != nil {
		t.Fatal(err)
	}
	f, err := Open(ctx, dir, spec, true, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Log(job.Event{Kind: job.Started, Step: "train", For: "pi-1"}); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(half)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(data), "\n")
	if len(lines) != 3 || !strings.HasSuffix(lines[1], "}") || lines[2] != "" {
		t.Errorf("log.jsonl is %q", data)
	}
	began := t.TempDir()
	if err := os.WriteFile(filepath.Join(began, ".spec.yaml.123"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := open(began, spec, false); err != nil {
		t.Errorf("a folder with a leftover of a kill: %v", err)
	}
	// Results of another kernel are not mixed in.
	if f, err = Open(ctx, began, spec, true, nil); err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := f.Store.Put(ctx, "environment", []byte("kernel=abacus")); err != nil {
		t.Fatal(err)
	}
	if err := open(began, spec, true); err == nil || !strings.Contains(err.Error(), "kernel=abacus") {
		t.Errorf("another kernel's folder: %v", err)
	}
}

// TestLogOnFullDisk: a line that a full disk cuts short spoils no line behind it.
func TestLogOnFullDisk(t *testing.T) {
	disk := &fullDisk{}
	f := &Folder{log: disk}
	for i, room := range []int{1000, 20, 0, 1, 1000, 1000} {
		disk.room = room
		if err := f.Log(job.Event{Kind: job.Warned, Text: fmt.Sprint(i)}); (err == nil) != (room == 1000) {
			t.Errorf("line %d: %v", i, err)
		}
	}
	var read []string
	for line := range strings.Lines(disk.text.String()) {
		var e entry
		if json.Unmarshal([]byte(line), &e) == nil {
			read = append(read, e.Text)
		}
	}
	if !slices.Equal(read, []string{"0", "4", "5"}) {
		t.Errorf("lines %v can be read, want 0, 4 and 5, of\n%s", read, disk.text.String())
	}
}

// fullDisk is a file on a disk that has some room left.
type fullDisk struct {
	text strings.Builder
	room int
}

func (d *fullDisk) Write(p []byte) (int, error) {
	n, _ := d.text.Write(p[:min(len(p), d.room)])
	if n < len(p) {
		return n, syscall.ENOSPC
	}
	return n, nil
}

func (d *fullDisk) Close() error { return nil }
