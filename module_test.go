package mapo_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestModule: a module of its own is built by the README's steps, and plays a table from memory with a policy of its own.
func TestModule(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	root, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	_, steps, found := strings.Cut(string(readme), "A module of your own finds mapo by where you cloned it:\n\n")
	steps, _, ended := strings.Cut(steps, "\n\n")
	if !found || !ended || !strings.Contains(steps, "mapo=../mapo") {
		t.Fatal("the README has no steps for a module")
	}
	dir := t.TempDir()
	for name, from := range map[string]string{"main.go": "testdata/module/main.go.txt", "go.sum": "go.sum"} { // with the sums nothing is looked up
		data, err := os.ReadFile(from)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), data, 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	lines := append([]string{"go mod init example.com/quiz"}, strings.Split(steps, "\n")...)
	var out []byte
	for _, line := range append(lines, "go run .") {
		words := strings.Fields(line)
		for i, word := range words {
			words[i] = strings.ReplaceAll(word, "../mapo", root)
		}
		c := exec.CommandContext(t.Context(), words[0], words[1:]...)
		c.Dir, c.Env = dir, append(os.Environ(), "GOPROXY=off", "GOFLAGS=-mod=mod", "GOWORK=off")
		if out, err = c.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", line, err, out)
		}
	}
	if string(out) != "bat\n" {
		t.Errorf("the program prints %q", out)
	}
}
