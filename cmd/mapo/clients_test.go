package main

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"mapo/data/dataset"
	"mapo/game"
	"mapo/policy/nn"
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
	p, _, _, err := dataset.Majorities(table, dataset.Options{T: 8, AskOnce: true})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "animals"+policySuffix)
	c := nn.Contract{Name: "mapo", Problem: p, Loss: game.BestIdentification.String(), Rule: "made for a test"}
	if err := nn.WriteFile(file, nn.NewStructured(p, 8, rng.New(1)), c); err != nil {
		t.Fatal(err)
	}
	return file
}

// exactKey writes a spec of a table of 0 and 1 whose answers are never wrong, and returns its file.
func exactKey(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"key.csv":  "object,winged?,striped?,large?\nbee,1,1,0\nfly,1,0,0\ntiger,0,1,1\nwhale,0,0,1\n",
		"key.yaml": "problem: {table: key.csv}\nwrong-answers: 0\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, "key.yaml")
}

// labelled writes a spec of models on a pool of items, and returns its file.
func labelled(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"pool.csv":  "item,resnet,vit,tree\ni1,cat,cat,dog\ni2,dog,cow,dog\ni3,cow,dog,cow\ni4,cat,dog,cow\ni5,dog,dog,cat\ni6,cat,cow,cow\n",
		"pool.yaml": "problem: {classifiers: pool.csv}\nbudget: 4\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, "pool.yaml")
}

// serving starts mapo serve with policies and tokens, and returns its address.
func serving(t *testing.T, policies ...string) string {
	t.Helper()
	list := append([]string{"serve", "--addr", "127.0.0.1:0", "--db", filepath.Join(t.TempDir(), "sessions.db")}, policies...)
	cmd := exec.CommandContext(t.Context(), "mapo", list...)
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
	url := serving(t, animals(t), "table=../../examples/animals.csv", "exact="+exactKey(t), "pool="+labelled(t))
	for _, dir := range []string{"../../clients/python", "../../examples/label-studio"} {
		cmd := exec.CommandContext(t.Context(), "python3", "-B", "-W", "error", "-m", "unittest", "discover", "-s", dir)
		cmd.Env = append(os.Environ(), "MAPO_TEST_URL="+url, "MAPO_TEST_POLICY=animals", "MAPO_TEST_TABLE=table", "MAPO_TEST_EXACT=exact", "MAPO_TEST_POOL=pool",
			"MAPO_TEST_ASK="+askToken, "MAPO_TEST_ADMIN="+adminToken)
		out, err := cmd.CombinedOutput()
		text := string(out)
		last := text[max(0, strings.LastIndex(text, "Ran ")):]
		if err != nil || strings.Contains(last, "skipped") || strings.HasPrefix(last, "Ran 0") {
			t.Errorf("%s: %v\n%s", dir, err, text)
		}
		t.Logf("%s: %s", dir, strings.Join(strings.Fields(last), " "))
	}
}
