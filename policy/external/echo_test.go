//go:build unix

package external

import (
	"strings"
	"testing"
	"time"

	"mapo/game"
	"mapo/internal/check"
)

// TestEcho: a reply that comes twice, a moment apart, is not taken for the next one.
func TestEcho(t *testing.T) {
	x, err := Start(t.Context(), check.Thresholds(3, 5), command("echo"), Options{Workers: 1, Timeout: 20 * time.Second})
	if err == nil { // else both came at once
		defer x.Close()
		proc := <-x.idle
		for begin := time.Now(); !pending(proc.pipe) && time.Since(begin) < 20*time.Second; {
			time.Sleep(time.Millisecond)
		}
		x.idle <- proc
		err = x.Ask(make([]float32, 3), game.States{N: []float32{1, 0, 0}, S: []float32{1, 0, 0}})
	}
	if err == nil || !strings.Contains(err.Error(), "it sent more than the one line asked for: {") {
		t.Errorf("%v, want a fault", err)
	}
}
