package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mapo/data/dataset"
	"mapo/game"
	"mapo/internal/suite"
	"mapo/policy/nn"
	"mapo/rng"
	"mapo/serve/wire"
)

// TestServeMCP speaks with the program as an agent does, over its standard input
// and output: nothing but the protocol is there.
func TestServeMCP(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the program")
	}
	p := dataset.Thresholds(6, 3)
	path := filepath.Join(t.TempDir(), "t.safetensors")
	if err := nn.WriteFile(path, nn.NewMLP(p, []int{8}, rng.New(1)), nn.Contract{Problem: p, Loss: game.BestIdentification.String()}); err != nil {
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
	suite.Await(t, func() bool { return text() != "" }, func() string { return "it does not look at its files" })
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
	t.Parallel()
	if testing.Short() {
		t.Skip("builds the program")
	}
	p := dataset.Thresholds(6, 3)
	path, temporary := filepath.Join(t.TempDir(), "t.safetensors"), t.TempDir()
	if err := nn.WriteFile(path, nn.NewMLP(p, []int{8}, rng.New(1)), nn.Contract{Problem: p, Loss: game.BestIdentification.String()}); err != nil {
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

// TestServeTableAgain: a served table's policy says how often it is right on average. On SIGHUP the table is read again: a changed
// share gives another hash, and a session goes on with the table that it was begun with; a broken table is refused and the old one
// stays.
func TestServeTableAgain(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("builds the program")
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "t.csv")
	put := func(text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const table = "object,a,b,c\nu,0.9,0.7,0.1\nv,0.1,0.8,0.3\nw,0.8,0.1,0.45\n"
	put(table)
	cmd := exec.Command(program(t), "serve", path, "--addr", "127.0.0.1:0", "--db", filepath.Join(dir, "s.db"))
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	log := new(lockedBuffer)
	cmd.Stderr = log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _, _ = cmd.Process.Kill(), cmd.Wait() }()
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err, log.String())
	}
	type state struct {
		ID, State string
		Step      int
		Policy    struct{ Hash string }
	}
	post := func(path, body string) (s state) {
		t.Helper()
		res, err := http.Post(strings.TrimSpace(address)+path, "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		if err := json.NewDecoder(res.Body).Decode(&s); err != nil || res.StatusCode >= 300 {
			t.Fatal(path, res.Status, err)
		}
		return s
	}
	again := func(text, want string) {
		t.Helper()
		put(text)
		if err := cmd.Process.Signal(syscall.SIGHUP); err != nil {
			t.Fatal(err)
		}
		suite.Await(t, func() bool { return strings.Contains(log.String(), want) }, func() string { return fmt.Sprintf("no %q in %s", want, log.String()) })
	}
	given := func() []wire.Gives {
		t.Helper()
		res, err := http.Get(strings.TrimSpace(address) + "v1/policies")
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		var all wire.PolicyList
		if err := json.NewDecoder(res.Body).Decode(&all); err != nil {
			t.Fatal(err)
		}
		return all.Policies[0].Gives
	}
	if own := given(); len(own) != 2 || own[0].Prior != "table" || own[1].Prior != "table+flip:0.1" || own[0].Loss >= own[1].Loss || own[0].Questions == nil {
		t.Errorf("the table's policy gives %+v", own)
	}
	old := post("v1/sessions", `{"policy": "t"}`)
	again(strings.Replace(table, "0.45", "0.46", 1), "policy changed")
	changed := post("v1/policies/t/next", "{}").Policy.Hash
	again(strings.Replace(table, "0.45", "7", 1), "a policy is refused, the old one stays")
	if hash := post("v1/policies/t/next", "{}").Policy.Hash; hash != changed || hash == old.Policy.Hash {
		t.Errorf("after the changed table the hash is %s, after the broken one %s; it was %s", changed, hash, old.Policy.Hash)
	}
	if next := post("v1/sessions/"+old.ID+"/answers", `{"step": 1, "answer": 1}`); next.State != "open" || next.Step != 2 || next.Policy.Hash != old.Policy.Hash {
		t.Errorf("the session goes on as %+v, and was begun as %+v", next, old)
	}
}

// lockedBuffer is a buffer that one goroutine writes and another reads.
type lockedBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}
