//go:build unix

package main

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func init() { signals["stop"] = syscall.SIGSTOP }

// trainer runs `mapo train` in a folder, whose spec.yaml and other.yaml are trainings of some seconds.
type trainer struct {
	t        *testing.T
	bin, dir string
}

func newTrainer(t *testing.T) trainer {
	if testing.Short() {
		t.Skip("starts the program")
	}
	r := trainer{t, program(t), t.TempDir()}
	long := strings.Replace(tiny, "mlp: {hidden: [16]}", "mlp: {hidden: [16]}, pi: 1000000", 1) + "levels: [16]\n"
	r.write("spec.yaml", long)
	r.write("other.yaml", long+"seed: 2\n")
	return r
}

func (r trainer) path(name string) string { return filepath.Join(r.dir, name) }

func (r trainer) write(name, text string) {
	r.t.Helper()
	if err := os.WriteFile(r.path(name), []byte(text), 0o666); err != nil {
		r.t.Fatal(err)
	}
}

// begin starts a training to out, which stops itself by a signal at its first checkpoint, and returns once it has.
func (r trainer) begin(spec, out, time, signal string) (*exec.Cmd, *strings.Builder) {
	r.t.Helper()
	cmd, said := r.command(spec, out, time)
	cmd.Env = append(os.Environ(), stopAt+"="+signal+" saved 1")
	if err := cmd.Start(); err != nil {
		r.t.Fatal(err)
	}
	if signal == "kill" {
		_ = cmd.Wait() // killed
		return cmd, said
	}
	var how syscall.WaitStatus
	if _, err := syscall.Wait4(cmd.Process.Pid, &how, syscall.WUNTRACED, nil); err != nil || !how.Stopped() {
		r.t.Fatalf("it has not stopped: %v, %v\n%s", how, err, said)
	}
	return cmd, said
}

func (r trainer) command(spec, out, time string) (*exec.Cmd, *strings.Builder) {
	cmd := exec.Command(r.bin, "train", spec, "--out", out, "--checkpoint-every", "1ms", "--max-time", time)
	cmd.Dir = r.dir
	said := new(strings.Builder)
	cmd.Stderr = said
	return cmd, said
}

// refused wants a training that is refused with a last line that has want.
func (r trainer) refused(err error, said *strings.Builder, want string) {
	r.t.Helper()
	lines := strings.Split(strings.TrimSpace(said.String()), "\n")
	if last := lines[len(lines)-1]; err == nil || !strings.Contains(last, want) {
		r.t.Errorf("%v: %q, want %q", err, last, want)
	}
}

// works carries out a training, and returns what it told.
func (r trainer) works(spec, out, time string) string {
	r.t.Helper()
	cmd, said := r.command(spec, out, time)
	if err := cmd.Run(); err != nil {
		r.t.Fatalf("%v: %s", err, said)
	}
	return said.String()
}

// Two trainings cannot be at work on one file, and one that somebody has made meanwhile is not replaced: nothing is lost.
func TestTrainTaken(t *testing.T) {
	t.Parallel()
	r := newTrainer(t)
	first, said := r.begin("spec.yaml", "a.safetensors", "3s", "stop") // so that it does not end before all is tried
	second, told := r.command("spec.yaml", "a.safetensors", "3s")
	r.refused(second.Run(), told, "another mapo train is at work in a.safetensors.checkpoints: wait for it")
	r.write("a.safetensors", "mine")
	if err := first.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	r.refused(first.Wait(), said, "a.safetensors was made by another process meanwhile; what was learned is kept: move it away and run the same command again")
	if data, err := os.ReadFile(r.path("a.safetensors")); err != nil || string(data) != "mine" {
		t.Errorf("it holds %q (%v)", data, err)
	}
	if err := os.Remove(r.path("a.safetensors")); err != nil {
		t.Fatal(err)
	}
	if told := r.works("spec.yaml", "a.safetensors", "3s"); strings.Contains(told, "started") {
		t.Errorf("it was learned again: %s", told)
	}
	if _, err := os.Stat(r.path("a.safetensors.checkpoints")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the checkpoints: %v, want them gone", err)
	}
}

// What a kill leaves is the same training's to go on from and no other's to remove; a user's file in it stays.
func TestTrainKilled(t *testing.T) {
	t.Parallel()
	r := newTrainer(t)
	r.begin("spec.yaml", "a.safetensors", "2s", "kill")
	other, said := r.command("other.yaml", "a.safetensors", "2s")
	r.refused(other.Run(), said, "a.safetensors.checkpoints has the checkpoints of another training: ")
	mine := "a.safetensors.checkpoints/checkpoints/thesis.tex"
	r.write(mine, "mine")
	r.works("spec.yaml", "a.safetensors", "2s")
	var left []string
	err := fs.WalkDir(os.DirFS(r.path("a.safetensors.checkpoints")), ".", func(name string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			left = append(left, name)
		}
		return err
	})
	if err != nil || len(left) != 1 || left[0] != "checkpoints/thesis.tex" {
		t.Errorf("%q, %v are left, want the user's file", left, err)
	}
}
