package dataset

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mapo/difficulty"
	"mapo/game"
	"mapo/game/sim"
	"mapo/policy/rival"
	"mapo/rng"
)

// data is the path of a real data file, which is not part of the project.
func data(t *testing.T, file string) string {
	t.Helper()
	dir := os.Getenv("MAPO_DATA")
	if dir == "" {
		t.Skip("MAPO_DATA is not set: it names the folder that holds " + file)
	}
	path := filepath.Join(dir, file)
	if _, err := os.Stat(path); err != nil {
		t.Skip("$MAPO_DATA has no " + file)
	}
	return path
}

// An independent program counted the constant columns and those that repeat an
// earlier one, 125 and 143 of CUB, 87 and 306 of Leuven. Its second count has the
// constants too, but for the first of each kind: CUB's 124 of 125 (all are no),
// Leuven's 85 of 87 (both kinds exist).
func TestRealTables(t *testing.T) {
	for _, c := range []struct {
		file                     string
		rows, columns, queries   int
		constant, kind, repeated int
	}{
		{"cub_pyes.csv.gz", 200, 312, 168, 125, 1, 143},
		{"leuven_animal_pyes.csv.gz", 129, 860, 552, 87, 2, 306},
	} {
		t.Run(c.file, func(t *testing.T) {
			table, err := ReadTable(data(t, c.file), "")
			if err != nil {
				t.Fatal(err)
			}
			all := &reduced{t: table, cols: upTo(c.columns), rows: upTo(c.rows)}
			count, constant, repeated := map[string]int{}, 0, 0
			for i := range c.columns {
				key := all.column(i)
				if !strings.Contains(key, "\x00") || !strings.Contains(key, "\x01") {
					constant++
				}
				if count[key]++; count[key] > 1 {
					repeated++
				}
			}
			if constant != c.constant || repeated != c.repeated {
				t.Errorf("%d constant and %d repeated columns, want %d and %d", constant, repeated, c.constant, c.repeated)
			}
			p, prior, warnings, err := Majorities(table, Options{T: 20})
			if err != nil {
				t.Fatal(err)
			}
			if p.Queries() != c.queries || p.Queries() != c.columns-c.repeated-c.kind || p.Hypotheses() != c.rows || len(prior) != c.rows {
				t.Errorf("%d queries, %d hypotheses, %d rows of the prior\n%s", p.Queries(), p.Hypotheses(), len(prior), strings.Join(warnings, "\n"))
			}
			if err := p.Check(); err != nil {
				t.Error(err)
			}
		})
	}
}

// Accuracies of an independent program: the paper's rules, T = 20, the 100 most
// balanced queries, the table's own prior, 4,000 games. Its standard error is at
// most .7 points, ours .6: five of both together.
func TestBirdsMatchAnIndependentProgram(t *testing.T) {
	if testing.Short() {
		t.Skip("plays 30,000 games")
	}
	table, err := ReadTable(data(t, "cub_pyes.csv.gz"), "")
	if err != nil {
		t.Fatal(err)
	}
	p, prior, _, err := Majorities(table, Options{T: 20, Select: Select{Queries: 100}})
	if err != nil {
		t.Fatal(err)
	}
	const games = 6000
	for _, c := range []struct {
		policy string
		want   float64
	}{{"uniform", .109}, {"uncertainty", .189}, {"sgbs:0.01", .239}, {"sgbs:0.1", .230}, {"sgbs:0.3", .200}} {
		policy, err := rival.Parse(p, game.BestIdentification, c.policy)
		if err != nil {
			t.Fatal(err)
		}
		e, err := sim.Play{P: p, Policy: policy}.Average(context.Background(), game.Rows("table", prior), games, rng.New(1), game.BestIdentification)
		if err != nil {
			t.Fatal(err)
		}
		got := 1 - e[0].Mean
		if far := 5 * math.Sqrt(c.want*(1-c.want)*(1.0/games+1.0/4000)); math.Abs(got-c.want) > far {
			t.Errorf("%s identifies %.1f %% of the birds, want %.1f ± %.1f", c.policy, 100*got, 100*c.want, 100*far)
		}
		t.Logf("%s %.1f %% (%.1f)", c.policy, 100*got, 100*c.want)
	}
}

func TestBirdsByDesign(t *testing.T) {
	table, err := ReadTable(data(t, "cub_pyes.csv.gz"), "")
	if err != nil {
		t.Fatal(err)
	}
	pick := func(n int, seed uint64) []string {
		p, _, _, err := Majorities(table, Options{T: 20, Select: Select{n, "rho-star", seed}})
		if err != nil {
			t.Fatal(err)
		}
		return p.X
	}
	all, _, _, err := Majorities(table, Options{T: 20})
	if err != nil {
		t.Fatal(err)
	}
	lambda, _, _, err := difficulty.Design(all)
	if err != nil {
		t.Fatal(err)
	}
	a := pick(60, 1)
	if len(a) != 60 || !slices.Equal(a, pick(60, 1)) || slices.Equal(a, pick(60, 2)) {
		t.Errorf("60 queries by seed 1 are %d: %v", len(a), a)
	}
	support := 0
	for i, w := range lambda {
		if w > 0 {
			support++
		}
		// While the design has queries left, no other is drawn.
		if w == 0 && slices.Contains(a, all.X[i]) && support >= 60 {
			t.Errorf("%s is not in the design", all.X[i])
		}
	}
	t.Logf("the design has %d of %d queries", support, len(lambda))
}
