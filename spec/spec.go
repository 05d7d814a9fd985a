package spec

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"mapo/data/dataset"
	"mapo/data/table"
	"mapo/game"
	"mapo/internal/disk"
	"mapo/policy/rival"
	"mapo/policy/stopping"
)

// Scales are the presets, by effort: of the training and of the judge.
var Scales = []string{"smoke", "desk", "paper"}

// BayesLAL is the rival that is trained (App. H).
const BayesLAL = rival.BayesLAL

// Averages where a spec does not say: of all problems, and of a game over rows.
var (
	defaultPriors = []string{"flip:0.8", "noiseless"}
	rowPriors     = []string{"table", "table+flip:0.1", "table+flip:0.2"}
)

const (
	defaultBudget = 20 // the paper's everywhere
	defaultScale  = "desk"
	mostBudget    = 10000
	mostD         = 2000
	mostName      = 100 // bytes
)

// Spec is a spec as resolved.
type Spec struct {
	Path      string // the file it was read from
	Name      string // for folders and titles
	Problem   *game.Problem
	Loss      game.Loss
	Truth     string // what a table's hypotheses are: Rows or Majority
	Decision  string // how trained policies recommend, by its name in package decision; "": by least squares
	Weights   string // the column of a table's prior weights; "": the one headed mapo:weight, if there is one
	Stopping  string // the rule by which games end early, by its name in package stopping, or Off; "": the spec does not say
	DontKnow  string // what an answer "don't know" costs: nn.DontKnowSpends, or "" for nothing
	Objective Objective
	Levels    []float64 // r_k, increasing; nil: to be chosen (judge.Choice)
	Seed      uint64
	Scale     string       // one of Scales: the training's preset and the judge's effort
	Rivals    []string     // canonical names for rival.Parse, and BayesLAL
	Priors    []game.Prior // in the order given
	Games     int          // for averages; 0: as Scale says
	Unmarked  bool         // it says yardstick: false, which does nothing but name the runs of earlier programs
	Instances [][]float64  // the rows Θ is restricted to; nil: all of [−1, 1]^d
	Warnings  []string     // counted, from the data
	Notes     []string     // what is worth knowing of the problem: k-means' objective

	Pool  *Pool        // of classifiers, else nil
	Table *table.Table // where Truth is Rows: the table with the columns that are played; else nil

	kind      kind
	origin    string             // the problem as resolved: the lines under problem:
	rows      [][]float64        // the data's own instances, nil for thresholds
	rowPrior  string             // the prior's name that draws one of them
	instances string             // its path as found, absolute
	noise     string             // the line of Gaussian answers, or ""
	answers   string             // likewise of another source's table
	rules     dataset.RowOptions // of a game over rows, without a selection
	roomy     bool               // whether the budget is the default, and no query is asked twice
	train     []*ast.MappingValueNode
	src       *source
}

// defaultStop is where games over rows end where a spec does not say.
const defaultStop = 0.95

// StopAt returns the probability of the recommendation at which a game without training ends: the spec's, else 0.95. It is 0
// where the hypotheses are not rows, as there is no probability then.
func (s *Spec) StopAt() float64 {
	switch {
	case s.Table == nil:
		return 0
	case s.Stopping == "":
		return defaultStop
	}
	return stopping.Probability(s.Stopping)
}

// Objective is what the min-gap policy is trained for besides its worst gap: with
// weight w, (1−w)·(worst gap) + w·(average loss over a prior).
type Objective struct {
	Average game.Prior // nil where the spec has none
	Weight  float64    // in [0, 1)
}

// Experiment returns which of the paper's experiments the spec is, in [mapo/report]'s
// words: thresholds, twentyq, jester, or birds, which stands in for twentyq; "" for
// none. The budget, the loss and the hypotheses, majorities, must be the paper's.
func (s *Spec) Experiment() string {
	p := s.Problem
	switch key, regret := s.kind.key, s.Loss == game.SimpleRegret; {
	case p.T != defaultBudget, s.Table != nil:
	case key == "jester" && regret:
		return key
	case regret:
	case key == "twentyq", key == "thresholds" && p.Queries() == 25:
		return key
	case key == "table" && p.Name == "cub_pyes":
		return "birds"
	}
	return ""
}

// Override is what a command line may replace.
type Override struct {
	Scale   string // "": as the spec says
	Weights string // the column of a table's prior weights, in place of the spec's
	Truth   string // what a table is where the spec does not say; "": Rows where a share is neither 0 nor 1 or is unknown, else Majority
}

func (o *Override) check() error {
	if o.Scale != "" && !slices.Contains(Scales, o.Scale) {
		return fmt.Errorf("--scale: %s", Unknown("scale", o.Scale, Scales))
	}
	return nil
}

