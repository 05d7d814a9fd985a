package spec

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mapo/data/dataset"
	"mapo/game"
)

// ratings are 30 users of three tastes, as CSV.
func ratings() string {
	var b strings.Builder
	for m := range 30 {
		for j := range dataset.Jokes {
			if j > 0 {
				b.WriteString(",")
			}
			if j%3 == m%3 {
				b.WriteString("7.5")
			} else {
				b.WriteString("-2.5")
			}
		}
		b.WriteString("\n")
	}
	return b.String()
}

// tastes is 𝒵 of them as a table.
func tastes() string {
	text := "object"
	for j := range dataset.Jokes {
		text += ",j" + string(rune('a'+j/26)) + string(rune('a'+j%26))
	}
	for k, name := range []string{"a", "b"} {
		text += "\n" + name
		for j := range dataset.Jokes {
			text += map[bool]string{true: ",1", false: ",0"}[j%3 == k]
		}
	}
	return text + "\n"
}

const (
	rightProb = "1\t.8\t.1\t.1\n2\t.1\t.9\t.1\n3\t.1\t.1\t.9\n10000005\t.5\t.5\t.5\n"
	wrongProb = "1\t.1\t.8\t.9\n2\t.9\t.1\t.9\n3\t.8\t.9\t.1\n10000005\t.5\t.5\t.5\n"
)

