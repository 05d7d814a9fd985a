package store_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"

	"mapo/run/store"
)

const killDir = "MAPO_STORE_TEST_KILL" // set in the process that is to be killed: the folder it writes to

// TestKill kills a process in the middle of saving checkpoints, several times, each going on where
// the last one left off: every reader finds a sound checkpoint, never an earlier one than before.
func TestKill(t *testing.T) {
	job := store.KeyOf("kill/1", nil)
	if dir := os.Getenv(killDir); dir != "" {
		saveForever(t, dir, job)
	}
	dir, reached := t.TempDir(), 0
	for round := range 6 {
		cmd := exec.Command(os.Args[0], "-test.run=^TestKill$")
		cmd.Env = append(os.Environ(), killDir+"="+dir)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		s, err := store.Folder(dir)
		if err != nil {
			t.Fatal(err)
		}
		for more := false; !more; time.Sleep(time.Millisecond) {
			iter, _, _, err := store.LoadCheckpoint(t.Context(), s, job)
			if err != nil {
				t.Fatal(err)
			}
			more = iter > reached
		}
		time.Sleep(time.Duration(17*round) * time.Millisecond)
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		cmd.Wait() // it was killed: that is its error
		iter, data, warnings, err := store.LoadCheckpoint(t.Context(), s, job)
		if err != nil || len(warnings) > 0 || iter < reached || (data != nil && !bytes.Equal(data, killBody(iter))) {
			t.Fatalf("round %d: iteration %d after %d, %d bytes, %q, %v", round, iter, reached, len(data), warnings, err)
		}
		reached = iter
	}
	t.Logf("%d checkpoints saved under 6 kills", reached)
}

func saveForever(t *testing.T, dir string, job store.Key) {
	s, err := store.Folder(dir)
	if err != nil {
		t.Fatal(err)
	}
	iter, _, _, err := store.LoadCheckpoint(t.Context(), s, job)
	for err == nil {
		iter++
		err = store.SaveCheckpoint(t.Context(), s, job, iter, killBody(iter))
	}
	t.Fatal(err)
}

func killBody(iter int) []byte { return bytes.Repeat(fmt.Appendf(nil, "%d ", iter), 10_000) }
