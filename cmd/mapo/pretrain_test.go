package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"mapo/internal/num"
)

const tinyFamily = `family: {hypotheses: [5, 8], queries: [6, 8], budget: [3, 4]}
tables: 4
steps: 6
batch: 2
M: 4
L: 4
N: 12
validate: {tables: 0}
`

// onWrite calls itself for what is written.
type onWrite func(text string)

func (f onWrite) Write(text []byte) (int, error) {
	f(string(text))
	return len(text), nil
}

// pretrainTiny runs `mapo pretrain` on the family in dir, and tells of what it shows.
func pretrainTiny(ctx context.Context, dir, out string, shown onWrite) error {
	c := pretrainCommand()
	c.SilenceUsage, c.SilenceErrors = true, true
	c.SetOut(io.Discard)
	c.SetErr(shown)
	c.SetArgs([]string{filepath.Join(dir, "tiny.yaml"), "--out", filepath.Join(dir, out)})
	return c.ExecuteContext(ctx)
}

// TestPretrainInterrupted presses Ctrl-C before the first step, after it and where a checkpoint is restored: what is
// behind is saved, nothing is lost or to be removed, and the same command ends in the bytes of a run that was left alone.
// In between it goes on neither with another family nor with another kernel.
func TestPretrainInterrupted(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, data []byte) {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("tiny.yaml", []byte(tinyFamily))
	read := func(name string) []byte {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	silent := onWrite(func(string) {})
	if err := pretrainTiny(t.Context(), dir, "whole.safetensors", silent); err != nil {
		t.Fatal(err)
	}

	ended, end := context.WithCancel(t.Context())
	end()
	stops := func(ctx context.Context, shown onWrite, want string) {
		t.Helper()
		err := pretrainTiny(ctx, dir, "a.safetensors", shown)
		if !errors.As(err, new(*interrupted)) || !strings.HasPrefix(err.Error(), want) {
			t.Fatalf("it ends with %v, want %q", err, want)
		}
	}
	stops(ended, silent, "stopped; nothing was begun")
	if left, err := filepath.Glob(filepath.Join(dir, "a.safetensors*")); err != nil || len(left) > 0 {
		t.Fatalf("an interrupt before the first step leaves %v, %v", left, err)
	}

	ctx, end := context.WithCancel(t.Context())
	stops(ctx, func(string) { end() }, "stopped; go on with: "+self()+" pretrain ")
	kept := read("a.safetensors.checkpoint")
	stops(ended, silent, "stopped; go on with: "+self()+" pretrain ")
	if !bytes.Equal(kept, read("a.safetensors.checkpoint")) {
		t.Error("an interrupt where problems are restored changes the checkpoint")
	}

	family := read("tiny.yaml")
	write("tiny.yaml", append(family, "seed: 2\n"...))
	err := pretrainTiny(t.Context(), dir, "a.safetensors", silent)
	if err == nil || !strings.HasSuffix(err.Error(), "a.safetensors.checkpoint: pretrain: the checkpoint is of another family or configuration; to begin anew, name another --out or remove it") {
		t.Errorf("with another seed: %v", err)
	}
	write("tiny.yaml", family)
	if num.Kernel() != "go" {
		other := exec.Command("mapo", "pretrain", "tiny.yaml", "--out", "a.safetensors")
		other.Dir, other.Env = dir, append(os.Environ(), num.Variable+"=go")
		if said, err := other.CombinedOutput(); err == nil || !strings.Contains(string(said), "choose the same kernel (MAPO_KERNEL)") {
			t.Errorf("with another kernel: %v, %s", err, said)
		}
	}
	if !bytes.Equal(kept, read("a.safetensors.checkpoint")) {
		t.Error("what is refused is not left as it was")
	}

	var first string
	if err := pretrainTiny(t.Context(), dir, "a.safetensors", func(text string) { first += text }); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(first, "step 2 of 6") {
		t.Errorf("after an interrupt in step 1 it resumes with %q", first)
	}
	if !bytes.Equal(read("a.safetensors"), read("whole.safetensors")) {
		t.Error("interrupted, it makes other weights")
	}
}
