package spec

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// One clear line each, with the file, the line and a remedy.
func TestFaults(t *testing.T) {
	const ok = "problem: {thresholds: {d: 3}}\nbudget: 5\n"
	const table = "problem: {table: cube.csv}\nbudget: 2\n"
	for _, c := range []struct{ text, want string }{
		{"", `s.yaml:1: the spec is empty: name a table or thresholds under problem:`},
		{"- 1\n", `s.yaml:1: the spec has no keys: write problem:, budget: and so on; if it is a table, let its name end in .csv or .tsv`},
		{"problem: [\n", `s.yaml:1: not YAML: sequence end token ']' not found`},
		{"\x00", `s.yaml:1: this is not a text: a spec is a YAML file or a table (.csv, .csv.gz)`},
		{strings.Repeat("[", 100), `s.yaml:1: the spec is nested more than 16 deep`},
		{strings.Repeat("# long\n", 10000), `s.yaml:1: the spec is longer than 64 KiB: is this a spec?`},
		{ok + "seed: &a 1\n", `s.yaml:3: anchors, aliases, tags and blocks of text are not read here: write the value out`},
		{ok + "name: |\n  x\n", `s.yaml:3: anchors, aliases, tags and blocks of text are not read here: write the value out`},
		{ok + "---\nseed: 1\n", `s.yaml:4: a second document starts here: a spec is one`},
		{ok + "budget: 6\n", `s.yaml:3: not YAML: mapping key "budget" already defined at [2:1]`},
		{"problem: {thresholds: {d: 3}}\nbudgt: 5\n", `s.yaml:2: unknown key "budgt"; did you mean "budget"?`},
		{ok + "colour: red\n", `s.yaml:3: unknown key "colour"; known are name, problem, ask-once, budget, loss, dont-know, objective, levels, difficulty, seed, train, evaluate, instances, answers, truth, decision, weights, wrong-answers, other, stop`},
		{"problem: {treshold: {d: 3}}\n", `s.yaml:1: unknown key "treshold"; did you mean "thresholds"?`},
		{"problem:\n  thresholds:\n    n: 3\n", `s.yaml:3: unknown key "n"; did you mean "d"?`},
		{"budget: 5\n", `s.yaml:1: the spec has no problem: write problem: {table: FILE} or problem: {thresholds: {d: 25}}`},
		{"problem: 3\n", `s.yaml:1: problem is 3, want a map of keys`},
		{"problem: {thresholds: {d: 0}}\n", `s.yaml:1: thresholds over d = 0 queries; d must be from 1 to 2000`},
		{"problem:\n  thresholds: {d: 3}\n  table: cube.csv\n", `s.yaml:1: the problem is both thresholds and a table: keep one`},
		{"problem:\n  thresholds: {d: 3}\n  select: {queries: 3}\n", `s.yaml:3: select is for tables: remove it, or set thresholds' d`},
		{"problem: {thresholds: {d: 3}}\nbudget: 0\n", `s.yaml:2: budget is 0; it must be from 1 to 10000`},
		{"problem: {thresholds: {d: 3}}\nbudget: NaN\n", `s.yaml:2: budget is NaN, want a whole number`},
		{"problem: {thresholds: {d: 3}}\nbudget: 1e99\n", `s.yaml:2: budget is 1e99, want a whole number`},
		{ok + "ask-once: true\n", `s.yaml:2: budget 5 is above the 3 queries, and ask-once forbids to repeat one: lower the budget or set ask-once: false`},
		{"problem:\n  thresholds: {d: 9}\n  ask-once: false\nask-once: true\n", `s.yaml:3: ask-once is false here and true at the top: keep one`},
		{ok + "loss: regret\n", `s.yaml:3: unknown loss "regret"; known are best-identification, simple-regret`},
		{ok + "loss: simple_regret\n", `s.yaml:3: unknown loss "simple_regret"; did you mean "simple-regret"?`},
		{ok + "dont-know: spend\n", `s.yaml:3: unknown dont-know "spend"; did you mean "spends"?`},
		{ok + "dont-know: 3\n", `s.yaml:3: unknown dont-know "3"; known are free, spends`},
		{ok + "objective: {average: noiseless}\n", `s.yaml:3: objective needs a prior and a weight, such as objective: {average: flip:0.8, weight: 0.1}`},
		{ok + "objective: {weight: .1}\n", `s.yaml:3: objective needs a prior and a weight, such as objective: {average: flip:0.8, weight: 0.1}`},
		{ok + "objective:\n  average: noiseless\n  weight: 1\n", `s.yaml:5: weight is 1; the average's must be from 0 to below 1, the worst gap has the rest`},
		{ok + "objective:\n  average: noiseless\n  weight: -.1\n", `s.yaml:5: weight is -0.1; the average's must be from 0 to below 1, the worst gap has the rest`},
		{ok + "objective: {average: noiseless, weight: .nan}\n", `s.yaml:3: objective.weight is .nan, want a number`},
		{ok + "objective:\n  average: noisless\n  weight: .1\n", `s.yaml:4: unknown prior "noisless"; did you mean "noiseless"?`},
		{ok + "objective: {average: table, weight: .1}\n", `s.yaml:3: prior table needs a problem that is a table`},
		{ok + "objective: {averge: table, weight: .1}\n", `s.yaml:3: unknown key "averge"; did you mean "average"?`},
		{ok + "objective: .1\n", `s.yaml:3: objective is .1, want a map of keys`},
		{ok + "levels: [1.5, 16]\n", `s.yaml:3: level 1.5 is below 1.838, the least ρ̃ an instance of this problem can have: start the levels there or above`},
		{ok + "levels:\n- 8\n- 8\n", `s.yaml:5: level 8 follows 8: list the levels from low to high, each once`},
		{ok + "levels: [-1]\n", `s.yaml:3: level -1 is not above 0`},
		{ok + "levels: [.nan]\n", `s.yaml:3: levels[0] is .nan, want a number`},
		{ok + "levels: []\n", `s.yaml:3: levels is an empty list: name at least one, or remove the key and they are chosen from the problem`},
		{ok + "levels:\n", `s.yaml:3: levels has no value: write one or remove the key`},
		{ok + "seed: -1\n", `s.yaml:3: seed is -1, want a whole number of at least 0`},
		{ok + "decision: posteriors\n", `s.yaml:3: unknown decision "posteriors"; did you mean "posterior"?`},
		{ok + "truth: rows\n", `s.yaml:3: truth: rows is for a table of shares; this problem has none`},
		{table + "truth: rows\nevaluate: {priors: [\"table+flip:0.6\"]}\n", `s.yaml:4: prior "table+flip:0.6": the share of answers flipped must be from 0 to 0.5, or two of them, such as table+flip:0.1 or table+flip:0.05-0.2`},
		{ok + "difficulty: rho\n", `s.yaml:3: unknown difficulty "rho"; known are rho-tilde, rho-star, c-mab`},
		{ok + "difficulty: \n", `s.yaml:3: difficulty has no value: write one or remove the key`},
		{ok + "difficulty: c-mab\n", `s.yaml:3: difficulty c-mab is for arms, whose hypotheses are the single queries: write difficulty: rho-tilde, or problem: {arms: {count: 10}}`},
		{"problem: {arms: {}}\n", `s.yaml:1: arms have neither a count nor names: write arms: {count: 10} or arms: {names: [red, green, blue]}`},
		{"problem: {arms: {count: 1}}\n", `s.yaml:1: 1 arms; there must be from 2 to 2000`},
		{"problem: {arms: {names: [red]}}\n", `s.yaml:1: 1 arms; a game needs at least 2`},
		{"problem: {arms: {names: [red, blue, red]}}\n", `s.yaml:1: two arms are called "red": rename one`},
		{"problem: {arms: {names: [red, \"\"]}}\n", `s.yaml:1: arm 2 has an empty name: give it one`},
		{"problem: {arms: {names: [red, blue], count: 3}}\n", `s.yaml:1: count is 3 and there are 2 names: remove the count`},
		{"problem: {arms: {count: 3}, select: {queries: 2}}\n", `s.yaml:1: select is for tables: remove it, or lower arms' count`},
		{"problem: {arms: {count: 3}}\nask-once: true\n", `s.yaml:2: ask-once is for questions whose answers do not change; an arm is pulled many times: remove it`},
		{"problem: {arms: {count: 3}}\nlevels: [0.5]\n", `s.yaml:2: level 0.5 is below 0.502, the least 𝒞_MAB an instance of this problem can have: start the levels there or above`},
		{"problem: {arms: {count: 3}}\ndifficulty: rho-tilde\nlevels: [0.7]\n", `s.yaml:3: level 0.7 is below 1.504, the least ρ̃ an instance of this problem can have: start the levels there or above`},
		{ok + "answers: {gaussian: 1}\n", `s.yaml:3: Gaussian answers need a bound on their means, as nothing is learned in a few answers where means may be any: write answers: {gaussian: 1, bound: 1}`},
		{ok + "answers: {}\n", `s.yaml:3: answers have no distribution: write answers: {gaussian: 1, bound: 1}`},
		{ok + "answers:\n  gaussian: 0\n  bound: 1\n", `s.yaml:4: gaussian is 0; the standard deviation of answers must be above 0 and at most 1e+09`},
		{ok + "answers:\n  gaussian: 1\n  bound: -1\n", `s.yaml:5: bound is -1; it must be above 0 and at most 1e+09`},
		{ok + "answers: {gaussian: 1, bound: 1}\nevaluate:\n  rivals: [\"sgbs:0.1\"]\n", `s.yaml:5: policy "sgbs:0.1" reads answers of yes and no; with Gaussian ones there are uniform, round-robin, uncertainty, successive-rejects, sequential-halving, top-two, ugapeb, ucb-e, eb-tc`},
		{ok + "answers: {gaussian: 1, bound: 1}\nevaluate:\n  rivals: [uniform+posterior]\n", `s.yaml:5: policy "uniform+posterior": decision posterior is for answers of yes and no: write decision: least-squares`},
		{ok + "answers: {gaussian: 1, bound: 1}\ndecision: posterior\n", `s.yaml:4: decision posterior is for answers of yes and no: write decision: least-squares`},
		{"problem: {thresholds: {d: 9}}\nask-once: true\nbudget: 5\nanswers: {gaussian: 1, bound: 1}\n", `s.yaml:4: Gaussian answers differ when they are asked for again: write ask-once: false`},
		{table + "truth: rows\nanswers: {gaussian: 1, bound: 1}\n", `s.yaml:4: Gaussian answers are for hypotheses of 0 and 1: write truth: majority, or remove answers`},
		{ok + "evaluate: {rivals: [top-two]}\n", `s.yaml:3: policy "top-two" is for arms, and hypotheses here are not single queries: write problem: {arms: {count: 10}}, or name another`},
		{ok + "name: a/b\n", `s.yaml:3: name "a/b" is not a name for a folder: use at most 100 letters, digits, -, _ and .`},
		{ok + "name: ..\n", `s.yaml:3: name ".." is not a name for a folder: use at most 100 letters, digits, -, _ and .`},
		{ok + "train: desk\n", `s.yaml:3: train is desk, want a map such as {preset: desk}`},
		{ok + "train: {preset: dsk}\n", `s.yaml:3: unknown preset "dsk"; did you mean "desk"?`},
		{ok + "evaluate:\n  rivals: [unifrom]\n", `s.yaml:4: unknown rival "unifrom"; did you mean "uniform"?`},
		{ok + "evaluate:\n  rivals:\n  - uniform\n  - \"sgbs:0.7\"\n", `s.yaml:6: policy "sgbs:0.7": β must be a number in (0, 0.5), such as sgbs:0.1`},
		{ok + "evaluate:\n  rivals: [\"sgbs:.1\", \"sgbs:0.10\"]\n", `s.yaml:4: rival sgbs:0.1 stands twice: remove one`},
		{ok + "evaluate:\n  priors: [\"flip:1.5\"]\n", `s.yaml:4: prior "flip:1.5": a sign is kept with a probability from 0 to 1, such as flip:0.8`},
		{ok + "evaluate:\n  priors: [flip]\n", `s.yaml:4: prior "flip": a sign is kept with a probability from 0 to 1, such as flip:0.8`},
		{ok + "evaluate:\n  priors: [table]\n", `s.yaml:4: prior table needs a problem that is a table`},
		{ok + "evaluate:\n  priors: [users]\n", `s.yaml:4: prior users needs a problem that has users (jester)`},
		{ok + "evaluate: {games: 0}\n", `s.yaml:3: games is 0; it must be from 1 to 1e9`},
		{ok + "evaluate:\n  yardstick: yes\n", `s.yaml:4: evaluate.yardstick is yes, want true or false`},
		{ok + "evaluate:\n  yardstick: true\n", `s.yaml:4: trainings are not judged on their way any more: remove yardstick; bash docs/race.sh compares two of them`},
		{table + "ask-once: true\nevaluate: {prior: [table]}\n", `s.yaml:4: unknown key "prior"; did you mean "priors"?`},
		{"problem:\n  table: cube.csv\n  select: {queries: 0}\n", `s.yaml:3: select keeps 0 queries; it must be at least 1, such as select: {queries: 100}`},
		{"problem:\n  table: cube.csv\n  select: {queries: 2, design: rho}\n", `s.yaml:3: unknown design "rho"; known are balanced, rho-star`},
		{table + "instances: bad.csv\ntruth: majority\n", `bad.csv:1: the row has 2 cells, the problem 3 queries: write one number in [-1, 1] for each`},
		{table + "instances: tie.csv\ntruth: majority\n", ``},
		{table + "instances: tie.csv\nlevels: [8]\ntruth: majority\n", `s.yaml:3: no instance of tie.csv has a single best hypothesis: ρ̃ is infinite for all`},
		{table + "instances: hard.csv\nlevels: [8]\ntruth: majority\n", `s.yaml:4: level 8 is below 103.306, the least ρ̃ among the instances of hard.csv: start the levels there or above`},
		{"problem: {table: bad-table.csv}\nbudget: 2\n", `bad-table.csv:2: column 2 ("a") is 2; a share is from 0 to 1. Correct a slip. Run: mapo data import bad-table.csv --percent -o bad-table-table.csv if all numbers are percent (2 is 0.02), or mapo data import bad-table.csv --counts-of 2 -o bad-table-table.csv if the numbers are how many of 2 said yes, or mapo data import bad-table.csv --categories -o bad-table-table.csv if the numbers are values or measurements`},
	} {
		dir := write(t, map[string]string{
			"s.yaml": c.text, "cube.csv": cube, "bad.csv": "1,1\n", "tie.csv": "0,1,1\n", "hard.csv": "1,1,.1\n",
			"bad-table.csv": "object,a\nx,2\ny,1\n",
		})
		_, err := Load(filepath.Join(dir, "s.yaml"), Override{})
		got := ""
		if err != nil {
			got = strings.ReplaceAll(err.Error(), dir+"/", "")
		}
		// What is too long to load is found before its text is parsed.
		got = strings.Replace(got, "s.yaml: the file is", "s.yaml:1: the spec is", 1)
		if got != c.want {
			t.Errorf("%.60q:\n got %s\nwant %s", c.text, got, c.want)
		}
	}
}

