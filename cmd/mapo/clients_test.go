package main

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"mapo"
	"mapo/dataset"
	"mapo/nn"
	"mapo/rng"
)

// The tokens of the server in tests.
const (
	askToken   = "ask-for-a-test-only"
	adminToken = "admin-for-a-test-only"
)

// animals writes an untrained policy for the example's table and returns its file.
func animals(t *testing.T) string {
	t.Helper()
	table, err := dataset.ReadTable("../../examples/animals.csv", "")
	if err != nil {
		t.Fatal(err)
	}
	p, _, _, err := table.Problem(dataset.Options{T: 8, AskOnce: true})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "animals"+policySuffix)
	c := nn.Contract{Name: "mapo", Problem: p, Loss: mapo.BestIdentification.String(), Rule: "made for a test"}
	if err := nn.WriteFile(file, nn.NewStructured(p, 8, rng.New(1)), c); err != nil {
		t.Fatal(err)
	}
	return file
}

// serving starts mapo serve with a policy and tokens, and returns its address.
func serving(t *testing.T, policy string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "mapo", "serve", policy, "--addr", "127.0.0.1:0", "--db", filepath.Join(t.TempDir(), "sessions.db"))
	cmd.Env = append(os.Environ(), envAsk+"="+askToken, envAdmin+"="+adminToken)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	var faults strings.Builder
	cmd.Stderr = &faults
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Wait() }) // after the context has ended it
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if url := strings.TrimSpace(lines.Text()); strings.HasPrefix(url, "http://") {
			return strings.TrimSuffix(url, "/")
		}
	}
	_ = cmd.Wait()
	t.Fatalf("the server did not say where it listens: %s", faults.String())
	return ""
}

// TestPythonClients: the Python client and what is built on it, against servers that misbehave and against mapo serve.
func TestPythonClients(t *testing.T) {
	needPython(t)
	url := serving(t, animals(t))
	for _, dir := range []string{"../../clients/python", "../../examples/label-studio"} {
		cmd := exec.CommandContext(t.Context(), "python3", "-B", "-W", "error", "-m", "unittest", "discover", "-s", dir)
		cmd.Env = append(os.Environ(), "MAPO_TEST_URL="+url, "MAPO_TEST_POLICY=animals", "MAPO_TEST_ASK="+askToken, "MAPO_TEST_ADMIN="+adminToken)
		out, err := cmd.CombinedOutput()
		text := string(out)
		last := text[max(0, strings.LastIndex(text, "Ran ")):]
		if err != nil || strings.Contains(last, "skipped") || strings.HasPrefix(last, "Ran 0") {
			t.Errorf("%s: %v\n%s", dir, err, text)
		}
		t.Logf("%s: %s", dir, strings.Join(strings.Fields(last), " "))
	}
}
