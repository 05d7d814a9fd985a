package table

import (
	"os"
	"path/filepath"
	"testing"
)

// The file cache of a cgroup is free memory: a container whose cache is full reads tables.
func TestCgroup(t *testing.T) {
	const stat = "anon 100\nfile 900\ninactive_anon 60\nactive_anon 40\ninactive_file 500\nactive_file 300\n"
	for _, c := range []struct {
		most, current, stat string
		want                int64
	}{
		{"1000", "1000", stat, 800},
		{"1000", "400", "", 600},
		{"1000", "100", stat, 1000}, // never more than the limit
		{"1000", "1000", "inactive_file 0\nactive_file 0\n", 1},
		{"1000", "1200", "", 1},
		{"1000", "1000", "inactive_file 500\n", 500},
		{"max", "1000", stat, 0},
		{"", "", "", 0},
	} {
		dir := t.TempDir()
		for name, text := range map[string]string{"memory.max": c.most, "memory.current": c.current, "memory.stat": c.stat} {
			if text == "" {
				continue
			}
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text+"\n"), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if got := cgroup(dir); got != c.want {
			t.Errorf("%+v: %d bytes are free", c, got)
		}
	}
}
