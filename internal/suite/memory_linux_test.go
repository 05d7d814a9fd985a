package suite

import (
	"os"
	"path/filepath"
	"testing"
)

// tests is a run of tests that leaves a file behind.
type tests struct{ dir string }

func (r *tests) Run() int {
	r.dir = os.TempDir()
	_ = os.WriteFile(filepath.Join(r.dir, "left"), nil, 0o666)
	return 3
}

func TestInMemory(t *testing.T) {
	if !roomy(memory) {
		t.Skip("no room in " + memory)
	}
	t.Setenv("TMPDIR", t.TempDir()) // restored in the end
	r := new(tests)
	if code := (inMemory{r}).Run(); code != 3 {
		t.Errorf("exit code %d, want that of the tests, 3", code)
	}
	if filepath.Dir(r.dir) != memory {
		t.Errorf("temporary folders go to %s, want %s", r.dir, memory)
	}
	if _, err := os.Stat(r.dir); !os.IsNotExist(err) {
		t.Errorf("%s is left (%v)", r.dir, err)
	}
}

// TestInMemoryElsewhere: where TMPDIR is set, it stays.
func TestInMemoryElsewhere(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	if r, ok := InMemory(nil).(inMemory); ok {
		t.Errorf("TMPDIR is not honoured: %v", r)
	}
}

func TestRoomy(t *testing.T) {
	for _, dir := range []string{"/proc", "/none"} { // another file system, and none
		t.Run(dir, func(t *testing.T) {
			if roomy(dir) {
				t.Errorf("%s is taken for a file system in memory", dir)
			}
		})
	}
}
