//go:build unix

package external

import (
	"math"
	"strings"
	"testing"
	"time"

	"mapo/game"
	"mapo/internal/check"
)

// TestEcho: a reply that comes twice, a moment apart, is not taken for the next one.
func TestEcho(t *testing.T) {
	x, err := Start(t.Context(), check.Thresholds(3, 5), command("echo"), Options{Workers: 1, Timeout: 20 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	state := game.States{N: []float32{1, 0, 0}, S: []float32{1, 0, 0}}
	want := question{N: [][]float64{{1, 0, 0}}, S: [][]float64{{1, 0, 0}}, Left: []float64{4}}.answer()[0]
	for range 100 {
		time.Sleep(50 * time.Millisecond)
		got := make([]float32, 3)
		if err = x.Ask(got, state); err != nil {
			break
		}
		for i, v := range got {
			if math.Abs(float64(v)-want[i]) > 1e-6 {
				t.Fatalf("the answer is %v, want %v", got, want)
			}
		}
	}
	if err == nil || !strings.Contains(err.Error(), "it sent more than the one line asked for: {") {
		t.Errorf("%v, want a fault", err)
	}
}
