package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mapo/rng"
)

// TestColdStart: from the command to the first question it takes 2 s of the processors at most for the example and 3 s for a
// table of 2,000 × 300, where no other work slows them down; the margin is for such work.
func TestColdStart(t *testing.T) {
	if testing.Short() {
		t.Skip("writes a large table")
	}
	var text bytes.Buffer
	r := rng.New(1).Rand()
	text.WriteString("object")
	for i := range 300 {
		fmt.Fprintf(&text, ",question %d?", i)
	}
	for k := range 2000 {
		fmt.Fprintf(&text, "\nobject %d", k)
		for range 300 {
			fmt.Fprintf(&text, ",%.2f", r.Float64())
		}
	}
	large := filepath.Join(t.TempDir(), "large.csv")
	if err := os.WriteFile(large, text.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	for path, most := range map[string]time.Duration{"../../examples/animals.csv": 20 * time.Second, large: 30 * time.Second} {
		cmd := exec.CommandContext(t.Context(), "mapo", "play", path)
		out, err := cmd.Output()
		took := used(cmd)
		t.Logf("%s: %v", filepath.Base(path), took)
		if err != nil || !strings.Contains(string(out), "\n1/20  ") || took > most {
			t.Errorf("%s: %v after %v, want the first question in %v: %s", path, err, took, most/10, out)
		}
	}
}
