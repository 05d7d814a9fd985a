package main

import (
	"bufio"
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"mapo/internal/check"
	"mapo/internal/console"
	"mapo/internal/suite"
)

// onTerminal runs mapo in dir on a terminal and returns all that it wrote there.
func onTerminal(t *testing.T, dir string, args ...string) string {
	t.Helper()
	ours, theirs := check.Terminal(t)
	cmd := exec.CommandContext(t.Context(), "mapo", args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, theirs, theirs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_ = theirs.Close()
	var said bytes.Buffer
	_, _ = said.ReadFrom(ours) // ends with an error when the program does
	if err := cmd.Wait(); err != nil {
		t.Errorf("mapo %q: %v\n%s", args, err, said.String())
	}
	return said.String()
}

// TestOnTerminal runs a spec on a terminal of 80 columns: the progress of the whole is shown in one line, no training is at
// 100 % with time left, and the commands at the end work when they are pasted, though the folder's name has a blank and is so
// long that they go over several lines.
func TestOnTerminal(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "spec.yaml"), []byte(small), 0o666); err != nil {
		t.Fatal(err)
	}
	out := "a folder of which the name is so long that it does not fit into a line"
	said := onTerminal(t, dir, "run", "spec.yaml", "--out", out)
	for _, line := range regexp.MustCompile(`job \d+ of [^\x1b\r\n]*`).FindAllString(said, -1) {
		if n := console.Columns(line); n > 80 {
			t.Errorf("progress of %d columns: %q", n, line)
		}
	}
	if !regexp.MustCompile(`\x1b\[Jjob \d+ of \d+`).MatchString(said) {
		t.Errorf("it does not say how far it is:\n%s", said)
	}
	if regexp.MustCompile(`100 %.*left`).MatchString(said) {
		t.Errorf("a finished training has time left:\n%s", said)
	}
	_, end, _ := strings.Cut(strings.ReplaceAll(said, "\r", ""), "play:   ")
	play, serve, found := strings.Cut(end, "\nserve:  ")
	if !found {
		t.Fatalf("it does not end in commands:\n%s", said)
	}
	shell := func(line string) *exec.Cmd {
		ctx, cancel := context.WithTimeout(t.Context(), suite.Patience)
		t.Cleanup(cancel)
		cmd := exec.CommandContext(ctx, "sh", "-c", line)
		cmd.Dir = dir
		return cmd
	}
	cmd := shell(play)
	cmd.Stdin = strings.NewReader("q\n")
	if text, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(text), "Policy mapo") {
		t.Errorf("%s: %v\n%s", play, err, text)
	}
	cmd = shell("exec " + strings.TrimSpace(serve) + " --addr 127.0.0.1:0 --db sessions.db")
	answers, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(answers).ReadString('\n'); err != nil || !strings.HasPrefix(line, "http://127.0.0.1:") {
		t.Errorf("%s: %q, %v", serve, line, err)
	}
	_ = cmd.Process.Signal(os.Interrupt)
	_ = cmd.Wait()
}

// TestMaxTimeOnTerminal stops trainings by the clock: it says at which iteration, and nothing is at 100 % with time left.
func TestMaxTimeOnTerminal(t *testing.T) {
	dir := t.TempDir()
	spec := strings.Replace(small, "train: {", "train: {pi: 1000000, oracle: {follow: 1000000}, pi_hat: 1000000, ", 1)
	if err := os.WriteFile(filepath.Join(dir, "spec.yaml"), []byte(spec), 0o666); err != nil {
		t.Fatal(err)
	}
	said := onTerminal(t, dir, "train", "spec.yaml", "--max-time", "4s", "--out", "p.safetensors")
	if !strings.Contains(said, ", out of time at iteration ") || regexp.MustCompile(`100 %[^\n]*left`).MatchString(said) {
		t.Errorf("it says\n%s", said)
	}
}
