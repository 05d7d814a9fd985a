//go:build unix

package external

import (
	"strings"
	"testing"

	"mapo/game"
	"mapo/internal/check"
	"mapo/internal/suite"
)

// TestEcho: a reply that comes twice, a moment apart, is not taken for the next one.
func TestEcho(t *testing.T) {
	x, err := Start(t.Context(), check.Thresholds(3, 5), command("echo"), Options{Workers: 1, Timeout: suite.Patience})
	if err == nil { // else both came at once
		defer x.Close()
		proc := <-x.idle
		suite.Await(t, func() bool { return pending(proc.pipe) }, func() string { return "the second reply does not come" })
		x.idle <- proc
		err = x.Ask(make([]float32, 3), game.States{N: []float32{1, 0, 0}, S: []float32{1, 0, 0}})
	}
	if err == nil || !strings.Contains(err.Error(), "it sent more than the one line asked for: {") {
		t.Errorf("%v, want a fault", err)
	}
}
