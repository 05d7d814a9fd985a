package suite

import (
	"os"
	"testing"
)

func TestInMemory(t *testing.T) {
	if !roomy(memory) {
		t.Skip("no room in " + memory)
	}
	for _, c := range []struct {
		name, set, want string
	}{{"not set", "", memory}, {"set", "/elsewhere", "/elsewhere"}} {
		t.Run(c.name, func(t *testing.T) {
			t.Setenv("TMPDIR", c.set) // restored in the end
			if c.set == "" {
				os.Unsetenv("TMPDIR")
			}
			InMemory()
			if got := os.TempDir(); got != c.want {
				t.Errorf("temporary folders go to %s, want %s", got, c.want)
			}
		})
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
