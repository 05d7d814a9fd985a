package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mapo/rng"
)

// used returns what a command that has ended took of the processors.
func used(cmd *exec.Cmd) time.Duration {
	return cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
}

// TestTooLarge: training on a table that no policy file holds is refused before the minutes of planning.
func TestTooLarge(t *testing.T) {
	const rows, queries = 1001, 1000
	var b strings.Builder
	b.WriteString("object")
	for i := range queries {
		fmt.Fprintf(&b, ",q%d", i)
	}
	r := rng.New(1).Rand()
	for k := range rows {
		fmt.Fprintf(&b, "\no%d", k)
		for range queries {
			fmt.Fprintf(&b, ",0.%d", 1+r.IntN(9))
		}
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "large.csv")
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, verb := range []string{"run", "train"} {
		cmd := exec.Command(program(t), verb, path)
		cmd.Dir = dir
		said, err := cmd.CombinedOutput()
		if want := "mapo: " + path + ": the table has 1001000 cells"; err == nil || !strings.Contains(string(said), want) {
			t.Errorf("%s: %v, %s, want %s", verb, err, said, want)
		}
		if used := used(cmd); used > time.Minute {
			t.Errorf("%s said so after %v of a processor", verb, used)
		}
	}
}
