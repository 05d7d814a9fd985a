package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mapo/internal/check"
	"mapo/policy/nn"
)

// earlier holds what an earlier program wrote: a policy of each class of problem and architecture, and more.
const earlier = "../../testdata/earlier"

// classes are a served policy of each class of problem, with the answers that a person gives it in turn.
var classes = []struct {
	name    string
	answers []any
}{
	{"thresholds", yesNo}, {"majority", byDegree}, {"rows", byDegree}, {"arms", yesNo}, {"arms-gaussian", []any{1.5, -0.25, nil, 2, 0.75, 1}},
	{"vectors", yesNo}, {"vectors-gaussian", []any{0.5, -2, nil, 3, 1, 0.25}}, {"pool-two", []any{"no", "yes", nil, "no", "yes", "yes", "no"}},
	{"pool-three", []any{"cat", "dog", nil, "cow", "cat", "dog", "dog"}}, {"beasts", byDegree},
}

var (
	yesNo    = []any{1.0, -1.0, nil, 1.0, -1.0, 1.0, 1.0}
	byDegree = []any{1.0, 0.5, nil, -1.0, -0.5, 1.0, 1.0}
)

// pathOf returns the file of a policy or table that an earlier program wrote.
func pathOf(t *testing.T, name string) string {
	t.Helper()
	file := filepath.Join(earlier, "policies", name+policySuffix)
	if name == "beasts" {
		file = filepath.Join(earlier, "beasts.csv")
	}
	path, err := filepath.Abs(file)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// changing is what differs from run to run: a session's id, a time, a commit.
var changing = regexp.MustCompile(`\b[a-z2-7]{26}\b|\d{4}-\d\d-\d\dT[0-9:.]+Z`)

// TestEarlierPolicies: a policy file that an earlier program wrote is read, and written again byte for byte: its problem, content
// and so the fingerprint of its sessions are what they were.
func TestEarlierPolicies(t *testing.T) {
	files, err := filepath.Glob(earlier + "/policies/*" + policySuffix)
	if err != nil || len(files) == 0 {
		t.Fatal("no files", err)
	}
	for _, file := range files {
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		net, c, err := nn.Decode(want)
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		if got, err := nn.Encode(net, *c); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is written as other bytes, %v", file, err)
		}
	}
}

// TestEarlierRuns: the folder of a run that an earlier program ended is as it was after a resume, and a training that it left in
// the middle ends with the weights that it would have had.
func TestEarlierRuns(t *testing.T) {
	needBytesKernel(t)
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(earlier)); err != nil {
		t.Fatal(err)
	}
	resume := func(spec, out string) {
		t.Helper()
		cmd := exec.Command(program(t), "run", spec, "--out", out, "--resume")
		cmd.Dir, cmd.Env = dir, append(os.Environ(), bytesKernel)
		if text, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, text)
		}
	}
	want, err := byteSums(filepath.Join(dir, "run"))
	if err != nil {
		t.Fatal(err)
	}
	resume("small.yaml", "run")
	if got, err := byteSums(filepath.Join(dir, "run")); err != nil || !maps.Equal(got, want) {
		t.Errorf("the run that had ended is another after a resume, %v", err)
	}
	resume("long.yaml", "half")
	ended, err := byteSums(filepath.Join(dir, "half", "policies"))
	if err != nil {
		t.Fatal(err)
	}
	whole, err := byteSums(dir)
	if err != nil {
		t.Fatal(err)
	}
	if ended["mapo"] != whole["half"] {
		t.Error("the resumed training ends with other weights")
	}
}

// TestEarlierLabels: labels that an earlier program exported name the model that its session recommended.
func TestEarlierLabels(t *testing.T) {
	for class, want := range map[string]string{"pool-two": "best model  m0\nlabels      5 of the 17", "pool-three": "best model  m3\nlabels      5 of the 15"} {
		labels := filepath.Join(earlier, "exports", class+"-whole-labels.csv")
		var out bytes.Buffer
		if execute([]string{"recommend", pathOf(t, class), "--labels", labels}, &out, &out); !strings.HasPrefix(out.String(), want) {
			t.Errorf("%s: got\n%s\nwant\n%s", class, &out, want)
		}
	}
}

// TestGoldenTerminal compares a game in the terminal with a record, for each class of problem.
func TestGoldenTerminal(t *testing.T) {
	needBytesKernel(t)
	for _, c := range classes {
		var in strings.Builder
		for i, a := range c.answers {
			word := wordOf(c.name, a, terminalWords)
			fmt.Fprintln(&in, word)
			if i == 3 {
				fmt.Fprintf(&in, "u\n%s\n", word)
			}
		}
		cmd := exec.Command(program(t), "play", pathOf(t, c.name), "--seed", "1")
		cmd.Stdin = strings.NewReader(in.String() + "n\nn\nn\n")
		cmd.Env = append(os.Environ(), bytesKernel)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Errorf("%s: %v\n%s", c.name, err, out)
			continue
		}
		check.Golden(t, "testdata/golden/"+c.name+".terminal.txt", out)
	}
}

