package main

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"mapo/run/runtest"
)

// TestFullDisk runs on a disk that is too small, then on the same one grown, then
// on one that cannot be written. It needs the right to mount a file system and
// skips where there is none.
func TestFullDisk(t *testing.T) {
	if testing.Short() {
		t.Skip("starts the program a few times")
	}
	dir := t.TempDir()
	disk := filepath.Join(dir, "disk")
	if err := os.Mkdir(disk, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, "size=48k"); err != nil {
		t.Skipf("cannot mount a small disk: %v", err)
	}
	defer func() {
		if err := syscall.Unmount(disk, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	}()
	if err := os.WriteFile(filepath.Join(dir, "spec.yaml"), []byte(tiny), 0o666); err != nil {
		t.Fatal(err)
	}
	mapo := func(args ...string) (last string, code int) {
		cmd := exec.Command("mapo", args...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if err != nil && cmd.ProcessState == nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSpace(string(out)), "\n")
		return lines[len(lines)-1], cmd.ProcessState.ExitCode()
	}
	fails := func(want []string, args ...string) {
		t.Helper()
		last, code := mapo(args...)
		if code != exitFault || !strings.HasPrefix(last, "mapo: ") {
			t.Errorf("mapo %v: exit %d, %s", args, code, last)
		}
		for _, text := range want {
			if !strings.Contains(last, text) {
				t.Errorf("mapo %v: %s; want %q in it", args, last, text)
			}
		}
	}
	works := func(args ...string) {
		t.Helper()
		if last, code := mapo(args...); code != 0 {
			t.Fatalf("mapo %v: exit %d, %s", args, code, last)
		}
	}
	works("run", "spec.yaml", "--out", "whole")
	fails([]string{"no space left on device", "once there is room, go on with: mapo run spec.yaml --out disk/run --resume"}, "run", "spec.yaml", "--out", "disk/run")
	fails([]string{"no space left on device", "free some space"}, "run", "spec.yaml", "--out", "disk/run", "--resume")
	fails([]string{"no space left on device"}, "run", "spec.yaml", "--out", "disk/other")
	if _, err := os.Lstat(filepath.Join(disk, "other")); err == nil {
		t.Error("a run that did not begin left its folder")
	}
	remount := func(flags uintptr, data string) {
		t.Helper()
		if err := syscall.Mount("tmpfs", disk, "tmpfs", syscall.MS_REMOUNT|flags, data); err != nil {
			t.Fatal(err)
		}
	}
	remount(0, "size=16m")
	works("run", "spec.yaml", "--out", "disk/run", "--resume")
	want := runtest.Left(t, filepath.Join(dir, "whole"))
	runtest.Same(t, "on a full disk", runtest.Left(t, filepath.Join(disk, "run")), want)

	remount(syscall.MS_RDONLY, "size=16m")
	fails([]string{"read-only file system", "choose another with --out"}, "run", "spec.yaml", "--out", "disk/more")
	fails([]string{"read-only file system", "make the folder writable"}, "run", "spec.yaml", "--out", "disk/run", "--resume")
	fails([]string{"read-only file system", "make the folder writable"}, "train", "spec.yaml", "--out", "disk/a.safetensors")
	fails([]string{"read-only file system", "choose another file with --csv"}, "eval", "uniform", "--problem", "spec.yaml", "--csv", "disk/a.csv")
	runtest.Same(t, "on a full disk", runtest.Left(t, filepath.Join(disk, "run")), want)
}

// TestLostLabels: labels that could not be written are told, also where Ctrl-C ends the game.
func TestLostLabels(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, c := range []struct {
		labels, want string
	}{
		{"/dev/full", "--labels: /dev/full: the labels are not kept: "},
		{filepath.Join(t.TempDir(), "labels.csv"), "stopped; the same game: " + self() + " play "},
	} {
		root := command()
		root.SetArgs([]string{"play", "../../examples/classifiers.yaml", "--labels", c.labels})
		in, _ := io.Pipe() // no reply comes
		root.SetIn(in)
		root.SetOut(io.Discard)
		root.SetErr(io.Discard)
		err := root.ExecuteContext(ctx)
		if err == nil || !strings.HasPrefix(err.Error(), c.want) || errors.As(err, new(*interrupted)) != strings.HasPrefix(c.want, "stopped") {
			t.Errorf("--labels %s: %v, want %q", c.labels, err, c.want)
		}
	}
}