// dataDir is a folder with a spec, Jester's and 20 Questions' files.
func dataDir(t *testing.T, spec string) string {
	t.Helper()
	dir := write(t, map[string]string{"s.yaml": spec, "j.csv": ratings(), "k.csv": strings.ReplaceAll(ratings(), "7.5", "6"), "z.csv": tastes()})
	q := filepath.Join(dir, "twentyq")
	if err := os.Mkdir(q, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"rightProb.people4.question3.txt": rightProb, "wrongProb.people4.question3.txt": wrongProb} {
		if err := os.WriteFile(filepath.Join(q, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// A resolved spec of either problem loads as itself, with everything said.
func TestDataProblems(t *testing.T) {
	t.Setenv("MAPO_DATA", "")
	t.Setenv("XDG_CACHE_HOME", "/nowhere")
	for _, c := range []struct {
		spec, origin, priors, note, warning string
		loss                                game.Loss
		queries, hypotheses, rows           int
	}{
		{"problem: {jester: {file: j.csv, clusters: 3}}\n", "jester: {file: [DIR/j.csv], clusters: 3, seed: 1, restarts: 10}", "flip:0.8 noiseless users",
			"k-means (App. J), 3 clusters, seed 1: the best of 10 starts has a mean gap of 0 between the best jokes and the best cluster, the worst 0.", "", game.SimpleRegret, 100, 3, 30},
		{"problem:\n  jester: {file: [j.csv, k.csv], clusters: 2, seed: 7, restarts: 2}\nloss: best-identification\nevaluate: {priors: [users]}\n",
			"jester: {file: [DIR/j.csv, DIR/k.csv], clusters: 2, seed: 7, restarts: 2}", "users", "the best of 2 starts", "", game.BestIdentification, 100, 2, 60},
		{"problem: {jester: {file: j.csv, hypotheses: z.csv}}\n", "jester: {file: [DIR/j.csv], hypotheses: DIR/z.csv}", "flip:0.8 noiseless users",
			"The hypotheses given have a mean gap of 11 ", "", game.SimpleRegret, 100, 2, 30},
		{"problem: {twentyq: {queries: 3, seed: 4}}\nbudget: 2\ntruth: majority\n", "twentyq: {folder: DIR/twentyq, queries: 3, design: rho-star, seed: 4}", "flip:0.8 noiseless table",
			"", "dropped 1 rows that do not stand for people: 10000005 (just clicking at random)", game.BestIdentification, 3, 3, 3},
		{"problem: {twentyq: {folder: twentyq, queries: 2, design: balanced}}\nbudget: 2\ntruth: majority\n", "twentyq: {folder: DIR/twentyq, queries: 2, design: balanced, seed: 1}", "flip:0.8 noiseless table",
			"", "", game.BestIdentification, 2, 3, 3},
	} {
		dir := dataDir(t, c.spec)
		s, err := Load(filepath.Join(dir, "s.yaml"), Override{})
		if err != nil {
			t.Errorf("%s: %v", c.spec, err)
			continue
		}
		got := strings.ReplaceAll(string(s.Resolved()), dir, "DIR")
		if !strings.Contains(got, "problem:\n  "+c.origin+"\n") {
			t.Errorf("%s resolves to\n%s, want %s", c.spec, got, c.origin)
		}
		if got := strings.Join(s.priorNames(), " "); got != c.priors || s.Loss != c.loss {
			t.Errorf("%s: priors %s, loss %v", c.spec, got, s.Loss)
		}
		if !strings.Contains(strings.Join(s.Notes, " "), c.note) || !strings.Contains(strings.Join(s.Warnings, " "), c.warning) {
			t.Errorf("%s: notes %q, warnings %q", c.spec, s.Notes, s.Warnings)
		}
		if p := s.Problem; p.Queries() != c.queries || p.Hypotheses() != c.hypotheses || len(ownInstances(s)) != c.rows || p.Check() != nil {
			t.Errorf("%s: %d queries, %d hypotheses, %d rows", c.spec, p.Queries(), p.Hypotheses(), len(ownInstances(s)))
		}
		again, err := Parse(filepath.Join(t.TempDir(), "spec.yaml"), s.Resolved(), Override{})
		if err != nil {
			t.Error(err)
			continue
		}
		same(t, s, again)
	}
}

func TestDataProblemFaults(t *testing.T) {
	t.Setenv("MAPO_DATA", "")
	t.Setenv("XDG_CACHE_HOME", "/nowhere")
	for _, c := range []struct{ spec, want string }{
		{"problem:\n  jester: {clusters: 3}\n", `s.yaml:2: jester needs a file of ratings, such as jester: {file: jester_dataset_1_1.zip}`},
		{"problem:\n  jester:\n    file: []\n", `s.yaml:3: the list of files is empty: name at least one`},
		{"problem:\n  jester:\n    file: {a: b}\n", `s.yaml:3: problem.jester.file is a map, want a file or a list of files`},
		{"problem:\n  jester:\n    file: x.csv\n", `s.yaml:3: cannot find "x.csv"; looked for x.csv, $MAPO_DATA (not set), /nowhere/mapo/x.csv (cache); mapo data fetch jester gets jester_dataset_1_1.zip and jester_dataset_1_2.zip`},
		{"problem:\n  jester:\n    file: [j.csv, j.csv]\n", `j.csv: the file stands twice: its users would count twice`},
		{"problem:\n  jester:\n    file: j.csv\n    clusters: 1\n", `s.yaml:4: clusters is 1; it must be from 2 to 1000`},
		{"problem:\n  jester:\n    file: j.csv\n    clusters: 31\n", `s.yaml:4: 31 clusters of 30 users: lower it, or give more files`},
		{"problem:\n  jester:\n    file: j.csv\n    restarts: 0\n", `s.yaml:4: restarts is 0; it must be from 1 to 1000`},
		{"problem:\n  jester:\n    file: j.csv\n    cluster: 4\n", `s.yaml:4: unknown key "cluster"; did you mean "clusters"?`},
		{"problem:\n  jester:\n    file: j.csv\n    hypotheses: z.csv\n    seed: 4\n", `s.yaml:4: hypotheses are given, so there is nothing to cluster: drop clusters, seed and restarts, or hypotheses`},
		{"problem:\n  jester:\n    file: j.csv\n    hypotheses: \"\"\n", `s.yaml:4: the file's name is empty`},
		{"problem:\n  jester: {file: j.csv}\n  select: {queries: 3}\n", `s.yaml:3: select is for tables: remove it, Jester keeps all 100 jokes`},
		{"problem:\n  jester: {file: j.csv}\n  table: z.csv\n", `s.yaml:1: the problem is both a table and jester: keep one`},
		{"problem:\n  twentyq: {folder: none}\n", `s.yaml:2: cannot find "none"; looked for none, $MAPO_DATA (not set), /nowhere/mapo/none (cache); mapo data fetch twentyq gets it`},
		{"problem:\n  twentyq:\n    queries: 0\n", `s.yaml:3: twentyq keeps 0 queries; it must be at least 1`},
		{"problem:\n  twentyq:\n    design: rho\n", `s.yaml:3: unknown design "rho"; known are balanced, rho-star`},
		{"problem:\n  twentyq: {queries: 100}\n", `twentyq/rightProb.people4.question3.txt:1: select asks for 100 queries and the table has 3; lower it, or leave select out`},
		{"problem:\n  twentyq: {queries: 100}\ntruth: majority\n", `twentyq/rightProb.people4.question3.txt:1: select asks for 100 queries and the table has 3 that tell objects apart, of 3: lower it, or leave select out`},
		{"problem:\n  twentyq: {queries: 3}\n  select: {queries: 3}\n", `s.yaml:3: select is for tables: write twentyq: {folder: twentyq, queries: 3}`},
		{"problem: {table: z.csv}\nevaluate:\n  priors: [users]\n", `s.yaml:3: prior users needs a problem that has users (jester); this one's own instances are prior table`},
		{"problem: {jester: {file: j.csv, clusters: 2}}\nevaluate:\n  priors: [table]\n", `s.yaml:3: prior table needs a problem that is a table; this one's own instances are prior users`},
	} {
		dir := dataDir(t, c.spec)
		_, err := Load(filepath.Join(dir, "s.yaml"), Override{})
		got := ""
		if err != nil {
			got = strings.ReplaceAll(err.Error(), dir+"/", "")
		}
		if got != c.want {
			t.Errorf("%q:\n got %s\nwant %s", c.spec, got, c.want)
		}
	}
}

// An experiment is the paper's only with its budget and its loss.
func TestExperiment(t *testing.T) {
	t.Setenv("MAPO_DATA", "")
	t.Setenv("XDG_CACHE_HOME", "/nowhere")
	for spec, want := range map[string]string{
		"problem: {thresholds: {d: 25}}\n":                                 "thresholds",
		"problem: {thresholds: {d: 24}}\n":                                 "",
		"problem: {thresholds: {d: 25}}\nbudget: 19\n":                     "",
		"problem: {thresholds: {d: 25}}\nloss: simple-regret\n":            "",
		"problem: {jester: {file: j.csv, clusters: 3}}\n":                  "jester",
		"problem: {jester: {file: j.csv}}\nloss: best-identification\n":    "",
		"problem: {twentyq: {queries: 3}}\ntruth: majority\n":              "twentyq",
		"problem: {twentyq: {queries: 3}}\n":                               "",
		"problem: {table: z.csv}\n":                                        "",
		"problem: {table: cub_pyes.csv}\nask-once: false\n":                "birds",
		"problem: {table: cub_pyes.csv}\n":                                 "",
		"problem: {twentyq: {queries: 3}}\nloss: simple-regret\nseed: 2\n": "",
	} {
		dir := dataDir(t, spec)
		if err := os.WriteFile(filepath.Join(dir, "cub_pyes.csv"), []byte("object,a,b\nx,1,0\ny,0,1\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		s, err := Load(filepath.Join(dir, "s.yaml"), Override{})
		if err != nil || s.Experiment() != want {
			t.Errorf("%q is %q, want %q (%v)", spec, s.Experiment(), want, err)
		}
	}
}