func TestMissingFiles(t *testing.T) {
	dir := write(t, map[string]string{"s.yaml": "budget: 2\nproblem:\n  table: birds.csv\n"})
	t.Setenv("MAPO_DATA", "/nowhere")
	t.Setenv("XDG_CACHE_HOME", "/cache")
	for path, want := range map[string]string{
		"s.yaml":    `s.yaml:3: cannot find "birds.csv"; looked for birds.csv, /nowhere/birds.csv ($MAPO_DATA), /cache/mapo/birds.csv (cache)`,
		"none.csv":  `cannot find "none.csv"; looked for none.csv, /nowhere/none.csv ($MAPO_DATA), /cache/mapo/none.csv (cache)`,
		"none.yaml": `stat none.yaml: no such file or directory`,
		"":          ` is a folder: a spec is a YAML file or a table (.csv, .csv.gz)`,
	} {
		_, err := Load(dir+"/"+path, Override{})
		if err == nil || strings.ReplaceAll(strings.ReplaceAll(err.Error(), dir+"/", ""), dir, "") != want {
			t.Errorf("%q: %v, want %s", path, err, want)
		}
	}
	if _, err := Load("s.yaml", Override{Scale: "dsk"}); err == nil || err.Error() != `--scale: unknown scale "dsk"; did you mean "desk"?` {
		t.Error(err)
	}
}

