package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mapo"
	"mapo/dataset"
	"mapo/nn"
	"mapo/rng"
)

// TestServeMCP speaks with the program as an agent does, over its standard input
// and output: nothing but the protocol is there.
func TestServeMCP(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the program")
	}
	p := dataset.Thresholds(6, 3)
	path := filepath.Join(t.TempDir(), "t.safetensors")
	if err := nn.WriteFile(path, nn.NewMLP(p, []int{8}, rng.New(1)), nn.Contract{Problem: p, Loss: mapo.BestIdentification.String()}); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program(t), "serve", "--mcp", path)
	said := filepath.Join(t.TempDir(), "stderr")
	log, err := os.Create(said)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	cmd.Stderr = log
	text := func() string {
		data, err := os.ReadFile(said)
		if err != nil {
			t.Error(err)
		}
		return string(data)
	}
	client, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), &mcp.CommandTransport{Command: cmd}, nil)
	if err != nil {
		t.Fatalf("%v\n%s", err, text())
	}
	got, err := client.CallTool(t.Context(), &mcp.CallToolParams{Name: "next", Arguments: map[string]any{}})
	if err != nil || got.IsError {
		t.Fatalf("next: %+v, %v", got, err)
	}
	if err := cmd.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	for begin := time.Now(); text() == "" && time.Since(begin) < 10*time.Second; {
		time.Sleep(10 * time.Millisecond) // until it has looked at its files
	}
	if got, err := client.CallTool(t.Context(), &mcp.CallToolParams{Name: "next", Arguments: map[string]any{}}); err != nil || got.IsError {
		t.Fatalf("next after SIGHUP: %+v, %v", got, err)
	}
	if err := client.Close(); err != nil {
		t.Errorf("%v\n%s", err, text())
	}
	if said := text(); strings.Count(said, "\n") != 1 || !strings.Contains(said, "no policy file has changed") {
		t.Errorf("it said %s", said)
	}
}

// TestServeMCPKilled: a killed server without --db leaves nothing in the temporary folder.
func TestServeMCPKilled(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the program")
	}
	p := dataset.Thresholds(6, 3)
	path, temporary := filepath.Join(t.TempDir(), "t.safetensors"), t.TempDir()
	if err := nn.WriteFile(path, nn.NewMLP(p, []int{8}, rng.New(1)), nn.Contract{Problem: p, Loss: mapo.BestIdentification.String()}); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program(t), "serve", "--mcp", path)
	cmd.Env = append(os.Environ(), "TMPDIR="+temporary, envDB+"=")
	client, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), &mcp.CommandTransport{Command: cmd}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := client.CallTool(t.Context(), &mcp.CallToolParams{Name: "next", Arguments: map[string]any{}}); err != nil || got.IsError {
		t.Fatalf("next: %+v, %v", got, err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = client.Close() // it was killed
	if left, err := os.ReadDir(temporary); err != nil || len(left) > 0 {
		t.Errorf("left %v, %v", left, err)
	}
}
