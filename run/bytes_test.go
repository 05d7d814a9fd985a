package run

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"mapo/game"
	"mapo/internal/check"
	"mapo/internal/num"
	"mapo/run/job"
	"mapo/run/store"
)

// noting tells which jobs it was given.
type noting struct {
	job.Executor
	mu   sync.Mutex
	jobs []string // "step policy key"
}

func (n *noting) Submit(ctx context.Context, step string, key store.Key, input []byte) job.Future {
	var head job.Header
	if err := json.Unmarshal(input, &head); err != nil {
		panic(err)
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.jobs = append(n.jobs, fmt.Sprintf("%s %s %s", step, strings.ReplaceAll(head.For, " ", "-"), key))
	return n.Executor.Submit(ctx, step, key, input)
}

// A step of a version gives the bytes it always gave: what a store holds of one is taken for the result of another
// build. Where this fails a change gives others: raise the step's version in steps.go and run the test with -update.
func TestStepBytes(t *testing.T) {
	if runtime.GOARCH != "amd64" || slices.Contains(num.Environment(), "goamd64=v3") {
		t.Skip("the last bits are of another machine")
	}
	if num.Kernel() != "go" {
		args := []string{"-test.run=^TestStepBytes$"}
		for _, a := range os.Args[1:] {
			if a == "-update" {
				args = append(args, a)
			}
		}
		again := exec.Command(os.Args[0], args...)
		again.Env = append(os.Environ(), num.Variable+"=go")
		if out, err := again.CombinedOutput(); err != nil {
			t.Errorf("with the kernel all machines have: %v\n%s", err, out)
		}
		return
	}
	var lines []string
	ladder, alone := tiny(t, 8, 32), tiny(t, 16)
	alone.Loss, alone.Rivals = game.SimpleRegret, nil
	alone.Train = alone.Train.Clone()
	alone.Train.Oracle.Below, alone.Train.Oracle.Soften, alone.Train.Optimizer = true, .8, "soap" // as where games are cheap
	for _, plan := range []Plan{ladder, alone} {
		s, err := store.Folder(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		n := &noting{Executor: &job.Local{Store: s, Steps: Steps(plan.Known()...), Cores: 2}}
		f, err := New(t.Context(), plan, s, n)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, one := range n.jobs {
			at := strings.LastIndexByte(one, ' ')
			data, err := s.Get(t.Context(), job.Artifact(store.Key(one[at+1:])))
			if err != nil {
				t.Fatal(err)
			}
			lines = append(lines, fmt.Sprintf("%s %s %.16x\n", plan.Loss, one[:at], sha256.Sum256(data)))
		}
	}
	slices.Sort(lines)
	check.Golden(t, "testdata/steps.golden", []byte(strings.Join(lines, "")))
}
