package rival_test

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"mapo/game"
	"mapo/game/sim"
	"mapo/policy/rival"
	"mapo/rng"
	"mapo/spec"
)

// Shares of games that an independent program's policies were right in: rows drawn from the table, T = 20, no question
// twice, decided by the nearest row, 20,000 games.
func TestRowsMatchAnIndependentProgram(t *testing.T) {
	if testing.Short() {
		t.Skip("plays 20,000 games")
	}
	const games = 3000
	balanced := "\n  select: {queries: 100, design: balanced, seed: 1}"
	for _, c := range []struct {
		file, selects string
		right         map[string]float64
	}{
		{"../../examples/animals.csv", "", map[string]float64{"instant:0.7": 0.936, "instant:0": 0.885, "gain:1": 0.819}},
		{"cub_pyes.csv.gz", balanced, map[string]float64{"instant:0.7": 0.421, "instant:0": 0.356}},
		{"leuven_animal_pyes.csv.gz", balanced, map[string]float64{"instant:0.7": 0.861, "instant:0": 0.815}},
		{"cross_authors.csv", "", map[string]float64{"instant:0.7": 0.963, "instant:0": 0.933}},
	} {
		path, err := filepath.Abs(c.file)
		if _, missing := os.Stat(path); err != nil || missing != nil {
			path = filepath.Join(os.Getenv("MAPO_DATA"), c.file)
		}
		if _, err := os.Stat(path); err != nil {
			continue // real data are not part of the project
		}
		file := filepath.Join(t.TempDir(), "spec.yaml")
		if err := os.WriteFile(file, []byte("problem:\n  table: "+path+c.selects+"\nbudget: 20\nask-once: true\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := spec.Load(file, spec.Override{Truth: spec.Rows})
		if err != nil {
			t.Fatal(err)
		}
		for name, want := range c.right {
			policy, err := rival.Parse(s.Problem, game.BestIdentification, name)
			if err != nil {
				t.Fatal(err)
			}
			wrong, err := sim.Play{P: s.Problem, Policy: policy}.Average(t.Context(), game.DrawShares(s.Problem, 0), games, rng.New(1), game.BestIdentification)
			if err != nil {
				t.Fatal(err)
			}
			got := 1 - wrong[0].Mean
			if far := 5 * math.Sqrt(want*(1-want)*(1.0/games+1.0/20000)); math.Abs(got-want) > far {
				t.Errorf("%s: %s is right in %.1f %%, want %.1f ± %.1f", c.file, name, 100*got, 100*want, 100*far)
			}
			t.Logf("%s: %s %.1f %% (%.1f)", c.file, name, 100*got, 100*want)
		}
	}
}
