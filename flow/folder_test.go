package flow

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
)

// Of different runs begun in one folder at once one has it, the others are refused.
func TestOpenAtOnce(t *testing.T) {
	for round := range 20 {
		dir := filepath.Join(t.TempDir(), "run")
		var wg sync.WaitGroup
		had := make(chan string, 8)
		for i := range cap(had) {
			wg.Go(func() {
				spec := fmt.Sprintf("%stiny-%d\n", SpecHead, i)
				f, err := Open(t.Context(), dir, []byte(spec), i%2 == 0, nil)
				if err != nil {
					return
				}
				had <- spec
				if err := f.Close(); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		close(had)
		spec, err := os.ReadFile(filepath.Join(dir, specFile))
		if err != nil || len(had) != 1 || string(spec) != <-had {
			t.Fatalf("round %d: %d runs have the folder of %q (%v)", round, len(had), spec, err)
		}
	}
}
