package train

import (
	"testing"

	"mapo/game"
	"mapo/internal/check"
	"mapo/rng"
)

// An iteration allocates nothing after the first of a phase, whatever the network
// and the adversary.
func TestIterationAllocs(t *testing.T) {
	if testing.Short() {
		t.Skip("the race detector makes pools forget")
	}
	p := check.Thresholds(9, 6)
	for _, policy := range []string{"mlp", "structured"} {
		for _, algorithm := range []string{"paper", "oracle", "prior"} {
			for _, workers := range []int{1, 2} {
				task := Task{P: p, C: game.RhoTilde(p), Loss: game.SimpleRegret, R: []float64{32}, Config: quick(), Key: rng.New(1), Workers: workers}
				if policy == "structured" {
					structured(&task.Config)
				}
				if algorithm == "prior" {
					task.Prior = game.Flip(p, .8)
				} else if by(&task.Config, algorithm); algorithm == "oracle" {
					task.Config.Oracle.Magnet = .3
				}
				r := begin(t, task)
				iterate(t, r)
				again := func() {
					if _, err := r.iterate(t.Context()); err != nil {
						t.Fatal(err)
					}
				}
				// Two workers may want a pool's scratch at once in a later iteration for the first time.
				most := float64(8 * (workers - 1))
				n := testing.AllocsPerRun(10, again)
				for range 2 { // what is allocated in every iteration is so each time
					n = min(n, testing.AllocsPerRun(10, again))
				}
				if n > most {
					t.Errorf("%s, %s, %d workers: %v allocations an iteration, want at most %v", policy, algorithm, workers, n, most)
				}
			}
		}
	}
}
