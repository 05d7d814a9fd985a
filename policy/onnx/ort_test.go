package onnx_test

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"mapo/game"
	"mapo/internal/suite"
	"mapo/policy/nn"
	"mapo/policy/onnx"
	"mapo/rng"
)

// ortCase is one file and what it is fed.
type ortCase struct {
	Model   string                 `json:"model"`
	Batches []map[string]ortTensor `json:"batches"`
}

type ortTensor struct {
	Type string    `json:"type"`
	Dims []int     `json:"dims"`
	Data []float32 `json:"data"`
}

// TestRuntime: a real runtime gives the policy's probabilities and decisions, for all networks and decisions, 1,000 states
// each. It needs node, and onnxruntime-web where node looks (NODE_PATH):
//
//	npm install --prefix DIR onnxruntime-web@1.30.0
//	NODE_PATH=DIR/node_modules go test ./policy/onnx -run TestRuntime -v
func TestRuntime(t *testing.T) {
	needRuntime(t)
	states := 1000
	if suite.Reduced() {
		states = 40
	}
	dir := t.TempDir()
	list := slices.Concat(samples(t), deciders(t), gates(t))
	var cases []ortCase
	var played []game.States
	for i, s := range list {
		p := s.c.Problem
		g, data := encode(t, s)
		file := filepath.Join(dir, strconv.Itoa(i)+".onnx")
		if err := os.WriteFile(file, data, 0o666); err != nil {
			t.Fatal(err)
		}
		met := onnx.States(p, nn.Policy(p, s.net), states, rng.New(2))
		played = append(played, met)
		cases = append(cases, ortCase{file, batches(g, met, p.Queries())})
	}
	version, got := runtime(t, cases)
	largest, near := map[string]float64{}, 0 // by kind of network
	for i, s := range list {
		kind, _, _ := strings.Cut(s.net.Arch(), " ")
		far, unsure := difference(t, s, got[i], played[i])
		t.Logf("%s: largest difference %.2g, rounding may decide in %d states", s.name, far, unsure)
		largest[kind], near = max(largest[kind], far), near+unsure
	}
	for kind, far := range largest {
		t.Logf("onnxruntime-web %s, %d states a policy, %s: largest difference %.2g", version, states, kind, far)
	}
	t.Logf("rounding may decide in %d states of %d policies", near, len(list))
}

// needRuntime skips the test where there is no runtime, or fails it where there must be one.
func needRuntime(t *testing.T) {
	t.Helper()
	_ = os.Getenv("NODE_PATH") // a result with another one is not this one's
	out, err := exec.Command("node", "-e", `require("onnxruntime-web")`).CombinedOutput()
	if err == nil {
		return
	}
	const how = "no node with onnxruntime-web: npm install --prefix DIR onnxruntime-web, and NODE_PATH=DIR/node_modules"
	if os.Getenv("MAPO_CI") != "" {
		t.Fatalf("%s: %v\n%.400s", how, err, out)
	}
	t.Skip(how)
}

// batches are the states as inputs, 1 and then 333 at a time.
func batches(g *onnx.Graph, s game.States, d int) (list []map[string]ortTensor) {
	for lo, b := 0, 1; lo < s.Len(d); lo, b = lo+b, 333 {
		batch := map[string]ortTensor{}
		for name, in := range g.Feed(s, lo, min(lo+b, s.Len(d)), d) {
			batch[name] = ortTensor{map[onnx.Type]string{onnx.Float: "float32", onnx.Bool: "bool"}[in.Type], in.Shape, in.Data}
		}
		list = append(list, batch)
	}
	return list
}

// runtime feeds the cases to onnxruntime-web and returns its version and the outputs by name.
func runtime(t *testing.T, cases []ortCase) (version string, outputs []map[string][]*float32) {
	t.Helper()
	in, err := json.Marshal(cases)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "node", "testdata/run.cjs")
	var stdout, stderr bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(in), &stdout, &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("node: %v\n%s", err, stderr.Bytes())
	}
	var out struct {
		Version string
		Outputs []map[string][]*float32
	}
	if err := json.Unmarshal(stdout.Bytes(), &out); err != nil {
		t.Fatal(err)
	}
	if len(out.Outputs) != len(cases) {
		t.Fatalf("%d outputs for %d files", len(out.Outputs), len(cases))
	}
	return out.Version, out.Outputs
}

// difference is the largest between a runtime's outputs and the policy in states, and in how many rounding may decide.
func difference(t *testing.T, s sample, got map[string][]*float32, states game.States) (largest float64, near int) {
	t.Helper()
	compare, err := onnx.NewComparer(s.net, s.c)
	if err != nil {
		t.Fatal(err)
	}
	d, n := s.c.Problem.Queries(), s.c.Problem.Hypotheses()
	probs, decision := numbers(got[onnx.OutP]), numbers(got[onnx.OutDecision])
	if len(probs) != states.Len(d)*d || len(decision) != states.Len(d)*n {
		t.Fatalf("%s: %d and %d probabilities of %d states", s.name, len(probs), len(decision), states.Len(d))
	}
	for b := range states.Len(d) {
		far, unsure, err := compare.Compare(probs[b*d:(b+1)*d], decision[b*n:(b+1)*n], states.Row(b, d))
		if err != nil {
			t.Errorf("%s, state %d: %v", s.name, b, err)
		}
		if largest = max(largest, far); unsure {
			near++
		}
	}
	return largest, near
}

// numbers are a runtime's, null standing for what is not a number.
func numbers(list []*float32) []float32 {
	out := make([]float32, len(list))
	for i, v := range list {
		if out[i] = float32(math.NaN()); v != nil {
			out[i] = *v
		}
	}
	return out
}
