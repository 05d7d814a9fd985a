package runtest

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"mapo/adversary/search"
	"mapo/data/dataset"
	"mapo/game"
	"mapo/train"
	"mapo/train/preset"
)

// Parts are those of a run.Plan that decide what a run takes.
type Parts struct {
	Problem *game.Problem
	Train   train.Config
	Effort  search.Effort
	Priors  []game.Prior
}

// Paper returns a configuration that trains by Algorithm 2 as long as c does: Init has 2 iterations and regret training 8.
func Paper(c train.Config) train.Config {
	c = c.Clone()
	c.Oracle, c.Paper = nil, &train.Paper{LambdaGen: .02, LambdaBarrier: 10, RateTheta: 2e-2, RateW: 3e-2, Init: 2, Regret: 8}
	return c
}

// MLP returns a configuration that trains an MLP of one layer of this width.
func MLP(c train.Config, width int) train.Config {
	c = c.Clone()
	c.Structured, c.MLP = nil, &train.MLP{Hidden: []int{width}}
	return c
}

// Tiny returns the parts of a run that takes about a second with levels 8 and 32: thresholds with 5 queries and 4
// answers, for best identification.
func Tiny(t testing.TB) Parts {
	t.Helper()
	p := dataset.Thresholds(5, 4)
	config, err := preset.New("smoke", p, game.BestIdentification)
	if err != nil {
		t.Fatal(err)
	}
	config.M, config.L, config.N, config.Pi, config.PiHat = 8, 4, 24, 6, 8
	effort, err := search.Efforts("smoke")
	if err != nil {
		t.Fatal(err)
	}
	effort.Starts, effort.Replay, effort.Report, effort.MaxReport = 12, 60, 100, 200
	return Parts{
		Problem: p, Train: config, Effort: effort,
		Priors: []game.Prior{game.Flip(p, .8), game.Rows("table", [][]float64{{1, 1, 1, 1, 1}, {.5, 0, -.5, -1, -1}})},
	}
}

var lastField = regexp.MustCompile(`(?m),[^,\n]*$`)

// Untimed returns a CSV file without its last column, the seconds: no two runs take the same.
func Untimed(csv []byte) []byte { return lastField.ReplaceAll(csv, nil) }

// Left returns what the run in folder dir left that must be the same bytes in every run of its plan, by file name: the
// policies, and results.csv but for seconds. A run leaves two policies at least.
func Left(t testing.TB, dir string) map[string]string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "policies", "*"))
	if err != nil {
		t.Fatal(err)
	}
	if len(paths) < 2 {
		t.Fatalf("%s has %d policies, want at least 2", dir, len(paths))
	}
	const results = "results.csv"
	out := map[string]string{}
	for _, path := range append(paths, filepath.Join(dir, results)) {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if filepath.Base(path) == results {
			data = Untimed(data)
		}
		out[filepath.Base(path)] = string(data)
	}
	return out
}

// Same fails where what two runs left differs; what names the first of them.
func Same(t testing.TB, what string, got, want map[string]string) {
	t.Helper()
	for name, data := range want {
		if got[name] != data {
			t.Errorf("%s: %s differs", what, name)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%s: %d files, want %d", what, len(got), len(want))
	}
}
