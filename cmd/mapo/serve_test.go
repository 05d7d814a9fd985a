package main

import (
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
	said := new(strings.Builder)
	cmd.Stderr = said
	client, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), &mcp.CommandTransport{Command: cmd}, nil)
	if err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	got, err := client.CallTool(t.Context(), &mcp.CallToolParams{Name: "next", Arguments: map[string]any{}})
	if err != nil || got.IsError {
		t.Fatalf("next: %+v, %v", got, err)
	}
	if err := cmd.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	time.Sleep(300 * time.Millisecond) // until it has looked at its files
	if got, err := client.CallTool(t.Context(), &mcp.CallToolParams{Name: "next", Arguments: map[string]any{}}); err != nil || got.IsError {
		t.Fatalf("next after SIGHUP: %+v, %v", got, err)
	}
	if err := client.Close(); err != nil {
		t.Errorf("%v\n%s", err, said)
	}
	if text := said.String(); strings.Count(text, "\n") != 1 || !strings.Contains(text, "no policy file has changed") {
		t.Errorf("it said %s", text)
	}
}