// file is a spec as written. Unknown keys are errors with file, line and the nearest known key.
type file struct {
	// Of the run folder and of titles, at most 100 bytes; the file's name where omitted.
	Name string `yaml:"name"`
	// What is played: one of the keys below. Files are looked for at the path given (relative to
	// the spec), then in $MAPO_DATA, then in the user's cache folder.
	Problem *problem `yaml:"problem"`
	// No query twice in a game; true for tables where omitted, else false. Not of arms and
	// classifiers.
	AskOnce *bool `yaml:"ask-once"`
	// Answers of a game, 1 to 10,000; 20 where omitted, or the number of queries if that is less
	// and each is asked once.
	Budget *int `yaml:"budget"`
	// best-identification, or simple-regret, the default of classifiers.
	Loss string `yaml:"loss"`
	// What "don't know" costs where the policy is played: free, the default, or spends, which uses
	// up an answer.
	DontKnow string `yaml:"dont-know"`
	// What π̂ is trained for besides its worst gap; with one level π_1. The other π_k and so the
	// benchmarks do not change.
	Objective *objective `yaml:"objective"`
	// r_k, increasing; chosen from the problem and the budget where omitted, and said.
	Levels []float64 `yaml:"levels"`
	// What levels are by: rho-tilde, rho-star, or c-mab, of arms and their default.
	Difficulty string `yaml:"difficulty"`
	// Of all random streams; 1 where omitted.
	Seed *uint64 `yaml:"seed"`
	// preset: smoke, desk (the default) or paper, beside which other keys win; and any key of the
	// training below. A preset fixes levels and iterations, never seconds. --scale replaces the
	// preset, the judge's effort and the lengths of training: pi, pi_hat, follow, refresh,
	// thorough, init, regret and tilde; it says so in a line.
	Train ast.Node `yaml:"train"`
	// What the learned policies are compared with, and on what.
	Evaluate evaluate `yaml:"evaluate"`
	// A file of numbers, an instance a row, that Θ is restricted to: particles are fixed and only
	// their weights move. Of vectors a row is θ itself. A first row that is not of numbers is
	// checked as names of queries.
	Instances string `yaml:"instances"`

	// Numbers in place of yes and no; for hypotheses of 0 and 1.
	Answers *answers `yaml:"answers"`
	// What a table's hypotheses are. rows: its rows of shares, of which the one nearest to the
	// instance is the best. majority: 1 where a share is above ½, else 0, as in the paper;
	// duplicates are merged then, and constant queries dropped, with a warning. Where omitted,
	// tables with a share that is neither 0 nor 1 or is unknown are rows, and so is twentyq. Whole
	// tables of 0 and 1 are rows where they are played without training or judged, and majorities
	// in trainings. Others are majorities. A run's spec.yaml always has the line. Rows of equal
	// shares are one hypothesis "A or B" with the sum of their weights.
	Truth string `yaml:"truth"`
	// How trained policies recommend: least-squares, posterior or, of classifiers, votes. It is
	// part of the policy file.
	Decision string `yaml:"decision"`
	// The column of a table's prior weights; mapo:weight where omitted and the table has it. For
	// rows.
	Weights string `yaml:"weights"`
	// ε, the share of answers that are wrong, in [0, 0.5); inferred in each game where omitted.
	// With 0 the cells of 0 and 1 are exact: an answer that differs rules a row out. If that leaves
	// none, the game says so and goes on with ε inferred. For rows.
	WrongAnswers *float64 `yaml:"wrong-answers"`
	// The prior probability of "none of these", in [0, 1); 0 where omitted. Its shares are the
	// weighted means of the columns. For rows that are played or judged on average: trainings and
	// worst cases refuse it.
	Other *float64 `yaml:"other"`
	// {confidence: 0.95}, in (0.5, 1): games of rows end once the recommendation has that
	// probability, in play, training and judging alike; or off. Where omitted, games without
	// training end at 0.95 when they are played, and others have all answers.
	Stopping ast.Node `yaml:"stop"`
}

// problem has one of thresholds, arms, table, twentyq, jester, classifiers and vectors.
type problem struct {
	// Which of d cells a step is in: d queries and d + 1 hypotheses.
	Thresholds *thresholds `yaml:"thresholds"`
	// The best of some arms, each query an arm.
	Arms *arms `yaml:"arms"`
	// A file that every command reads as mapo data import does: objects as rows, questions as
	// columns, shares as cells.
	Table string `yaml:"table"`
	// The published answers of 20 Questions.
	TwentyQ *twentyq `yaml:"twentyq"`
	// The published ratings of jokes.
	Jester *jester `yaml:"jester"`
	// A file of predictions, or the keys below: the model of a pool that is right most often.
	Classifiers ast.Node `yaml:"classifiers"`
	// Queries and hypotheses that are vectors.
	Vectors *vectors `yaml:"vectors"`
	// The queries of a table or of twentyq that are kept.
	Select *selection `yaml:"select"`
	// As ask-once beside problem.
	AskOnce *bool `yaml:"ask-once"`
}

