package main

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"mapo/serve/database"
)

// TestSessionsFile: without a name the database of sessions is in the user's data folder, unless it stands in the current
// one.
func TestSessionsFile(t *testing.T) {
	home := t.TempDir()
	t.Chdir(t.TempDir())
	t.Setenv("HOME", home)
	want := func(want string) {
		t.Helper()
		if got, err := database.DefaultPath(); err != nil || got != want {
			t.Errorf("%q, %v, want %q", got, err, want)
		}
	}
	for _, relative := range []string{"", "data"} {
		t.Setenv("XDG_DATA_HOME", relative)
		want(filepath.Join(home, ".local/share/mapo", database.DefaultFile))
	}
	t.Setenv("XDG_DATA_HOME", "/data")
	want("/data/mapo/" + database.DefaultFile)
	if got := database.Kept(database.DefaultFile); got != database.DefaultFile {
		t.Errorf("a database that is nowhere is %q", got)
	}
	if err := os.WriteFile(database.DefaultFile, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	want(database.DefaultFile)
	t.Setenv("XDG_DATA_HOME", "")
	t.Setenv("HOME", "")
	want(database.DefaultFile)
	t.Chdir(t.TempDir())
	if got, err := database.DefaultPath(); err == nil || !strings.Contains(err.Error(), "name a file by --db") {
		t.Errorf("without a home %q, %v", got, err)
	}
}

// TestServeKeepsInDataFolder: mapo serve leaves nothing where it is started, says which file it keeps, and the commands
// that read sessions find that file by its name alone.
func TestServeKeepsInDataFolder(t *testing.T) {
	dir, data := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "t.csv"), []byte("object,a,b\nu,0.9,0.1\nv,0.1,0.8\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	command := func(args ...string) *exec.Cmd {
		cmd := exec.Command("mapo", args...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "XDG_DATA_HOME="+data, envDB+"=")
		return cmd
	}
	kept := filepath.Join(data, "mapo", database.DefaultFile)
	server := command("serve", "t.csv", "--addr", "127.0.0.1:0")
	log := new(lockedBuffer)
	server.Stderr = log
	out, err := server.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	_, err = bufio.NewReader(out).ReadString('\n')
	_ = server.Process.Signal(syscall.SIGTERM)
	if ended := server.Wait(); err != nil || ended != nil {
		t.Fatalf("%v, %v\n%s", err, ended, log.String())
	}
	if !strings.Contains(log.String(), kept) {
		t.Errorf("it does not say where sessions are kept:\n%s", log.String())
	}
	if _, err := os.Stat(kept); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
		t.Errorf("the folder holds %v, %v", left, err)
	}
	for _, args := range [][]string{{"table", "review", database.DefaultFile}, {"table", "review"}} {
		if said, err := command(args...).CombinedOutput(); err == nil || !strings.Contains(string(said), kept) {
			t.Errorf("mapo %q does not read %s: %s", args, kept, said) // it has no policy yet, and says so by its name
		}
	}
}