// TestGoldenHTTP compares the replies of the API with a record, for each class of problem: what a policy is, a stateless question,
// a session with an undo, its export and its labels.
func TestGoldenHTTP(t *testing.T) {
	needBytesKernel(t)
	origin := servingClasses(t, filepath.Join(t.TempDir(), "s.db"))
	for _, c := range classes {
		var got strings.Builder
		call := func(method, path string, in any) (fields map[string]any) {
			t.Helper()
			status, text := request(t, method, origin+path, in)
			fmt.Fprintf(&got, "%s %s %d\n%s\n", method, changing.ReplaceAllString(path, "…"), status, changing.ReplaceAll(bytes.TrimSpace(text), []byte("…")))
			_ = json.Unmarshal(text, &fields) // an export is not JSON
			return fields
		}
		call("GET", "/v1/policies/"+c.name, nil)
		first := []any{map[string]any{"query": 0, "answer": c.answers[0]}, map[string]any{"query": 1, "answer": c.answers[1]}}
		call("POST", "/v1/policies/"+c.name+"/next", map[string]any{"history": first, "seed": 3, "top": 3})
		call("POST", "/v1/policies/"+c.name+"/next", map[string]any{"history": first[:1], "seed": 3, "about": 1, "mask": []int{2}})
		s := call("POST", "/v1/sessions", map[string]any{"policy": c.name, "title": "golden", "seed": 7})
		at := fmt.Sprintf("/v1/sessions/%v", s["id"])
		for i, a := range c.answers {
			if s["state"] != "open" {
				break
			}
			s = call("POST", at+"/answers", map[string]any{"step": s["step"], "answer": a})
			if i == 1 {
				s = call("POST", at+"/undo", map[string]any{"step": s["step"]})
			}
		}
		call("GET", at+"/export?format=csv", nil)
		call("GET", at+"/export?format=jsonl", nil)
		call("GET", at+"/labels.csv", nil)
		check.Golden(t, "testdata/golden/"+c.name+".http.txt", []byte(got.String()))
	}
}

// servingClasses starts the program over the policies of all classes and returns its origin.
func servingClasses(t *testing.T, db string) string {
	t.Helper()
	args := []string{"serve", "--addr", "127.0.0.1:0", "--db", db, "--explore", "0.2"}
	for _, c := range classes {
		args = append(args, pathOf(t, c.name))
	}
	cmd := exec.Command(program(t), args...)
	cmd.Env = append(os.Environ(), bytesKernel)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = cmd.Process.Kill(), cmd.Wait() })
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return regexp.MustCompile(`http://[0-9.:]+`).FindString(line)
}

// request returns the status and body of a reply.
func request(t *testing.T, method, url string, in any) (int, []byte) {
	t.Helper()
	var body io.Reader
	if in != nil {
		text, err := json.Marshal(in)
		if err != nil {
			t.Fatal(err)
		}
		body = bytes.NewReader(text)
	}
	r, err := http.NewRequestWithContext(t.Context(), method, url, body)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	reply, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer reply.Body.Close()
	text, err := io.ReadAll(reply.Body)
	if err != nil {
		t.Fatal(err)
	}
	return reply.StatusCode, text
}

// TestGoldenMCP compares the replies of an agent's verbs with a record, for each class of problem. The sessions are begun over
// HTTP, which takes a seed.
func TestGoldenMCP(t *testing.T) {
	needBytesKernel(t)
	db := filepath.Join(t.TempDir(), "s.db")
	origin := servingClasses(t, db)
	for _, c := range classes {
		var begun struct{ ID string }
		_, text := request(t, "POST", origin+"/v1/sessions", map[string]any{"policy": c.name, "seed": 7})
		if err := json.Unmarshal(text, &begun); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		args := []string{"serve", "--mcp", "--db", db, pathOf(t, c.name)}
		if strings.HasPrefix(c.name, "pool") {
			args = append(args, "--explore", "0.2")
		}
		cmd := exec.Command(program(t), args...)
		cmd.Env = append(os.Environ(), bytesKernel)
		client, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), &mcp.CommandTransport{Command: cmd}, nil)
		if err != nil {
			t.Fatal(err)
		}
		var got strings.Builder
		call := func(verb string, in map[string]any) (view struct {
			Step  int
			State string
		}) {
			t.Helper()
			in["session"] = begun.ID
			reply, err := client.CallTool(t.Context(), &mcp.CallToolParams{Name: verb, Arguments: in})
			if err != nil {
				t.Fatal(err)
			}
			text, err := json.Marshal(reply.StructuredContent)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&got, "%s %t\n%s\n", verb, reply.IsError, changing.ReplaceAll(text, []byte("…")))
			if err := json.Unmarshal(text, &view); err != nil {
				t.Fatal(err)
			}
			return view
		}
		v := call("next", map[string]any{})
		for i, a := range c.answers {
			if v.State != "open" {
				break
			}
			v = call("answer", map[string]any{"step": v.Step, "answer": wordOf(c.name, a, agentWords)})
			if i == 1 {
				v = call("answer", map[string]any{"step": v.Step, "answer": "undo"})
			}
		}
		call("recommend", map[string]any{})
		if err := client.Close(); err != nil {
			t.Error(err)
		}
		check.Golden(t, "testdata/golden/"+c.name+".mcp.txt", []byte(got.String()))
	}
}

var (
	terminalWords = map[any]string{1.0: "y", -1.0: "n", 0.5: "probably", -0.5: "probably not", nil: "?"}
	agentWords    = map[any]string{1.0: "yes", -1.0: "no", 0.5: "probably", -0.5: "probably not", nil: "don't know"}
)

// wordOf returns an answer as a person types it, or an agent.
func wordOf(class string, answer any, words map[any]string) string {
	word, ok := words[answer]
	if _, number := answer.(float64); !ok || number && strings.HasSuffix(class, "gaussian") {
		return fmt.Sprint(answer)
	}
	return word
}