// answers are Gaussian, with this standard deviation and means up to the bound either way.
type answers struct {
	Gaussian *float64 `yaml:"gaussian"` // their standard deviation, above 0 and at most 1e9
	Bound    *float64 `yaml:"bound"`    // means are between −bound and bound, likewise
}

// thresholds are over d queries.
type thresholds struct {
	D int `yaml:"d"` // 1 to 2,000
}

// selection is [dataset.Select] as written.
type selection struct {
	Queries int    `yaml:"queries"` // how many; more than tell objects apart is an error
	Design  string `yaml:"design"`  // balanced, the default, or rho-star: drawn from its static design
	Seed    uint64 `yaml:"seed"`    // of the draw
}

// objective is [Objective] as written: (1−w)·(worst gap) + w·(average loss over the prior).
type objective struct {
	Average string   `yaml:"average"` // the prior, which joins evaluate.priors
	Weight  *float64 `yaml:"weight"`  // w, in [0, 1)
}

// evaluate says what the learned policies are compared with, and on what.
type evaluate struct {
	// Policies by name, and bayes-lal, which is trained. Of several decisions of one rival, such as
	// uniform and uniform+posterior, the one that a short search finds best is searched in full.
	Rivals []string `yaml:"rivals"`
	// What averages are over: flip:h (each sign of 2z − 1 kept with probability h), noiseless, box
	// (each θ_i uniform), table, users; of rows also table+flip:0.1 and table+flip:0.05-0.2, drawn
	// anew in each game; of classifiers models and votes.
	Priors []string `yaml:"priors"`
	// Another source's table with the same names of objects and questions: its answers are played,
	// too. For rows. What it lacks is answered as the game's own row says.
	Answers string `yaml:"answers"`
	// Games of each average; by scale where omitted.
	Games int `yaml:"games"`

	// false says nothing, as specs of earlier versions have it; true is refused.
	Yardstick *bool `yaml:"yardstick"`
}

// tableNames end the names of tables. Workbooks are not read directly: their reader names the import command.
var tableNames = []string{".csv", ".csv.gz", ".tsv", ".tsv.gz", ".json", ".jsonl", ".ndjson", ".xlsx", ".xlsm", ".xls", ".ods"}

// IsTable reports whether a SPEC is a table itself, by its name.
func IsTable(path string) bool {
	path = strings.ToLower(path)
	return slices.ContainsFunc(tableNames, func(end string) bool { return strings.HasSuffix(path, end) })
}

// Load reads, checks and resolves the SPEC at path. A spec's files are looked
// for relative to its folder, then as [dataset.Find] says.
func Load(path string, over Override) (*Spec, error) {
	if err := over.check(); err != nil {
		return nil, err
	}
	if IsTable(path) {
		return loadTable(path, over)
	}
	text, err := read(path)
	if err != nil {
		return nil, err
	}
	return Parse(path, text, over)
}

// read returns a spec's text; it refuses a file that is larger than any spec.
func read(path string) ([]byte, error) {
	if path == "" {
		return nil, errors.New("the SPEC's name is empty: it is a YAML file or a table (.csv, .csv.gz)")
	}
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case info.IsDir():
		return nil, fmt.Errorf("%s is a folder: a spec is a YAML file or a table (.csv, .csv.gz)", path)
	}
	f, err := disk.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, mostBytes+1)) // a pipe or a device has no size
	if err == nil && len(text) > mostBytes {
		err = fmt.Errorf("%s: the file is longer than %d KiB: is this a spec?", path, mostBytes>>10)
	}
	return text, err
}

// Parse resolves a spec's text as [Load] does a file; path says where the text stands, for messages
// and for the files it names.
func Parse(path string, text []byte, over Override) (*Spec, error) {
	src, err := parse(path, text)
	if err != nil {
		return nil, err
	}
	l := &loader{src: src, folder: filepath.Dir(path)}
	if err := l.read(); err != nil {
		return nil, err
	}
	return l.resolve(path, over)
}

// loadTable returns the spec that a bare table stands for, which has nothing but defaults.
func loadTable(path string, over Override) (*Spec, error) { return loaderOf(path).resolve(path, over) }

// OfTable returns the spec that a table in memory stands for, with a budget and defaults; 0: the default budget, too.
// [Spec.Resolved] gives the table's name in place of a file.
func OfTable(t *table.Table, budget int, over Override) (*Spec, error) {
	if err := over.check(); err != nil {
		return nil, err
	}
	l := loaderOf(t.Name)
	l.made = t
	if budget != 0 {
		l.raw.Budget = &budget
	}
	return l.resolve(t.Name, over)
}

// loaderOf returns the loader of a table without a spec.
func loaderOf(name string) *loader {
	l := &loader{src: &source{name: name, lines: map[string]int{}}}
	l.raw.Problem = &problem{Table: name}
	return l
}
