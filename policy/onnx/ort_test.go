package onnx_test

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"mapo/game"
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
	const states = 1000
	dir := t.TempDir()
	list := append(samples(t), deciders(t)...)
	var cases []ortCase
	var want [][]float32
	var played []game.States
	for i, s := range list {
		p := s.c.Problem
		g, data := encode(t, s)
		file := filepath.Join(dir, strconv.Itoa(i)+".onnx")
		if err := os.WriteFile(file, data, 0o666); err != nil {
			t.Fatal(err)
		}
		policy := nn.Policy(p, s.net)
		states := onnx.States(p, policy, states, rng.New(2))
		probs := make([]float32, len(states.N))
		policy.Probs(probs, states)
		want, played = append(want, probs), append(played, states)
		cases = append(cases, ortCase{file, batches(g, states, p.Queries())})
	}
	version, got := runtime(t, cases)
	largest := map[string]float64{} // by kind of network
	decision, near := 0., 0
	for i, s := range list {
		kind, _, _ := strings.Cut(s.net.Arch(), " ")
		d := difference(t, s.name, got[i][onnx.OutP], want[i], played[i].Mask)
		far, close := decided(t, s, got[i][onnx.OutDecision], played[i])
		t.Logf("%s: largest difference %.2g, of the decision %.2g with %d near-ties", s.name, d, far, close)
		largest[kind], decision, near = max(largest[kind], d), max(decision, far), near+close
	}
	t.Logf("onnxruntime-web %s, %d states for each of %d policies: largest difference %v by network, %.2g of decisions, %d near-ties", version, states, len(list), largest, decision, near)
}

// decided is the largest difference of decisions from the policy's, and in how many states rounding may decide.
func decided(t *testing.T, s sample, got []*float32, states game.States) (largest float64, near int) {
	t.Helper()
	decisions, err := onnx.NewDecisions(s.c)
	if err != nil {
		t.Fatal(err)
	}
	d, n := s.c.Problem.Queries(), s.c.Problem.Hypotheses()
	if len(got) != states.Len(d)*n {
		t.Fatalf("%s: a decision of %d probabilities; it must have %d", s.name, len(got), states.Len(d)*n)
	}
	row := make([]float32, n)
	for b := range states.Len(d) {
		for k, p := range got[b*n : (b+1)*n] {
			if p == nil {
				t.Fatalf("%s: the decision in state %d has an entry that is not a number", s.name, b)
			}
			row[k] = *p
		}
		far, close := decisions.Compare(row, states.Row(b, d))
		if largest = max(largest, far); close {
			near++
		}
		if far > onnx.Tolerance {
			t.Errorf("%s: the decision in state %d differs by %.2g, more than %g", s.name, b, far, onnx.Tolerance)
		}
	}
	return largest, near
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

// difference is the largest between two lists of probabilities.
func difference(t *testing.T, name string, got []*float32, want []float32, mask []bool) (largest float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d probabilities, want %d", name, len(got), len(want))
	}
	for i, p := range got {
		switch {
		case p == nil:
			t.Fatalf("%s: probability %d is not a number", name, i)
		case mask[i] && *p != 0:
			t.Errorf("%s: probability %d is %g, the query is masked", name, i, *p)
		}
		largest = max(largest, math.Abs(float64(*p-want[i])))
	}
	if largest > onnx.Tolerance {
		t.Errorf("%s: largest difference %.2g, more than %g", name, largest, onnx.Tolerance)
	}
	return largest
}
