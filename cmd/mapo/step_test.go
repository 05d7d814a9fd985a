package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"mapo/run/runtest"
)

// TestStep carries a run out by hand, every job a process of its own, and compares
// with mapo run: policies and results are the same bytes.
func TestStep(t *testing.T) {
	if testing.Short() {
		t.Skip("starts the program a few dozen times")
	}
	dir := t.TempDir()
	spec := strings.Replace(small, `priors: ["flip:0.8"]`, `priors: ["flip:0.8", table]`, 1)
	spec = strings.Replace(spec, "thresholds: {d: 5}", "table: table.csv", 1)
	table := "object,a,b,c,d\nw,0,0,0,.1\nx,1,0,0.2,0\ny,1,1,0,0\nz,1,1,.9,0\nu,1,1,1,1\n"
	for name, text := range map[string]string{"spec.yaml": spec, "table.csv": table} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	mapo := func(args ...string) string {
		t.Helper()
		cmd := exec.Command("mapo", args...)
		cmd.Dir = dir
		var said, out strings.Builder
		cmd.Stdout, cmd.Stderr = &out, &said
		if err := cmd.Run(); err != nil {
			t.Fatalf("mapo %v: %v\n%s", args, err, said.String())
		}
		return out.String()
	}
	mapo("run", "spec.yaml", "--out", "whole")
	jobs := 0
	for {
		list := strings.Fields(mapo("step", "--list", "spec.yaml", "--store", "shared"))
		if len(list) == 0 {
			break
		}
		for ; len(list) > 0; list = list[2:] {
			mapo("step", list[0], list[1], "--store", "shared")
			jobs++
		}
	}
	mapo("run", "spec.yaml", "--out", "assembled", "--store", "shared")
	log, err := os.ReadFile(filepath.Join(dir, "assembled", "log.jsonl"))
	if err != nil || strings.Contains(string(log), `"started"`) {
		t.Errorf("a job was left to do: %v\n%s", err, log)
	}
	if jobs < 10 {
		t.Errorf("only %d jobs", jobs)
	}
	runtest.Same(t, "by hand", runtest.Left(t, filepath.Join(dir, "assembled")), runtest.Left(t, filepath.Join(dir, "whole")))
}