func FuzzParse(f *testing.F) {
	for _, name := range []string{"../examples/thresholds.yaml", "../examples/animals.yaml"} {
		text, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	for _, text := range []string{
		"problem: {jester: {file: [a.zip, b.csv], clusters: 3, seed: 1, restarts: 2}}", "problem: {jester: {file: 1, hypotheses: x}}",
		"problem: {twentyq: {folder: x, queries: 3, design: balanced, seed: 2}}", "problem: {twentyq: {}, jester: {}}",
		"", "problem: {thresholds: {d: 3}}\n", "a: [1, {b: *c}]", "? a\n: b", "<<: {a: 1}", "a: !!str 1", "- - - 1", "\t", "a: \"\\x00\"",
		"problem: {thresholds: {d: 3}}\nlevels: [8, 1e2]\ntrain: {N: 3, x: [a, \"b\"], y: {z: 1}}\nname: \"a-b\"\n",
		"problem: {thresholds: {d: 2}}\nevaluate: {rivals: [\"sgbs:.1\"], priors: [\"flip:.5\", noiseless]}\nseed: 7\nloss: simple-regret\nask-once: true\nbudget: 2",
	} {
		f.Add(text)
	}
	dir := f.TempDir()
	f.Setenv("MAPO_DATA", dir)
	f.Setenv("XDG_CACHE_HOME", dir)
	f.Fuzz(func(t *testing.T, text string) {
		// Fuzzing the parser of specs, not the size of thresholds.
		if strings.Contains(text, "d: 1") || strings.Contains(text, "d: 2") && !strings.Contains(text, "d: 2}") {
			return
		}
		path := filepath.Join(dir, "s.yaml")
		s, err := Parse(path, []byte(text), Override{})
		if err != nil {
			if strings.Contains(err.Error(), "\n") || !strings.Contains(err.Error(), path) {
				t.Errorf("the error is not one line with its place: %q", err)
			}
			return
		}
		again, err := Parse(path, s.Resolved(), Override{})
		if err != nil {
			t.Fatalf("%v in\n%s", err, s.Resolved())
		}
		same(t, s, again)
		_ = s.DecodeTrain(&numbers{})
	})
}
