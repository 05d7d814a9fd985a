package dataset

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mapo"
	"mapo/baseline"
	"mapo/rng"
	"mapo/sim"
)

// data is the path of a real data file, which is not part of the project.
func data(t *testing.T, file string) string {
	t.Helper()
	dir := os.Getenv("MAPO_DATA")
	if dir == "" {
		t.Skip("MAPO_DATA is not set: it names the folder of " + file)
	}
	return filepath.Join(dir, file)
}

// Facts counted by an independent program: columns that are constant, and
// columns that repeat an earlier one (constant ones among them: all but the
// first of each value).
func TestRealTables(t *testing.T) {
	for _, c := range []struct {
		file                                   string
		rows, columns, constant, repeated, all int
	}{
		{"cub_pyes.csv.gz", 200, 312, 125, 143, 0},
		{"leuven_animal_pyes.csv.gz", 129, 860, 87, 306, 0},
	} {
		t.Run(c.file, func(t *testing.T) {
			table, err := ReadTable(data(t, c.file))
			if err != nil {
				t.Fatal(err)
			}
			p, prior, warnings, err := table.Problem(Options{T: 20})
			if err != nil {
				t.Fatal(err)
			}
			t.Log(len(table.Objects), len(table.Queries), p.Queries(), p.Hypotheses(), len(prior), strings.Join(warnings, "\n"))
		})
	}
}

func TestBirds(t *testing.T) {
	table, err := ReadTable(data(t, "cub_pyes.csv.gz"))
	if err != nil {
		t.Fatal(err)
	}
	p, prior, warnings, err := table.Problem(Options{T: 20, Select: Select{Queries: 100, Design: "balanced", Seed: 1}})
	if err != nil {
		t.Fatal(err)
	}
	t.Log(warnings, p.Queries(), p.Hypotheses())
	for name, want := range map[string]float64{"uniform": 10.9, "uncertainty": 18.9, "sgbs:0.01": 23.9, "sgbs:0.1": 23.0, "sgbs:0.3": 20.0} {
		policy, err := baseline.Parse(p, name)
		if err != nil {
			t.Fatal(err)
		}
		e, err := sim.Play{P: p, Policy: policy}.Average(context.Background(), mapo.Rows("table", prior), 40000, rng.New(1), mapo.BestIdentification)
		if err != nil {
			t.Fatal(err)
		}
		t.Log(name, want, fmt.Sprintf("%.2f [%.2f, %.2f]", 100*(1-e[0].Mean), 100*(1-e[0].Hi), 100*(1-e[0].Lo)), math.Abs(100*(1-e[0].Mean)-want))
	}
}
