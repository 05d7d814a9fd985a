package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"mapo/internal/suite"
	"mapo/rng"
	"mapo/run/folder"
	"mapo/run/runtest"
)

// small is a run of some seconds with every kind of job.
const small = `problem:
  thresholds: {d: 5}
budget: 4
levels: [8, 32]
train: {preset: smoke}
evaluate:
  rivals: [uniform, "sgbs:0.1", bayes-lal]
  priors: ["flip:0.8"]
`

// program is the command: the tests' own binary, which runs main under this name (TestMain).
func program(t *testing.T) string {
	t.Helper()
	tests, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	bin := filepath.Join(t.TempDir(), "mapo")
	if err := os.Symlink(tests, bin); err != nil {
		t.Fatal(err)
	}
	return bin
}

// begin starts `mapo run` on spec.yaml in folder dir.
func begin(t *testing.T, bin, dir, out string, more ...string) (*exec.Cmd, *bytes.Buffer) {
	t.Helper()
	return beginStopping(t, "", bin, dir, out, more...)
}

// beginStopping is begin where the program stops itself as [stopAt] says.
func beginStopping(t *testing.T, order, bin, dir, out string, more ...string) (*exec.Cmd, *bytes.Buffer) {
	t.Helper()
	args := append([]string{"run", "spec.yaml", "--out", out, "--checkpoint-every", "1ms"}, more...)
	cmd := exec.Command(bin, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), stopAt+"="+order)
	said := new(bytes.Buffer)
	cmd.Stderr = said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd, said
}

// finish runs to the end.
func finish(t *testing.T, bin, dir, out string, more ...string) {
	t.Helper()
	cmd, said := begin(t, bin, dir, out, more...)
	if err := cmd.Wait(); err != nil {
		t.Fatalf("mapo run: %v\n%s", err, said)
	}
	if n := strings.Count(said.String(), "\n"); n > 20 {
		t.Errorf("a run of seconds told %d lines:\n%s", n, said)
	}
}

// TestKill kills runs at two checkpoints and at random moments, or presses Ctrl-C, and goes on: the bytes are those of a run
// that was never stopped, with another number of workers. That they are equal is certain, so no chance enters the verdict.
func TestKill(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts the program a dozen times")
	}
	bin, dir := program(t), t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "spec.yaml"), []byte(small), 0o666); err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	finish(t, bin, dir, "whole", "--workers", "1")
	whole := time.Since(start)
	want := runtest.Left(t, filepath.Join(dir, "whole"))

	rounds := 1
	if os.Getenv("MAPO_LONG") != "" {
		rounds = 10
	}
	r, kills := rng.New(uint64(time.Now().UnixNano())).Stream(), 0
	for range rounds {
		for i := range 8 {
			more := []string{"--workers", "2"}
			if folder.HoldsRun(filepath.Join(dir, "killed")) { // else it was killed before it had begun
				more = append(more, "--resume")
			}
			if i < 2 {
				cmd, said := beginStopping(t, []string{"kill", "interrupt"}[i]+" saved 5", bin, dir, "killed", more...)
				if cmd.Wait() == nil {
					t.Errorf("it was not stopped: %s", said)
				}
				kills++
				continue
			}
			cmd, _ := begin(t, bin, dir, "killed", more...)
			time.Sleep(time.Duration(r.Float64() * float64(whole) / 3))
			_ = cmd.Process.Signal([]os.Signal{os.Kill, os.Interrupt}[i%2]) // it may have ended
			if cmd.Wait() != nil {
				kills++
			}
		}
		finish(t, bin, dir, "killed", "--resume", "--workers", "2")
		runtest.Same(t, "killed", runtest.Left(t, filepath.Join(dir, "killed")), want)
		if err := os.RemoveAll(filepath.Join(dir, "killed")); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("an uninterrupted run takes %v; %d runs were killed", whole, kills)
}

// TestInterrupt presses Ctrl-C.
func TestInterrupt(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts the program")
	}
	bin, dir := program(t), t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "spec.yaml"), []byte(small), 0o666); err != nil {
		t.Fatal(err)
	}
	cmd, said := begin(t, bin, dir, "out", "--scale", "desk")
	suite.Await(t, func() bool {
		log, err := os.ReadFile(filepath.Join(dir, "out", "log.jsonl"))
		return err == nil && bytes.Contains(log, []byte(`"saved"`))
	}, func() string { return "no checkpoint comes" })
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	var exit *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != exitInterrupted {
		t.Fatalf("exit: %v, want code %d\n%s", err, exitInterrupted, said)
	}
	lines := strings.Split(strings.TrimSpace(said.String()), "\n")
	want := "mapo: stopped; go on with: mapo run spec.yaml --scale desk --out out --resume"
	if got := lines[len(lines)-1]; got != want {
		t.Errorf("last line %q, want %q", got, want)
	}
	found, err := filepath.Glob(filepath.Join(dir, "out", "checkpoints", "checkpoints", "*"))
	if err != nil || len(found) == 0 {
		t.Errorf("no checkpoint was kept (%v)", err)
	}
}
